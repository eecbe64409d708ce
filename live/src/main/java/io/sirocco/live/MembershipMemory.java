// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that the rooms of all clients take, and clients that are away and may come back:
 * estimates. A client has its rooms for as long as it may come back, here and at the broker. Any
 * thread.
 */
final class MembershipMemory {
    /** A client that is away, here and at the broker. */
    static final int AWAY = 2 << 10;

    /** A client's place in a room, and a room that is its alone. */
    private static final int PLACE = 320;

    private final long most;
    private final AtomicLong bytes = new AtomicLong();

    MembershipMemory(long most) {
        this.most = most;
    }

    /** What a client's place in a room costs. */
    static long of(String room) {
        return PLACE + 2L * room.length();
    }

    /** Counts so many more, if there is room for them. */
    boolean take(long more) {
        if (bytes.addAndGet(more) <= most) {
            return true;
        }
        bytes.addAndGet(-more);
        return false;
    }

    /** Counts so many more in any case: they are there already. */
    void add(long more) {
        bytes.addAndGet(more);
    }

    void give(long less) {
        bytes.addAndGet(-less);
    }

    /** Bytes that are taken. */
    long bytes() {
        return bytes.get();
    }
}
