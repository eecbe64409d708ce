// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.clu;

import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A load on a controller: clients that each send a script and wait for its value, again and again.
 * Immutable.
 *
 * @param controller its address
 * @param key 16 bytes of AES-128; not written to
 * @param iv the initialization vector, 16 bytes; not written to
 * @param script the script of each request
 * @param expected the value that it must have; any if absent
 * @param clients clients, each with a socket of its own
 * @param duration how long to measure, each time
 * @param warmUp how long to do the same before
 * @param times how often to measure
 * @param timeout when a request counts as lost
 * @param pid the process of the controller, for its CPU time
 */
public record CluPlan(
        InetSocketAddress controller,
        byte[] key,
        byte[] iv,
        String script,
        Optional<String> expected,
        int clients,
        Duration duration,
        Duration warmUp,
        int times,
        Duration timeout,
        OptionalLong pid,
        TransportKind transport) {
    private static final int MAX_SCRIPT = 1_500; // controllers take datagrams up to 2,048 bytes

    /** Checks the settings. */
    public CluPlan {
        require(key.length == 16, "the key must have 16 bytes, not " + key.length);
        require(iv.length == 16, "the IV must have 16 bytes, not " + iv.length);
        require(
                !script.isEmpty() && script.length() <= MAX_SCRIPT,
                "the script must have 1 to %,d characters, not %,d"
                        .formatted(MAX_SCRIPT, script.length()));
        require(clients >= 1 && clients <= 1_000, "clients must be from 1 to 1000, not " + clients);
        require(times >= 1 && times <= 1_000, "times must be from 1 to 1000, not " + times);
        require(duration.toMillis() >= 1, "the duration must be at least 1ms");
        require(timeout.toMillis() >= 1, "the timeout must be at least 1ms");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
