// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Monitor;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.websocket.Frame;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A callback at the end of a request waits for a lock, on the virtual thread of the handler. The
 * loop serves the next request of the connection meanwhile, and the end of the first one changes
 * nothing about it.
 */
@Timeout(60)
final class WaitingCallbacksTest {
    private static final String FIRST = "GET /first HTTP/1.1\nHost: a\n\n";
    private static final String NEXT = "GET /next HTTP/1.1\nHost: a\n\n";

    private final ReentrantLock lock = new ReentrantLock();

    private void waits() {
        lock.lock();
        lock.unlock();
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void onCompleteOnTheThreadOfTheHandler(TransportKind transport) throws Exception {
        Server server =
                LockedServer.withOneLoop(
                        transport,
                        routes -> {
                            routes.route(
                                            "GET",
                                            "/first",
                                            request -> {
                                                request.onComplete(this::waits);
                                                return Response.text("first");
                                            })
                                    .executionMode(ExecutionMode.LOOP);
                            routes.route("GET", "/next", _ -> Response.text("next"))
                                    .executionMode(ExecutionMode.INLINE);
                        });
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port());
                var other = new Caller(server.port())) {
            lock.lock();
            try {
                caller.send(FIRST);
                assertEquals("first", new String(caller.receive().body()));
                caller.send(NEXT);
                goesOn(caller.receive());
            } finally {
                lock.unlock();
            }
            while (lock.hasQueuedThreads()) {
                assertTrue(lock.tryLock(8, TimeUnit.SECONDS)); // behind those that wait
                lock.unlock();
            }
            other.send(NEXT); // the loop has gone on
            goesOn(other.receive());
            caller.send(NEXT);
            goesOn(caller.receive());
        }
    }

    /** The client may use the new protocol as soon as it is told that it may. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void onCompleteOfAnUpgrade(TransportKind transport) throws Exception {
        upgrade(transport, Monitor.NONE, this::waits);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aMonitorOfAnUpgrade(TransportKind transport) throws Exception {
        upgrade(
                transport,
                new Monitor() {
                    @Override
                    public void completed(CompletedRequest request) {
                        if (request.target().equals("/socket")) {
                            waits();
                        }
                    }
                },
                () -> {});
    }

    private void upgrade(TransportKind transport, Monitor monitor, Runnable onComplete)
            throws Exception {
        Server server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(1)
                                        .monitor(monitor)
                                        .transport(transport),
                        routes -> {
                            routes.route(
                                            "GET",
                                            "/socket",
                                            request -> {
                                                request.onComplete(onComplete);
                                                return Response.webSocket(ECHO);
                                            })
                                    .executionMode(ExecutionMode.LOOP);
                            routes.route("GET", "/next", _ -> Response.text("next"))
                                    .executionMode(ExecutionMode.INLINE);
                        });
        try (AutoCloseable _ = () -> LockedServer.stop(server);
                var caller = new Caller(server.port());
                var other = new Caller(server.port())) {
            byte[] message = Frame.masked(Frame.FIN | Frame.BINARY, new byte[] {7}, 1);
            lock.lock();
            try {
                caller.send(
                        """
                        GET /socket HTTP/1.1
                        Host: a
                        Upgrade: websocket
                        Connection: Upgrade
                        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                        Sec-WebSocket-Version: 13

                        """);
                assertEquals(101, caller.receive().status());
                caller.send(message);
                other.send(NEXT); // the loop has seen the message before
                goesOn(other.receive());
            } finally {
                lock.unlock();
            }
            assertEquals(0x82_01_07, echoed(caller));
            caller.send(message);
            assertEquals(0x82_01_07, echoed(caller));
        }
    }

    private static int echoed(Caller caller) throws IOException {
        return caller.in().readUnsignedShort() << 8 | caller.in().readUnsignedByte();
    }

    private static final WebSocketListener ECHO =
            new WebSocketListener() {
                @Override
                public void onBinary(WebSocket socket, byte[] bytes) {
                    socket.trySend(bytes);
                }
            };

    private static void goesOn(Caller.Answer answer) {
        assertEquals("next", new String(answer.body()));
        assertFalse(answer.head().contains("Connection: close"), answer.head());
    }
}
