// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.http.heavy.Child;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A handler counts until it has returned, whether or not its client has waited for that. */
@Timeout(60)
class RunningHandlersTest {
    private static final int LIMIT = 3;
    private static final int KIB_62 = 62 << 10;
    private static final String GET = "GET /slow HTTP/1.1\nHost: a\n\n";

    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicInteger called = new AtomicInteger();

    static List<Arguments> onThreads() {
        return GoneClientTest.beforeTheBody();
    }

    static List<Arguments> transports() {
        return OnTheWire.TRANSPORTS.stream().map(Arguments::of).toList();
    }

    /** Waits for the end of the test, whatever its thread is told. */
    private Response slow(Request request) {
        called.incrementAndGet();
        while (true) {
            try {
                over.await();
                return Response.text("slow");
            } catch (InterruptedException e) {
                // it goes on
            }
        }
    }

    private Serving start(TransportKind transport, Mode mode, Consumer<Config> config) {
        return new Serving(
                transport,
                mode,
                c -> config.accept(c.maxConcurrentRequests(LIMIT)),
                all -> all.any("/slow", this::slow).get("/", _ -> Response.text("ok")));
    }

    private static void refused(Serving serving) {
        try (Client client = serving.client()) {
            client.send("GET / HTTP/1.1\nHost: a\nConnection: close\n\n");
            assertTrue(client.untilEnd().startsWith("HTTP/1.1 503 "), client.toString());
        }
    }

    private static boolean isServed(Serving serving) {
        try (Client client = serving.client()) {
            client.send("GET / HTTP/1.1\nHost: a\nConnection: close\n\n");
            return client.untilEnd().startsWith("HTTP/1.1 200 ");
        }
    }

    @ParameterizedTest
    @MethodSource("onThreads")
    void clientsThatResetDoNotEvadeTheLimitOfConcurrentRequests(TransportKind transport, Mode mode)
            throws Exception {
        try (var serving = start(transport, mode, c -> {})) {
            for (int i = 0; i < LIMIT; i++) {
                int number = i + 1;
                Client client = serving.client().send(GET);
                serving.await("its handler", () -> called.get() == number);
                client.abort();
            }
            serving.await("their ends", () -> serving.stats().net().connections() == 0);
            for (int i = 0; i < 5; i++) {
                refused(serving);
            }
            assertEquals(LIMIT, called.get());
            assertEquals(LIMIT, serving.stats().inProgress());
            over.countDown();
            serving.await("their ends", () -> serving.stats().inProgress() == 0);
            assertTrue(isServed(serving));
            assertEquals(0, serving.stats().net().memoryUsed());
        }
    }

    /** The client has its 503, and the handler does not heed its interrupt. */
    @ParameterizedTest
    @MethodSource("onThreads")
    void aHandlerBehindItsTimeoutCountsUntilItReturns(TransportKind transport, Mode mode)
            throws Exception {
        Consumer<Config> soon = c -> c.handlerTimeout(Duration.ofMillis(100));
        try (var serving = start(transport, mode, soon)) {
            for (int i = 0; i < LIMIT; i++) {
                try (Client client = serving.client().send(GET)) {
                    client.until(" 503 ");
                }
            }
            assertEquals(LIMIT, serving.stats().inProgress());
            refused(serving);
            over.countDown();
            serving.await("their ends", () -> serving.stats().inProgress() == 0);
            serving.await("a turn within the timeout", () -> isServed(serving));
        }
    }

    /** It is interrupted at its timeout, as it would be if the client were still there. */
    @ParameterizedTest
    @MethodSource("onThreads")
    void theHandlerOfAGoneClientIsInterruptedAtItsTimeout(TransportKind transport, Mode mode)
            throws Exception {
        var interrupted = new CompletableFuture<Boolean>();
        try (var serving =
                new Serving(
                        transport,
                        mode,
                        c -> c.handlerTimeout(Duration.ofMillis(300)),
                        all ->
                                all.get(
                                        "/slow",
                                        _ -> {
                                            called.incrementAndGet();
                                            interrupted.complete(!over.await(20, TimeUnit.SECONDS));
                                            return Response.text("slow");
                                        }))) {
            Client client = serving.client().send(GET);
            serving.await("its handler", () -> called.get() == 1);
            client.abort();
            serving.await("its end", () -> serving.stats().inProgress() == 0);
            assertFalse(interrupted.isDone(), "it has not waited to its end");
        }
    }

    /** An asynchronous response counts until it completes. */
    @ParameterizedTest
    @MethodSource("transports")
    void anAsynchronousResponseOfAGoneClientCountsUntilItCompletes(TransportKind transport)
            throws Exception {
        BlockingQueue<CompletableFuture<Response>> asked = new LinkedBlockingQueue<>();
        try (var serving = asynchronous(transport, asked, c -> {})) {
            Client client = serving.client().send(GET);
            CompletableFuture<Response> later = asked.poll(20, TimeUnit.SECONDS);
            client.abort();
            serving.await("its end", () -> serving.stats().net().connections() == 0);
            refused(serving);
            later.complete(Response.text("late"));
            serving.await("its completion", () -> serving.stats().inProgress() == 0);
            assertTrue(isServed(serving));
        }
    }

    /**
     * ... or until its timeout passes, so that one that never completes is not counted for ever.
     */
    @ParameterizedTest
    @MethodSource("transports")
    void anAsynchronousResponseThatNeverCompletesCountsUntilItsTimeout(TransportKind transport)
            throws Exception {
        BlockingQueue<CompletableFuture<Response>> asked = new LinkedBlockingQueue<>();
        Consumer<Config> soon = c -> c.handlerTimeout(Duration.ofMillis(300));
        try (var serving = asynchronous(transport, asked, soon)) {
            Client client = serving.client().send(GET);
            CompletableFuture<Response> later = asked.poll(20, TimeUnit.SECONDS);
            client.abort();
            serving.await("its timeout", () -> serving.stats().inProgress() == 0);
            assertTrue(isServed(serving));
            later.complete(Response.text("much too late"));
            assertTrue(isServed(serving));
            assertEquals(0, serving.stats().inProgress());
        }
    }

    private static Serving asynchronous(
            TransportKind transport,
            BlockingQueue<CompletableFuture<Response>> asked,
            Consumer<Config> config) {
        return new Serving(
                transport,
                c -> config.accept(c.maxConcurrentRequests(1)),
                all ->
                        all.get("/", _ -> Response.text("ok"))
                                .get(
                                        "/slow",
                                        _ -> {
                                            var later = new CompletableFuture<Response>();
                                            asked.add(later);
                                            return Response.async(later);
                                        }));
    }

    /** What a handler has collected cannot be dropped, so it counts until the handler returns. */
    @ParameterizedTest
    @MethodSource("onThreads")
    void whatTheHandlerOfAGoneClientKeepsIsCounted(TransportKind transport, Mode mode)
            throws Exception {
        try (var serving =
                new Serving(
                        transport,
                        mode,
                        c -> {},
                        all ->
                                all.post(
                                        "/slow",
                                        request -> {
                                            request.body().bytes();
                                            return slow(request);
                                        }))) {
            Client client = serving.client().send(post(KIB_62)).send("x".repeat(KIB_62));
            serving.await("its handler", () -> called.get() == 1);
            client.abort();
            serving.await("its end", () -> serving.stats().net().connections() == 0);
            serving.await("it is counted", () -> serving.stats().net().memoryUsed() >= KIB_62);
            over.countDown();
            serving.await("its handler", () -> serving.stats().net().memoryUsed() == 0);
        }
    }

    /** A reader in the middle of the body gets its exception, also one that begins later. */
    @ParameterizedTest
    @MethodSource("onThreads")
    void aReaderOfTheBodyOfAGoneClientFails(TransportKind transport, Mode mode) throws Exception {
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        Handler handler =
                request -> {
                    called.incrementAndGet();
                    if (request.header("Late").isPresent()) {
                        over.await();
                    }
                    try {
                        request.body().inputStream().readAllBytes();
                    } catch (IOException e) {
                        thrown.add(e);
                    }
                    return Response.text("read");
                };
        try (var serving =
                new Serving(transport, mode, c -> {}, all -> all.post("/slow", handler))) {
            for (String header : List.of("Early: 1", "Late: 1")) {
                Client client = serving.client().send(post(KIB_62 + 1, header));
                client.send("x".repeat(KIB_62));
                int calls = header.startsWith("Early") ? 1 : 2;
                serving.await("its handler", () -> called.get() == calls);
                client.abort();
                serving.await("its end", () -> serving.stats().net().connections() == 0);
                if (calls == 2) {
                    over.countDown();
                }
                assertInstanceOf(IOException.class, thrown.poll(20, TimeUnit.SECONDS));
            }
        }
    }

    private static String post(int length, String... headers) {
        return "POST /slow HTTP/1.1\nHost: a\n"
                + String.join("\n", headers)
                + (headers.length > 0 ? "\n" : "")
                + "Content-Length: "
                + length
                + "\n\n";
    }

    /** A server whose handlers do not return. */
    static final class NeverReturns {
        public static void main(String[] arguments) throws Exception {
            var transport = TransportKind.valueOf(arguments[0]);
            Server server =
                    Server.start(
                            c -> c.port(0).loops(1).transport(transport),
                            all ->
                                    all.get("/", _ -> Response.text("ok"))
                                            .post(
                                                    "/slow",
                                                    _ -> {
                                                        Thread.sleep(100_000);
                                                        return Response.text("slow");
                                                    }));
            System.out.println(server.port());
            while (System.in.read() >= 0) {
                // until the parent lets go
            }
            System.exit(0);
        }
    }

    /** One client, one connection at a time, and a heap of 64 MiB. */
    @Tag("peers")
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void theBodiesOfGoneClientsAreDropped(TransportKind transport) throws Exception {
        if (!OnTheWire.TRANSPORTS.contains(transport)) {
            return;
        }
        byte[] body = new byte[KIB_62];
        try (Child child =
                Child.start(NeverReturns.class, List.of("-Xmx64m"), List.of(transport.name()))) {
            int port = child.number();
            for (int i = 0; i < 1_500; i++) {
                try (var socket = new java.net.Socket("127.0.0.1", port)) {
                    socket.setSoLinger(true, 0);
                    socket.getOutputStream().write(Client.bytes(post(4_000_000)));
                    socket.getOutputStream().write(body);
                } catch (IOException e) {
                    // refused, for one
                }
            }
            for (int i = 0; i < 10; i++) {
                try (var socket = new java.net.Socket("127.0.0.1", port)) {
                    socket.setSoTimeout(20_000);
                    socket.getOutputStream()
                            .write(Client.bytes("GET / HTTP/1.1\nHost: a\nConnection: close\n\n"));
                    String answer = new String(socket.getInputStream().readAllBytes());
                    assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
                }
            }
        }
    }
}
