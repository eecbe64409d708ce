// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How many connections one client may have. */
class ConnectionLimitTest {
    private final Rejections rejections = new Rejections();

    private static SocketAddress peer(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 1);
    }

    private static SocketAddress numbered(int i) {
        return peer("10." + (i >> 16 & 255) + "." + (i >> 8 & 255) + "." + (i & 255));
    }

    @Test
    void oneMoreThanTheLimitIsRefusedUntilOneHasGone() {
        var limit = new ConnectionLimit(2, 1024, rejections);
        SocketAddress peer = peer("192.0.2.1");
        assertTrue(limit.admit(peer));
        assertTrue(limit.admit(peer));
        assertFalse(limit.admit(peer));
        assertTrue(limit.admit(peer("192.0.2.2")), "another address is another client");
        limit.gone(peer);
        assertTrue(limit.admit(peer));
        assertFalse(limit.admit(peer));
        assertEquals(Map.of("connections-per-address", 2L), rejections.counts());
    }

    @Test
    void aServerClosesWhatIsBeyondTheLimitAndServesOthers() throws Exception {
        var serving = new Serving();
        var limit = new ConnectionLimit(2, 1024, serving.rejections);
        serving.admission = limit;
        try (var site = serving.start();
                var one = site.client("127.0.0.2");
                var other = site.client("127.0.0.3")) {
            assertEquals(200, one.ask("GET", "/").status());
            var two = site.client("127.0.0.2");
            assertEquals(200, two.ask("GET", "/").status());
            try (var third = site.client("127.0.0.2")) {
                assertThrows(IOException.class, () -> third.ask("GET", "/"));
            }
            assertEquals(200, other.ask("GET", "/").status());
            two.close();
            long refused = 1;
            while (!isServed(site)) { // until the server has seen that the second is gone
                assertTrue(++refused < 10_000, "one that has gone is still counted");
            }
            assertEquals(Map.of("connections-per-address", refused), site.counts());
        }
    }

    private static boolean isServed(Serving site) throws IOException {
        try (var client = site.client("127.0.0.2")) {
            return client.ask("GET", "/").status() == 200;
        } catch (EOFException | SocketException e) {
            return false;
        }
    }

    @Test
    void aLimitThatIsRaisedOrLoweredCountsOn() {
        var limit = new ConnectionLimit(2, 1024, rejections);
        SocketAddress peer = peer("192.0.2.1");
        limit.admit(peer);
        limit.admit(peer);
        limit.most(3);
        assertTrue(limit.admit(peer));
        limit.most(1);
        limit.gone(peer);
        limit.gone(peer);
        assertFalse(limit.admit(peer), "one is open still");
        limit.gone(peer);
        assertTrue(limit.admit(peer));
    }

    @Test
    void anIPv6NetworkOf64BitsIsOneClient() {
        var limit = new ConnectionLimit(1, 1024, rejections);
        assertTrue(limit.admit(peer("2001:db8::1")));
        assertFalse(limit.admit(peer("2001:db8::2")));
        assertTrue(limit.admit(peer("2001:db8:0:1::1")));
    }

    @Test
    void unixClientsAreNotLimited() {
        var limit = new ConnectionLimit(1, 1024, rejections);
        for (int i = 0; i < 5; i++) {
            assertTrue(limit.admit(UnixDomainSocketAddress.of("")));
        }
        limit.gone(UnixDomainSocketAddress.of(""));
    }

    @Test
    void countsAreExactWhileAQuarterOfTheTableIsInUse() {
        var limit = new ConnectionLimit(3, 65_536, rejections);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 16_384; i++) {
                assertTrue(limit.admit(numbered(i)));
            }
        }
        for (int i = 0; i < 16_384; i++) {
            assertFalse(limit.admit(numbered(i)));
            limit.gone(numbered(i));
            assertTrue(limit.admit(numbered(i)));
        }
    }

    @Test
    void aFloodOfAMillionAddressesShutsNobodyOutAndForgetsNobodyWhoHasMany() {
        var limit = new ConnectionLimit(10, 65_536, rejections);
        SocketAddress greedy = peer("203.0.113.66");
        for (int i = 0; i < 10; i++) {
            assertTrue(limit.admit(greedy));
        }
        for (int i = 0; i < 1_000_000; i++) {
            assertTrue(limit.admit(numbered(i)));
        }
        assertFalse(limit.admit(greedy));
        for (int i = 0; i < 1_000_000; i++) { // of which most are long forgotten
            limit.gone(numbered(i));
        }
        assertFalse(limit.admit(greedy));
    }

    @Test
    void loopsThatCountAtOnceMissNothing() throws Exception {
        var limit = new ConnectionLimit(8, 1024, rejections);
        SocketAddress peer = peer("192.0.2.1");
        var open = new AtomicInteger();
        var most = new AtomicInteger();
        var threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 20_000; i++) {
                                            if (limit.admit(peer)) {
                                                most.accumulateAndGet(
                                                        open.incrementAndGet(), Math::max);
                                                open.decrementAndGet();
                                                limit.gone(peer);
                                            }
                                        }
                                    });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(most.get() <= 8, most::toString);
        for (int i = 0; i < 8; i++) {
            assertTrue(limit.admit(peer), "one that has gone is still counted");
        }
        assertFalse(limit.admit(peer));
    }

    @Test
    void aLimitBelowOneIsRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> new ConnectionLimit(0, 1024, rejections));
    }
}
