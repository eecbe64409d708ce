// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.live.Live;
import io.sirocco.live.broker.Address;

/** Names that rooms and events may have where somebody else than a handler chooses them. */
public final class ChannelNames {
    private static final int LONGEST = 200;

    private ChannelNames() {}

    /** The name of a room; {@link IllegalArgumentException} says why it can be none. */
    public static String room(String name) {
        return Address.room(measured(name, "a room"));
    }

    /** The name of an event; {@link IllegalArgumentException} says why it can be none. */
    public static String event(String name) {
        measured(name, "an event");
        if (Live.isReserved(name)) {
            throw new IllegalArgumentException("this name of an event is reserved");
        }
        return name;
    }

    private static String measured(String name, String what) {
        if (name.isEmpty() || name.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "the name of %s has 1 to %d characters".formatted(what, LONGEST));
        }
        return name;
    }
}
