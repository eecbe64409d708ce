// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Messages for tests. */
public final class Publications {
    private Publications() {}

    /** To all of the namespace "/". */
    public static Publication toAll(String event) {
        return new Publication("/", Set.of(), Set.of(), event, List.of(), true, List.of());
    }

    /** To rooms. */
    public static Publication to(String event, String... rooms) {
        return new Publication("/", Set.of(rooms), Set.of(), event, List.of(), true, List.of());
    }

    /** To a room that keeps a history. */
    public static Publication history(String event, String room, int messages, Duration age) {
        var bounds = new Publication.Bounds(room, messages, age.toMillis());
        return new Publication(
                "/", Set.of(room), Set.of(), event, List.of(), true, List.of(bounds));
    }
}
