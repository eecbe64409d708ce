// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

/** What the clients of a {@link LivePlan} do. */
public enum LiveWork {
    /** They come, all at once, and go. */
    CONNECT("client"),
    /** Each asks for an echo of what it says. */
    ECHO("round trip"),
    /** One publishes to a room that all others are in. */
    FANOUT("delivery");

    /** What is counted, for people. */
    public final String unit;

    LiveWork(String unit) {
        this.unit = unit;
    }

    /** More than one of it. */
    public String units() {
        return unit.endsWith("y") ? unit.substring(0, unit.length() - 1) + "ies" : unit + "s";
    }
}
