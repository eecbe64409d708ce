// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.log;

import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;

/**
 * A queue of messages in the order of their numbers, which is searched by number: a ring that grows
 * with what is in it. Confined to the lock of {@link Log}.
 */
final class Entries {
    /** A message of the log. */
    record Entry(long number, Position position, Publication publication, long millis) {}

    private static final int FEWEST = 2;

    private Entry[] ring = new Entry[FEWEST];
    private int first;
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The one at a place; that of the oldest is 0. */
    Entry get(int at) {
        return ring[first + at & ring.length - 1];
    }

    void add(Entry entry) {
        if (size == ring.length) {
            resize(2 * size);
        }
        ring[first + size & ring.length - 1] = entry;
        size++;
    }

    /** Takes the oldest out. */
    void removeFirst() {
        ring[first] = null;
        first = first + 1 & ring.length - 1;
        size--;
        if (size > FEWEST && size <= ring.length / 8) {
            resize(ring.length / 2);
        }
    }

    /** The place of the oldest behind a number; that is the size when there is none. */
    int behind(long number) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = low + high >>> 1;
            if (get(middle).number <= number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void resize(int length) {
        Entry[] next = new Entry[length];
        for (int i = 0; i < size; i++) {
            next[i] = get(i);
        }
        ring = next;
        first = 0;
    }
}
