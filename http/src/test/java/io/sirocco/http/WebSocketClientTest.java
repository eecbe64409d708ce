// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.Destination;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.TlsClient;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The client's end of WebSockets, with our server at the other, plain and over TLS. */
@ParameterizedClass
@MethodSource("kinds")
@Timeout(60)
class WebSocketClientTest {
    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of(TransportKind.IO_URING, false),
                Arguments.of(TransportKind.NIO, false),
                Arguments.of(TransportKind.IO_URING, true),
                Arguments.of(TransportKind.NIO, true));
    }

    @Parameter(0)
    TransportKind transport;

    @Parameter(1)
    boolean secure;

    private final WebSockets squeezed = WebSockets.of(s -> s.compression(10));
    private final WebSockets context =
            WebSockets.of(s -> s.compression(10).contextTakeover(true, true, 640 << 10));
    private final WebSockets spoken = WebSockets.of(s -> s.subprotocols("b", "a"));
    private final LinkedBlockingQueue<WebSocket> accepted = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private Serving serving;
    private Loops loops;
    private WebSocketClient client;

    /** Writes down what it is told. */
    private static final class Log implements WebSocketListener {
        final LinkedBlockingQueue<Object> told = new LinkedBlockingQueue<>();

        Object next() throws InterruptedException {
            return told.poll(10, TimeUnit.SECONDS);
        }

        @Override
        public void onOpen(WebSocket socket) {
            told.add("open");
        }

        @Override
        public void onText(WebSocket socket, String text) {
            told.add(text);
        }

        @Override
        public void onBinary(WebSocket socket, byte[] bytes) {
            told.add(bytes);
        }

        @Override
        public void onClose(WebSocket socket, WebSocket.Closed closed) {
            told.add(closed);
        }
    }

    private final Log log = new Log();

    @BeforeEach
    void start() throws IOException {
        serving = new Serving(transport, Mode.VIRTUAL, secure, config -> {}, this::routes);
        loops = Loops.start(s -> s.loops(1).transport(transport).longTurnMillis(0));
        client = client(WebSockets.DEFAULT);
    }

    @AfterEach
    void stop() {
        client.close(Duration.ZERO);
        loops.close();
        serving.close();
    }

    private WebSocketClient client(WebSockets sockets) {
        return WebSocketClient.on(
                loops,
                c -> c.sockets(sockets).header("X-All", "1").tls(TlsClient.of(TlsLink.CONTEXT)));
    }

    private void routes(Routes routes) {
        var echo =
                new WebSocketListener() {
                    @Override
                    public void onOpen(WebSocket socket) {
                        accepted.add(socket);
                    }

                    @Override
                    public void onText(WebSocket socket, String text) {
                        socket.trySend(text);
                    }

                    @Override
                    public void onBinary(WebSocket socket, byte[] bytes) {
                        socket.trySend(bytes);
                    }
                };
        routes.get(
                "/echo",
                request -> {
                    asked.add(
                            request.target()
                                    + " "
                                    + request.header("X-All").orElse("")
                                    + request.header("X-One").orElse(""));
                    return Response.webSocket(echo);
                });
        routes.get("/squeezed", request -> Response.webSocket(squeezed, echo));
        routes.get("/context", request -> Response.webSocket(context, echo));
        routes.get("/spoken", request -> Response.webSocket(spoken, echo));
        routes.get("/forbidden", request -> Response.text("no").status(403).header("X-Why", "so"));
        routes.get("/moved", request -> Response.redirect("/echo"));
        routes.get(
                "/slow",
                request ->
                        Response.webSocket(
                                socket -> {
                                    while (socket.receive() instanceof WebSocket.Text(String t)) {
                                        socket.send(t);
                                    }
                                }));
    }

    private URI uri(String path) {
        String scheme = secure ? "wss" : "ws";
        return URI.create(scheme + "://localhost:" + serving.server.port() + path);
    }

    private WebSocket open(String path) throws Exception {
        return client.connect(uri(path), log).get(10, TimeUnit.SECONDS);
    }

    @Test
    void messagesOfAllLengthsComeBack() throws Exception {
        WebSocket socket = open("/echo");
        assertEquals("open", log.next());
        for (int length : new int[] {0, 1, 125, 126, 127, 65_535, 65_536, 300_000}) {
            String text = "é".repeat(length / 2) + "x".repeat(length % 2);
            byte[] bytes = text.getBytes(UTF_16BE);
            socket.send(text);
            socket.send(bytes);
            socket.send(PreparedMessage.text(text));
            assertEquals(text, log.next());
            assertArrayEquals(bytes, (byte[]) log.next());
            assertEquals(text, log.next());
        }
    }

    @Test
    void theRequestIsWhatWasAskedFor() throws Exception {
        Loop loop = loops.next();
        var address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), serving.server.port());
        client.connect(
                        loop,
                        Destination.of(address),
                        uri("/echo?a=%20b&c"),
                        Headers.of("X-One", "2"),
                        log)
                .get(10, TimeUnit.SECONDS);
        assertEquals("/echo?a=%20b&c 12", asked.poll(10, TimeUnit.SECONDS));
    }

    @Test
    void aConversationTalks() throws Exception {
        var said = new CompletableFuture<Object>();
        client.connect(
                uri("/echo"),
                socket -> {
                    socket.send("one");
                    socket.receive();
                    socket.send("two");
                    said.complete(socket.receive());
                });
        assertEquals(new WebSocket.Text("two"), said.get(10, TimeUnit.SECONDS));
        serving.awaitQuiet();
    }

    @Test
    void ourGoodByeIsAnswered() throws Exception {
        WebSocket socket = open("/echo");
        socket.close(3000, "enough");
        assertThrows(IOException.class, () -> socket.send("behind"));
        assertEquals("open", log.next());
        assertEquals(new WebSocket.Closed(3000, "enough", true), log.next());
        serving.awaitQuiet();
    }

    @Test
    void theServersGoodByeIsAnswered() throws Exception {
        open("/echo");
        assertEquals("open", log.next());
        accepted.take().close(4000, "go");
        assertEquals(new WebSocket.Closed(4000, "go", true), log.next());
        serving.awaitQuiet();
    }

    @Test
    void aServerThatStopsSaysSo() throws Exception {
        open("/echo");
        assertEquals("open", log.next());
        serving.server.stop(Duration.ofSeconds(5));
        assertEquals(1001, ((WebSocket.Closed) log.next()).code());
    }

    @Test
    void aClientThatClosesSaysGoodByeOnAllSockets() throws Exception {
        for (int i = 0; i < 20; i++) {
            open("/echo");
            assertEquals("open", log.next());
        }
        assertEquals(20, client.open());
        client.close();
        for (int i = 0; i < 20; i++) {
            assertEquals(new WebSocket.Closed(1001, "the client stops", true), log.next());
        }
        assertEquals(0, client.open());
        assertThrows(IllegalStateException.class, () -> open("/echo"));
    }

    @Test
    void aSubprotocolIsAgreedOn() throws Exception {
        client = client(WebSockets.of(s -> s.subprotocols("x", "a")));
        assertEquals("a", open("/spoken").subprotocol());
        assertEquals("", open("/echo").subprotocol());
    }

    @Test
    void compressionIsAgreedOnInAllForms() throws Exception {
        String text = "again and ".repeat(2_000);
        for (WebSockets ours : List.of(squeezed, context)) {
            client = client(ours);
            for (String path : List.of("/squeezed", "/context", "/echo")) {
                WebSocket socket = open(path);
                assertEquals("open", log.next());
                for (int i = 0; i < 3; i++) {
                    socket.send(text + i);
                    assertEquals(text + i, log.next());
                    socket.send(PreparedMessage.text(text));
                    assertEquals(text, log.next());
                }
                socket.close();
                assertInstanceOf(WebSocket.Closed.class, log.next());
            }
        }
        serving.awaitQuiet();
        serving.await("no context is kept", () -> context.contextMemory() == 0);
    }

    @Test
    void anotherAnswerIsARefusal() throws Exception {
        var thrown = assertThrows(CompletionException.class, () -> refused("/forbidden"));
        var refused = assertInstanceOf(WebSocketRefused.class, thrown.getCause());
        assertEquals(403, refused.status());
        assertEquals("so", refused.headers().first("X-Why").orElseThrow());
        thrown = assertThrows(CompletionException.class, () -> refused("/moved"));
        assertInstanceOf(WebSocketRefused.class, thrown.getCause());
        assertTrue(log.told.isEmpty());
        serving.awaitQuiet();
    }

    private void refused(String path) {
        client.connect(uri(path), log).join();
    }

    @Test
    void whatIsNoUrlOfAWebSocketIsSaid() {
        List<String> none =
                List.of("http://a/", "ws:///x", "ws://u@a/", "ws://a/#b", "a", "ws://a:65536/");
        for (String uri : none) {
            assertThrows(
                    IllegalArgumentException.class, () -> client.connect(URI.create(uri), log));
        }
    }

    @Test
    void whatTheHandshakeSaysCannotBeSet() {
        for (String name : List.of("Host", "upgrade", "Connection", "Sec-WebSocket-Key")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> WebSocketClient.on(loops, c -> c.header(name, "x")));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> client.connect(loops.next(), uri("/"), Headers.of(name, "x"), log));
        }
    }

    /** A loop that stops refuses to connect: the memory that was reserved for that is released. */
    @Test
    void aHandshakeThatCannotBeginHoldsNoMemory() throws Exception {
        WebSocketClient takesContexts = client(context);
        Loop loop = loops.next();
        var to = Destination.of(new InetSocketAddress("127.0.0.1", 9));
        var outcome = new CompletableFuture<CompletableFuture<WebSocket>>();
        loop.execute(
                () -> {
                    loops.close();
                    Runnable connects =
                            () ->
                                    outcome.complete(
                                            takesContexts.connect(
                                                    loop, to, uri("/"), Headers.none(), log));
                    loop.execute(() -> loop.execute(connects)); // behind the stop
                });
        CompletableFuture<WebSocket> opened = outcome.get(10, TimeUnit.SECONDS);
        assertThrows(ExecutionException.class, () -> opened.get(10, TimeUnit.SECONDS));
        assertEquals(0, context.contextMemory());
    }

    /** A loop that waited for the servers' replies would not receive them. */
    @Test
    void closingOnALoopDoesNotWait() throws Exception {
        var closed = new CompletableFuture<Void>();
        var closes =
                new WebSocketListener() {
                    @Override
                    public void onOpen(WebSocket socket) {
                        client.close(Duration.ofDays(1));
                        closed.complete(null);
                    }
                };
        client.connect(uri("/echo"), closes);
        closed.get(30, TimeUnit.SECONDS);
    }

    /** Both ends have more to send than the network takes: one of them has to read on. */
    @Test
    void aClientReadsWhileItCannotWrite() throws Exception {
        String text = "x".repeat(64 << 10);
        var echoes = new AtomicInteger();
        WebSocket socket =
                client.connect(
                                uri("/slow"),
                                new WebSocketListener() {
                                    @Override
                                    public void onText(WebSocket from, String echo) {
                                        echoes.incrementAndGet();
                                    }
                                })
                        .get(10, TimeUnit.SECONDS);
        for (int i = 0; i < 500; i++) {
            socket.send(text);
        }
        serving.await("all echoes", () -> echoes.get() == 500);
    }

    @Test
    void manyOnOneLoop() throws Exception {
        int many = secure ? 100 : 500;
        var all =
                Stream.generate(() -> client.connect(uri("/echo"), log))
                        .limit(many)
                        .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(all).get(30, TimeUnit.SECONDS);
        assertEquals(many, client.open());
        for (CompletableFuture<?> each : all) {
            ((WebSocket) each.join()).send("hello");
        }
        serving.await(
                "all echoes",
                () -> Arrays.stream(log.told.toArray()).filter("hello"::equals).count() == many);
        assertFalse(log.told.stream().anyMatch(WebSocket.Closed.class::isInstance));
    }

    @Test
    void aHostMayHaveAnUnderscore() throws Exception {
        var thrown =
                assertThrows(
                        ExecutionException.class,
                        () ->
                                client.connect(URI.create("ws://no_such.invalid:81/"), log)
                                        .get(20, TimeUnit.SECONDS));
        assertEquals("no address is known for no_such.invalid", thrown.getCause().getMessage());
    }
}
