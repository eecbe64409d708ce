// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * An eventfd by which other threads wake a loop. It takes no lock, since those that wake a loop may
 * be other loops. A caller that comes too late writes to nothing, and never to whatever has the
 * number of the descriptor next. Any thread.
 */
public final class WakeUp {
    private final int descriptor;

    /** Those that use the descriptor, and one more until {@link #close}; 0: it is closed. */
    private final AtomicInteger users = new AtomicInteger(1);

    /** Takes {@code descriptor}, an eventfd. */
    public WakeUp(int descriptor) {
        this.descriptor = descriptor;
    }

    /** Returns the descriptor, to wait for. */
    public int descriptor() {
        return descriptor;
    }

    /** Makes it readable, unless it is closed. */
    public void signal() {
        int now;
        do {
            now = users.get();
            if (now == 0) {
                return;
            }
        } while (!users.compareAndSet(now, now + 1));
        try {
            Linux.signal(descriptor);
        } finally {
            leave();
        }
    }

    /** Closes the descriptor, behind those that write to it now. To be called once. */
    public void close() {
        leave();
    }

    private void leave() {
        if (users.decrementAndGet() == 0) {
            Linux.close(descriptor);
        }
    }
}
