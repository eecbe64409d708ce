// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.limit.Timeouts;
import java.time.Duration;

/** Checks what a program sets when it starts a server: a mistake is an error there. Any thread. */
final class Given {
    private Given() {}

    /** Returns {@code value}; {@code what} is the beginning of a sentence. */
    static <T> T of(String what, T value) {
        if (value == null) {
            throw new IllegalArgumentException(what + " is null.");
        }
        return value;
    }

    /**
     * Returns a timeout, of which zero stands for none: in whole milliseconds, rounded up so that a
     * short one is not none, and of a century at most, so that it can be added to a time.
     */
    static Duration timeout(String what, Duration timeout) {
        if (of(what, timeout).isNegative()) {
            throw new IllegalArgumentException(
                    what + " must be zero, for none, or more, not " + timeout + ".");
        }
        return Timeouts.notNegative(what, timeout);
    }

    /** Returns a limit of bytes, of which -1 stands for none. */
    static long limit(String what, long bytes) {
        if (bytes < -1) {
            throw new IllegalArgumentException(
                    what + " must be -1, for none, or more, not " + bytes + ".");
        }
        return bytes;
    }

    /** Returns a rate in bytes per second. */
    static long rate(String what, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException(what + " must be 0 or more, not " + bytes + ".");
        }
        return bytes;
    }
}
