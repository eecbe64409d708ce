// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.wire.WireException;
import java.util.ArrayList;
import java.util.List;

/**
 * Events that come before CONNECT is answered: what was missed does, where a session is recovered.
 * Bounded; loop-confined.
 */
final class Early {
    private static final long MAX_BYTES = 4 << 20;

    private final List<Incoming> events = new ArrayList<>(0);
    private long size;

    void add(Incoming event) throws WireException {
        size += event.size();
        if (size > MAX_BYTES) {
            throw new WireException("too many events before CONNECT is answered");
        }
        events.add(event);
    }

    /** All of them, which are kept no longer. */
    List<Incoming> take() {
        List<Incoming> all = List.copyOf(events);
        events.clear();
        size = 0;
        return all;
    }
}
