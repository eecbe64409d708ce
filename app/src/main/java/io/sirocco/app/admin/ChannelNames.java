// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.live.Live;
import io.sirocco.live.broker.Address;

/** Checks names of rooms and events that clients or operators choose. */
public final class ChannelNames {
    private static final int LONGEST = 200;

    private ChannelNames() {}

    /**
     * Returns the name of a room, or throws {@link IllegalArgumentException} if it is not valid.
     */
    public static String room(String name) {
        return Address.room(measured(name, "a room"));
    }

    /**
     * Returns the name of an event, or throws {@link IllegalArgumentException} if it is not valid.
     */
    public static String event(String name) {
        measured(name, "an event");
        if (Live.isReserved(name)) {
            throw new IllegalArgumentException("this event name is reserved");
        }
        return name;
    }

    private static String measured(String name, String what) {
        if (name.isEmpty() || name.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "the name of %s must have 1 to %d characters".formatted(what, LONGEST));
        }
        return name;
    }
}
