// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import java.util.Arrays;

/**
 * Maps descriptors to the sockets that are watched. The kernel reuses the number of a descriptor as
 * soon as it is closed, while events of the old socket may still be unread: so each registration
 * has a sequence number, which its events carry as well. Loop-confined.
 */
final class WatchedTable {
    private Watched[] watched = new Watched[64];
    private int[] sequences = new int[64];

    /** Puts {@code added} in, and returns what its events carry. */
    long put(int descriptor, Watched added) {
        if (descriptor >= watched.length) {
            int size = Math.max(descriptor + 1, watched.length * 2);
            int[] moreSequences = Arrays.copyOf(sequences, size);
            watched = Arrays.copyOf(watched, size);
            sequences = moreSequences;
        }
        watched[descriptor] = added;
        return data(descriptor);
    }

    /** Puts {@code added} in the place of what is there, with the same events. */
    void replace(int descriptor, Watched added) {
        watched[descriptor] = added;
    }

    /** Returns what the events of a descriptor carry. */
    long data(int descriptor) {
        return (long) sequences[descriptor] << 32 | descriptor;
    }

    /** Returns what an event is about; null if that is gone. */
    Watched find(long data) {
        int descriptor = (int) data;
        return sequences[descriptor] == (int) (data >>> 32) ? watched[descriptor] : null;
    }

    /** Forgets what has the descriptor, if something has, before it is closed. */
    void remove(int descriptor) {
        if (descriptor < watched.length) { // it may not have grown, without heap
            watched[descriptor] = null;
            sequences[descriptor]++;
        }
    }

    /** Returns a number above all descriptors that are there. */
    int size() {
        return watched.length;
    }

    /** Returns what has the descriptor; null for nothing. */
    Watched get(int descriptor) {
        return watched[descriptor];
    }
}
