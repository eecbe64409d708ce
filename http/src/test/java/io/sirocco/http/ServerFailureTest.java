// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Clock;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An error beside a handler's code is the server's end, and its owner is told; one in it is a 500.
 */
class ServerFailureTest {
    private volatile Error fault;

    private final Clock clock =
            new Clock() {
                @Override
                public long nanos() {
                    if (fault != null && Thread.currentThread().getName().endsWith("-loop-0")) {
                        throw fault;
                    }
                    return System.nanoTime();
                }

                @Override
                public long wallMillis() {
                    return System.currentTimeMillis();
                }

                @Override
                public void onLeap(Runnable wake) {}
            };

    private Server start(TransportKind transport, Monitor monitor) {
        return start(transport, 2, monitor, request -> Response.text("ok"));
    }

    private Server start(TransportKind transport, int loops, Monitor monitor, Handler handler) {
        return Server.start(
                config ->
                        config.listen(new InetSocketAddress("127.0.0.1", 0))
                                .loops(loops)
                                .transport(transport)
                                .clock(clock)
                                .monitor(monitor),
                routes -> {
                    routes.get("/", handler);
                    routes.get(
                            "/error",
                            request -> {
                                throw new OutOfMemoryError("a test");
                            });
                });
    }

    private static String get(Server server, String path) throws IOException {
        try (var socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(20_000);
            request(socket, path);
            byte[] all = socket.getInputStream().readAllBytes();
            return new String(all, StandardCharsets.ISO_8859_1).substring(0, 12);
        }
    }

    private static void request(Socket socket, String path) throws IOException {
        String request = "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static boolean accepts(int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void aLoopThatDiesIsToldAndTheServerAcceptsNoMore(TransportKind transport) throws Exception {
        var told = new CompletableFuture<Throwable>();
        var monitor =
                new Monitor() {
                    @Override
                    public void loopDied(Throwable why) {
                        told.complete(why);
                    }
                };
        Server server = start(transport, monitor);
        try {
            assertEquals("HTTP/1.1 200", get(server, "/"));
            CompletableFuture<Throwable> failure = server.failure();
            assertFalse(failure.isDone());
            int port = server.port();
            var error = new OutOfMemoryError("a test");
            fault = error;
            for (int i = 0; i < 20; i++) {
                accepts(port); // so that the loop has a turn
            }
            assertSame(error, failure.get(20, TimeUnit.SECONDS));
            assertSame(error, told.get(20, TimeUnit.SECONDS));
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (accepts(port)) {
                assertTrue(System.nanoTime() < end, "it still accepts");
            }
            fault = null;
            long began = System.nanoTime();
            server.stop(Duration.ofSeconds(30));
            assertTrue(System.nanoTime() - began < 20_000_000_000L, "it waits for nobody");
            server.start();
            assertFalse(server.failure().isDone());
            assertEquals("HTTP/1.1 200", get(server, "/"));
        } finally {
            fault = null;
            server.close();
        }
    }

    /** Before it ends its connections, which takes long if there are many. */
    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void aLoopThatDiesHasFailedAtOnce(TransportKind transport) throws Exception {
        var called = new CompletableFuture<Request>();
        var known = new CompletableFuture<Boolean>();
        try (Server server =
                        start(
                                transport,
                                1,
                                Monitor.NONE,
                                request -> {
                                    called.complete(request);
                                    return Response.async(new CompletableFuture<>());
                                });
                var socket = new Socket("127.0.0.1", server.port())) {
            request(socket, "/");
            called.get(20, TimeUnit.SECONDS).onDisconnect(() -> known.complete(server.hasFailed()));
            assertFalse(server.hasFailed());
            fault = new OutOfMemoryError("a test");
            accepts(server.port()); // so that the loop has a turn
            assertTrue(known.get(20, TimeUnit.SECONDS));
        } finally {
            fault = null;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void anErrorInAHandlerIsA500AndOthersAreServed(TransportKind transport) throws Exception {
        try (Server server = start(transport, Monitor.NONE)) {
            assertEquals("HTTP/1.1 500", get(server, "/error"));
            assertEquals("HTTP/1.1 200", get(server, "/"));
            assertFalse(server.failure().isDone());
        }
    }
}
