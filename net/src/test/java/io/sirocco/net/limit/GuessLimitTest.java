// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Clock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How often one client may be wrong, and what a flood of clients changes about that: nothing. */
class GuessLimitTest {
    private static final Duration EACH = Duration.ofSeconds(6);

    private final AtomicLong nanos = new AtomicLong(-7_000_000_000L);
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

    private GuessLimit limit(int addresses) {
        return new GuessLimit(10, EACH, addresses, clock);
    }

    private static byte[] v4(int address) {
        return ByteBuffer.allocate(4).putInt(address).array();
    }

    /** Offers a wrong secret; answers whether it was looked at. */
    private static boolean guess(GuessLimit limit, byte[] address) {
        if (limit.await(address) > 0) {
            return false;
        }
        limit.charge(address);
        return true;
    }

    private static int guesses(GuessLimit limit, byte[] address, int tries) {
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            passed += guess(limit, address) ? 1 : 0;
        }
        return passed;
    }

    @Test
    void tenWrongOnesAtOnceAndOneMoreInSixSeconds() {
        GuessLimit limit = limit(1024);
        assertEquals(10, guesses(limit, v4(1), 1_000));
        assertEquals(EACH.toNanos(), limit.await(v4(1)));
        assertEquals(0, limit.await(v4(2)), "nobody else waits");
        nanos.addAndGet(EACH.toNanos());
        assertEquals(1, guesses(limit, v4(1), 1_000));
        nanos.addAndGet(EACH.toNanos() * 60);
        assertEquals(10, guesses(limit, v4(1), 1_000));
    }

    @Test
    void whatIsVerifiedAtTheSameTimeIsChargedAllTheSame() {
        GuessLimit limit = limit(1024);
        for (int i = 0; i < 100; i++) {
            assertEquals(0, limit.await(v4(1)));
        }
        for (int i = 0; i < 100; i++) {
            limit.charge(v4(1));
        }
        assertEquals(EACH.toNanos() * 91, limit.await(v4(1)));
    }

    @Test
    void anIpv6NetworkOf64BitsIsOneClient() {
        GuessLimit limit = limit(1024);
        int passed = 0;
        for (int i = 0; i < 100; i++) {
            passed += guess(limit, Ip.bytes("2001:db8::" + i)) ? 1 : 0;
        }
        assertEquals(10, passed);
        assertEquals(0, limit.await(Ip.bytes("2001:db8:0:1::1")));
    }

    @Test
    void aFullTableDoesNotFailOpen() {
        GuessLimit limit = limit(1024);
        long passed = 0;
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 20_000; i++) {
                passed += guess(limit, v4(i)) ? 1 : 0;
            }
        }
        assertTrue(passed <= 10 * 1024, passed + " guesses of 20,000 addresses in no time");
    }

    @Test
    void aFloodOfAddressesDoesNotHaveAGuiltyOneForgotten() {
        GuessLimit limit = limit(1024);
        assertEquals(10, guesses(limit, v4(-1), 20));
        for (int i = 0; i < 5_000; i++) {
            guess(limit, v4(i)); // a guess each
        }
        assertEquals(0, guesses(limit, v4(-1), 20));
    }

    @Test
    void aFloodOfOneGuessEachLocksNobodyOut() {
        GuessLimit limit = limit(1024);
        for (int i = 0; i < 5_000; i++) {
            guess(limit, v4(i)); // five times the places of the table
        }
        assertEquals(0, limit.await(v4(-1)));
        nanos.addAndGet(EACH.toNanos() * 10);
        assertEquals(10, guesses(limit, v4(-1), 20));
    }

    @Test
    void aSocketWithoutAnAddressIsNotLimited() {
        GuessLimit limit = limit(1024);
        assertEquals(20, guesses(limit, (byte[]) null, 20));
    }

    @Test
    void whatIsNoLimitIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new GuessLimit(0, EACH, 1024, clock));
        assertThrows(
                IllegalArgumentException.class,
                () -> new GuessLimit(1, Duration.ZERO, 1024, clock));
    }
}
