// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Monitor;
import io.sirocco.http.Request;
import io.sirocco.http.RequestError;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        routes.route("GET", "/inline-spin", request -> spin()).executionMode(ExecutionMode.INLINE);
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
                                .blockedLoopThreshold(Duration.ofMillis(100)),
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
            Eventually.await("all is told", () -> stats(server).net().connections() == 0);
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
            Eventually.await(
                    "the server has noticed", () -> stats(server).net().connections() == 0);
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

    @ParameterizedTest
    @ValueSource(strings = {"/spin", "/inline-spin"})
    void aSpinningHandlerIsReportedWithItsStack(String path) throws Exception {
        spinning = true;
        BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
        try (Server server = start();
                var recording = new RecordingStream();
                Client client = Client.to(server.port())) {
            recording.enable("sirocco.LoopBlocked");
            recording.onEvent("sirocco.LoopBlocked", events::add);
            recording.setReuse(false);
            recording.startAsync();
            client.ask(path);
            RecordedEvent event = events.poll(20, TimeUnit.SECONDS);
            spinning = false;
            assertEquals("dizzy", client.answer().text());
            String blocker = event.getString("blocker");
            assertTrue(blocker.contains("ObservationTest.spin"), blocker);
            assertTrue(event.getDuration("blocked").toMillis() >= 100);
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
            two.reset();
            one.ask("/wait");
            entered.await();
            Eventually.await(
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
            assertTrue(during.net().busyNanos() > 0);
            assertTrue(during.net().longestTurnNanos() <= during.net().busyNanos());
            release.countDown();
            one.answer();
            assertEquals(0, stats(server).inProgress());
        }
    }

    private static ServerStats stats(Server server) {
        return server.stats().getFirst();
    }

    /** What lasts of what a monitor is told, as a text. */
    private static final class Notes implements Monitor {
        final BlockingQueue<String> all = new LinkedBlockingQueue<>();

        @Override
        public void completed(CompletedRequest a) {
            all.add(
                    "%s %s %s %s %s %s %s %d in=%d out=%d agent=%s user=%s %s %s%s"
                            .formatted(
                                    a.remoteAddress(),
                                    a.isSecure() ? "https" : "http",
                                    a.host(),
                                    a.method(),
                                    a.target(),
                                    a.version(),
                                    a.route(),
                                    a.status(),
                                    a.bytesIn(),
                                    a.bytesOut(),
                                    a.header("user-agent").orElse("none"),
                                    a.user().orElse("nobody"),
                                    a.isComplete() ? "complete" : "cut",
                                    a.error().map(RequestError::name).orElse("fine"),
                                    a.nanos() > 0 && a.millis() > 0 && a.loop() == 0 ? "" : " ?"));
        }

        @Override
        public void rejected(RejectedRequest r) {
            String more = r.id().isEmpty() || r.millis() == 0 || r.loop() != 0 ? " ?" : "";
            all.add(
                    "%s '%s' '%s' %s%s"
                            .formatted(
                                    r.error(),
                                    r.method(),
                                    r.target(),
                                    r.alone() ? "alone" : "answered as well",
                                    more));
        }

        @Override
        public void handlerFailed(String id, Throwable e) {
            all.add(e.getMessage());
        }
    }

    @Test
    void oneInterfaceIsToldOfEveryRequest() throws Exception {
        var notes = new Notes();
        Server server =
                Server.start(
                        config -> config.port(0).transport(transport).loops(1).monitor(notes),
                        routes -> {
                            routes.filter(
                                    (request, next) -> {
                                        request.attribute(Request.USER, "ann");
                                        return next.handle(request);
                                    });
                            routes.post("/echo", r -> Response.bytes(r.body().bytes()));
                            routes.get("/broken", r -> broken());
                            routes.host("a.test", a -> a.get("/{x}", r -> Response.text("a")));
                        });
        try (server;
                Client client = Client.to(server.port())) {
            String me = "/127.0.0.1:" + client.localPort();
            client.post("/echo", new byte[1000]);
            assertEquals(
                    me
                            + " http a POST /echo HTTP/1.1 /echo 200 in=1000 out=1000"
                            + " agent=none user=ann complete fine",
                    notes.all.take());
            assertEquals(500, client.get("/broken").status());
            var both = List.of(notes.all.take(), notes.all.take()); // in whatever order
            assertTrue(both.contains("secret"), both.toString());
            client.send("GET /b?c HTTP/1.0\r\nHost: a.test:80\r\nUser-Agent: x\r\n\r\n").answer();
            assertEquals(
                    me
                            + " http a.test GET /b?c HTTP/1.0 a.test/{x} 200 in=0 out=1"
                            + " agent=x user=ann complete fine",
                    notes.all.take());
            assertTrue(notes.all.isEmpty());
        }
    }

    private static Response broken() throws IOException {
        throw new IOException("secret");
    }

    @Test
    void aRefusedHeadIsToldAsFarAsItWasRead() throws Exception {
        var notes = new Notes();
        try (Server server =
                Server.start(
                        config -> config.port(0).transport(transport).loops(1).monitor(notes),
                        this::routes)) {
            try (Client client = Client.to(server.port())) {
                client.get("/hello/a-target-that-must-not-be-taken-for-the-next-one");
                notes.all.take();
                client.send("GET /b HTTP/1.1\r\n\r\n").answer();
            }
            assertEquals("HOST_MISSING 'GET' '/b' alone", notes.all.take());
            for (var wrong :
                    List.of(
                            "POST /a%zz HTTP/1.1\r\n\r\n -> BAD_TARGET 'POST' '/a%' alone",
                            "G(T / HTTP/1.1\r\n\r\n -> BAD_METHOD '' '' alone",
                            "GET http://a/b?c HTTP/1.1\r\n\r\n -> HOST_MISSING 'GET' '/b?c' alone",
                            "GET HTTP://a HTTP/1.1\r\n\r\n -> HOST_MISSING 'GET' '/' alone",
                            "GET http://a?c HTTP/1.1\r\n\r\n -> HOST_MISSING 'GET' '/?c' alone",
                            "GET http://u:pw@a/b HTTP/1.1\r\n\r\n"
                                    + " -> BAD_TARGET 'GET' '/b' alone",
                            "GET http://a/b%zz HTTP/1.1\r\n\r\n -> BAD_TARGET 'GET' '/b%' alone",
                            "GET http://a\t/b HTTP/1.1\r\n\r\n"
                                    + " -> CONTROL_CHARACTER 'GET' '' alone",
                            "GET b HTTP/1.1\r\n\r\n -> BAD_TARGET 'GET' 'b' alone")) {
                String[] parts = wrong.split(" -> ");
                try (Client client = Client.to(server.port())) {
                    client.send(parts[0]).answer();
                }
                assertEquals(parts[1], notes.all.take());
            }
        }
    }

    @Test
    void aRefusedBodyIsToldWithItsRuleAndAnswered() throws Exception {
        var notes = new Notes();
        try (Server server =
                        Server.start(
                                config ->
                                        config.port(0)
                                                .transport(transport)
                                                .loops(1)
                                                .maxBodyBytes(10)
                                                .monitor(notes),
                                this::routes);
                Client client = Client.to(server.port())) {
            client.post("/echo", new byte[11]);
            assertEquals("BODY_TOO_LARGE 'POST' '/echo' answered as well", notes.all.take());
            String answered = notes.all.take();
            assertTrue(answered.contains("/echo 413"), answered);
            assertTrue(answered.endsWith("BODY_TOO_LARGE"), answered);
        }
    }

    @Test
    void eachOfSeveralMonitorsIsToldWhateverTheOthersThrow() throws Exception {
        var notes = new Notes();
        Monitor angry =
                new Monitor() {
                    @Override
                    public void completed(CompletedRequest answered) {
                        throw new IllegalStateException("no");
                    }
                };
        assertSame(Monitor.NONE, Monitor.all(List.of()));
        assertSame(notes, Monitor.all(List.of(notes)));
        try (Server server =
                Server.start(
                        config -> config.port(0).monitor(Monitor.all(List.of(angry, notes, angry))),
                        this::routes)) {
            assertEquals(200, Client.get(server.port(), "/hello/you").status());
            assertTrue(notes.all.take().contains("/hello/you"));
        }
    }
}
