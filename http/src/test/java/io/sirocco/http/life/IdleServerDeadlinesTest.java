// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * How long a client or a handler may keep the server waiting, on a server with no other traffic.
 */
@OnEachTransport
final class IdleServerDeadlinesTest {
    @Parameter TransportKind transport;

    private final ManualClock clock = new ManualClock();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    private Server server;

    private void start(Consumer<Config> more) {
        server =
                Server.start(
                        config -> {
                            config.port(0)
                                    .transport(transport)
                                    .loops(1)
                                    .clock(clock)
                                    .idleTimeout(Duration.ofSeconds(20))
                                    .headerTimeout(Duration.ofSeconds(10))
                                    .handlerTimeout(Duration.ofSeconds(5));
                            more.accept(config);
                        },
                        this::routes);
    }

    private void routes(Routes routes) {
        routes.get("/hello", request -> Response.text("hello"));
        routes.post("/echo", request -> Response.bytes(request.body().bytes()));
        routes.get("/hang", request -> hang());
        routes.route("GET", "/patient", request -> hang()).handlerTimeout(Duration.ofMinutes(1));
        routes.get(
                "/later",
                request -> {
                    entered.countDown();
                    return Response.async(new CompletableFuture<>());
                });
    }

    private Response hang() throws InterruptedException {
        entered.countDown();
        try {
            new CountDownLatch(1).await();
            return Response.text("never");
        } catch (InterruptedException e) {
            outcome.complete(e);
            throw e;
        }
    }

    @AfterEach
    void stop() {
        server.stop(Duration.ZERO);
    }

    private Client connect() throws IOException {
        int before = connections();
        Client client = Client.to(server.port());
        Eventually.await("it is accepted", () -> connections() > before);
        return client;
    }

    private int connections() {
        return server.stats().getFirst().net().connections();
    }

    @Test
    void aConnectionThatNeverSaysAnythingEnds() throws IOException {
        start(config -> {});
        try (Client client = connect()) {
            clock.advance(19_000);
            assertTrue(client.silentFor(100));
            clock.advance(1_500);
            assertTrue(client.over());
        }
    }

    @Test
    void anIdleConnectionEndsAfterItsLastRequest() throws IOException {
        start(config -> {});
        try (Client client = connect()) {
            clock.advance(15_000);
            assertEquals("hello", client.get("/hello").text());
            clock.advance(15_000);
            assertEquals("hello", client.get("/hello").text());
            clock.advance(21_000);
            assertTrue(client.over());
        }
    }

    @Test
    void zeroIsForEver() throws IOException {
        start(config -> config.idleTimeout(Duration.ZERO));
        try (Client client = connect()) {
            clock.advance(100_000_000);
            assertTrue(client.silentFor(100));
            assertEquals("hello", client.get("/hello").text());
        }
    }

    @Test
    void halfARequestIsToldThatItsTimeIsUp() throws IOException {
        start(config -> {});
        try (Client client = connect()) {
            client.send("GET /hello HTTP/1.1\r\nHost");
            arrives(20);
            clock.advance(9_000);
            assertTrue(client.silentFor(100));
            clock.advance(1_500);
            assertEquals(408, client.answer().status());
            assertTrue(client.over());
        }
    }

    private void arrives(long bytes) {
        Eventually.await("bytes arrive", () -> server.stats().getFirst().net().bytesIn() >= bytes);
    }

    @Test
    void drippingDoesNotBuyTimeAndOthersAreServedMeanwhile() throws IOException {
        start(config -> {});
        List<Client> drippers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            drippers.add(Client.to(server.port()));
        }
        long total = 0;
        for (int second = 0; second < 12; second++) {
            for (Client dripper : drippers) {
                try {
                    dripper.send("G");
                    total++;
                } catch (IOException e) {
                    assertTrue(second >= 10, "ended after " + second + " s");
                }
            }
            if (second < 10) {
                arrives(total);
            }
            total += 32;
            assertEquals("hello", Client.get(server.port(), "/hello").text());
            clock.advance(1_000);
        }
        clock.advance(3_000); // those that were answered linger for two seconds
        Eventually.await("all drippers are gone", () -> connections() == 0);
        for (Client dripper : drippers) {
            dripper.close();
        }
    }

    @Test
    void aBodyThatDoesNotComeIsToldSo() throws IOException {
        start(
                config ->
                        config.bodyTimeout(Duration.ofSeconds(3), 1_000)
                                .handlerTimeout(Duration.ofMinutes(1)));
        try (Client client = connect()) {
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n");
            client.send(new byte[2_000]);
            arrives(2_050);
            clock.advance(4_000); // three seconds, and two for what has come
            assertTrue(client.silentFor(100));
            clock.advance(1_500);
            assertEquals(408, client.answer().status());
            assertTrue(client.over());
        }
    }

    @Test
    void aLongUploadIsNoDelayOfTheHandlers() throws IOException {
        start(config -> config.bodyTimeout(Duration.ofSeconds(3), 1_000));
        try (Client client = connect()) {
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n");
            for (int second = 0; second < 20; second++) {
                client.send(new byte[1_000]);
                arrives(1_000L * (second + 1) + 40);
                clock.advance(second < 19 ? 1_000 : 0);
            }
            assertEquals(20_000, client.answer().body().length);
        }
    }

    @Test
    void aHandlerThatDoesNotAnswerIsInterruptedAndTheClientToldSo() throws Exception {
        start(config -> {});
        try (Client client = connect()) {
            client.ask("/hang");
            entered.await();
            clock.advance(5_500);
            assertEquals(503, client.answer().status());
            assertTrue(outcome.get() instanceof InterruptedException);
        }
    }

    @Test
    void aPromiseThatIsNotKeptIsAGatewayTimeout() throws Exception {
        start(config -> {});
        try (Client client = connect()) {
            client.ask("/later");
            entered.await();
            Eventually.await(
                    "it is late",
                    () -> {
                        clock.advance(6_000);
                        return true;
                    });
            assertEquals(504, client.answer().status());
        }
    }

    @Test
    void aRouteMayHaveADeadlineOfItsOwn() throws Exception {
        start(config -> {});
        try (Client client = connect()) {
            client.ask("/patient");
            entered.await();
            clock.advance(50_000);
            assertTrue(client.silentFor(100));
            clock.advance(11_000);
            assertEquals(503, client.answer().status());
        }
    }
}
