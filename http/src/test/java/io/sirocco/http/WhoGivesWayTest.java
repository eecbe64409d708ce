// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.http.Serving.Told;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.MemoryBudget;
import io.sirocco.net.TransportKind;
import java.util.ArrayList;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Who has to give way when memory is short: not a client that waits for us; and what is told of one
 * that had to.
 */
@Timeout(60)
class WhoGivesWayTest {
    private final BlockingQueue<Loop> loops = new LinkedBlockingQueue<>();

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(20, TimeUnit.SECONDS);
        assertTrue(next != null, "nothing within 20 seconds");
        return next;
    }

    /** Asks for all memory at once, so that everybody is asked to give way. On the loop. */
    private static void askForAll(Loop loop) {
        MemoryBudget memory = loop.memory();
        if (memory.reserve(memory.limit())) {
            memory.release(memory.limit());
        }
    }

    private static void askForAllOn(Loop loop) throws Exception {
        var done = new CompletableFuture<Void>();
        loop.execute(
                () -> {
                    askForAll(loop);
                    done.complete(null);
                });
        done.get(20, TimeUnit.SECONDS);
    }

    /** Between two requests of a pipeline it is our turn, not the client's. */
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void pipelinedRequestsThatWePostpone(TransportKind transport) throws Exception {
        var later = new CompletableFuture<Response>();
        try (var serving =
                        new Serving(
                                transport,
                                c -> {},
                                routes -> {
                                    routes.get(
                                            "/first",
                                            request -> {
                                                loops.add(request.loop());
                                                return Response.async(later);
                                            });
                                    routes.get("/second", request -> Response.text("second"));
                                });
                Client client = serving.client()) {
            client.send("GET /first HTTP/1.1\nHost: a\n\nGET /second HTTP/1.1\nHost: a\n\n");
            Loop loop = next(loops);
            client.delivered().await("somebody to wait", () -> later.getNumberOfDependents() > 0);
            var asked = new CompletableFuture<Void>();
            loop.execute(
                    () -> {
                        later.complete(Response.text("first")); // sent by the next task
                        loop.execute( // and the second request is read by the one after this
                                () -> {
                                    askForAll(loop);
                                    asked.complete(null);
                                });
                    });
            asked.get(20, TimeUnit.SECONDS);
            client.until("\r\n\r\nfirst");
            client.until("\r\n\r\nsecond");
        }
    }

    /** The client would send on if we read on. */
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void anUploadThatWaitsForItsHandler(TransportKind transport) throws Exception {
        var latch = new CountDownLatch(1);
        try (var serving =
                        new Serving(
                                transport,
                                c -> {},
                                routes ->
                                        routes.post(
                                                "/",
                                                request -> {
                                                    loops.add(request.loop());
                                                    latch.await();
                                                    int length = request.body().bytes().length;
                                                    return Response.text(length + " bytes");
                                                }));
                Client client = serving.client()) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 200000\n\n");
            client.send(new byte[100_000]);
            Loop loop = next(loops);
            serving.await(
                    "it is read no further", () -> serving.stats().net().memoryUsed() >= 64 << 10);
            askForAllOn(loop);
            latch.countDown();
            client.send(new byte[100_000]);
            client.until("\r\n\r\n200000 bytes");
        }
    }

    /** The connection is closed, but not gone yet, when its handler responds. */
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aResponseToOneThatHadToIsNotToldAsComplete(TransportKind transport) throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        var latch = new CountDownLatch(1);
        try (var serving =
                        new Serving(
                                transport,
                                c -> {},
                                routes ->
                                        routes.get(
                                                "/wait",
                                                request -> {
                                                    loops.add(request.loop());
                                                    latch.await();
                                                    return Response.text("nobody reads this");
                                                }));
                Client client = serving.client()) {
            client.send("GET /wait HTTP/1.1\nHost: a\n\nGET /wait HTTP/1.1\nHost: a\n\n");
            Loop loop = next(loops);
            client.delivered();
            loop.execute(
                    () -> {
                        latch.countDown(); // the handler runs behind this task
                        askForAll(loop);
                    });
            assertEquals("", client.untilEnd());
            serving.awaitQuiet();
            var all = new ArrayList<Told>(serving.answers());
            assertEquals(1, all.size(), all::toString);
            assertFalse(all.getFirst().complete(), all::toString);
            assertEquals(0, all.getFirst().bytesOut(), all::toString);
        }
    }

    /** Pauses when a message has come, until a test resumes it. */
    private static final class Pausing implements WebSocketListener {
        final BlockingQueue<WebSocket> paused = new LinkedBlockingQueue<>();
        final BlockingQueue<String> told = new LinkedBlockingQueue<>();

        @Override
        public void onText(WebSocket socket, String text) {
            socket.pause();
            told.add(text);
            paused.add(socket);
        }

        @Override
        public void onBinary(WebSocket socket, byte[] bytes) {
            onText(socket, bytes.length + " bytes");
        }

        @Override
        public void onClose(WebSocket socket, WebSocket.Closed closed) {
            told.add("closed " + closed.code());
        }
    }

    private Serving pausing(TransportKind transport, Pausing listener) {
        return new Serving(
                transport,
                c -> {},
                routes ->
                        routes.get(
                                "/",
                                request -> {
                                    loops.add(request.loop());
                                    return Response.webSocket(listener);
                                }));
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aMessageInPiecesCountsNoMoreWhenThePausingListenerHasIt(TransportKind transport)
            throws Exception {
        var listener = new Pausing();
        try (var serving = pausing(transport, listener);
                WebSocketPeer peer = WebSocketPeer.open(serving, "/")) {
            peer.frame(0x02, new byte[300 << 10]).frame(0x80, new byte[300 << 10]);
            assertEquals((600 << 10) + " bytes", next(listener.told));
            serving.await("memory comes back", () -> serving.stats().net().memoryUsed() == 0);
            next(listener.paused).resume();
            peer.text("on");
            assertEquals("on", next(listener.told));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aWebSocketThatTheProgramHasPaused(TransportKind transport) throws Exception {
        var listener = new Pausing();
        try (var serving = pausing(transport, listener);
                WebSocketPeer peer = WebSocketPeer.open(serving, "/")) {
            peer.text("first");
            WebSocket socket = next(listener.paused);
            peer.text("second").client.delivered();
            serving.await("it waits", () -> serving.stats().net().memoryUsed() > 0);
            askForAllOn(next(loops));
            socket.resume();
            assertEquals("first", next(listener.told));
            assertEquals("second", next(listener.told));
        }
    }

    /** A message in pieces is what the client was asked to end: there we wait for the client. */
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aWebSocketInTheMiddleOfAMessageGivesWay(TransportKind transport) throws Exception {
        var listener = new Pausing();
        try (var serving = pausing(transport, listener);
                WebSocketPeer peer = WebSocketPeer.open(serving, "/")) {
            peer.frame(0x02, new byte[10_000]).client.delivered();
            serving.await("it is stored", () -> serving.stats().net().memoryUsed() > 10_000);
            askForAllOn(next(loops));
            assertEquals("close 1013 memory is short", peer.next());
            assertEquals("closed 1013", next(listener.told));
        }
    }
}
