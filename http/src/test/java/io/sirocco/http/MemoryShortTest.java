// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The sum of what clients have the server hold is bounded; honest ones are served beside it. */
class MemoryShortTest {
    private static final int MIB = 1 << 20;

    private static final byte[] BODY = new byte[5_000_000];

    private final ManualClock clock = new ManualClock();
    private Serving serving;
    private final List<Socket> sockets = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicInteger received = new AtomicInteger(); // messages

    private final Queue<CompletableFuture<Response>> unread = new ConcurrentLinkedQueue<>();

    private void start(TransportKind transport) {
        serving =
                new Serving(
                        transport,
                        config -> config.memoryLimit(MIB).clock(clock),
                        routes -> {
                            routes.get("/", request -> Response.text("ok"));
                            routes.post(
                                    "/",
                                    request -> Response.text("" + request.body().bytes().length));
                            routes.get(
                                    "/wait",
                                    request -> {
                                        over.await();
                                        return Response.text("waited");
                                    });
                            routes.post(
                                    "/late",
                                    request -> {
                                        over.await();
                                        return Response.text("" + request.body().bytes().length);
                                    });
                            routes.post(
                                    "/cancels",
                                    request -> {
                                        var response = new CompletableFuture<Response>();
                                        request.onComplete(() -> response.cancel(false));
                                        unread.add(response);
                                        return Response.async(response);
                                    });
                            routes.get("/large", request -> Response.bytes(new byte[MIB]));
                            routes.get(
                                    "/socket",
                                    request ->
                                            Response.webSocket(
                                                    socket -> {
                                                        while (!(socket.receive()
                                                                instanceof WebSocket.Closed)) {}
                                                    }));
                            routes.get("/slow", request -> Response.webSocket(this::slow));
                            routes.get("/leaves", request -> Response.webSocket(_ -> over.await()));
                            routes.get("/blocks", request -> Response.webSocket(blocks));
                        });
    }

    /** Receives nothing until the test is over. */
    private void slow(WebSocket socket) throws IOException, InterruptedException {
        over.await();
        while (!(socket.receive() instanceof WebSocket.Closed)) {
            received.incrementAndGet();
        }
    }

    /** Blocks its loop until it is moved, and then as long as the test takes. */
    private final WebSocketListener blocks =
            new WebSocketListener() {
                @Override
                public void onText(WebSocket socket, String text) {
                    received.incrementAndGet();
                    if (text.equals("move")) {
                        until("it is moved", () -> blockers() > 0);
                        return;
                    }
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            };

    private int blockers() {
        return serving.server.stats().getFirst().net().blockingTaskKinds();
    }

    @AfterEach
    void stop() throws IOException {
        over.countDown();
        for (Socket socket : sockets) {
            socket.close();
        }
        serving.close();
    }

    private Socket send(String text) throws IOException {
        var socket = new Socket("127.0.0.1", serving.server.port());
        sockets.add(socket);
        socket.setSoTimeout(20_000);
        write(socket, text);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Bodies of 5 MB that are on their way, and who sends them. */
    private record Uploads(List<Socket> sockets, List<Thread> senders) {
        void close() throws IOException, InterruptedException {
            for (Socket socket : sockets) {
                socket.close();
            }
            for (Thread sender : senders) {
                sender.join();
            }
        }
    }

    private Uploads upload(int count, String path) throws IOException {
        var uploads = new Uploads(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < count; i++) {
            Socket upload =
                    send(
                            "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n"
                                    .formatted(path));
            uploads.sockets.add(upload);
            uploads.senders.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            upload.getOutputStream().write(BODY);
                                        } catch (IOException e) {
                                            // it was refused
                                        }
                                    }));
        }
        return uploads;
    }

    /** Reads a status line, up to the status. */
    private static String status(Socket socket) throws IOException {
        byte[] start = socket.getInputStream().readNBytes(12);
        return new String(start, StandardCharsets.ISO_8859_1);
    }

    private static String all(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    private void honest() throws IOException {
        String answer = all(send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    }

    private boolean isServed() {
        try {
            String answer = all(send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
            return answer.startsWith("HTTP/1.1 200 ");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private long used() {
        return serving.server.stats().getFirst().net().memoryUsed();
    }

    private long refused() {
        return serving.server.stats().getFirst().net().memoryRefused();
    }

    /** Time passes ten times as fast meanwhile. */
    private void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, () -> "still not: " + what);
            LockSupport.parkNanos(1_000_000);
            clock.advance(10);
        }
    }

    private void allComesBack() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        until("memory comes back", () -> used() == 0);
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void unfinishedHeaders(TransportKind transport) throws Exception {
        start(transport);
        String head = "GET / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(15_000);
        Socket first = send(head.replace("GET", "HEAD"));
        until("held", () -> used() > 10_000);
        for (int i = 0; i < 200; i++) {
            send(head);
            if (i % 20 == 0) {
                honest();
            }
        }
        until("most are refused", () -> refused() > 100);
        until("it is enough", () -> used() <= MIB);
        String answer = all(first);
        assertTrue(answer.startsWith("HTTP/1.1 503 "), answer);
        assertTrue(answer.contains("\r\nRetry-After: 1\r\n"), answer);
        assertTrue(answer.endsWith("\r\n\r\n"), answer); // RFC 9110 9.3.2
        assertTrue(serving.rules().contains(RequestError.MEMORY_SHORT));
        Socket last = sockets.getLast();
        write(last, "\r\nConnection: close\r\n\r\n");
        assertTrue(all(last).startsWith("HTTP/1.1 200 "), "the newest may end its header");
        allComesBack();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void unfinishedBodiesThatAreCollected(TransportKind transport) throws Exception {
        start(transport);
        String head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
        Socket first = send(head + "x".repeat(20_000));
        until("held", () -> used() > 20_000);
        for (int i = 0; i < 100; i++) {
            send(head + "x".repeat(20_000));
            if (i % 20 == 0) {
                honest();
            }
        }
        String answer = all(first);
        assertTrue(answer.startsWith("HTTP/1.1 503 "), answer);
        until("it is enough", () -> used() <= MIB);
        allComesBack();
    }

    /**
     * Their headers are complete and large, their handlers run, or wait for a body that never
     * comes.
     */
    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void largeHeadersOfRequestsInProgress(TransportKind transport) throws Exception {
        start(transport);
        String fields = "Host: a\r\nX: " + "x".repeat(15_000) + "\r\n";
        for (int i = 0; i < 100; i++) {
            send("GET /wait HTTP/1.1\r\n" + fields + "\r\n");
            send("POST / HTTP/1.1\r\nContent-Length: 10\r\n" + fields + "\r\n");
        }
        until("most are refused", () -> refused() > 50);
        until("small headers find room, once the large ones have come", this::isServed);
        until("it is enough", () -> used() <= MIB);
        over.countDown();
        allComesBack();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void oneBodyLargerThanAllOfIt(TransportKind transport) throws Exception {
        start(transport);
        Uploads upload = upload(1, "/");
        assertEquals("HTTP/1.1 503", status(upload.sockets().getFirst()));
        upload.close();
        honest();
        allComesBack();
    }

    /**
     * As a proxy does it: the response was cancelled since the body was refused, which is known.
     */
    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void aHandlerThatIsCancelledSinceItsBodyIsRefusedHasNotFailed(TransportKind transport)
            throws Exception {
        start(transport);
        Uploads uploads = upload(40, "/cancels");
        until("some are refused", () -> refused() > 0);
        unread.forEach(response -> response.complete(Response.empty(204)));
        uploads.close();
        until( // requests may begin late, and NIO does not notice that their clients have gone
                "memory comes back",
                () -> {
                    unread.forEach(response -> response.complete(Response.empty(204)));
                    return used() == 0;
                });
        assertEquals(List.of(), serving.failures());
    }

    /** What they have sent finds no room while they have nothing to wait for but us. */
    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void bodiesOfHandlersThatDoNotReadYetAreRefusedWithAResponse(TransportKind transport)
            throws Exception {
        start(transport);
        Uploads uploads = upload(12, "/late");
        until("some are refused", () -> refused() > 0);
        over.countDown();
        int refused = 0;
        for (Socket upload : uploads.sockets()) {
            String status = status(upload);
            assertTrue(
                    status.equals("HTTP/1.1 503") || status.equals("HTTP/1.1 200"),
                    "status: " + status);
            refused += status.endsWith("503") ? 1 : 0;
        }
        assertTrue(refused > 0);
        allComesBack();
        uploads.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void responsesThatNobodyTakes(TransportKind transport) throws Exception {
        start(transport);
        for (int i = 0; i < 20; i++) {
            send("GET /large HTTP/1.1\r\nHost: a\r\n\r\nGET /large HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        until("some are closed", () -> refused() > 0);
        until("an honest one is served", this::isServed);
        allComesBack();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void webSocketMessagesInPieces(TransportKind transport) throws Exception {
        start(transport);
        // text, not the last frame, 60,000 bytes to come, masked by 0: most of them
        String frame = "\u0001\u00fe\u00ea\u0060\0\0\0\0" + "x".repeat(59_000);
        for (int i = 0; i < 40; i++) {
            write(open("/socket"), frame);
        }
        until("some are closed", () -> refused() > 10);
        until("it is enough", () -> used() <= MIB);
        honest();
        allComesBack();
    }

    private Socket open(String path) throws IOException {
        Socket socket =
                send(
                        "GET "
                                + path
                                + " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                + "Sec-WebSocket-Version: 13\r\n"
                                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) socket.getInputStream().read());
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 101 "), head::toString);
        return socket;
    }

    /** Text in one frame, masked by 0. */
    private static final String WHOLE = "\u0081\u00fe\u00e6\u0078\0\0\0\0" + "x".repeat(59_000);

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void webSocketMessagesThatWaitForASlowConversation(TransportKind transport) throws Exception {
        start(transport);
        for (int i = 0; i < 40; i++) {
            write(open("/slow"), WHOLE);
        }
        until("most are closed", () -> refused() > 20);
        assertTrue(used() <= MIB, () -> used() + " bytes");
        honest();
        over.countDown();
        until("they are received", () -> used() == 0);
        assertTrue(received.get() > 10, "those that there was room for");
        assertTrue(received.get() < 40 - 20, () -> received + " messages");
        allComesBack();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void webSocketMessagesThatNobodyReceives(TransportKind transport) throws Exception {
        start(transport);
        for (int i = 0; i < 5; i++) {
            write(open("/leaves"), WHOLE);
        }
        until("they wait", () -> used() > 5 * 59_000);
        for (Socket socket : sockets) {
            socket.close();
        }
        until("they alone wait", () -> serving.server.stats().getFirst().net().connections() == 0);
        assertTrue(used() > 5 * 59_000, () -> used() + " bytes, whose connections are gone");
        over.countDown();
        allComesBack();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"NIO", "IO_URING"})
    void webSocketMessagesThatWaitForABlockingListener(TransportKind transport) throws Exception {
        start(transport);
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        write(open("/blocks"), "\u0081\u0084\0\0\0\0move");
        until("it is moved", () -> blockers() > 0);
        for (int i = 0; i < 40; i++) {
            write(open("/blocks"), WHOLE + WHOLE);
        }
        until("most are closed", () -> refused() > 30);
        assertTrue(used() <= MIB, () -> used() + " bytes");
        honest();
        over.countDown();
        until("they are received", () -> used() == 0);
        assertTrue(received.get() <= 1 + 2 * 40 - 30, () -> received + " messages");
        allComesBack();
    }
}
