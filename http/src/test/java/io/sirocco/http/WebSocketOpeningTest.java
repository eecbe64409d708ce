// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.websocket.Frame;
import io.sirocco.http.websocket.Mask;
import io.sirocco.http.websocket.Opening;
import io.sirocco.net.Loops;
import io.sirocco.net.TlsHandshakeTimeoutException;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client at a server that answers as it is told, byte for byte (RFC 6455 4.1). */
@Timeout(60)
class WebSocketOpeningTest {
    private static final String GOOD =
            """
            HTTP/1.1 101 Switching Protocols
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Accept: {accept}

            """;

    private final ManualClock clock = new ManualClock();
    private final CompletableFuture<WebSocket.Closed> closed = new CompletableFuture<>();
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private ServerSocket server;
    private Loops loops;

    private final WebSocketListener listener =
            new WebSocketListener() {
                @Override
                public void onText(WebSocket socket, String message) {
                    text.complete(message);
                }

                @Override
                public void onClose(WebSocket socket, WebSocket.Closed end) {
                    closed.complete(end);
                }
            };

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.ofLiteral("127.0.0.1"));
        loops = Loops.start(s -> s.loops(1).transport(TransportKind.NIO).clock(clock));
    }

    @AfterEach
    void stop() throws IOException {
        loops.close();
        server.close();
    }

    private CompletableFuture<WebSocket> connect() {
        WebSocketClient client =
                WebSocketClient.on(
                        loops,
                        c ->
                                c.sockets(
                                        WebSockets.of(
                                                s ->
                                                        s.compression(0)
                                                                .contextTakeover(
                                                                        false, true, 1 << 20)
                                                                .subprotocols("a", "b"))));
        String uri = "ws://127.0.0.1:" + server.getLocalPort() + "/x?y";
        return client.connect(URI.create(uri), listener);
    }

    /** Reads the request, up to its blank line. */
    private static String request(Socket socket) throws IOException {
        var head = new StringBuilder();
        InputStream in = socket.getInputStream();
        while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) in.read());
        }
        return head.toString();
    }

    private static byte[] answer(String block, String request) {
        String key =
                request.lines()
                        .filter(line -> line.startsWith("Sec-WebSocket-Key: "))
                        .findFirst()
                        .orElseThrow()
                        .substring(19);
        return block.replace("{accept}", Opening.accept(key))
                .replace("\n", "\r\n")
                .getBytes(ISO_8859_1);
    }

    @Test
    void theRequestIsComplete() throws Exception {
        connect();
        try (Socket socket = server.accept()) {
            String key = "\r\nSec-WebSocket-Key: ";
            String request = request(socket);
            int at = request.indexOf(key) + key.length();
            assertTrue(Opening.isKey(request.substring(at, at + 24)), request);
            assertEquals(
                    """
                    GET /x?y HTTP/1.1
                    Host: 127.0.0.1:{port}
                    Upgrade: websocket
                    Connection: Upgrade
                    Sec-WebSocket-Key: {key}
                    Sec-WebSocket-Version: 13
                    Sec-WebSocket-Protocol: a, b
                    Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover

                    """
                            .replace("{port}", "" + server.getLocalPort())
                            .replace("{key}", request.substring(at, at + 24)),
                    request.replace("\r\n", "\n"));
        }
    }

    @Test
    void anAnswerMayComeByteByByteWithAMessageBehindIt() throws Exception {
        connect();
        try (Socket socket = server.accept()) {
            socket.setTcpNoDelay(true);
            for (byte b : answer(GOOD, request(socket))) {
                socket.getOutputStream().write(b);
            }
            socket.getOutputStream().write(Frame.of(0x81, "hello".getBytes(ISO_8859_1)));
            assertEquals("hello", text.get(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void anAnswerAndAMessageMayComeAtOnce() throws Exception {
        connect();
        try (Socket socket = server.accept()) {
            byte[] good = answer(GOOD, request(socket));
            byte[] frame = Frame.of(0x81, "hello".getBytes(ISO_8859_1));
            byte[] both = Arrays.copyOf(good, good.length + frame.length);
            System.arraycopy(frame, 0, both, good.length, frame.length);
            socket.getOutputStream().write(both);
            assertEquals("hello", text.get(10, TimeUnit.SECONDS));
        }
    }

    /** RFC 9110 15.2: a client must be able to parse 1xx responses that it does not expect. */
    @Test
    void interimResponsesAreSkipped() throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            String hints = "HTTP/1.1 103 Early Hints\nLink: </a>; rel=preload\n\n";
            byte[] all = answer(hints + hints + GOOD, request(socket));
            socket.getOutputStream().write(all, 0, 30);
            socket.getOutputStream().write(all, 30, all.length - 30);
            assertTrue(opening.get(10, TimeUnit.SECONDS).isOpen());
        }
    }

    @Test
    void manyInterimResponsesAreRefused() throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            String hints = "HTTP/1.1 103 Early Hints\n\n".repeat(17);
            socket.getOutputStream().write(answer(hints + GOOD, request(socket)));
            var thrown =
                    assertThrows(ExecutionException.class, () -> opening.get(10, TimeUnit.SECONDS));
            assertInstanceOf(ProtocolException.class, thrown.getCause());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Upgrade: websocket, Upgrade: WebSocket",
        "Connection: Upgrade, 'Connection: keep-alive, upgrade'",
        "101 Switching Protocols, 101",
        "'\n\n', '\nSec-WebSocket-Protocol: b\n\n'",
        "'\n\n', '\nSec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\n\n'",
    })
    void otherFormsAreAsGood(String from, String to) throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(answer(GOOD.replace(from, to), request(socket)));
            assertTrue(opening.get(10, TimeUnit.SECONDS).isOpen());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Upgrade: websocket, Upgrade: h2c",
        "Upgrade: websocket, X: y",
        "Upgrade: websocket, 'Upgrade: websocket\nUpgrade: websocket'",
        "Connection: Upgrade, Connection: close",
        "Connection: Upgrade, X: y",
        "{accept}, dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Accept: {accept}, X: y",
        "'\n\n', '\nSec-WebSocket-Protocol: c\n\n'",
        "'\n\n', '\nSec-WebSocket-Protocol: a\nSec-WebSocket-Protocol: b\n\n'",
        "'\n\n', '\nSec-WebSocket-Extensions: foo\n\n'",
        "'\n\n', '\nSec-WebSocket-Extensions: permessage-deflate\n\n'",
        "'\n\n', '\nSec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover;"
                + " client_max_window_bits=9\n\n'",
        "HTTP/1.1, HTTP/2.0",
        "HTTP/1.1, ICY",
        "101, 1011",
        "101, 01",
        "Upgrade:, Upgrade :",
        "Connection: Upgrade, ' folded'",
    })
    void anAnswerThatBreaksARuleOpensNothing(String from, String to) throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(answer(GOOD.replace(from, to), request(socket)));
            var thrown = assertThrows(CompletionException.class, opening::join);
            String why = thrown.getCause().getMessage();
            assertTrue(why.contains("RFC 6455 4.1") || why.contains("responded with 1011"), why);
            assertEquals(-1, socket.getInputStream().read());
        }
        assertFalse(closed.isDone());
    }

    @Test
    void anAnswerWithoutEndIsCutOff() throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            request(socket);
            socket.getOutputStream().write("HTTP/1.1 101 ".getBytes(ISO_8859_1));
            socket.getOutputStream().write("x".repeat(20_000).getBytes(ISO_8859_1));
            var thrown = assertThrows(CompletionException.class, opening::join);
            assertTrue(thrown.getMessage().contains("HEAD_TOO_LARGE"), thrown::getMessage);
        }
    }

    @Test
    void noAnswerIsGivenUp() throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            request(socket);
            clock.advance(10_100);
            var thrown = assertThrows(CompletionException.class, opening::join);
            assertInstanceOf(SocketTimeoutException.class, thrown.getCause());
        }
    }

    @Test
    void aTlsHandshakeHasTheConnectTimeout() throws Exception {
        WebSocketClient client =
                WebSocketClient.on(loops, c -> c.connectTimeout(Duration.ofSeconds(60)));
        URI uri = URI.create("wss://127.0.0.1:" + server.getLocalPort() + "/");
        CompletableFuture<WebSocket> opening = client.connect(uri, listener);
        try (Socket socket = server.accept()) {
            assertEquals(22, socket.getInputStream().read(), "a handshake record");
            clock.advance(59_000);
            for (int i = 0; i < 3; i++) {
                var turned = new CompletableFuture<Void>();
                loops.next().execute(() -> turned.complete(null));
                turned.join();
            }
            assertFalse(opening.isDone());
            clock.advance(2_000);
            var thrown = assertThrows(CompletionException.class, opening::join);
            assertInstanceOf(TlsHandshakeTimeoutException.class, thrown.getCause());
        }
    }

    @Test
    void anEndInsteadOfAnAnswerIsTold() throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        server.accept().close();
        var thrown = assertThrows(CompletionException.class, opening::join);
        assertInstanceOf(IOException.class, thrown.getCause());
    }

    @Test
    void aServerThatMasksIsClosed() throws Exception {
        connect();
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(answer(GOOD, request(socket)));
            socket.getOutputStream().write(Frame.masked(0x81, new byte[] {'a'}, 7));
            assertEquals(1002, closed.get(10, TimeUnit.SECONDS).code());
        }
    }

    @Test
    void aLostConnectionIsTold() throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(answer(GOOD, request(socket)));
            opening.get(10, TimeUnit.SECONDS);
        }
        assertEquals(new WebSocket.Closed(1006, "", false), closed.get(10, TimeUnit.SECONDS));
    }

    /** It is the server who ends the connection: the port is free again at our side. */
    @Test
    void whoHasSaidGoodByeWaitsForTheServersEnd() throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(answer(GOOD, request(socket)));
            opening.get(10, TimeUnit.SECONDS).close();
            InputStream in = socket.getInputStream();
            assertEquals(8, in.readNBytes(8).length); // 88 82 key code
            socket.getOutputStream().write(Frame.of(0x88, Frame.closing(1000, "")));
            assertTrue(closed.get(10, TimeUnit.SECONDS).clean());
            socket.setSoTimeout(100);
            assertThrows(SocketTimeoutException.class, in::read);
            socket.shutdownOutput();
            socket.setSoTimeout(10_000);
            assertEquals(-1, in.read());
        }
    }

    @Test
    void eachFrameHasAKeyOfItsOwn() throws Exception {
        CompletableFuture<WebSocket> opening = connect();
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(answer(GOOD, request(socket)));
            WebSocket open = opening.get(10, TimeUnit.SECONDS);
            var keys = new HashSet<Integer>();
            for (int i = 0; i < 600; i++) {
                open.send("hello");
                byte[] frame = socket.getInputStream().readNBytes(11);
                int key = 0;
                for (int k = 2; k < 6; k++) {
                    key = key << 8 | frame[k] & 0xff;
                }
                assertTrue(keys.add(key), "a key comes again");
                Mask.apply(frame, 6, 11, key, 0);
                assertEquals("hello", new String(frame, 6, 5, ISO_8859_1));
            }
        }
    }
}
