// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong is told by its kind, and once for each request. */
@OnEachTransport
class FailuresTest {
    private static final Duration SHORT = Duration.ofMillis(150);

    @Parameter TransportKind transport;

    private Result run(Scripted.Script script, int n, Consumer<Load> configure) throws IOException {
        try (var server = new Scripted(script)) {
            return Runs.run(transport, server.address(), n, configure);
        }
    }

    @Test
    void aReset() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.reset();
                };
        Result result = run(script, 5, load -> load.connections(2));
        assertEquals(Map.of(Failure.RESET, 5L), result.failures());
        assertEquals(0, result.requests());
        assertEquals(0, result.bytesOut(), "of requests that were answered");
        assertEquals(Map.of(), result.statuses());
        result = run(script, 5, load -> load.close(true));
        assertEquals(Map.of(Failure.RESET, 5L), result.failures());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "H",
                "HTTP/1.1 200 OK\nContent-Len",
                "HTTP/1.1 100 Continue\n\n",
                "HTTP/1.1 200 OK\nContent-Length: 9\n\n",
                "HTTP/1.1 200 OK\nContent-Length: 9\n\n12345678",
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n",
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhel",
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n",
            })
    void anEndBeforeTheAnswersEnd(String part) throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send(part);
                };
        assertEquals(Map.of(Failure.CLOSED, 3L), run(script, 3, load -> {}).failures());
    }

    @Test
    void anEndBeforeTheAnswersOfAllThatWerePipelined() throws Exception {
        Scripted.Script script =
                peer -> {
                    for (int i = 0; i < 4; i++) {
                        peer.request();
                    }
                    peer.send(Scripted.OK + Scripted.OK + Scripted.OK.substring(0, 20));
                };
        Result result = run(script, 8, load -> load.pipeline(4));
        assertEquals(4, result.requests());
        assertEquals(Map.of(Failure.CLOSED, 4L), result.failures());
    }

    @Test
    void anEndThatIsTheAnswersOwnIsNoFailure() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send("HTTP/1.1 200 OK\n\nall of it");
                };
        Result result = run(script, 3, load -> {});
        assertEquals(3, result.requests());
        assertEquals(Map.of(), result.failures());
        assertEquals(3 * 28, result.bytesIn());
    }

    @Test
    void noAnswerInTime() throws Exception {
        Scripted.Script script = Scripted.Peer::untilEnd;
        Result result = run(script, 4, load -> load.connections(2).timeout(SHORT));
        assertEquals(Map.of(Failure.TIMEOUT, 4L), result.failures());
    }

    @Test
    void noWholeAnswerInTime() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send("HTTP/1.1 200 OK\nContent-Length: 9\n\n12345");
                    peer.untilEnd();
                };
        Result result = run(script, 3, load -> load.timeout(SHORT));
        assertEquals(Map.of(Failure.TIMEOUT, 3L), result.failures());
    }

    /** Both were answered; the end that was to follow the first is not there in time. */
    @Test
    void noEndInTime() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send(Scripted.OK);
                    peer.untilEnd();
                };
        Result result = run(script, 2, load -> load.close(true).timeout(SHORT));
        assertEquals(2, result.requests());
        assertEquals(Map.of(Failure.TIMEOUT, 1L), result.failures());
    }

    @Test
    void whatIsNoAnswer() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send("220 mail.example ESMTP\n");
                    peer.untilEnd();
                };
        Result result = run(script, 3, load -> {});
        assertEquals(Map.of(Failure.MALFORMED, 3L), result.failures());
    }

    /** It came before the next request was sent, so it is no answer to that. */
    @ParameterizedTest
    @ValueSource(strings = {Scripted.OK, "garbage", "\n"})
    void bytesThatNobodyAskedFor(String more) throws Exception {
        Scripted.Script script =
                peer -> {
                    while (peer.request() != null) {
                        peer.send(Scripted.OK + more);
                    }
                };
        Result result = run(script, 5, load -> {});
        assertEquals(5, result.requests());
        assertEquals(Map.of(Failure.MALFORMED, 5L), result.failures());
        String last = "HTTP/1.1 200 OK\nConnection: close\nContent-Length: 0\n\n";
        script =
                peer -> {
                    peer.request();
                    peer.send(last + more);
                };
        result = run(script, 5, load -> {});
        assertEquals(5, result.requests());
        assertEquals(Map.of(Failure.MALFORMED, 5L), result.failures());
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
                        l -> l.connections(4).duration(Duration.ofSeconds(2)));
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

    // ---- when there is no server at all

    private static SocketAddress nobody() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.getLocalSocketAddress();
        }
    }

    @Test
    void aRefusalNamesTheAddress() throws Exception {
        SocketAddress nobody = nobody();
        var settings = new ArrayList<Consumer<Load>>();
        settings.add(load -> load.connections(64).loops(2));
        settings.add(load -> load.warmUp(Duration.ofMillis(100)));
        settings.add(load -> load.duration(Duration.ofMillis(1)));
        settings.add(load -> load.close(true).connections(64));
        settings.add(load -> load.rate(100).connections(2));
        for (Consumer<Load> setting : settings) {
            IOException why =
                    assertThrows(IOException.class, () -> Runs.run(transport, nobody, 5, setting));
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
                            () -> Runs.run(transport, address, 5, load -> load.timeout(SHORT)));
            assertTrue(why.getMessage().contains(where), why::getMessage);
            why =
                    assertThrows(
                            IOException.class,
                            () -> Runs.run(transport, address, 5, load -> load.duration(SHORT)));
            assertTrue(why.getMessage().contains(where), why::getMessage);
        }
        for (Socket socket : waiting) {
            socket.close();
        }
    }
}
