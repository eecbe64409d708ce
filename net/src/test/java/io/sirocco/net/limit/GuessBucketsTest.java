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
class GuessBucketsTest {
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

    private TokenBuckets limit(int addresses) {
        return TokenBuckets.ofGuesses(1, EACH, 10, addresses, clock);
    }

    private static byte[] v4(int address) {
        return ByteBuffer.allocate(4).putInt(address).array();
    }

    /** Offers a wrong secret; answers whether it was looked at. */
    private static boolean guess(TokenBuckets limit, byte[] address) {
        return limit.take(address) == 0;
    }

    private static int guesses(TokenBuckets limit, byte[] address, int tries) {
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            passed += guess(limit, address) ? 1 : 0;
        }
        return passed;
    }

    @Test
    void tenWrongOnesAtOnceAndOneMoreInSixSeconds() {
        TokenBuckets limit = limit(1024);
        assertEquals(10, guesses(limit, v4(1), 1_000));
        assertEquals(EACH.toNanos(), limit.take(v4(1)));
        assertEquals(0, limit.take(v4(2)), "nobody else waits");
        nanos.addAndGet(EACH.toNanos());
        assertEquals(1, guesses(limit, v4(1), 1_000));
        nanos.addAndGet(EACH.toNanos() * 60);
        assertEquals(10, guesses(limit, v4(1), 1_000));
    }

    @Test
    void noMoreAreVerifiedAtTheSameTimeAndARightOneIsGivenBack() {
        TokenBuckets limit = limit(1024);
        assertEquals(10, guesses(limit, v4(1), 100));
        limit.giveBack(v4(1));
        limit.giveBack(v4(1));
        assertEquals(2, guesses(limit, v4(1), 100));
    }

    @Test
    void anIpv6NetworkOf64BitsIsOneClient() {
        TokenBuckets limit = limit(1024);
        int passed = 0;
        for (int i = 0; i < 100; i++) {
            passed += guess(limit, Ip.bytes("2001:db8::" + i)) ? 1 : 0;
        }
        assertEquals(10, passed);
        assertEquals(0, limit.take(Ip.bytes("2001:db8:0:1::1")));
    }

    @Test
    void aFullTableDoesNotFailOpen() {
        TokenBuckets limit = limit(1024);
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
        TokenBuckets limit = limit(1024);
        assertEquals(10, guesses(limit, v4(-1), 20));
        for (int i = 0; i < 5_000; i++) {
            guess(limit, v4(i)); // a guess each
        }
        assertEquals(0, guesses(limit, v4(-1), 20));
    }

    @Test
    void aFloodOfOneGuessEachLocksNobodyOut() {
        TokenBuckets limit = limit(1024);
        for (int i = 0; i < 5_000; i++) {
            guess(limit, v4(i)); // five times the places of the table
        }
        assertEquals(0, limit.take(v4(-1)));
        nanos.addAndGet(EACH.toNanos() * 11);
        assertEquals(10, guesses(limit, v4(-1), 20));
    }

    @Test
    void aSocketWithoutAnAddressIsNotLimited() {
        TokenBuckets limit = limit(1024);
        assertEquals(20, guesses(limit, (byte[]) null, 20));
    }

    @Test
    void whatIsNoLimitIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> TokenBuckets.ofGuesses(1, EACH, 0, 1024, clock));
        assertThrows(
                IllegalArgumentException.class,
                () -> TokenBuckets.ofGuesses(1, Duration.ZERO, 1, 1024, clock));
    }
}
