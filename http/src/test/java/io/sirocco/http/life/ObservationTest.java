// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Handling;
import io.sirocco.http.Monitor;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Rule;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What an operator can see: counts of each loop, one interface for logs, events of the JVM. */
@OnEachTransport
final class ObservationTest {
    @Parameter TransportKind transport;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private volatile boolean spinning = true;

    private void routes(Routes routes) {
        routes.get("/hello/{name}", request -> Response.text("Hello, " + request.param("name")));
        routes.post("/echo", request -> Response.bytes(request.body().bytes()));
        routes.get(
                "/wait",
                request -> {
                    entered.countDown();
                    release.await();
                    return Response.text("released");
                });
        routes.get("/spin", request -> spin());
        routes.route("GET", "/inline-spin", request -> spin()).handling(Handling.INLINE);
    }

    private Response spin() {
        while (spinning) {
            Thread.onSpinWait();
        }
        return Response.text("dizzy");
    }

    private Server start() {
        return Server.start(
                config ->
                        config.port(0)
                                .transport(transport)
                                .loops(1)
                                .watchdog(Duration.ofMillis(100)),
                this::routes);
    }

    @Test
    void eachRequestIsAnEventOfTheFlightRecorder() throws Exception {
        BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
        try (Server server = start();
                var recording = new RecordingStream()) {
            recording.enable("sirocco.Request").withoutThreshold();
            recording.onEvent("sirocco.Request", events::add);
            recording.setReuse(false);
            recording.startAsync();
            try (Client client = Client.to(server.port())) {
                client.get("/hello/you?a=b");
                client.post("/echo", new byte[100_000]);
                client.get("/none"); // answered by the loop itself
                client.get("/none");
                client.get("/hello/me");
                client.get("/none");
            }
            recording.stop();
        }
        RecordedEvent hello = events.remove();
        assertEquals("GET", hello.getString("method"));
        assertEquals("/hello/you?a=b", hello.getString("target"));
        assertEquals("/hello/{name}", hello.getString("route"));
        assertEquals(200, hello.getInt("status"));
        assertEquals(10, hello.getLong("bytesOut"));
        assertTrue(hello.getBoolean("complete"));
        assertTrue(hello.getDuration().isPositive());
        RecordedEvent echo = events.remove();
        assertEquals(100_000, echo.getLong("bytesIn"));
        assertEquals(100_000, echo.getLong("bytesOut"));
        assertEquals(
                List.of(404, 404, 200, 404),
                events.stream().map(event -> event.getInt("status")).toList());
    }

    @Test
    void aRequestWhoseClientLeftIsAnEventThatSaysSo() throws Exception {
        BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
        try (Server server = start();
                var recording = new RecordingStream()) {
            recording.enable("sirocco.Request").withoutThreshold();
            recording.onEvent("sirocco.Request", events::add);
            recording.setReuse(false);
            recording.startAsync();
            try (Client client = Client.to(server.port())) {
                client.ask("/wait");
                entered.await();
                client.reset();
            }
            Eventually.that("the server has noticed", () -> stats(server).net().connections() == 0);
            release.countDown();
            recording.stop();
        }
        RecordedEvent cut = events.remove();
        assertEquals(0, cut.getInt("status"));
        assertFalse(cut.getBoolean("complete"));
    }

    @Test
    void requestsQuickerThanTheThresholdLeaveNoEvent() throws Exception {
        BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
        try (Server server = start();
                var recording = new RecordingStream()) {
            recording.enable("sirocco.Request").withThreshold(Duration.ofHours(1));
            recording.onEvent("sirocco.Request", events::add);
            recording.startAsync();
            Client.get(server.port(), "/hello/you");
            recording.stop();
        }
        assertTrue(events.isEmpty());
    }

    @Test
    void aSpinningHandlerIsReportedWithItsStack() throws Exception {
        for (String path : List.of("/spin", "/inline-spin")) {
            spinning = true;
            BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
            try (Server server = start();
                    var recording = new RecordingStream();
                    Client client = Client.to(server.port())) {
                recording.enable("sirocco.LoopHeld");
                recording.onEvent("sirocco.LoopHeld", events::add);
                recording.setReuse(false);
                recording.startAsync();
                client.ask(path);
                RecordedEvent held = events.poll(20, TimeUnit.SECONDS);
                spinning = false;
                assertEquals("dizzy", client.answer().text());
                String holder = held.getString("holder");
                assertTrue(holder.contains("ObservationTest.spin"), path + ": " + holder);
                assertTrue(held.getDuration("held").toMillis() >= 100);
            }
        }
    }

    @Test
    void eachLoopCountsWhatItDoes() throws Exception {
        try (Server server = start();
                Client one = Client.to(server.port());
                Client two = Client.to(server.port())) {
            one.get("/hello/you");
            two.post("/echo", new byte[100_000]);
            two.send("GET / HTTP/9.1\r\n\r\n").answer();
            one.ask("/wait");
            entered.await();
            Eventually.that(
                    "the refused one is gone", () -> stats(server).net().connections() == 1);
            ServerStats during = stats(server);
            assertEquals(4, during.requests());
            assertEquals(1, during.rejected());
            assertEquals(1, during.inProgress());
            assertEquals(2, during.net().accepted());
            assertEquals(0, during.net().parked());
            assertTrue(during.net().bytesIn() > 100_000);
            assertTrue(during.net().bytesOut() > 100_000);
            assertTrue(during.net().turns() > 3);
            assertTrue(during.net().heldNanos() > 0);
            assertTrue(during.net().longestTurnNanos() <= during.net().heldNanos());
            release.countDown();
            one.answer();
            assertEquals(0, stats(server).inProgress());
        }
    }

    private static ServerStats stats(Server server) {
        return server.stats().getFirst();
    }

    @Test
    void oneInterfaceIsToldOfEveryRequest() throws Exception {
        var news = new LinkedBlockingQueue<Object>();
        Server server =
                Server.start(
                        config ->
                                config.port(0)
                                        .transport(transport)
                                        .loops(1)
                                        .monitor(
                                                new Monitor() {
                                                    @Override
                                                    public void answered(Answered answered) {
                                                        news.add(answered);
                                                    }

                                                    @Override
                                                    public void rejected(Rejected rejected) {
                                                        news.add(rejected);
                                                    }

                                                    @Override
                                                    public void failed(String id, Throwable e) {
                                                        news.add(e);
                                                    }
                                                }),
                        routes -> {
                            routes.post("/echo", r -> Response.bytes(r.body().bytes()));
                            routes.get("/broken", r -> broken());
                        });
        try (server;
                Client client = Client.to(server.port())) {
            client.post("/echo", new byte[1000]);
            var answered = (Monitor.Answered) news.take();
            assertEquals(
                    new Monitor.Answered(
                            new InetSocketAddress("127.0.0.1", client.localPort()),
                            "POST",
                            "/echo",
                            "/echo",
                            200,
                            1000,
                            1000,
                            answered.nanos(),
                            true),
                    answered);
            assertEquals(500, client.get("/broken").status());
            for (int i = 0; i < 2; i++) { // in whatever order
                switch (news.take()) {
                    case IOException failure -> assertEquals("secret", failure.getMessage());
                    case Monitor.Answered broken -> assertEquals(500, broken.status());
                    default -> throw new AssertionError("neither");
                }
            }
            client.send("GET / HTTP/1.1\r\n\r\n").answer();
            assertEquals(Rule.HOST_MISSING, ((Monitor.Rejected) news.take()).rule());
            assertTrue(news.isEmpty());
        }
    }

    private static Response broken() throws IOException {
        throw new IOException("secret");
    }
}
