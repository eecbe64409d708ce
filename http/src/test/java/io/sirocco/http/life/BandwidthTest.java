// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.RateLimiter;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Token buckets of a connection, a route and a server, both ways. */
@OnEachTransport
final class BandwidthTest {
    private static final byte[] BIG = Client.bytes(2_000_000);
    private static final long LEGACY = 10_240; // 1,024 bytes each 100 ms

    @Parameter TransportKind transport;

    private final AtomicLong uploaded = new AtomicLong();
    private final RateLimiter ofRoute = RateLimiter.perSecond(LEGACY);
    private final RateLimiter ofEach = RateLimiter.perSecond(LEGACY);

    private Server start(Consumer<Config> more) {
        return Server.start(
                config -> {
                    config.port(0).transport(transport).loops(2);
                    more.accept(config);
                },
                this::routes);
    }

    private void routes(Routes routes) {
        routes.get("/hello", request -> Response.text("hello"));
        routes.get("/big", request -> Response.bytes(BIG));
        routes.route("GET", "/paced", request -> Response.bytes(BIG))
                .bandwidth(RateLimiter.perSecond(RateLimiter.UNLIMITED), ofRoute);
        routes.route("GET", "/each", request -> Response.bytes(BIG))
                .connectionBandwidth(RateLimiter.perSecond(RateLimiter.UNLIMITED), ofEach);
        routes.post(
                "/upload",
                request -> {
                    byte[] piece = new byte[4096];
                    try (InputStream in = request.body().inputStream()) {
                        for (int n; (n = in.read(piece)) >= 0; ) {
                            uploaded.addAndGet(n);
                        }
                    }
                    return Response.text("thanks");
                });
    }

    /**
     * A machine that has other things to do may be slower, but nothing makes it faster than the
     * rate, 50 ms of it that were saved up, and what a read takes more than it may.
     */
    private static void assertRate(long bytes, long nanos) {
        double seconds = nanos / 1e9;
        double due = (double) bytes / LEGACY;
        assertTrue(due > 0.25 * seconds && due < seconds + 0.12, bytes + " in " + seconds + " s");
    }

    @Test
    void eachConnectionIsWrittenToAtItsRate() throws IOException {
        try (Server server =
                        start(config -> config.connectionBandwidth(RateLimiter.UNLIMITED, LEGACY));
                Client client = Client.to(server.port())) {
            client.ask("/big").head();
            client.read(2_048); // the burst is spent
            long began = System.nanoTime();
            client.read((int) LEGACY);
            assertRate(LEGACY, System.nanoTime() - began);
        }
    }

    @Test
    void eachConnectionIsReadAtItsRate() throws Exception {
        try (Server server =
                        start(config -> config.connectionBandwidth(LEGACY, RateLimiter.UNLIMITED));
                Client client = Client.to(server.port())) {
            long began = System.nanoTime();
            client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 8192\r\n\r\n");
            for (int i = 0; i < 8; i++) {
                client.send(new byte[1024]);
            }
            assertEquals("thanks", client.answer().text());
            assertRate(8_192, System.nanoTime() - began);
        }
    }

    @Test
    void theRateOfARouteHoldsForItsRequestsOnly() throws IOException {
        try (Server server = start(config -> {});
                Client one = Client.to(server.port());
                Client two = Client.to(server.port());
                Client other = Client.to(server.port())) {
            long began = System.nanoTime();
            one.ask("/paced").head();
            two.ask("/paced").head();
            assertArrayEquals(BIG, other.get("/big").body());
            long bytes = one.readFor(300);
            bytes += two.readFor(300);
            double seconds = (System.nanoTime() - began) / 1e9;
            // both share one bucket
            assertTrue(bytes <= LEGACY * (seconds + 0.1), bytes + " in " + seconds + " s");
            assertArrayEquals(BIG, other.get("/big").body());
        }
    }

    @Test
    void eachConnectionOfARouteHasItsOwnRateWhichMayChangeMeanwhile() throws Exception {
        try (Server server = start(config -> {});
                Client one = Client.to(server.port());
                Client two = Client.to(server.port());
                Client other = Client.to(server.port())) {
            one.ask("/each").head();
            two.ask("/each").head();
            one.read(2_048); // the burst is spent
            two.read(2_048);
            long began = System.nanoTime();
            int half = (int) LEGACY / 2;
            var second = CompletableFuture.supplyAsync(() -> read(two, half));
            read(one, half);
            assertRate(half, System.nanoTime() - began);
            second.join();
            assertRate(half, System.nanoTime() - began);
            assertArrayEquals(BIG, other.get("/big").body());
            ofEach.rate(RateLimiter.UNLIMITED); // for downloads that are under way, too
            read(one, BIG.length - 2_048 - half);
            read(two, BIG.length - 2_048 - half);
            assertArrayEquals(BIG, one.get("/each").body());
            ofEach.rate(LEGACY);
            one.ask("/each").head();
            one.read(2_048);
            began = System.nanoTime();
            one.read(half);
            assertRate(half, System.nanoTime() - began);
        }
    }

    private static long read(Client client, int bytes) {
        try {
            return client.read(bytes).length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aRouteWithoutARateIsFreeAgainOnTheSameConnection() throws IOException {
        ofRoute.rate(10_000_000);
        try (Server server = start(config -> {});
                Client client = Client.to(server.port())) {
            assertArrayEquals(BIG, client.get("/paced").body());
            ofRoute.rate(1);
            assertArrayEquals(BIG, client.get("/big").body());
        }
    }

    @Test
    void theRateOfTheServerIsSharedByItsConnections() throws IOException {
        RateLimiter writes = RateLimiter.perSecond(50_000);
        try (Server server =
                        start(
                                config ->
                                        config.bandwidth(
                                                RateLimiter.perSecond(RateLimiter.UNLIMITED),
                                                writes));
                Client one = Client.to(server.port());
                Client two = Client.to(server.port())) {
            long began = System.nanoTime();
            one.ask("/big");
            two.ask("/big");
            long bytes = one.readFor(300) + two.readFor(300);
            double seconds = (System.nanoTime() - began) / 1e9;
            assertTrue(bytes > 5_000, bytes + " bytes");
            assertTrue(bytes <= 50_000 * (seconds + 0.3), bytes + " in " + seconds + " s");
        }
    }

    @Test
    void whoSharesARateIsNotStarvedByTheOthers() throws IOException {
        RateLimiter writes = RateLimiter.perSecond(20_000);
        try (Server server =
                        start(
                                config ->
                                        config.loops(1)
                                                .bandwidth(
                                                        RateLimiter.perSecond(
                                                                RateLimiter.UNLIMITED),
                                                        writes));
                Client one = Client.to(server.port());
                Client two = Client.to(server.port());
                Client three = Client.to(server.port())) {
            one.ask("/big");
            two.ask("/big");
            three.ask("/big");
            for (Client client : List.of(one, two, three)) {
                client.read(4_000);
            }
        }
    }

    @Test
    void ratesMayBeChangedWhileBytesFlow() throws IOException {
        RateLimiter writes = RateLimiter.perSecond(LEGACY);
        RateLimiter reads = RateLimiter.perSecond(LEGACY);
        try (Server server = start(config -> config.bandwidth(reads, writes));
                Client down = Client.to(server.port());
                Client up = Client.to(server.port())) {
            down.ask("/big").head();
            down.read(5_000);
            writes.rate(RateLimiter.UNLIMITED); // the rest would take more than three minutes
            down.read(BIG.length - 5_000);
            up.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n");
            Thread.ofPlatform().daemon().start(() -> sendQuietly(up));
            Eventually.await("some of it is here", () -> uploaded.get() > 0);
            reads.rate(RateLimiter.UNLIMITED);
            assertEquals("thanks", up.answer().text());
            assertEquals(BIG.length, uploaded.get());
        }
    }

    private static void sendQuietly(Client client) {
        try {
            client.send(BIG);
        } catch (IOException e) {
            // the reader's side tells
        }
    }
}
