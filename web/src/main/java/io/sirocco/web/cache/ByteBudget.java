// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that several users share. Any thread. */
final class ByteBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Reserves bytes; returns false if that is beyond the limit. */
    boolean reserve(long bytes) {
        if (used.addAndGet(bytes) <= limit) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}
