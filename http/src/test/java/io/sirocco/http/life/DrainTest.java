// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.OnEachTransport;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a stop does to those that are in the middle of something. */
@OnEachTransport
final class DrainTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final byte[] BIG = Client.bytes(8 << 20);

    @Parameter TransportKind transport;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    private final CompletableFuture<Response> promise = new CompletableFuture<>();
    private Server server;
    private int port;

    @BeforeEach
    void start() {
        server = Server.start(config -> config.port(0).transport(transport).loops(1), this::routes);
        port = server.port();
    }

    @AfterEach
    void stop() {
        release.countDown();
        if (server.isRunning()) {
            server.stop(Duration.ZERO);
        }
    }

    private void routes(Routes routes) {
        routes.get("/hello", request -> Response.text("hello"));
        routes.get("/virtual", this::waits);
        routes.route("GET", "/pool", this::waits).executionMode(ExecutionMode.POOL);
        routes.route(
                        "GET",
                        "/later",
                        request -> {
                            entered.countDown();
                            return Response.async(promise);
                        })
                .executionMode(ExecutionMode.INLINE);
        routes.get("/stream", request -> streams());
        routes.route("GET", "/inline-stream", request -> streams())
                .executionMode(ExecutionMode.INLINE);
        routes.route("GET", "/pool-stream", request -> streams()).executionMode(ExecutionMode.POOL);
        routes.get("/events", request -> Response.events(sink -> forEver()));
        routes.route("GET", "/pool-events", request -> Response.events(sink -> forEver()))
                .executionMode(ExecutionMode.POOL);
        routes.get("/big", request -> Response.bytes(BIG));
        routes.get("/big-stream", request -> Response.stream(BIG.length, out -> out.write(BIG)));
        routes.route("GET", "/quit", request -> quit()).executionMode(ExecutionMode.INLINE);
        routes.post("/upload", this::counts);
        routes.route("POST", "/pool-upload", this::counts).executionMode(ExecutionMode.POOL);
    }

    private Response waits(Request request) throws Exception {
        entered.countDown();
        try {
            release.await();
            outcome.complete(null);
            return Response.text("released");
        } catch (InterruptedException e) {
            outcome.complete(e);
            throw e;
        }
    }

    private void forEver() throws InterruptedException {
        entered.countDown();
        new CountDownLatch(1).await();
    }

    private Response quit() {
        server.stop(LONG);
        return Response.text("unreachable");
    }

    private Response streams() {
        return Response.stream(
                out -> {
                    out.write("first ".getBytes());
                    out.flush();
                    entered.countDown();
                    try {
                        release.await();
                        out.write("last".getBytes());
                        outcome.complete(null);
                    } catch (InterruptedException e) {
                        outcome.complete(e);
                        throw new InterruptedIOException();
                    }
                });
    }

    private Response counts(Request request) throws IOException {
        entered.countDown();
        long total = 0;
        byte[] piece = new byte[8192];
        try (InputStream in = request.body().inputStream()) {
            for (int n; (n = in.read(piece)) >= 0; total += n) {
                // on
            }
            outcome.complete(null);
        } catch (IOException e) {
            outcome.complete(e);
            throw e;
        }
        return Response.text(Long.toString(total));
    }

    /** Begins to stop; when this returns, nobody new gets in. */
    private CompletableFuture<Boolean> stopping(Duration longest) {
        var drained = new CompletableFuture<Boolean>();
        Thread.ofPlatform().daemon().start(() -> drained.complete(server.stop(longest)));
        Eventually.await("connections are refused", () -> Client.refused(port));
        return drained;
    }

    @Test
    void anAnnouncedStopEndsConnectionsWithTheirNextResponse() throws Exception {
        try (Client idle = Client.to(port);
                Client busy = Client.to(port)) {
            idle.get("/hello");
            busy.ask("/stream"); // its headers, which are sent already, say nothing of an end
            entered.await();
            server.announceStop();
            Eventually.await("new connections get one response", this::getsOneResponse);
            assertEquals("close", idle.get("/hello").field("Connection"));
            assertTrue(idle.over());
            release.countDown();
            assertEquals("first last", busy.answer().text());
            assertEquals("close", busy.get("/hello").field("Connection"));
            assertTrue(busy.over());
        }
        server.stop(LONG);
        server.announceStop(); // does nothing
        server.start();
        try (Client client = Client.to(server.port())) {
            assertEquals("", client.get("/hello").field("Connection"), "it starts anew");
            client.get("/hello");
        }
    }

    private boolean getsOneResponse() {
        try (Client client = Client.to(port)) {
            return client.get("/hello").field("Connection").equals("close") && client.over();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The client reads the end and closes, for which the server would wait two seconds. */
    private static void assertEnds(Client client, CompletableFuture<Boolean> drained)
            throws Exception {
        assertTrue(client.over());
        client.close();
        assertTrue(in(drained));
    }

    private static boolean in(CompletableFuture<Boolean> answer) throws Exception {
        return answer.get(30, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/virtual", "/pool", "/later"})
    void aHandlerInProgressIsWaitedFor(String path) throws Exception {
        try (Client client = Client.to(port)) {
            client.ask(path);
            entered.await();
            var drained = stopping(LONG);
            release.countDown();
            promise.complete(Response.text("released"));
            var answer = client.answer();
            assertEquals("released", answer.text());
            assertEquals("close", answer.field("Connection"));
            assertEnds(client, drained);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/stream", "/inline-stream", "/pool-stream"})
    void aStreamInProgressIsWaitedFor(String path) throws Exception {
        try (Client client = Client.to(port)) {
            client.ask(path);
            entered.await();
            var drained = stopping(LONG);
            release.countDown();
            assertEquals("first last", client.answer().text());
            assertEnds(client, drained);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/big", "/big-stream"})
    void aDownloadInProgressArrivesWhole(String path) throws Exception {
        try (Client client = Client.to(port, 16 << 10)) {
            client.ask(path).head();
            var drained = stopping(LONG);
            assertArrayEquals(BIG, client.read(BIG.length));
            assertEnds(client, drained);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/upload", "/pool-upload"})
    void anUploadInProgressIsTakenWhole(String path) throws Exception {
        try (Client client = Client.to(port)) {
            client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
            client.send(new byte[400_000]);
            entered.await();
            var drained = stopping(LONG);
            client.send(new byte[600_000]);
            assertEquals("1000000", client.answer().text());
            assertEnds(client, drained);
        }
    }

    @Test
    void idleConnectionsEndAtOnce() throws Exception {
        try (Client used = Client.to(port);
                Client silent = Client.to(port)) {
            used.get("/hello");
            Eventually.await("both are accepted", () -> open() == 2);
            assertTrue(in(stopping(LONG)));
            assertTrue(used.over());
            assertTrue(silent.over());
        }
    }

    private int open() {
        return server.stats().getFirst().net().connections();
    }

    @Test
    void halfARequestMayBeCompletedAndIsTheLast() throws Exception {
        try (Client client = Client.to(port);
                Client idle = Client.to(port)) {
            client.get("/hello");
            idle.get("/hello");
            client.send("GET /hello HTTP/1.1\r\nHo");
            Eventually.await("it has arrived", () -> bytesIn() >= 87);
            var drained = stopping(LONG);
            assertTrue(idle.over()); // so the loop drains
            var answer = client.send("st: a\r\n\r\n").answer();
            assertEquals("hello", answer.text());
            assertEquals("close", answer.field("Connection"));
            assertEnds(client, drained);
        }
    }

    private long bytesIn() {
        return server.stats().getFirst().net().bytesIn();
    }

    @Test
    void anAnswerSaysWhetherPipelinedRequestsBehindItAreServed() throws Exception {
        try (Client client = Client.to(port)) {
            client.ask("/virtual").ask("/hello").ask("/hello");
            entered.await();
            var drained = stopping(LONG);
            release.countDown();
            boolean last = false;
            int answers = 0;
            while (answers < 3 && !last) {
                last = client.answer().field("Connection").equals("close");
                answers++;
            }
            assertTrue(last || answers == 3);
            assertEnds(client, drained);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/virtual", "/pool", "/stream", "/pool-stream"})
    void theDeadlineCutsAndInterrupts(String path) throws Exception {
        try (Client client = Client.to(port)) {
            client.ask(path);
            entered.await();
            assertFalse(in(stopping(Duration.ofMillis(100))));
            assertTrue(outcome.get(30, TimeUnit.SECONDS) instanceof InterruptedException);
            org.junit.jupiter.api.Assertions.assertThrows(IOException.class, () -> client.answer());
        }
    }

    @Test
    void theDeadlineCutsAResponseThatIsPromised() throws Exception {
        try (Client client = Client.to(port)) {
            client.ask("/later");
            entered.await();
            assertFalse(in(stopping(Duration.ofMillis(100))));
            assertTrue(client.over());
            promise.complete(Response.text("too late")); // and harms nobody
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/upload", "/pool-upload"})
    void theDeadlineCutsAnUpload(String path) throws Exception {
        try (Client client = Client.to(port)) {
            client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
            client.send(new byte[400_000]);
            entered.await();
            assertFalse(in(stopping(Duration.ofMillis(100))));
            assertTrue(outcome.get(30, TimeUnit.SECONDS) instanceof IOException);
            assertTrue(client.over());
        }
    }

    @Test
    void theDeadlineCutsADownload() throws Exception {
        try (Client client = Client.to(port, 16 << 10)) {
            client.ask("/big").head();
            assertFalse(in(stopping(Duration.ofMillis(100))));
            try {
                assertTrue(client.drain() < BIG.length);
            } catch (IOException e) {
                assertFalse(e instanceof EOFException);
            }
        }
    }

    @Test
    void whoAsksDuringTheDrainIsAnsweredAtOnce() throws Exception {
        try (Client client = Client.to(port)) {
            client.ask("/virtual");
            entered.await();
            var drained = stopping(LONG);
            var stats = new CompletableFuture<ServerStats>();
            Thread.ofPlatform().daemon().start(() -> stats.complete(server.stats().getFirst()));
            assertEquals(1, stats.get(10, TimeUnit.SECONDS).inProgress());
            assertTrue(server.isRunning());
            assertEquals(port, server.port());
            assertFalse(drained.isDone());
            release.countDown();
            client.answer();
            assertEnds(client, drained);
            assertFalse(server.isRunning());
            assertNull(outcome.get());
        }
    }

    @Test
    void aLoopCannotWaitForItsOwnEndAndSaysSo() throws Exception {
        assertEquals(500, Client.get(port, "/quit").status());
        assertEquals("hello", Client.get(port, "/hello").text());
    }

    @Test
    void theServerServesAgainAfterACut() throws Exception {
        try (Client client = Client.to(port)) {
            client.ask("/virtual");
            entered.await();
            assertFalse(in(stopping(Duration.ofMillis(100))));
        }
        server.start();
        assertEquals("hello", Client.get(server.port(), "/hello").text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/events", "/pool-events"})
    void aStreamOfEventsWithoutAnEndIsEndedInGoodOrderAtOnce(String path) throws Exception {
        try (Client client = Client.to(port).ask(path)) {
            client.head();
            entered.await();
            assertTrue(server.stop(LONG), "the stop did not wait for it in vain");
            assertEquals(0, client.chunk().length, "the last chunk");
            assertTrue(client.over());
        }
    }
}
