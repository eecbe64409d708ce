// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.BodySource;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Handler;
import io.sirocco.http.Monitor;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The monitor, or an action for the end of a request, waits for a lock or throws. The exchange has
 * come to its end all the same: nothing that the client or the loop does meanwhile ends it again,
 * or another one in its place.
 */
@Timeout(60)
final class WaitingReportsTest {
    private static final String UPGRADE =
            """
            GET /socket HTTP/1.1
            Host: a
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            Sec-WebSocket-Version: 13

            """;

    private final ReentrantLock lock = new ReentrantLock();

    /** Waits for the lock in the report of {@code /waits}. */
    private final Monitor monitor =
            new Monitor() {
                @Override
                public void completed(CompletedRequest request) {
                    if (request.target().equals("/waits")) {
                        waits();
                    }
                }
            };

    private void waits() {
        lock.lock();
        lock.unlock();
    }

    private static Server start(TransportKind transport, Monitor monitor, Consumer<Routes> routes) {
        return Server.start(
                config ->
                        config.listen(new InetSocketAddress("127.0.0.1", 0))
                                .loops(1)
                                .monitor(monitor)
                                .transport(transport),
                routes);
    }

    /** A response whose body is sent, but does not end before {@code sent}. */
    private static Handler hello(CountDownLatch sent) {
        return _ ->
                Response.stream(
                        5,
                        out -> {
                            out.write("hello".getBytes(UTF_8));
                            out.flush();
                            sent.await();
                        });
    }

    private static ServerStats stats(Server server) {
        return server.stats().getFirst();
    }

    private static void until(String what, BooleanSupplier happened) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!happened.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "not in time: " + what);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void theNextRequestsAreAnsweredInOrder(TransportKind transport) throws Exception {
        var running = new CountDownLatch(1);
        var mayGoOn = new CountDownLatch(1);
        var sent = new CountDownLatch(1);
        Server server =
                start(
                        transport,
                        monitor,
                        routes -> {
                            routes.route("POST", "/waits", hello(sent))
                                    .executionMode(ExecutionMode.LOOP);
                            routes.get(
                                    "/b",
                                    _ -> {
                                        running.countDown();
                                        mayGoOn.await();
                                        return Response.text("b");
                                    });
                            routes.get("/c", _ -> Response.text("c"));
                        });
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port())) {
            lock.lock();
            try {
                caller.send("POST /waits HTTP/1.1\nHost: a\nContent-Length: 4\n\n");
                assertEquals("hello", new String(caller.receive().body(), UTF_8));
                sent.countDown();
                until("the monitor waits", lock::hasQueuedThreads);
                caller.send("body");
                caller.send("GET /b HTTP/1.1\nHost: a\n\n");
                assertTrue(running.await(20, TimeUnit.SECONDS));
            } finally {
                lock.unlock();
            }
            until("the monitor has gone on", () -> !lock.hasQueuedThreads());
            caller.send("GET /c HTTP/1.1\nHost: a\n\n");
            mayGoOn.countDown();
            assertEquals("b", new String(caller.receive().body(), UTF_8));
            assertEquals("c", new String(caller.receive().body(), UTF_8));
            until("none is in progress", () -> stats(server).inProgress() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aSocketWhoseClientGoesIsClosed(TransportKind transport) throws Exception {
        var opened = new AtomicInteger();
        var closed = new AtomicInteger();
        var listener =
                new WebSocketListener() {
                    @Override
                    public void onOpen(WebSocket socket) {
                        opened.incrementAndGet();
                    }

                    @Override
                    public void onClose(WebSocket socket, WebSocket.Closed how) {
                        closed.incrementAndGet();
                    }
                };
        Server server =
                start(
                        transport,
                        Monitor.NONE,
                        routes ->
                                routes.route(
                                                "GET",
                                                "/socket",
                                                request -> {
                                                    request.onComplete(this::waits);
                                                    return Response.webSocket(listener);
                                                })
                                        .executionMode(ExecutionMode.LOOP));
        try (AutoCloseable _ = () -> LockedServer.stop(server)) {
            lock.lock();
            try (var caller = new Caller(server.port())) {
                caller.send(UPGRADE);
                until("it waits", lock::hasQueuedThreads);
            }
            try {
                until("it has gone", () -> stats(server).net().connections() == 0);
            } finally {
                lock.unlock();
            }
            until("it is closed", () -> closed.get() == 1);
            assertEquals(1, opened.get());
            assertEquals(0, stats(server).webSockets());
            assertEquals(0, stats(server).inProgress());
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aResponseThatIsBrokenOffEndsOnce(TransportKind transport) throws Exception {
        var sent = new CountDownLatch(1);
        Server server =
                start(
                        transport,
                        monitor,
                        routes ->
                                routes.route(
                                                "GET",
                                                "/waits",
                                                _ ->
                                                        Response.stream(
                                                                out -> {
                                                                    out.write(new byte[9]);
                                                                    out.flush();
                                                                    sent.await();
                                                                    throw new IOException("broken");
                                                                }))
                                        .executionMode(ExecutionMode.LOOP));
        try (AutoCloseable _ = () -> LockedServer.stop(server)) {
            lock.lock();
            try {
                try (var caller = new Caller(server.port())) {
                    caller.send("GET /waits HTTP/1.1\nHost: a\n\n");
                    assertEquals('H', caller.in().read());
                    sent.countDown();
                    until("the monitor waits", lock::hasQueuedThreads);
                }
                until("it has gone", () -> stats(server).net().connections() == 0);
            } finally {
                lock.unlock();
            }
            until("the monitor has gone on", () -> !lock.hasQueuedThreads());
            assertEquals(0, stats(server).inProgress());
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aMonitorThatThrowsEndsNothing(TransportKind transport) throws Exception {
        Monitor throwing =
                new Monitor() {
                    @Override
                    public void completed(CompletedRequest request) {
                        throw new IllegalStateException("thrown by the monitor, on purpose");
                    }
                };
        var sent = new CountDownLatch(1);
        Server server =
                start(
                        transport,
                        throwing,
                        routes -> {
                            routes.route("GET", "/a", hello(sent))
                                    .executionMode(ExecutionMode.LOOP);
                            routes.get("/b", _ -> Response.text("b"));
                        });
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port())) {
            caller.send("GET /a HTTP/1.1\nHost: a\n\n");
            assertEquals("hello", new String(caller.receive().body(), UTF_8));
            sent.countDown();
            caller.send("GET /b HTTP/1.1\nHost: a\n\n");
            assertEquals("b", new String(caller.receive().body(), UTF_8));
            until("none is in progress", () -> stats(server).inProgress() == 0);
        }
    }

    /** What ends with a request, such as a request to an upstream server, ends with it. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aMonitorThatWaitsHoldsUpReportsOnly(TransportKind transport) throws Exception {
        holdsUpNothing(transport, monitor, () -> {});
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void anActionThatWaitsHoldsUpNothing(TransportKind transport) throws Exception {
        holdsUpNothing(transport, Monitor.NONE, this::waits);
    }

    private void holdsUpNothing(TransportKind transport, Monitor monitor, Runnable action)
            throws Exception {
        var complete = new CountDownLatch(1);
        var disconnected = new CountDownLatch(1);
        var sourceClosed = new CountDownLatch(1);
        Server server =
                start(
                        transport,
                        monitor,
                        routes ->
                                routes.get(
                                                "/waits",
                                                request -> {
                                                    request.onComplete(action);
                                                    return Response.text("waits");
                                                })
                                        .get(
                                                "/complete",
                                                request -> {
                                                    request.onComplete(complete::countDown);
                                                    return Response.text("complete");
                                                })
                                        .get(
                                                "/disconnected",
                                                request -> {
                                                    var later = new CompletableFuture<Response>();
                                                    request.onDisconnect(
                                                            () -> {
                                                                disconnected.countDown();
                                                                later.cancel(false);
                                                            });
                                                    return Response.async(later);
                                                })
                                        .get(
                                                "/source",
                                                _ -> Response.stream(endless(sourceClosed))));
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port())) {
            lock.lock();
            try {
                caller.send("GET /waits HTTP/1.1\nHost: a\n\n");
                assertEquals("waits", new String(caller.receive().body(), UTF_8));
                until("it waits", lock::hasQueuedThreads);
                caller.send("GET /complete HTTP/1.1\nHost: a\n\n");
                assertEquals("complete", new String(caller.receive().body(), UTF_8));
                for (String path : List.of("/disconnected", "/source")) {
                    long before = stats(server).requests();
                    try (var leaves = new Caller(server.port())) {
                        leaves.send("GET " + path + " HTTP/1.1\nHost: a\n\n");
                        until("it is served", () -> stats(server).requests() > before);
                    }
                }
                until("onComplete", () -> complete.getCount() == 0);
                until("onDisconnect", () -> disconnected.getCount() == 0);
                until("the source is closed", () -> sourceClosed.getCount() == 0);
                assertTrue(lock.hasQueuedThreads());
            } finally {
                lock.unlock();
            }
        }
    }

    private static BodySource endless(CountDownLatch closed) {
        return new BodySource() {
            @Override
            public CompletionStage<byte[]> next() {
                return CompletableFuture.completedFuture(new byte[1 << 10]);
            }

            @Override
            public void close() {
                closed.countDown();
            }
        };
    }

    /** Behind one that waits, the reports of a loop are made in order, and never two at a time. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void reportsOfALoopNeverOverlap(TransportKind transport) throws Exception {
        var reports = new LinkedBlockingQueue<String>();
        var within = new AtomicInteger();
        var overlaps = new AtomicInteger();
        Monitor orders =
                new Monitor() {
                    @Override
                    public void completed(CompletedRequest request) {
                        if (within.getAndIncrement() > 0) {
                            overlaps.incrementAndGet();
                        }
                        if (request.target().equals("/0")) {
                            waits();
                        }
                        reports.add(request.target());
                        within.decrementAndGet();
                    }
                };
        Server server =
                start(
                        transport,
                        orders,
                        routes -> routes.get("/{n}", r -> Response.text(r.param("n"))));
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port())) {
            lock.lock();
            try {
                for (int n = 0; n < 100; n++) {
                    caller.send("GET /" + n + " HTTP/1.1\nHost: a\n\n");
                    assertEquals("" + n, new String(caller.receive().body(), UTF_8));
                }
                until("the monitor waits", lock::hasQueuedThreads);
                assertEquals(0, reports.size());
            } finally {
                lock.unlock();
            }
            for (int n = 0; n < 100; n++) {
                assertEquals("/" + n, reports.poll(20, TimeUnit.SECONDS));
            }
            assertEquals(0, overlaps.get());
        }
    }

    /** The loop waits for very many actions that wait, and goes on behind them. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void veryManyActionsThatWaitAreAllRun(TransportKind transport) throws Exception {
        int many = 1_100;
        var run = new AtomicInteger();
        Server server =
                start(
                        transport,
                        Monitor.NONE,
                        routes ->
                                routes.get(
                                        "/many",
                                        request -> {
                                            for (int n = 0; n < many; n++) {
                                                request.onComplete(
                                                        () -> {
                                                            waits();
                                                            run.incrementAndGet();
                                                        });
                                            }
                                            return Response.text("many");
                                        }));
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port())) {
            lock.lock();
            try {
                caller.send("GET /many HTTP/1.1\nHost: a\n\n");
                assertEquals("many", new String(caller.receive().body(), UTF_8));
                until("all of them wait", () -> lock.getQueueLength() == many);
                caller.send("GET /many HTTP/1.1\nHost: a\n\n");
                assertEquals(0, run.get());
            } finally {
                lock.unlock();
            }
            assertEquals("many", new String(caller.receive().body(), UTF_8));
            until("all were run", () -> run.get() == 2 * many);
        }
    }

    /** Also when it is set behind the end of the request, it waits beside the loop. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void anActionThatComesLateBlocksNoLoop(TransportKind transport) throws Exception {
        var over = new CompletableFuture<Request>();
        Server server =
                start(
                        transport,
                        Monitor.NONE,
                        routes ->
                                routes.get(
                                                "/over",
                                                request -> {
                                                    request.onComplete(
                                                            () -> over.complete(request));
                                                    return Response.text("over");
                                                })
                                        .get("/b", _ -> Response.text("b")));
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port())) {
            caller.send("GET /over HTTP/1.1\nHost: a\n\n");
            assertEquals("over", new String(caller.receive().body(), UTF_8));
            Request request = over.get(20, TimeUnit.SECONDS);
            lock.lock();
            try {
                request.onComplete(this::waits); // on this thread, which is none of the loop
                until("it waits", lock::hasQueuedThreads);
                caller.send("GET /b HTTP/1.1\nHost: a\n\n");
                assertEquals("b", new String(caller.receive().body(), UTF_8));
            } finally {
                lock.unlock();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void anInlineHandlerThatReadsWhatHasNotComeIsRefused(TransportKind transport) throws Exception {
        Server server =
                start(
                        transport,
                        Monitor.NONE,
                        routes -> {
                            routes.route("POST", "/text", r -> Response.text(r.body().text()))
                                    .executionMode(ExecutionMode.INLINE)
                                    .startBeforeBody();
                            routes.get("/b", _ -> Response.text("b"));
                        });
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port());
                var other = new Caller(server.port())) {
            caller.send("POST /text HTTP/1.1\nHost: a\nContent-Length: 4\n\n");
            assertEquals(500, caller.receive().status());
            other.send("GET /b HTTP/1.1\nHost: a\n\n");
            assertEquals("b", new String(other.receive().body(), UTF_8));
        }
    }
}
