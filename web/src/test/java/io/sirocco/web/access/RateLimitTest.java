// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Clock;
import io.sirocco.net.limit.AddressTable;
import io.sirocco.net.limit.TokenBuckets;
import io.sirocco.testkit.ManualClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How often one client may ask, and what a flood of clients changes about that: nothing. */
class RateLimitTest {
    private final ManualClock clock = ManualClock.belowZero();
    private final Serving serving = new Serving();

    private Serving with(long requests, Duration per, long burst) {
        return serving.start(new RateLimit(requests, per, burst, 1024, clock, serving.rejections));
    }

    private TokenBuckets buckets(long burst) {
        return new TokenBuckets(1, Duration.ofSeconds(1), burst, 65_536, clock);
    }

    private static SocketAddress v4(int address) {
        return at(
                (byte) (address >> 24),
                (byte) (address >> 16),
                (byte) (address >> 8),
                (byte) address);
    }

    private static SocketAddress at(byte... address) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), 1);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static SocketAddress peer(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 1);
    }

    @Test
    void aBurstPassesAndWhatIsMoreWaitsForItsTurn() throws Exception {
        try (var site = with(2, Duration.ofSeconds(10), 3)) {
            for (int i = 0; i < 3; i++) {
                assertEquals(200, site.get().status());
            }
            var refused = site.get();
            assertEquals(429, refused.status());
            assertEquals("5", refused.field("Retry-After"));
            assertEquals("Too Many Requests", refused.body());
            clock.advance(Duration.ofMillis(4_001));
            assertEquals("1", site.get().field("Retry-After"));
            clock.advance(Duration.ofMillis(999));
            assertEquals(200, site.get().status());
            assertEquals(429, site.get().status());
            assertEquals(Map.of("rate-limit", 3L), site.counts());
        }
    }

    @Test
    void eachAddressHasALimitOfItsOwnWhicheverLoopServesIt() throws Exception {
        try (var site = with(1, Duration.ofHours(1), 4)) {
            int passed = 0;
            for (int i = 0; i < 20; i++) { // a connection each, which the kernel spreads over loops
                passed += site.ask("127.0.0.2", "GET", "/").status() == 200 ? 1 : 0;
            }
            assertEquals(4, passed);
            assertEquals(200, site.ask("127.0.0.3", "GET", "/").status());
        }
    }

    @Test
    void aBucketHoldsNoMoreThanTheBurstHoweverLongItWasLeftAlone() {
        TokenBuckets buckets = buckets(2);
        buckets.take(peer("192.0.2.1"));
        clock.advance(Duration.ofDays(300));
        assertEquals(0, buckets.take(peer("192.0.2.1")));
        assertEquals(0, buckets.take(peer("192.0.2.1")));
        assertTrue(buckets.take(peer("192.0.2.1")) > 0);
    }

    @Test
    void anIPv6NetworkOf64BitsIsOneClientAndAMappedAddressIsIPv4() {
        TokenBuckets buckets = buckets(1);
        assertEquals(0, buckets.take(peer("2001:db8:0:1::1")));
        assertTrue(buckets.take(peer("2001:db8:0:1:ffff::2")) > 0);
        assertEquals(0, buckets.take(peer("2001:db8:0:2::1")));
        assertEquals(0, buckets.take(peer("::1")));
        assertTrue(buckets.take(peer("::1")) > 0);
        assertEquals(0, buckets.take(peer("0.0.0.1")));
        assertEquals(0, buckets.take(peer("192.0.2.1")));
        assertTrue(buckets.take(peer("::ffff:192.0.2.1")) > 0);
    }

    @Test
    void unixClientsAreNotLimited() {
        TokenBuckets buckets = buckets(1);
        for (int i = 0; i < 10; i++) {
            assertEquals(0, buckets.take(UnixDomainSocketAddress.of("")));
        }
    }

    @Test
    void aTokenThatIsGivenBackMayBeTakenAgainButOnlyOnce() {
        TokenBuckets buckets = buckets(1);
        SocketAddress peer = peer("192.0.2.1");
        assertEquals(0, buckets.take(peer));
        buckets.giveBack(peer);
        buckets.giveBack(peer);
        assertEquals(0, buckets.take(peer));
        assertTrue(buckets.take(peer) > 0);
    }

    /**
     * A million addresses ask once each, sixteen for every place of the table. Whoever has asked
     * too often is still refused, so a flood buys nobody a new bucket; and whoever had asked a
     * little, or comes new in the midst of it, is let in: so it shuts nobody out.
     */
    @Test
    void aFloodOfAMillionAddressesNeitherFreesTheGreedyNorStarvesOthers() {
        TokenBuckets buckets = buckets(20);
        SocketAddress greedy = peer("203.0.113.66");
        for (int i = 0; i < 20; i++) {
            assertEquals(0, buckets.take(greedy));
        }
        int starved = 0;
        for (int i = 0; i < 1_000_000; i++) {
            if (buckets.take(v4(0x0a00_0000 + i)) > 0) {
                starved++;
            }
            if (i % 1_000 == 0) {
                assertTrue(buckets.take(greedy) > 0, "the flood has freed the greedy");
                assertEquals(0, buckets.take(v4(0xc000_0000 + i)), "the flood starves others");
            }
        }
        assertEquals(0, starved);
    }

    /** The same by IPv6, of which one subscriber may have sixty-five thousand networks. */
    @Test
    void aFloodFromANeighbouringNetworkMeetsNoOtherPlaces() {
        TokenBuckets buckets = buckets(5);
        SocketAddress greedy = peer("2001:db8:0:0::1");
        for (int i = 0; i < 5; i++) {
            buckets.take(greedy);
        }
        byte[] address = {0x20, 1, 0xd, (byte) 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
        for (int i = 1; i < 1 << 16; i++) {
            address[6] = (byte) (i >> 8);
            address[7] = (byte) i;
            assertEquals(0, buckets.take(at(address.clone())));
        }
        assertTrue(buckets.take(greedy) > 0);
    }

    @Test
    void itsMemoryIsSetWhenItIsMade() {
        assertEquals(65_536, new AddressTable(65_536).places());
        assertEquals(131_072, new AddressTable(65_537).places());
        assertEquals(1024, new AddressTable(1).places());
        for (int bad : new int[] {0, -1, (1 << 24) + 1}) {
            assertThrows(IllegalArgumentException.class, () -> new AddressTable(bad));
        }
    }

    @Test
    void loopsThatCountAtOnceMissNothing() throws Exception {
        TokenBuckets buckets =
                new TokenBuckets(1, Duration.ofDays(1), 10_000, 1024, Clock.system());
        var passed = new AtomicInteger();
        var threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        SocketAddress peer = peer("192.0.2.1");
                                        for (int i = 0; i < 5_000; i++) {
                                            if (buckets.take(peer) == 0) {
                                                passed.incrementAndGet();
                                            }
                                        }
                                    });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(10_000, passed.get());
    }

    @Test
    void aLimitThatCannotBeIsRefused() {
        Duration second = Duration.ofSeconds(1);
        assertRefused("requests and burst are 1 or more", 0, second, 1);
        assertRefused("requests and burst are 1 or more", 1, second, 0);
        assertRefused("per is a time", 1, Duration.ZERO, 1);
        assertRefused("per is a time", 1, Duration.ofDays(400), 1);
        assertRefused("centuries", 1, Duration.ofDays(365), 1_000_000);
    }

    private void assertRefused(String message, long requests, Duration per, long burst) {
        var refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> new TokenBuckets(requests, per, burst, 1024, clock));
        assertTrue(refused.getMessage().contains(message), refused.getMessage());
    }
}
