// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** There is no server, or not all the time. */
@OnEachTransport
class NoServerTest {
    private static final Duration SHORT = Duration.ofMillis(150);

    @Parameter TransportKind transport;

    private static Load often(Load load) {
        load.tick = Duration.ofMillis(20);
        return load;
    }

    @Test
    void aServerThatIsGoneInTheMiddle() throws Exception {
        var server = Scripted.answering(Scripted.OK);
        Load load =
                Runs.load(
                        transport,
                        server.address(),
                        List.of(Runs.get("/")),
                        Integer.MAX_VALUE,
                        l -> often(l.connections(4).duration(Duration.ofMillis(500))));
        Result result =
                HttpBench.run(
                        load,
                        second -> {
                            if (second.requests() > 0) {
                                server.stop();
                            }
                        });
        server.close();
        assertTrue(result.requests() > 0);
        assertTrue(result.failures().getOrDefault(Failure.CONNECT, 0L) > 0, "it tries again");
        long broken = result.failed() - result.failures().get(Failure.CONNECT);
        long connections = server.connections.get() + 4; // some may have waited to be accepted
        assertTrue(broken <= connections, () -> connections + ": " + result.failures());
    }

    @Test
    void aServerThatComesBackIsFoundAgain() throws Exception {
        var first = Scripted.answering(Scripted.OK);
        int port = first.address().getPort();
        var second = new AtomicReference<Scripted>();
        var failures = new AtomicLong();
        Load load =
                Runs.load(
                        transport,
                        first.address(),
                        List.of(Runs.get("/")),
                        Integer.MAX_VALUE,
                        l -> often(l.connections(300))); // more than are opened at once
        Result result =
                HttpBench.run(
                        load,
                        now -> {
                            if (second.get() != null && now.requests() > 0) {
                                Thread.currentThread().interrupt(); // that is enough
                            } else if (now.requests() > 0) {
                                first.stop();
                            } else if (second.get() == null
                                    && failures.addAndGet(now.failures()) > 900) {
                                second.set(restarted(port));
                            }
                        });
        first.close();
        second.get().close();
        assertTrue(result.failures().get(Failure.CONNECT) > 300);
        assertTrue(result.elapsed().compareTo(Runs.LONG) < 0, "it was found");
    }

    private static Scripted restarted(int port) {
        try {
            return Scripted.answering(Scripted.OK, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aRefusalNamesTheAddress() throws Exception {
        SocketAddress nobody = FreePort.tcpAddress();
        var settings = new ArrayList<Consumer<Load>>();
        settings.add(load -> load.connections(64).loops(2));
        settings.add(load -> load.warmUp(Duration.ofMillis(100)));
        settings.add(load -> load.duration(Duration.ofMillis(1)));
        settings.add(load -> load.close(true).connections(64));
        settings.add(load -> load.rate(100).connections(2));
        for (Consumer<Load> setting : settings) {
            IOException why =
                    assertThrows(
                            IOException.class,
                            () ->
                                    Runs.run(
                                            transport,
                                            nobody,
                                            5,
                                            setting.andThen(NoServerTest::often)));
            String where = "127.0.0.1:" + ((InetSocketAddress) nobody).getPort();
            assertTrue(why.getMessage().contains(where), why::getMessage);
            assertTrue(why.getMessage().contains("refused"), why::getMessage);
        }
    }

    /** A listener whose backlog is full drops what asks for a connection: that takes for ever. */
    @Test
    void whoLetsNobodyInIsNamedToo() throws Exception {
        var waiting = new ArrayList<Socket>();
        try (var full = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            SocketAddress address = full.getLocalSocketAddress();
            try {
                while (waiting.size() < 64) {
                    var socket = new Socket();
                    waiting.add(socket);
                    socket.connect(address, 200);
                }
            } catch (IOException e) {
                // it is full
            }
            String where = "127.0.0.1:" + full.getLocalPort();
            IOException why =
                    assertThrows(
                            IOException.class,
                            () ->
                                    Runs.run(
                                            transport,
                                            address,
                                            5,
                                            load -> often(load.timeout(SHORT))));
            assertTrue(why.getMessage().contains(where), why::getMessage);
            why =
                    assertThrows(
                            IOException.class,
                            () ->
                                    Runs.run(
                                            transport,
                                            address,
                                            5,
                                            load -> often(load.duration(SHORT))));
            assertTrue(why.getMessage().contains(where), why::getMessage);
        }
        for (Socket socket : waiting) {
            socket.close();
        }
    }
}
