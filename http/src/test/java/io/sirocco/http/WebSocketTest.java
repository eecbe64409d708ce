// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.http.websocket.Deflation;
import io.sirocco.http.websocket.Frame;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** WebSockets over real ones, in both styles, plain and over TLS. */
@ParameterizedClass
@MethodSource("kinds")
@Timeout(60)
class WebSocketTest {
    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of(TransportKind.IO_URING, Mode.VIRTUAL, false),
                Arguments.of(TransportKind.IO_URING, Mode.UNCARRIED, false),
                Arguments.of(TransportKind.NIO, Mode.INLINE, false),
                Arguments.of(TransportKind.NIO, Mode.POOL, true),
                Arguments.of(TransportKind.IO_URING, Mode.VIRTUAL, true));
    }

    @Parameter(0)
    TransportKind transport;

    @Parameter(1)
    Mode mode;

    @Parameter(2)
    boolean secure;

    private final ManualClock clock = new ManualClock();
    private final Log log = new Log();
    private final LinkedBlockingQueue<WebSocket> opened = new LinkedBlockingQueue<>();
    private final WebSockets small =
            WebSockets.of(
                    s -> s.maxMessageBytes(1_000).maxPendingBytes(100_000).subprotocols("b", "c"));
    private final WebSockets squeezed = WebSockets.of(s -> s.compression(10));
    private final WebSockets context =
            WebSockets.of(s -> s.compression(10).contextTakeover(true, true, 640 << 10));
    private final WebSockets patient = WebSockets.of(s -> s.maxPendingBytes(4 << 20));
    private final WebSockets tiny = WebSockets.of(s -> s.maxMessageBytes(100).compression(10));
    private final CompletableFuture<Object> outcome = new CompletableFuture<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private Serving serving;

    /** Writes down what a listener is told. */
    private final class Log implements WebSocketListener {
        final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();

        String next() throws InterruptedException {
            String next = told.poll(10, TimeUnit.SECONDS);
            return next == null ? "nothing" : next;
        }

        @Override
        public void onOpen(WebSocket socket) {
            opened.add(socket);
            told.add("open");
        }

        @Override
        public void onText(WebSocket socket, String text) {
            told.add("text " + text);
            if (text.equals("throw")) {
                throw new IllegalStateException("as told");
            }
            socket.trySend(text);
        }

        @Override
        public void onBinary(WebSocket socket, byte[] bytes) {
            told.add("binary " + bytes.length);
            socket.trySend(bytes);
        }

        @Override
        public void onPing(WebSocket socket, byte[] payload) {
            told.add("ping " + new String(payload, UTF_8));
        }

        @Override
        public void onPong(WebSocket socket, byte[] payload) {
            told.add("pong " + new String(payload, UTF_8));
        }

        @Override
        public void onDrained(WebSocket socket) {
            told.add("drained");
        }

        @Override
        public void onClose(WebSocket socket, WebSocket.Closed closed) {
            told.add("closed " + closed.code() + " " + closed.reason() + " " + closed.clean());
        }
    }

    /** Waits in its first message. */
    private final class BlockingLog implements WebSocketListener {
        @Override
        public void onText(WebSocket socket, String text) {
            try {
                opened.add(socket);
                release.await();
                socket.send(text);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void onClose(WebSocket socket, WebSocket.Closed closed) {
            outcome.complete(closed.code());
        }
    }

    @BeforeEach
    void start() {
        serving = new Serving(transport, mode, secure, config -> config.clock(clock), this::routes);
    }

    @AfterEach
    void stop() {
        release.countDown();
        serving.close();
    }

    private void routes(Routes routes) {
        routes.get("/log", request -> Response.webSocket(log));
        routes.get("/small", request -> Response.webSocket(small, log));
        routes.get("/patient", request -> Response.webSocket(patient, log));
        routes.get("/tiny", request -> Response.webSocket(tiny, log));
        routes.get("/squeezed", request -> Response.webSocket(squeezed, log));
        routes.get("/context", request -> Response.webSocket(context, log));
        var blocking = WebSockets.of(WebSocketSettings::blockingListener);
        routes.get("/blocking", request -> Response.webSocket(blocking, new BlockingLog()));
        routes.get("/hello", request -> Response.text("hello"));
        routes.get("/echo", request -> Response.webSocket(WebSocketTest::echo));
        routes.get(
                "/name/{name}",
                request ->
                        Response.webSocket(
                                socket -> {
                                    socket.receive();
                                    socket.send(request.param("name") + request.query("q").get());
                                    socket.send(request.header("Host").orElseThrow());
                                    socket.close(3000, "done");
                                }));
        routes.get(
                "/later",
                request ->
                        Response.async(
                                CompletableFuture.supplyAsync(
                                        () -> Response.webSocket(WebSocketTest::echo))));
        routes.get(
                "/throw",
                request ->
                        Response.webSocket(
                                socket -> {
                                    throw new IllegalStateException("as told");
                                }));
        routes.get("/flood", request -> Response.webSocket(small, this::flood));
        routes.get(
                "/hold",
                request ->
                        Response.webSocket(
                                socket -> {
                                    opened.add(socket);
                                    release.await();
                                    outcome.complete(socket.receive());
                                }));
        routes.get(
                "/end",
                request ->
                        Response.webSocket(
                                socket -> {
                                    opened.add(socket);
                                    outcome.complete(socket.receive());
                                    assertInstanceOf(WebSocket.Closed.class, socket.receive());
                                    socket.send("too late");
                                }));
    }

    private static void echo(WebSocket socket) throws IOException {
        while (true) {
            switch (socket.receive()) {
                case WebSocket.Text(String text) -> socket.send(text);
                case WebSocket.Binary(byte[] bytes) -> socket.send(bytes);
                case WebSocket.Closed _ -> {
                    return;
                }
            }
        }
    }

    /** Sends ten thousand numbers of a thousand bytes, as fast as the peer reads. */
    private void flood(WebSocket socket) throws IOException {
        long most = 0;
        for (int i = 0; i < 10_000; i++) {
            socket.send(numbered(i));
            most = Math.max(most, socket.pending());
        }
        outcome.complete(most);
    }

    private static String numbered(int i) {
        return "%01000d".formatted(i);
    }

    private WebSocketPeer open(String path, String... fields) {
        return WebSocketPeer.open(serving, path, fields);
    }

    /** Waits until no socket is left, and all have been told. */
    private void awaitEnd() {
        serving.await("no WebSocket", () -> serving.stats().webSockets() == 0);
    }

    private Object outcome() throws Exception {
        return outcome.get(10, TimeUnit.SECONDS);
    }

    private WebSocket socket() throws InterruptedException {
        return opened.poll(10, TimeUnit.SECONDS);
    }

    @Test
    void conversationEchoes() {
        try (var peer = open("/echo")) {
            assertEquals("text hello", peer.text("hello").next());
            assertEquals("binary 0001ff", peer.frame(0x82, new byte[] {0, 1, -1}).next());
            assertEquals("text ", peer.text("").next());
            String large = "äö€😀".repeat(40_000);
            assertEquals("text " + large, peer.text(large).next());
            assertEquals("close 1000", peer.close(1000).next());
            assertEquals("end", peer.next());
        }
        awaitEnd();
        assertEquals(List.of(), serving.failures());
    }

    @Test
    void listenerEchoesAndIsToldOnce() throws InterruptedException {
        try (var peer = open("/log")) {
            assertEquals("text hello", peer.text("hello").next());
            assertEquals("binary 00", peer.frame(0x82, new byte[1]).next());
            peer.frame(0x8a, "x".getBytes(UTF_8));
            assertEquals("close 4000", peer.close(4000).next());
            assertEquals("end", peer.next());
        }
        awaitEnd();
        assertEquals(
                List.of("open", "text hello", "binary 1", "pong x", "closed 4000  true"),
                List.copyOf(log.told));
    }

    @Test
    void oneUpgradeIsOneAnswer() {
        try (var peer = open("/echo")) {
            assertEquals("text a", peer.text("a").next());
            var stats = serving.stats();
            assertEquals(1, stats.webSockets());
            assertEquals(0, stats.inProgress());
            assertEquals(1, stats.requests());
            peer.close(1000).next();
        }
        serving.await("it is gone", () -> serving.stats().webSockets() == 0);
        List<Serving.Told> answers = serving.answers();
        assertEquals(1, answers.size());
        assertEquals(101, answers.getFirst().status());
        assertEquals("/echo", answers.getFirst().route());
        assertTrue(answers.getFirst().complete());
    }

    @Test
    void theRequestMayBeUsedMeanwhile() {
        try (var peer = open("/name/ann?q=1")) {
            assertEquals("text ann1", peer.text("go").next());
            assertEquals("text a", peer.next());
            assertEquals("close 3000 done", peer.next());
            assertEquals("end", peer.close(3000).next());
        }
    }

    @Test
    void anUpgradeMayBePromisedForLater() {
        try (var peer = open("/later")) {
            assertEquals("text a", peer.text("a").next());
        }
    }

    @Test
    void framesMayArriveCutAnywhereEvenBehindTheHandshake() {
        byte[] handshake = Client.bytes(WebSocketPeer.request("/echo"));
        byte[] all =
                join(
                        handshake,
                        Frame.masked(0x01, "a€".getBytes(UTF_8), 0x0badcafe),
                        Frame.masked(0x89, "ping".getBytes(UTF_8), 0x0badcafe),
                        Frame.masked(0x80, "😀z".getBytes(UTF_8), 0x0badcafe),
                        Frame.masked(0x82, new byte[300], 0x0badcafe),
                        Frame.masked(0x88, Frame.closing(1000, "bye"), 0x0badcafe));
        for (int cut = handshake.length; cut < all.length; cut += cut < 240 ? 1 : 37) {
            try (var peer = new WebSocketPeer(serving.client())) {
                peer.client.send(all, 0, cut).delivered().send(all, cut, all.length);
                peer.opened();
                assertEquals("pong ping", peer.next(), "cut at " + cut);
                assertEquals("text a€😀z", peer.next());
                assertEquals("binary " + "00".repeat(300), peer.next());
                assertEquals("close 1000", peer.next());
                assertEquals("end", peer.next());
            }
        }
    }

    private static byte[] join(byte[]... parts) {
        var all = new java.io.ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    @Test
    void aViolationFailsTheSocketAndNoOther() throws InterruptedException {
        var random = new Random(1);
        try (var other = open("/echo")) {
            for (int round = 0; round < 50; round++) {
                try (var peer = open("/log")) {
                    byte[] garbage = new byte[random.nextInt(1, 2_000)];
                    random.nextBytes(garbage);
                    garbage[0] = (byte) 0xf1;
                    peer.client.send(garbage);
                    assertEquals("close 1002 a reserved bit is set", peer.next());
                    assertEquals("end", peer.next());
                }
                assertEquals("open", log.next());
                assertEquals("closed 1002 a reserved bit is set false", log.next());
                assertEquals("text " + round, other.text("" + round).next());
            }
        }
        assertEquals(List.of(), serving.failures());
    }

    @Test
    void whatIsTooLargeIsRefused() throws InterruptedException {
        try (var peer = open("/small")) {
            assertEquals("text " + "a".repeat(1_000), peer.text("a".repeat(1_000)).next());
            assertEquals("close 1009 the frame is too large", peer.text("a".repeat(1_001)).next());
        }
        assertEquals("open", log.next());
        assertEquals("text " + "a".repeat(1_000), log.next());
        assertEquals("closed 1009 the frame is too large false", log.next());
    }

    @Test
    void aLimitMayBeLessThanTheLeastBuffer() {
        try (var peer = open("/tiny", "Sec-WebSocket-Extensions: permessage-deflate")) {
            peer.frame(0x01, "in ".getBytes(UTF_8));
            assertEquals("text in pieces", peer.frame(0x80, "pieces".getBytes(UTF_8)).next());
            byte[] most = "a".repeat(100).getBytes(UTF_8);
            peer.frame(0xc1, Deflation.deflate(most, 15));
            assertEquals("text " + "a".repeat(100), peer.next());
            peer.frame(0xc1, Deflation.deflate("a".repeat(101).getBytes(UTF_8), 15));
            assertEquals("close 1009 the message is too large", peer.next());
        }
    }

    @Test
    void aConversationThatThrowsIsReported() {
        try (var peer = open("/throw")) {
            assertEquals("close 1011", peer.next());
            assertEquals("end", peer.close(1011).next());
        }
        awaitEnd();
        assertEquals("as told", serving.failures().getFirst().getMessage());
    }

    @Test
    void aListenerThatThrowsIsReported() throws InterruptedException {
        try (var peer = open("/log")) {
            assertEquals("close 1011", peer.text("throw").next());
            assertEquals("end", peer.close(1011).next());
        }
        awaitEnd();
        assertEquals("as told", serving.failures().getFirst().getMessage());
        assertEquals(List.of("open", "text throw", "closed 1011  true"), List.copyOf(log.told));
    }

    @Test
    void aConversationLearnsOfTheEnd() throws Exception {
        try (var peer = open("/end")) {
            assertEquals("close 4321", peer.frame(0x88, Frame.closing(4321, "why")).next());
        }
        assertEquals(new WebSocket.Closed(4321, "why", true), outcome());
        awaitEnd();
        assertEquals(List.of(), serving.failures(), "to send too late is no failure");
    }

    @Test
    void aCloseWithoutACodeIsAnsweredWithNone() throws Exception {
        try (var peer = open("/end")) {
            assertEquals("close 1005", peer.frame(0x88, new byte[0]).next());
            assertEquals("end", peer.next());
        }
        assertEquals(new WebSocket.Closed(1005, "", true), outcome());
    }

    @Test
    void aLostConnectionIsNotClean() throws Exception {
        try (var peer = open("/end")) {
            socket();
            peer.client.abort();
        }
        assertEquals(new WebSocket.Closed(1006, "", false), outcome());
        try (var peer = open("/log")) {
            socket();
            peer.client.end();
            assertEquals("end", peer.next());
        }
        assertEquals("open", log.next());
        assertEquals("closed 1006  false", log.next());
    }

    @Test
    void anybodyMaySendInOrder() throws Exception {
        try (var peer = open("/log")) {
            WebSocket socket = socket();
            assertEquals("text mine", peer.text("mine").next());
            var threads = new ArrayList<Thread>();
            for (int t = 0; t < 4; t++) {
                int name = t;
                threads.add(
                        Thread.startVirtualThread(
                                () -> {
                                    for (int i = 0; i < 500; i++) {
                                        if (i % 3 == 0) {
                                            var message = PreparedMessage.text(name + " " + i);
                                            assertEquals(1, message.sendTo(List.of(socket)));
                                        } else {
                                            assertTrue(socket.trySend(name + " " + i));
                                        }
                                    }
                                }));
            }
            int[] expected = new int[4];
            for (int i = 0; i < 2_000; i++) {
                String[] words = peer.next().split(" ");
                int name = Integer.parseInt(words[1]);
                assertEquals(expected[name]++, Integer.parseInt(words[2]));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            serving.await("nothing is pending", () -> socket.pending() == 0);
            socket.close(1001, "enough");
            assertFalse(socket.trySend("too late"));
            assertFalse(socket.isOpen());
            assertThrows(IOException.class, () -> socket.send("too late"));
            assertEquals("close 1001 enough", peer.next());
            assertEquals("end", peer.close(1001).next());
        }
        awaitEnd();
        assertEquals("closed 1001 enough true", log.told.stream().toList().getLast());
    }

    @Test
    void aPeerThatDoesNotReadIsRefusedMoreAndDrains() throws Exception {
        try (var peer = open("/small")) {
            WebSocket socket = socket();
            assertEquals("open", log.next());
            int sent = 0;
            while (socket.trySend(numbered(sent))) {
                sent++;
                assertTrue(sent < 50_000, "the system takes all of it");
            }
            assertTrue(socket.pending() < 102_000);
            for (int i = 0; i < sent; i++) {
                assertEquals("text " + numbered(i), peer.next());
            }
            assertEquals("drained", log.next());
            assertTrue(socket.trySend("again"));
            assertEquals("text again", peer.next());
            serving.await("nothing is pending", () -> socket.pending() == 0);
        }
    }

    @Test
    void aSendWaitsForThePeer() throws Exception {
        try (var peer = open("/flood")) {
            for (int i = 0; i < 10_000; i++) {
                assertEquals("text " + numbered(i), peer.next());
            }
            assertEquals("close 1000", peer.next());
        }
        assertTrue((long) outcome() < 103_000, outcome() + " bytes were pending");
    }

    @Test
    void aPeerThatTakesNothingIsGivenUp() throws Exception {
        try (var _ = open("/flood")) {
            serving.await("it is full", () -> serving.stats().net().bytesOut() > 0);
            Thread.yield();
            while (!outcome.isDone() && serving.stats().webSockets() > 0) {
                clock.advance(31_000); // the write deadline is 30 s
            }
            assertFalse(outcome.isDone());
        }
        awaitEnd();
        assertEquals(List.of(), serving.failures());
    }

    @Test
    void aSilentPeerIsPingedAndThenGivenUp() throws InterruptedException {
        try (var peer = open("/log")) {
            assertEquals("open", log.next());
            clock.advance(29_000);
            assertEquals("text a", peer.text("a").next());
            clock.advance(29_000);
            assertEquals("text b", peer.text("b").next());
            clock.advance(31_000);
            assertEquals("ping ", peer.next());
            assertEquals("text c", peer.text("c").next(), "anything is a sign of life");
            clock.advance(31_000);
            assertEquals("ping ", peer.next());
            clock.advance(21_000);
            assertEquals("end", peer.next());
        }
        awaitEnd();
        assertEquals("closed 1006 no pong has come false", log.told.stream().toList().getLast());
    }

    @Test
    void aGoodByeThatIsNotAnsweredEnds() throws InterruptedException {
        try (var peer = open("/log")) {
            socket().close(1008, "go");
            assertEquals("close 1008 go", peer.next());
            peer.text("I do not hear you").frame(0x89, new byte[1]);
            peer.client.delivered();
            clock.advance(5_300);
            assertEquals("end", peer.next());
        }
        awaitEnd();
        assertEquals(List.of("open", "closed 1008 go false"), List.copyOf(log.told));
    }

    /** It cannot answer a good-bye that is behind what it has not got yet. */
    @Test
    void aGoodByeWaitsForAPeerThatStillTakesWhatWasSentBefore() throws InterruptedException {
        try (var peer = new WebSocketPeer(new Client(serving.server, 16 << 10, secure))) {
            peer.client.send(WebSocketPeer.request("/patient"));
            peer.opened();
            WebSocket socket = socket();
            String text = "a".repeat(60_000);
            int sent = 0;
            while (socket.trySend(text)) {
                sent++;
            }
            socket.close();
            for (long left; (left = socket.pending()) > 0; ) {
                long before = left;
                peer.client.await(
                        "more is taken",
                        () -> socket.pending() < before || peer.client.count() < 0);
                clock.advance(2_000); // the loop may see it a round later
            }
            for (int i = 0; i < sent; i++) {
                assertEquals("text " + text, peer.next());
            }
            assertEquals("close 1000", peer.next());
            assertEquals("end", peer.close(1000).next());
        }
        awaitEnd();
        assertEquals("closed 1000  true", log.told.stream().toList().getLast());
    }

    @Test
    void nothingIsReadOfOneThatIsPaused() throws InterruptedException {
        try (var peer = open("/log")) {
            WebSocket socket = socket();
            assertEquals("open", log.next());
            var paused = new CountDownLatch(1);
            socket.pause();
            socket.execute(paused::countDown);
            assertTrue(paused.await(10, TimeUnit.SECONDS));
            peer.text("a").text("b");
            peer.client.delivered();
            clock.advance(31_000);
            assertEquals("ping ", peer.next());
            peer.frame(0x8a, new byte[0]).client.delivered();
            clock.advance(31_000);
            clock.advance(31_000);
            assertEquals(List.of(), List.copyOf(log.told));
            socket.resume();
            assertEquals("text a", log.next());
            assertEquals("text b", log.next());
            assertEquals("pong ", log.next());
        }
    }

    /** What a conversation does not receive stays with the sender. */
    @Test
    void aConversationThatDoesNotReceiveHoldsTheSenderBack() throws Exception {
        try (var peer = open("/hold")) {
            byte[] frame = Frame.masked(0x82, new byte[10_000], 7);
            if (!secure) {
                long sent = 0;
                long idle = System.nanoTime() + 10_000_000_000L;
                long before;
                do {
                    before = sent;
                    long until = System.nanoTime() + 200_000_000;
                    while (System.nanoTime() < until) {
                        sent += peer.client.sendDeaf(frame, 0, frame.length) > 0 ? 1 : 0;
                    }
                } while (sent > before && System.nanoTime() < idle);
                assertTrue(sent < 4_000, sent + " frames of 10 KB are taken");
            } else {
                peer.frame(0x82, new byte[10_000]);
            }
            release.countDown();
            assertEquals(10_000, ((WebSocket.Binary) outcome()).bytes().length);
        }
    }

    @Test
    void aStopSaysGoodBye() throws Exception {
        var stopped = new CompletableFuture<Boolean>();
        try (var echo = open("/end");
                var logged = open("/log")) {
            socket();
            socket();
            Thread.ofPlatform()
                    .start(() -> stopped.complete(serving.server.stop(Duration.ofSeconds(20))));
            assertEquals("close 1001 the server stops", echo.next());
            assertEquals("close 1001 the server stops", logged.next());
            assertEquals("end", echo.close(1001).next());
            assertEquals("end", logged.close(1001).next());
        }
        assertTrue(stopped.get(10, TimeUnit.SECONDS));
        assertEquals(new WebSocket.Closed(1001, "the server stops", true), outcome());
        assertEquals(List.of("open", "closed 1001 the server stops true"), List.copyOf(log.told));
    }

    @Test
    void aStopCutsThoseWhoDoNotAnswer() throws Exception {
        try (var peer = open("/hold")) {
            socket();
            assertFalse(serving.server.stop(Duration.ofMillis(500)));
            assertEquals("close 1001 the server stops", peer.next());
            assertEquals("end", peer.next());
        }
    }

    @Test
    void aSubprotocolIsTheClientsFirstThatWeKnow() throws InterruptedException {
        try (var peer =
                open("/small", "Sec-WebSocket-Protocol: a, c", "Sec-WebSocket-Protocol: b")) {
            assertTrue(peer.head().contains("\r\nSec-WebSocket-Protocol: c\r\n"), peer.head());
            assertEquals("c", socket().subprotocol());
        }
        try (var peer = open("/small", "Sec-WebSocket-Protocol: a")) {
            assertFalse(peer.head().contains("Sec-WebSocket-Protocol"), peer.head());
            assertEquals("", socket().subprotocol());
        }
    }

    @Test
    void compressesWhatIsLongEnough() throws InterruptedException {
        String offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits";
        for (String path : new String[] {"/squeezed", "/context"}) {
            try (var peer = open(path, offer)) {
                WebSocket socket = socket();
                String text = "warm wind ".repeat(5_000);
                for (int i = 0; i < 3; i++) {
                    int before = peer.client.count();
                    assertEquals("text " + text, peer.text(text).next());
                    assertTrue(peer.client.count() - before < 1_000);
                }
                var prepared = PreparedMessage.text(text);
                assertEquals(1, prepared.sendTo(List.of(socket)));
                assertEquals("text " + text, peer.next());
                assertEquals("text short", peer.text("short").next());
                assertEquals("close 1000", peer.close(1000).next());
            }
        }
        serving.await("memory is given back", () -> context.contextMemory() == 0);
    }

    @Test
    void aFanOutThatBreaksOffSilencesNobody() throws InterruptedException {
        try (var peer = open("/log")) {
            WebSocket socket = socket();
            Iterable<WebSocket> changing =
                    () ->
                            Stream.of(1, 2)
                                    .map(
                                            i -> {
                                                if (i == 2) {
                                                    throw new ConcurrentModificationException();
                                                }
                                                return socket;
                                            })
                                    .iterator();
            assertThrows(
                    ConcurrentModificationException.class,
                    () -> PreparedMessage.text("first").sendTo(changing));
            assertTrue(socket.trySend("second"));
            assertEquals("text first", peer.next());
            assertEquals("text second", peer.next());
        }
    }

    @Test
    void contextsHaveABoundAndThenOthersGoWithout() {
        String offer = "Sec-WebSocket-Extensions: permessage-deflate";
        try (var first = open("/context", offer);
                var second = open("/context", offer);
                var third = open("/context", offer)) {
            assertTrue(first.head().contains(": permessage-deflate\r\n"), first.head());
            assertTrue(second.head().contains(": permessage-deflate\r\n"), second.head());
            assertTrue(third.head().contains("server_no_context_takeover"), third.head());
            assertTrue(third.head().contains("client_no_context_takeover"), third.head());
            assertEquals(640 << 10, context.contextMemory());
            assertEquals(3, context.open());
        }
        serving.await("they are gone", () -> context.open() == 0);
        assertEquals(0, context.contextMemory());
    }

    @Test
    void whatASocketTells() throws InterruptedException {
        var remote = new AtomicReference<Object>();
        try (var peer = open("/log")) {
            WebSocket socket = socket();
            remote.set(socket.remoteAddress());
            assertInstanceOf(java.net.InetSocketAddress.class, remote.get());
            socket.attach("mine");
            assertEquals("mine", socket.attachment().orElseThrow());
            assertThrows(IllegalStateException.class, socket::receive);
            assertThrows(IllegalArgumentException.class, () -> socket.close(1005, ""));
            assertThrows(IllegalArgumentException.class, () -> socket.ping(new byte[126]));
            socket.ping("hi".getBytes(UTF_8));
            assertEquals("ping hi", peer.next());
        }
    }

    /** What http-kit and Ring call a ping listener. */
    @Test
    void aPingIsAnsweredAndPassedToTheListener() throws InterruptedException {
        try (var peer = open("/log")) {
            WebSocket socket = socket();
            peer.frame(0x89, "are you there".getBytes(UTF_8));
            assertEquals("pong are you there", peer.next());
            assertEquals("open", log.next());
            assertEquals("ping are you there", log.next());
            assertThrows(IllegalArgumentException.class, () -> socket.pong(new byte[126]));
            socket.pong("I am".getBytes(UTF_8));
            assertEquals("pong I am", peer.next());
        }
    }

    /** Each fills the queue of its listener, which has emptied it when the loop looks again. */
    @Test
    void aListenerThatMayBlockGetsLargeMessagesOneAfterTheOther() throws Exception {
        release.countDown();
        String large = "a".repeat(200_000);
        try (var peer = open("/blocking")) {
            for (int i = 0; i < 5; i++) {
                assertEquals("text " + large + i, peer.text(large + i).next());
            }
        }
    }

    @Test
    void aListenerThatMayBlockIsCalledInOrderAndHoldsUpNoOtherSocket() throws Exception {
        try (var peer = open("/blocking");
                var other = open("/echo")) {
            peer.text("first").text("second").frame(0x88, new byte[] {0x0f, (byte) 0xa0});
            socket(); // it waits now
            assertEquals("text meanwhile", other.text("meanwhile").next());
            release.countDown();
            assertEquals("text first", peer.next());
            assertEquals("text second", peer.next());
            assertEquals("close 4000", peer.next());
            assertEquals(4000, outcome());
        }
    }
}
