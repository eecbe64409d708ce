// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Marks of very many used tickets: small, until their tickets expire, and bounded. */
class SpentTicketsTest {
    private static final int MAX = 20_000;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000); // it overflows

    private final Clock clock =
            new Clock() {
                @Override
                public long nanos() {
                    return nanos.get();
                }

                @Override
                public long wallMillis() {
                    return 0;
                }
            };

    @Test
    void moreOfThemThanTheHeapHasPagesAreRememberedEachUntilItsTime() {
        var spent = new SpentTickets(clock);
        int many = Math.min(2 * Expiring.MAX, 300_000);
        for (int i = 0; i < many; i++) {
            assertTrue(spent.spend("ticket " + i, MINUTE), "ticket " + i);
        }
        nanos.addAndGet(MINUTE.toNanos() - 1);
        for (int i = 0; i < many; i += 100) {
            assertFalse(spent.spend("ticket " + i, Duration.ofNanos(1)), "ticket " + i);
        }
        nanos.addAndGet(Duration.ofSeconds(17).toNanos());
        for (int i = 0; i < many; i += 100) {
            assertTrue(spent.spend("ticket " + i, MINUTE), "ticket " + i);
        }
    }

    @Test
    void thoseThatExpireMakeRoom() {
        var spent = new SpentTickets(clock, MAX);
        for (int i = 0; i < 3 * MAX; i++) {
            if (i % (MAX / 2) == 0) {
                nanos.addAndGet(MINUTE.toNanos());
            }
            assertTrue(spent.spend("ticket " + i, Duration.ofSeconds(20)), "ticket " + i);
        }
    }

    @Test
    void beyondTheBoundTheReasonIsTold() {
        var spent = new SpentTickets(clock, MAX);
        String message =
                assertThrows(
                                BrokerException.class,
                                () -> {
                                    for (int i = 0; i < 3 * MAX; i++) {
                                        spent.spend("ticket " + i, MINUTE);
                                    }
                                })
                        .getMessage();
        assertTrue(message.contains("shorten their life"), message);
    }
}
