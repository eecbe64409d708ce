// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.http.Blocker.Way;
import io.sirocco.http.Serving.Mode;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Handlers that block their loop without parking: the first time they do, until somebody elsewhere
 * releases them. From then on they hold nobody: what releases them is a request on the same loop,
 * which could not be served if they held it.
 */
@Timeout(120)
class AdaptiveHandlersTest {
    private Serving serving;
    private Blocker blocker;
    private final List<String> places = new CopyOnWriteArrayList<>();

    static List<Arguments> everywhere() {
        var all = new ArrayList<Arguments>();
        for (TransportKind transport : OnTheWire.TRANSPORTS) {
            for (Way way : Way.values()) {
                all.add(Arguments.of(transport, way));
            }
        }
        return all;
    }

    private void start(TransportKind transport, Way way, Consumer<Routes> routes) throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        blocker = Blocker.of(way);
        serving =
                new Serving(
                        transport,
                        Mode.VIRTUAL,
                        c -> {},
                        all -> {
                            all.route("GET", "/release", this::release)
                                    .executionMode(ExecutionMode.INLINE);
                            routes.accept(all);
                        });
    }

    @AfterEach
    void stop() throws Exception {
        if (serving != null) {
            serving.close();
            blocker.close();
        }
    }

    private Response release(Request request) throws Exception {
        blocker.release();
        return Response.text("released");
    }

    private static Client ask(Client client, String path) {
        return client.send("GET " + path + " HTTP/1.1\nHost: a\n\n");
    }

    /** Somebody blocks, is found out, and is released from outside. */
    private void blockOnce(String route) throws Exception {
        blocker.awaitEntered();
        serving.await(
                "the route to be found out", () -> serving.moved().contains(route) || found());
        blocker.release();
    }

    /** The monitor is told on the loop, which is blocked: the count is not. */
    private boolean found() {
        return serving.stats().net().blockingTaskKinds() > 0;
    }

    /** Somebody blocks, and is released by a request on the same loop. */
    private void blockAgain() throws Exception {
        blocker.awaitEntered();
        try (Client other = serving.client()) {
            ask(other, "/release").until("released");
        }
    }

    private Response block(String text) throws Exception {
        blocker.block();
        return Response.text(text);
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aRouteThatHasBlockedItsLoopOnceBlocksItNoMore(TransportKind transport, Way way)
            throws Exception {
        start(transport, way, all -> all.get("/block/{n}", r -> block("done " + r.param("n"))));
        try (Client client = serving.client()) {
            ask(client, "/block/1");
            blockOnce("GET /block/{n}");
            client.until("done 1");
            ask(client, "/block/2");
            blockAgain();
            client.until("done 2");
        }
        serving.await("the monitor to be told", () -> !serving.moved().isEmpty());
        assertEquals(List.of("GET /block/{n}"), serving.moved());
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aFilterThatBlocksMovesTheRouteThatItStandsBefore(TransportKind transport)
            throws Exception {
        start(
                transport,
                Way.PIPE,
                all ->
                        all.group(
                                "/filtered",
                                some ->
                                        some.filter(
                                                        (r, next) -> {
                                                            blocker.block();
                                                            return next.handle(r);
                                                        })
                                                .get("", r -> Response.text("done"))));
        try (Client client = serving.client()) {
            ask(client, "/filtered");
            blockOnce("GET /filtered");
            client.until("done");
        }
        try (Client client = serving.client()) {
            ask(client, "/filtered");
            blockAgain();
            client.until("done");
        }
    }

    /** It has parked before, with others; when it is found out, the others leave the loop, too. */
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void requestsThatWereParkedWhenTheirRouteWasFoundOutBlockNobody(TransportKind transport)
            throws Exception {
        start(
                transport,
                Way.PIPE,
                all ->
                        all.post(
                                "/block",
                                r -> {
                                    String body = r.body().text(); // parks until it is there
                                    blocker.block();
                                    return Response.text("done " + body + r.header("X").get());
                                }));
        String head = "POST /block HTTP/1.1\nHost: a\nX: y\nContent-Length: 2\n\n";
        try (Client first = serving.client();
                Client second = serving.client()) {
            first.send(head + "1");
            second.send(head + "2");
            first.delivered();
            second.delivered();
            first.send("x");
            blockOnce("POST /block");
            first.until("done 1xy");
            second.send("x");
            blockAgain();
            second.until("done 2xy");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aStreamThatBlocksBetweenItsPiecesLeavesTheLoop(TransportKind transport) throws Exception {
        start(
                transport,
                Way.PIPE,
                all -> {
                    all.get("/stream", r -> Response.stream(this::pieces));
                    all.route("GET", "/inline-stream", r -> Response.stream(this::pieces))
                            .executionMode(ExecutionMode.INLINE);
                    all.get(
                            "/events",
                            r ->
                                    Response.events(
                                            sink -> {
                                                sink.send("one");
                                                blockQuietly();
                                                sink.send("two");
                                                Thread.sleep(1); // it goes on elsewhere
                                                blockQuietly();
                                                sink.send("three");
                                                places.add(r.loop().inLoop() ? "loop" : "else");
                                            }));
                });
        for (String path : List.of("/stream", "/inline-stream", "/events")) {
            int before = serving.moved().size();
            try (Client client = serving.client()) {
                ask(client, path);
                blocker.awaitEntered();
                serving.await(
                        "it to be found out",
                        () -> serving.stats().net().blockingTaskKinds() == before + 1);
                blocker.release();
                blockAgain();
                client.until("three");
            }
            serving.await("the monitor to be told", () -> serving.moved().size() == before + 1);
        }
        serving.await("the last to end", () -> !places.isEmpty());
        assertEquals(List.of("else"), places);
    }

    private void pieces(OutputStream out) throws IOException, InterruptedException {
        out.write("one".getBytes());
        blockQuietly();
        out.write("two".getBytes());
        out.flush();
        Thread.sleep(1);
        blockQuietly();
        out.write("three".getBytes());
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aConversationThatBlocksLeavesTheLoop(TransportKind transport) throws Exception {
        start(
                transport,
                Way.PIPE,
                all ->
                        all.get(
                                "/talk",
                                r ->
                                        Response.webSocket(
                                                socket -> {
                                                    while (socket.receive()
                                                            instanceof
                                                            WebSocket.Text(String text)) {
                                                        blockQuietly();
                                                        socket.send("did " + text);
                                                    }
                                                })));
        try (WebSocketPeer peer = WebSocketPeer.open(serving, "/talk")) {
            peer.text("one");
            blockOnce("GET /talk");
            assertEquals("text did one", peer.next());
            for (String text : List.of("two", "three")) {
                peer.text(text);
                blockAgain();
                assertEquals("text did " + text, peer.next());
            }
            peer.close(1000);
            assertEquals("close 1000", peer.next());
        }
    }

    private void blockQuietly() {
        try {
            blocker.block();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** All calls of one socket come in order, wherever they run, and the end comes last. */
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aListenerThatBlocksIsCalledElsewhereAndInOrder(TransportKind transport) throws Exception {
        var listener =
                new WebSocketListener() {
                    @Override
                    public void onText(WebSocket socket, String text) {
                        if (text.startsWith("block")) {
                            blockQuietly();
                        }
                        socket.trySend("did " + text);
                    }

                    @Override
                    public void onClose(WebSocket socket, WebSocket.Closed closed) {
                        places.add("closed " + closed.code());
                    }
                };
        start(transport, Way.PIPE, all -> all.get("/listen", r -> Response.webSocket(listener)));
        try (WebSocketPeer peer = WebSocketPeer.open(serving, "/listen")) {
            peer.text("block 1");
            blockOnce("GET /listen");
            assertEquals("text did block 1", peer.next());
            peer.text("block 2");
            String large = "x".repeat(30_000);
            for (int i = 0; i < 20; i++) {
                peer.text(i + large); // more than waits for a listener: the rest is not read
            }
            peer.close(1000);
            blockAgain();
            assertEquals("text did block 2", peer.next());
            for (int i = 0; i < 20; i++) {
                assertEquals("text did " + i + large, peer.next());
            }
            assertEquals("close 1000", peer.next());
        }
        serving.await("the listener to be told of the end", () -> !places.isEmpty());
        assertEquals(List.of("closed 1000"), places);
    }

    /** Those that are to stay on the loop do, though they block it. */
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aRouteThatIsAlwaysOnTheLoopIsNotMoved(TransportKind transport) throws Exception {
        start(
                transport,
                Way.PIPE,
                all -> {
                    for (ExecutionMode handling :
                            List.of(ExecutionMode.LOOP, ExecutionMode.INLINE)) {
                        all.route(
                                        "GET",
                                        "/" + handling,
                                        r -> {
                                            long end = System.nanoTime() + 100_000_000;
                                            while (System.nanoTime() < end) {
                                                Thread.onSpinWait();
                                            }
                                            return Response.text("in " + r.loop().inLoop());
                                        })
                                .executionMode(handling);
                    }
                });
        for (String path : List.of("/LOOP", "/INLINE")) {
            for (int i = 0; i < 2; i++) {
                try (Client client = serving.client()) {
                    ask(client, path).until("in true");
                }
            }
        }
        assertTrue(serving.moved().isEmpty());
    }

    /** The second of two pipelined requests ends when the client has read the first response. */
    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aPipelinedResponseDoesNotWaitForTheSlowHandlersBehindIt(TransportKind transport)
            throws Exception {
        start(
                transport,
                Way.CPU,
                all -> {
                    all.route(
                                    "GET",
                                    "/slow",
                                    r -> {
                                        long end = System.nanoTime() + 300_000_000;
                                        while (System.nanoTime() < end) {
                                            Thread.onSpinWait();
                                        }
                                        return Response.text("slow");
                                    })
                            .executionMode(ExecutionMode.INLINE);
                    all.route("GET", "/block", r -> block("done"))
                            .executionMode(ExecutionMode.INLINE);
                });
        try (Client client = serving.client()) {
            client.send("GET /slow HTTP/1.1\nHost: a\n\nGET /block HTTP/1.1\nHost: a\n\n");
            client.until("slow");
            blocker.awaitEntered();
            blocker.release();
            client.until("done");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void aReloadDoesNotForgetWhoHasBlockedALoop(TransportKind transport) throws Exception {
        start(transport, Way.PIPE, all -> all.get("/block", r -> block("done")));
        try (Client client = serving.client()) {
            ask(client, "/block");
            blockOnce("GET /block");
            client.until("done");
        }
        var address = new java.net.InetSocketAddress("127.0.0.1", 0); // as it was asked for
        serving.server.reload(
                c -> c.listen(address),
                all ->
                        all.get("/block", r -> block("again"))
                                .route("GET", "/release", this::release)
                                .executionMode(ExecutionMode.INLINE));
        try (Client client = serving.client()) {
            ask(client, "/block");
            blockAgain();
            client.until("again");
        }
    }
}
