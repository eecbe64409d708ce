// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import io.sirocco.net.transport.ReceiveBuffer;
import java.lang.foreign.Arena;

/**
 * The buffers that the connections of a loop receive into. All of them use the same one until
 * output refers to its content; then another one takes its place. They are allocated as they are
 * needed, {@value #MAX} at most. Loop-confined.
 */
final class InputBuffers {
    /** The bytes of a buffer. */
    static final int SIZE = 64 << 10;

    private static final int MAX = 32;

    private final Arena arena;
    private final Buffer[] free = new Buffer[MAX]; // the last one is the next to be used
    private int freeCount;
    private int count = 1;
    private Buffer current;

    /** A buffer, which is used again when no output refers to it. */
    final class Buffer implements ReceiveBuffer {
        final long address = arena.allocate(SIZE, 64).address();
        private int references;

        @Override
        public boolean retain() {
            if (references == 0 && !hasFree()) {
                return false;
            }
            references++;
            return true;
        }

        @Override
        public void release() {
            if (--references == 0 && this != current) {
                free[freeCount++] = this;
            }
        }
    }

    InputBuffers(Arena arena) {
        this.arena = arena;
        current = new Buffer();
    }

    /** Returns a buffer for one receive. Output must retain it before the next call. */
    Buffer next() {
        if (current.references > 0) {
            current = free[--freeCount];
        }
        return current;
    }

    /** Returns whether there is a buffer that can take the place of the current one. */
    private boolean hasFree() {
        if (freeCount == 0 && count < MAX) {
            try {
                free[0] = new Buffer();
            } catch (OutOfMemoryError e) { // what has come is copied instead
                return false;
            }
            count++;
            freeCount++;
        }
        return freeCount > 0;
    }
}
