// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.net.TlsClient;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

class TimeoutsTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration NANO = Duration.ofNanos(1);

    @Test
    void aLongTimeIsACentury() throws Exception {
        assertEquals(Duration.ofDays(36_500), Timeouts.positive("time", EVER));
        assertEquals(Duration.ofDays(36_500), Timeouts.notNegative("time", EVER));
        TlsClient.of(SSLContext.getDefault()).withHandshakeTimeout(EVER);
    }

    @Test
    void aShortTimeIsNotNone() {
        assertEquals(Duration.ofMillis(1), Timeouts.notNegative("time", NANO));
        assertEquals(Duration.ZERO, Timeouts.notNegative("time", Duration.ZERO));
        assertEquals(
                "time must be 1 ms or more, not PT0.000000001S.",
                assertThrows(IllegalArgumentException.class, () -> Timeouts.positive("time", NANO))
                        .getMessage());
        assertThrows(
                IllegalArgumentException.class, () -> Timeouts.notNegative("time", NANO.negated()));
        assertThrows(IllegalArgumentException.class, () -> Timeouts.notNegative("time", null));
    }
}
