// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Monitor;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.locks.SharedLock.Kind;
import io.sirocco.http.websocket.Frame;
import io.sirocco.net.TransportKind;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Code that runs on an event loop and virtual threads of that loop take the same lock, and every
 * connection is answered: the loop never waits for ever for a thread that only it can run.
 */
@Timeout(60)
final class LocksTest {
    private static final int CONNECTIONS = 32;
    private static final int QUESTIONS = 20;
    private static final List<String> HANDLERS = LockedServer.HANDLERS;

    static Stream<Arguments> locks() {
        return locks(Kind.values());
    }

    static Stream<Arguments> visibleLocks() {
        return locks(Kind.MONITOR, Kind.LOCK, Kind.STANDARD_OUTPUT);
    }

    private static Stream<Arguments> locks(Kind... kinds) {
        return Stream.of(TransportKind.IO_URING, TransportKind.EPOLL, TransportKind.NIO)
                .flatMap(t -> Arrays.stream(kinds).map(kind -> Arguments.of(t, kind)));
    }

    private static ClosedLoop.Talk talk(LockedServer server, int connection, List<String> paths)
            throws IOException {
        return LockedServer.talk(new Caller(server.port()), connection, 1, paths);
    }

    @ParameterizedTest
    @MethodSource("locks")
    void handlersOfAllModes(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind)) {
            try (var server = new LockedServer(transport, lock, _ -> {})) {
                ClosedLoop.run(CONNECTIONS, QUESTIONS, c -> talk(server, c, HANDLERS));
            }
            lock.check();
        }
    }

    /** Nobody gives up the processor inside: a holder meets the others by chance only. */
    @ParameterizedTest
    @MethodSource("visibleLocks")
    void holdersThatOnlyCompute(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind, false)) {
            try (var server = new LockedServer(transport, lock, _ -> {})) {
                ClosedLoop.run(CONNECTIONS, 100, c -> talk(server, c, HANDLERS));
            }
            lock.check();
        }
    }

    @ParameterizedTest
    @MethodSource("locks")
    void aFilterInFrontOfHandlers(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind)) {
            Filter filter =
                    (request, next) -> {
                        lock.use();
                        Response response = next.handle(request);
                        lock.use();
                        return response;
                    };
            try (var server =
                    new LockedServer(
                            transport,
                            lock,
                            routes ->
                                    routes.group(
                                            "/filtered", inner -> plain(inner.filter(filter))))) {
                List<String> paths = List.of("GET /filtered/inline/", "GET /filtered/virtual/");
                ClosedLoop.run(CONNECTIONS, QUESTIONS, c -> talk(server, c, paths));
            }
            lock.check();
        }
    }

    /** Handlers that take no lock. */
    private static void plain(Routes routes) {
        for (ExecutionMode mode : List.of(ExecutionMode.INLINE, ExecutionMode.VIRTUAL)) {
            String path = "/" + mode.name().toLowerCase(java.util.Locale.ROOT) + "/{id}";
            routes.route("GET", path, LocksTest::plain).executionMode(mode);
        }
    }

    private static Response plain(Request request) {
        return Response.bytes(Pattern.of(Integer.parseInt(request.param("id"))));
    }

    @ParameterizedTest
    @MethodSource("locks")
    void aMonitorAndHandlers(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind)) {
            var monitor = new LockedMonitor(lock);
            try (var server =
                    new LockedServer(
                            transport,
                            lock,
                            config ->
                                    config.listen(new InetSocketAddress("127.0.0.1", 0))
                                            .monitor(monitor),
                            LocksTest::failing)) {
                List<String> paths =
                        List.of("GET /inline/", "GET /virtual/", "GET /fails/", "GET /inline/");
                ClosedLoop.run(
                        CONNECTIONS,
                        QUESTIONS,
                        c ->
                                switch (c % 4) {
                                    case 2 -> malformed(server.port());
                                    case 3 -> anew(server.port(), c);
                                    default -> talk(server, c, paths);
                                });
            }
            lock.check();
            for (String call : List.of("completed", "opened", "closed", "rejected", "failed")) {
                assertTrue(monitor.count(call) > 0, call);
            }
            assertEquals(monitor.count("opened"), monitor.count("closed"));
        }
    }

    /** All of its methods take the lock. */
    private static final class LockedMonitor implements Monitor {
        private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
        private final SharedLock lock;

        LockedMonitor(SharedLock lock) {
            this.lock = lock;
        }

        private void called(String name) {
            lock.use();
            calls.computeIfAbsent(name, _ -> new LongAdder()).increment();
        }

        long count(String name) {
            LongAdder count = calls.get(name);
            return count == null ? 0 : count.sum();
        }

        @Override
        public void completed(CompletedRequest request) {
            String id = request.header("X-Id").orElse("");
            String target = request.target();
            called("completed");
            assertEquals(id, request.header("X-Id").orElse(""));
            assertEquals(target, request.target());
        }

        @Override
        public void rejected(RejectedRequest request) {
            called("rejected");
        }

        @Override
        public void opened(OpenedConnection connection) {
            called("opened");
        }

        @Override
        public void closed(ClosedConnection connection) {
            called("closed");
        }

        @Override
        public void handlerFailed(String requestId, String request, Throwable thrown) {
            called("failed");
        }

        @Override
        public void routeMoved(String route, long millis, StackTraceElement[] stack) {
            called("moved");
        }

        @Override
        public void loopDied(Throwable cause) {
            called("died");
        }
    }

    private static void failing(Routes routes) {
        routes.get(
                "/fails/{id}",
                _ -> {
                    throw new IllegalStateException("as it should");
                });
    }

    /** Connects for each request, which is refused. */
    private static ClosedLoop.Talk malformed(int port) {
        return new Visits(port) {
            @Override
            void ask(Caller caller, int number) throws IOException {
                caller.send("GET /inline/1 HTTP/1.1\n\n");
            }

            @Override
            void receive(Caller caller, int number) throws IOException {
                assertEquals(400, caller.receive().status());
                assertTrue(caller.ends());
            }
        };
    }

    /** Connects for each request. */
    private static ClosedLoop.Talk anew(int port, int connection) {
        return new Visits(port) {
            @Override
            void ask(Caller caller, int number) throws IOException {
                caller.send(LockedServer.request("GET /virtual/", connection));
            }

            @Override
            void receive(Caller caller, int number) throws IOException {
                Pattern.check(connection, caller.receive().body());
            }
        };
    }

    /** A connection for each question. */
    private abstract static class Visits implements ClosedLoop.Talk {
        private final int port;
        private Caller caller;

        Visits(int port) {
            this.port = port;
        }

        abstract void ask(Caller caller, int number) throws IOException;

        abstract void receive(Caller caller, int number) throws IOException;

        @Override
        public final void ask(int number) throws IOException {
            caller = new Caller(port);
            ask(caller, number);
        }

        @Override
        public final void receive(int number) throws IOException {
            receive(caller, number);
            caller.close();
        }

        @Override
        public final void close() throws IOException {
            if (caller != null) {
                caller.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("locks")
    void listenersAndHandlersOfWebSockets(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind)) {
            try (var server =
                    new LockedServer(
                            transport,
                            lock,
                            routes -> {
                                routes.route("GET", "/listen", _ -> Response.webSocket(echo(lock)))
                                        .executionMode(ExecutionMode.INLINE);
                                routes.get("/block", _ -> Response.webSocket(s -> echo(lock, s)));
                            })) {
                ClosedLoop.run(
                        CONNECTIONS,
                        QUESTIONS,
                        c ->
                                switch (c % 3) {
                                    case 0 -> new SocketTalk(server.port(), "/listen", c);
                                    case 1 -> new SocketTalk(server.port(), "/block", c);
                                    default -> talk(server, c, HANDLERS);
                                });
            }
            lock.check();
        }
    }

    private static WebSocketListener echo(SharedLock lock) {
        return new WebSocketListener() {
            @Override
            public void onOpen(WebSocket socket) {
                lock.use();
            }

            @Override
            public void onBinary(WebSocket socket, byte[] bytes) {
                lock.use();
                assertTrue(socket.trySend(bytes));
                lock.use();
            }

            @Override
            public void onPing(WebSocket socket, byte[] payload) {
                lock.use();
            }

            @Override
            public void onClose(WebSocket socket, WebSocket.Closed closed) {
                lock.use();
            }
        };
    }

    private static void echo(SharedLock lock, WebSocket socket) throws IOException {
        while (socket.receive() instanceof WebSocket.Binary(byte[] bytes)) {
            lock.use(() -> socket.send(bytes));
        }
        lock.use();
    }

    /** A ping and a message that comes back. */
    private static final class SocketTalk implements ClosedLoop.Talk {
        private final Caller caller;
        private final int connection;

        SocketTalk(int port, String path, int connection) throws IOException {
            this.connection = connection;
            caller = new Caller(port);
            caller.send(
                    """
                    GET %s HTTP/1.1
                    Host: a
                    Upgrade: websocket
                    Connection: Upgrade
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                    Sec-WebSocket-Version: 13

                    """
                            .formatted(path));
            assertEquals(101, caller.receive().status());
        }

        @Override
        public void ask(int number) throws IOException {
            int id = connection * 1_000 + number;
            caller.send(Frame.masked(Frame.FIN | Frame.PING, new byte[] {1}, id));
            caller.send(Frame.masked(Frame.FIN | Frame.BINARY, Pattern.of(id), id));
        }

        @Override
        public void receive(int number) throws IOException {
            DataInputStream in = caller.in();
            byte[] pong = new byte[3];
            in.readFully(pong);
            assertEquals(Frame.FIN | Frame.PONG, pong[0] & 0xff);
            assertEquals(Frame.FIN | Frame.BINARY, in.readUnsignedByte());
            int length = in.readUnsignedByte();
            byte[] payload = new byte[length == 126 ? in.readUnsignedShort() : length];
            in.readFully(payload);
            Pattern.check(connection * 1_000 + number, payload);
        }

        @Override
        public void close() throws IOException {
            caller.close();
        }
    }

    @ParameterizedTest
    @MethodSource("locks")
    void eventsThatAreSentUnderTheLock(TransportKind transport, Kind kind) throws Exception {
        List<String> paths = List.of("GET /events/", "GET /inline/", "GET /virtual/");
        try (var lock = SharedLock.of(kind)) {
            try (var server = new LockedServer(transport, lock, _ -> {})) {
                ClosedLoop.run(CONNECTIONS, QUESTIONS, c -> talk(server, c, paths));
            }
            lock.check();
        }
    }

    @ParameterizedTest
    @MethodSource("locks")
    void responsesThatAreCompletedLater(TransportKind transport, Kind kind) throws Exception {
        try (var lock = SharedLock.of(kind)) {
            try (var server = new LockedServer(transport, lock, _ -> {})) {
                ClosedLoop.run(CONNECTIONS, QUESTIONS, c -> talk(server, c, LockedServer.LATER));
            }
            lock.check();
        }
    }

    @ParameterizedTest
    @MethodSource("locks")
    void callbacksOfRequests(TransportKind transport, Kind kind) throws Exception {
        int leaving = CONNECTIONS / 4;
        var gone = new CountDownLatch(leaving * QUESTIONS);
        try (var lock = SharedLock.of(kind)) {
            Filter completing =
                    (request, next) -> {
                        request.onComplete(lock::use);
                        return next.handle(request);
                    };
            try (var server =
                    new LockedServer(
                            transport,
                            lock,
                            routes -> {
                                routes.group("/done", inner -> plain(inner.filter(completing)));
                                routes.route("GET", "/inline-never", r -> never(r, lock, gone))
                                        .executionMode(ExecutionMode.INLINE);
                                routes.get("/virtual-never", r -> never(r, lock, gone));
                            })) {
                List<String> paths =
                        List.of(
                                "GET /done/inline/",
                                "GET /done/virtual/",
                                "GET /inline/",
                                "GET /virtual/");
                ClosedLoop.run(
                        CONNECTIONS,
                        QUESTIONS,
                        c -> c % 4 == 3 ? leaving(server.port()) : talk(server, c, paths));
                assertTrue(gone.await(8, TimeUnit.SECONDS), () -> gone + " were not noticed");
            }
            lock.check();
        }
    }

    private static Response never(Request request, SharedLock lock, CountDownLatch gone) {
        var response = new CompletableFuture<Response>();
        request.onDisconnect(
                () -> {
                    lock.use();
                    response.complete(Response.text("too late"));
                    gone.countDown();
                });
        lock.use();
        return Response.async(response);
    }

    /** Leaves before it is answered. */
    private static ClosedLoop.Talk leaving(int port) {
        return new Visits(port) {
            @Override
            void ask(Caller caller, int number) throws IOException {
                String mode = number % 2 == 0 ? "inline" : "virtual";
                caller.send("GET /%s-never HTTP/1.1\nHost: a\n\n".formatted(mode));
            }

            @Override
            void receive(Caller caller, int number) {}
        };
    }
}
