// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

/** How a button was pressed. Immutable. */
public enum Press {
    PRESS("press"),
    DOUBLE_PRESS("double_press"),
    LONG_PRESS("long_press");

    private final String eventType;

    Press(String eventType) {
        this.eventType = eventType;
    }

    /** Returns the type of the event in Home Assistant. */
    public String eventType() {
        return eventType;
    }
}
