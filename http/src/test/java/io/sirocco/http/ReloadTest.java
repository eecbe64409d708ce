// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Admission;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A running server takes up another configuration, all of it or nothing, and keeps connections. */
@ParameterizedClass
@EnumSource(
        value = TransportKind.class,
        names = {"IO_URING", "EPOLL"})
class ReloadTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

    @Parameter TransportKind transport;
    private Server server;

    private Consumer<Config> config(SocketAddress... addresses) {
        return config -> {
            config.transport(transport).loops(2).idleTimeout(java.time.Duration.ZERO);
            for (SocketAddress address : addresses) {
                config.listen(address);
            }
        };
    }

    private static Consumer<Routes> says(String text) {
        return routes -> routes.get("/", request -> Response.text(text));
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(HERE, 0);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static String get(Client client) {
        int before = client.received().length;
        client.send("GET / HTTP/1.1\nHost: a\n\n");
        client.until(before + 1);
        client.await("the body", () -> client.text().substring(before).contains("\r\n\r\n"));
        return client.text().substring(client.text().lastIndexOf("\r\n\r\n") + 4);
    }

    @Test
    void routesOfBeforeAreForgottenThoughNoFurtherRequestComes() throws InterruptedException {
        var forgotten = new ReferenceQueue<Handler>();
        server = Server.start(config(anyPort()), says("none yet"));
        try (Client client = new Client(server)) {
            WeakReference<Handler> handler = servedAndReplaced(client, forgotten);
            long giveUp = System.nanoTime() + PATIENCE;
            while (forgotten.remove(100) != handler) {
                assertTrue(System.nanoTime() < giveUp, "somebody still holds it");
                System.gc();
            }
        }
    }

    private WeakReference<Handler> servedAndReplaced(
            Client client, ReferenceQueue<Handler> forgotten) {
        var text = new AtomicReference<>("one"); // a handler that captures is an object of its own
        Handler handler = request -> Response.text(text.get());
        server.reload(config(anyPort()), routes -> routes.get("/", handler));
        assertEquals("one", get(client));
        server.reload(config(anyPort()), says("two"));
        return new WeakReference<>(handler, forgotten);
    }

    @Test
    void connectionsAreKeptAndServedByTheNewRoutes() {
        server = Server.start(config(anyPort()), says("one"));
        try (Client client = new Client(server)) {
            assertEquals("one", get(client));
            server.reload(config(anyPort()), says("two"));
            assertEquals("two", get(client));
            try (Client another = new Client(server)) {
                assertEquals("two", get(another));
            }
        }
    }

    @Test
    void aRequestThatHasBegunEndsAsItBegan() throws Exception {
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        server =
                Server.start(
                        config(anyPort()),
                        routes ->
                                routes.get(
                                        "/",
                                        request -> {
                                            begun.countDown();
                                            goOn.await();
                                            return Response.text("old");
                                        }));
        try (Client client = new Client(server)) {
            client.send("GET / HTTP/1.1\nHost: a\n\n");
            begun.await();
            server.reload(config(anyPort()), says("new"));
            goOn.countDown();
            client.until("old");
            assertEquals("new", get(client));
        }
    }

    @Test
    void limitsHoldFromTheNextRequestOn() {
        server = Server.start(config(anyPort()), says("one"));
        try (Client client = new Client(server)) {
            assertEquals("one", get(client));
            server.reload(config(anyPort()).andThen(c -> c.headerLimits(40, 30, 1)), says("two"));
            client.send("GET / HTTP/1.1\nHost: a\nX: y\n\n");
            assertTrue(client.untilEnd().contains("HTTP/1.1 431 "));
        }
    }

    @Test
    void addressesComeAndGo() throws IOException {
        SocketAddress first = FreePort.tcpAddress();
        SocketAddress second = FreePort.tcpAddress();
        server = Server.start(config(first), says("x"));
        try (Client kept = new Client(server)) {
            assertEquals("x", get(kept));
            server.reload(config(second), says("y"));
            assertEquals(List.of(second), server.addresses());
            assertThrows(IOException.class, () -> connect(first));
            connect(second).close();
            assertEquals("y", get(kept), "who came by the old address stays");
        }
        server.reload(config(first, second), says("z"));
        connect(first).close();
        connect(second).close();
    }

    private static Socket connect(SocketAddress address) throws IOException {
        var socket = new Socket();
        socket.connect(address, 1000);
        return socket;
    }

    @Test
    void whatCannotBeChangesNothing() throws IOException {
        SocketAddress first = FreePort.tcpAddress();
        server = Server.start(config(first), says("old"));
        try (Client client = new Client(server);
                var taken = new ServerSocket(0, 1, HERE)) {
            var inUse = new InetSocketAddress(HERE, taken.getLocalPort());
            SocketAddress free = FreePort.tcpAddress();
            var e =
                    assertThrows(
                            UncheckedIOException.class,
                            () -> server.reload(config(free, inUse), says("new")));
            assertTrue(e.getMessage().contains(":" + taken.getLocalPort()), e.getMessage());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> server.reload(config(first), r -> r.get("no slash", q -> null)));
            assertEquals("old", get(client));
            assertEquals(List.of(first), server.addresses());
            assertThrows(IOException.class, () -> connect(free), "what was bound is given back");
        }
    }

    @Test
    void aStoppedServerStartsWithWhatItWasToldLast() {
        server = Server.create(config(anyPort()), says("one"));
        server.reload(config(anyPort()), says("two"));
        server.start();
        try (Client client = new Client(server)) {
            assertEquals("two", get(client));
        }
    }

    @Test
    void whoIsNotAdmittedIsClosedAndWhoIsIsCounted() {
        var open = new AtomicInteger();
        var one =
                new Admission() {
                    @Override
                    public boolean admit(SocketAddress remote) {
                        return open.get() == 0 && open.incrementAndGet() == 1;
                    }

                    @Override
                    public void gone(SocketAddress remote) {
                        open.decrementAndGet();
                    }
                };
        server = Server.start(config(anyPort()).andThen(c -> c.admission(one)), says("x"));
        try (Client first = new Client(server)) {
            assertEquals("x", get(first));
            try (Client second = new Client(server)) {
                second.send("GET / HTTP/1.1\nHost: a\n\n");
                assertEquals("", second.untilEnd());
            }
        }
        Client.await("the first to be gone", () -> open.get() == 0, server);
    }
}
