// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.Arguments;
import io.sirocco.live.RequestException;
import io.sirocco.live.RequestException.Kind;
import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.live.client.LiveNamespace.Handler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** LiveClient at the official Socket.IO server. */
@Tag("peers")
@Timeout(90)
class LiveClientTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Log log = new Log();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    record Piece(String name, int size, byte[] bytes) {}

    private NodeServer server(Map<String, ?> options) {
        var server = new NodeServer(options);
        open.add(server);
        return server;
    }

    private LiveClient client(NodeServer server, Consumer<LiveClientSettings> configure) {
        LiveClient client =
                LiveClient.create(
                        server.url(),
                        c -> {
                            c.reconnect(Duration.ofMillis(20), Duration.ofMillis(100));
                            configure.accept(c);
                        });
        open.add(client);
        log.of(client);
        return client;
    }

    private LiveClient connected(NodeServer server) throws Exception {
        LiveClient client = client(server, c -> {});
        client.connect().get(20, TimeUnit.SECONDS);
        log.next(Connected.class);
        return client;
    }

    // ---- events and requests

    @Test
    void eventsGoBothWaysWithAllKindsOfArguments() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var echoed = new LinkedBlockingQueue<Arguments>();
        client.on("echo", echoed::add);
        byte[] bytes = {1, 2, 3};
        assertTrue(
                client.send(
                        "echo",
                        "é\u2028\"",
                        7,
                        1L << 50,
                        0.5,
                        true,
                        null,
                        List.of("a", bytes),
                        Map.of("k", new Piece("p", 9, bytes)),
                        bytes));
        Arguments back = echoed.poll(20, TimeUnit.SECONDS);
        assertEquals(9, back.size());
        assertEquals("é\u2028\"", back.asString(0));
        assertEquals(7, back.asInt(1));
        assertEquals(1L << 50, back.asLong(2));
        assertEquals(0.5, back.asDouble(3));
        assertTrue(back.asBoolean(4));
        assertFalse(back.has(5));
        assertTrue(back.has(6));
        assertArrayEquals(bytes, (byte[]) back.as(6, Object[].class)[1]);
        assertEquals(
                "{\"k\":",
                back.toString()
                        .substring(back.toString().indexOf("{"), back.toString().indexOf("{") + 5));
        assertArrayEquals(bytes, back.asBytes(8));
        var thrown = assertThrows(RequestException.class, () -> back.asInt(0));
        assertEquals("bad_arguments", thrown.code());
        assertThrows(RequestException.class, () -> back.asString(9));
    }

    @Test
    void typedHandlersAreGivenRecordsAndBytes() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var pieces = new LinkedBlockingQueue<Piece>();
        client.on("echo", Piece.class, pieces::add);
        client.send("echo", new Piece("p", 9, new byte[70_000]));
        Piece back = pieces.poll(20, TimeUnit.SECONDS);
        assertEquals("p", back.name());
        assertEquals(70_000, back.bytes().length);
        client.off("echo");
        var bytes = new LinkedBlockingQueue<byte[]>();
        client.on("echo", byte[].class, bytes::add);
        client.send("echo", new byte[] {4, 5});
        assertArrayEquals(new byte[] {4, 5}, bytes.poll(20, TimeUnit.SECONDS));
    }

    @Test
    void aHandlerThatIsOffHearsNoMoreAndTheOthersDo() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var heard = new LinkedBlockingQueue<String>();
        Handler<String> first = text -> heard.add("first " + text);
        Handler<String> second = text -> heard.add("second " + text);
        client.on("echo", String.class, first).on("echo", String.class, second);
        client.send("echo", "a");
        assertEquals("first a", heard.poll(20, TimeUnit.SECONDS));
        assertEquals("second a", heard.poll(20, TimeUnit.SECONDS));
        client.off("echo", first).off("nothing", first);
        client.send("echo", "b");
        assertEquals("second b", heard.poll(20, TimeUnit.SECONDS));
        client.off("echo", second);
        client.on("echo", String.class, text -> heard.add("third " + text));
        client.send("echo", "c");
        assertEquals("third c", heard.poll(20, TimeUnit.SECONDS));
    }

    @Test
    void requestsAreAnsweredInAnyNumberAtOnce() throws Exception {
        LiveClient client = connected(server(Map.of()));
        assertEquals("hello", client.request("echo", LONG, String.class, "hello"));
        assertArrayEquals(
                new byte[] {7},
                client.request("echo", LONG, byte[].class, (Object) new byte[] {7}));
        Piece piece = client.request("echo", LONG, Piece.class, new Piece("q", 1, new byte[3]));
        assertEquals(3, piece.bytes().length);
        var late =
                CompletableFuture.supplyAsync(
                        () -> client.request("late", LONG, String.class, 300));
        var answers = new ConcurrentLinkedQueue<Integer>();
        List<Thread> threads =
                IntStream.range(0, 200)
                        .mapToObj(
                                i ->
                                        Thread.ofVirtual()
                                                .start(
                                                        () ->
                                                                answers.add(
                                                                        client.request(
                                                                                "echo",
                                                                                LONG,
                                                                                Integer.class,
                                                                                i))))
                        .toList();
        for (Thread each : threads) {
            each.join();
        }
        assertEquals(IntStream.range(0, 200).boxed().toList(), answers.stream().sorted().toList());
        assertEquals("late", late.get(20, TimeUnit.SECONDS));
    }

    @Test
    void whatIsNoAnswerIsSaidToBeNone() throws Exception {
        LiveClient client = connected(server(Map.of()));
        assertEquals(
                Kind.TIMEOUT,
                kind(() -> client.request("never", Duration.ofMillis(50), String.class)));
        assertEquals(Kind.MALFORMED, kind(() -> client.request("echo", LONG, Integer.class, "x")));
        assertEquals(Kind.MALFORMED, kind(() -> client.request("echo", LONG, Integer.class)));
        var refused =
                assertThrows(
                        RequestException.class, () -> client.request("refuse", LONG, String.class));
        assertEquals(Kind.REFUSED, refused.kind());
        assertEquals("forbidden", refused.code());
        assertEquals("not you", refused.getMessage());
        client.request("echo", LONG, Void.class);
        assertEquals("late", client.request("late", LONG, String.class, 10));
    }

    private static Kind kind(Runnable request) {
        return assertThrows(RequestException.class, request::run).kind();
    }

    @Test
    void theServerMayAskToo() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = connected(server);
        client.onRequest("sum", int[].class, numbers -> IntStream.of(numbers).sum());
        client.onRequest("bytes", arguments -> new byte[] {1, (byte) arguments.asInt(0)});
        client.onRequest(
                "picky",
                String.class,
                name -> {
                    throw RequestException.refused("forbidden", "not " + name);
                });
        client.onRequest(
                "broken",
                none -> {
                    throw new IllegalStateException("a secret");
                });
        client.on("heard", none -> {});
        assertEquals("6", answer(server, client, "sum", new int[] {1, 2, 3}));
        assertEquals(
                "{\"bytes\":\"" + HexFormat.of().formatHex(new byte[] {1, 9}) + "\"}",
                answer(server, client, "bytes", 9));
        assertEquals(
                "{\"error\":{\"code\":\"forbidden\",\"message\":\"not Ada\"}}",
                sorted(answer(server, client, "picky", "Ada")));
        String broken = answer(server, client, "broken");
        assertTrue(broken.contains("failed") && !broken.contains("secret"), broken);
        assertEquals("a secret", log.next(IllegalStateException.class).getMessage());
        assertTrue(answer(server, client, "sum", "x").contains("bad_arguments"));
        assertTrue(answer(server, client, "nobody").contains("unknown_event"));
        assertEquals("undefined", answer(server, client, "heard"));
    }

    private static String sorted(String error) {
        boolean swapped = error.indexOf("message") < error.indexOf("code");
        return swapped ? "{\"error\":{\"code\":\"forbidden\",\"message\":\"not Ada\"}}" : error;
    }

    private static String answer(NodeServer server, LiveClient client, Object... what) {
        client.send("ask", what);
        JsonNode answer = server.await("answered").get("answer");
        return answer == null ? "undefined" : answer.toString();
    }

    @Test
    void handlersRunInOrderAndOneThatThrowsHindersNoOther() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var seen = new ConcurrentLinkedQueue<Integer>();
        var running = new AtomicInteger();
        client.on(
                "number",
                Integer.class,
                n -> {
                    assertEquals(1, running.incrementAndGet());
                    Thread.sleep(n % 100 == 0 ? 2 : 0);
                    running.decrementAndGet();
                    if (n == 7) {
                        throw new IllegalStateException("seven");
                    }
                });
        client.on("number", Integer.class, seen::add);
        client.request("count", LONG, Integer.class, 5_000);
        Log.until("all have come", () -> seen.size() == 5_000);
        assertEquals(IntStream.range(0, 5_000).boxed().toList(), List.copyOf(seen));
        assertEquals("seven", log.next(IllegalStateException.class).getMessage());
        assertTrue(log.told.isEmpty(), log.told::toString);
    }

    @Test
    void aHandlerMayAskTheServerItself() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var answers = new LinkedBlockingQueue<Integer>();
        client.on(
                "number",
                Integer.class,
                n -> answers.add(client.request("echo", LONG, Integer.class, n)));
        client.send("count", 20);
        for (int i = 0; i < 20; i++) {
            assertEquals(i, answers.poll(20, TimeUnit.SECONDS));
        }
    }

    /** More than 64 KiB wait behind a handler that waits for an answer, which is behind them. */
    @Test
    void anAnswerIsReadThoughHandlersHaveEnoughToDo() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var seen = new AtomicInteger();
        var answer = new CompletableFuture<String>();
        client.on(
                "number",
                Integer.class,
                n -> {
                    if (n == 0) {
                        Log.until("many wait", () -> client.turns.size() >= Turns.FULL);
                        answer.complete(client.request("echo", LONG, String.class, "me"));
                    }
                    seen.incrementAndGet();
                });
        client.send("count", 40_000);
        assertEquals("me", answer.get(30, TimeUnit.SECONDS));
        Log.until("all have come", () -> seen.get() == 40_000);
    }

    @Test
    void aSlowHandlerHoldsTheServerBack() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var first = new CompletableFuture<Void>();
        var seen = new AtomicInteger();
        client.on(
                "number",
                Integer.class,
                n -> {
                    first.join();
                    seen.incrementAndGet();
                });
        client.send("count", 200_000);
        Log.until("many wait", () -> client.turns.size() >= Turns.FULL);
        long most = client.turns.size();
        assertTrue(most < Turns.FULL + 1_000, () -> most + " bytes wait");
        first.complete(null);
        Log.until("all have come", () -> seen.get() == 200_000);
    }

    @Test
    void whatCannotBeSentIsSaid() throws Exception {
        NodeServer server = server(Map.of("options", Map.of("maxHttpBufferSize", 10_000)));
        LiveClient client = connected(server);
        assertThrows(IllegalArgumentException.class, () -> client.send("connect", 1));
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        client.send(
                                "x",
                                new Object() {
                                    @SuppressWarnings("unused")
                                    public String getName() {
                                        throw new IllegalStateException();
                                    }
                                }));
        client.send("echo", "x".repeat(20_000));
        assertInstanceOf(IllegalArgumentException.class, log.next(Throwable.class));
        assertEquals(
                Kind.CLOSED,
                kind(() -> client.request("echo", LONG, String.class, "x".repeat(20_000))));
        assertEquals("ok", client.request("echo", LONG, String.class, "ok"));
    }

    // ---- who may connect

    @Test
    void theRightPasswordIsLetIn() throws Exception {
        NodeServer server = server(Map.of("password", "secret"));
        LiveClient client = client(server, c -> c.auth(Map.of("password", "secret")));
        String id = client.connect().get(20, TimeUnit.SECONDS).id();
        assertEquals(id, server.await("connected").get("id").stringValue());
        assertEquals(id, client.id().orElseThrow());
        assertTrue(client.isConnected());
    }

    @Test
    void theAuthIsAskedForAtEachConnection() throws Exception {
        NodeServer server = server(Map.of());
        var tickets = new AtomicInteger();
        LiveClient client =
                client(server, c -> c.auth(() -> Map.of("ticket", tickets.incrementAndGet())));
        client.connect().get(20, TimeUnit.SECONDS);
        client.send("cut");
        for (int i = 1; i < 3; i++) {
            assertEquals(i, server.await("connected").get("auth").get("ticket").intValue());
        }
    }

    @Test
    void anAuthThatCannotBeHadIsTriedAgain() throws Exception {
        NodeServer server = server(Map.of());
        var tries = new AtomicInteger();
        LiveClient client =
                client(
                        server,
                        c ->
                                c.auth(
                                        () -> {
                                            if (tries.incrementAndGet() < 3) {
                                                throw new IllegalStateException("no ticket");
                                            }
                                            return Map.of("ticket", 1);
                                        }));
        client.connect().get(20, TimeUnit.SECONDS);
        assertEquals(3, tries.get());
        assertEquals("no ticket", log.next(IllegalStateException.class).getMessage());
        log.next(Reconnecting.class);
    }

    @Test
    void aRefusalThatIsNotForGoodIsTriedAgain() throws Exception {
        NodeServer server = server(Map.of());
        server.tell(Map.of("do", "busy", "times", 3));
        LiveClient client = client(server, c -> {});
        client.connect().get(20, TimeUnit.SECONDS);
        for (int i = 1; i < 4; i++) {
            assertEquals("busy", log.next(Refused.class).message());
            assertEquals(i, log.next(Reconnecting.class).attempt());
        }
        log.next(Connected.class);
        assertEquals("echo", client.request("echo", LONG, String.class, "echo"));
    }

    // ---- namespaces

    @Test
    void namespacesShareAConnection() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = client(server, c -> c.auth(Map.of("role", "admin")));
        LiveNamespace admin = client.namespace("/admin");
        var hello = new CompletableFuture<String>();
        admin.on("hello", String.class, hello::complete);
        admin.connect().get(20, TimeUnit.SECONDS);
        assertFalse(client.isConnected());
        client.connect().get(20, TimeUnit.SECONDS);
        assertEquals("admin", hello.get(20, TimeUnit.SECONDS));
        assertEquals("a", admin.request("echo", LONG, String.class, "a"));
        assertArrayEquals(
                new byte[3], admin.request("echo", LONG, byte[].class, (Object) new byte[3]));
        assertEquals("b", client.request("echo", LONG, String.class, "b"));
        server.await("connected");
        assertEquals(1, server.count("engine"));
        client.leave();
        assertEquals(Cause.CLOSED, awaitDisconnected().cause());
        assertEquals("c", admin.request("echo", LONG, String.class, "c"));
    }

    private Disconnected awaitDisconnected() {
        log.next(Connected.class);
        return log.next(Disconnected.class);
    }

    @Test
    void oneNamespaceRefusesAndTheOtherStays() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var admin = new Log().of(client.namespace("/admin"));
        var thrown =
                assertThrows(
                        ExecutionException.class,
                        () -> client.namespace("/admin").connect().get(20, TimeUnit.SECONDS));
        var refused = assertInstanceOf(RefusedException.class, thrown.getCause()).refused();
        assertEquals("unauthorized", refused.code());
        assertEquals("not an admin", refused.message());
        assertEquals(refused, admin.next(Refused.class));
        assertEquals("b", client.request("echo", LONG, String.class, "b"));
    }

    @Test
    void aNamespaceThatDoesNotExistIsARefusal() throws Exception {
        LiveClient client = client(server(Map.of()), c -> c.stopWhen(refused -> true));
        assertThrows(
                ExecutionException.class,
                () -> client.namespace("/nowhere").connect().get(20, TimeUnit.SECONDS));
    }

    // ---- after a cut

    @Test
    void aSessionIsRecoveredWithWhatWasMissed() throws Exception {
        NodeServer server = server(Map.of("options", Map.of("connectionStateRecovery", Map.of())));
        LiveClient client = client(server, c -> c.reconnect(Duration.ofMillis(200), LONG));
        var seen = new ConcurrentLinkedQueue<Integer>();
        client.on("n", Integer.class, seen::add);
        String id = client.connect().get(20, TimeUnit.SECONDS).id();
        log.next(Connected.class);
        for (int i = 0; i < 3; i++) {
            server.tell(Map.of("do", "emit", "event", "n", "args", List.of(i)));
        }
        Log.until("three have come", () -> seen.size() == 3);
        server.tell("cut");
        assertEquals(Cause.LOST, log.next(Disconnected.class).cause());
        for (int i = 3; i < 10; i++) {
            server.tell(Map.of("do", "emit", "event", "n", "args", List.of(i)));
        }
        log.next(Reconnecting.class);
        Connected again = log.next(Connected.class);
        assertTrue(again.recovered());
        assertEquals(id, again.id());
        Log.until("ten have come", () -> seen.size() == 10);
        assertEquals(IntStream.range(0, 10).boxed().toList(), List.copyOf(seen));
    }

    @Test
    void aServerThatComesAgainIsFoundAndSentWhatWaited() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = connected(server);
        server.close();
        assertTrue(log.next(Disconnected.class).returns());
        assertTrue(client.send("tell", "one"));
        assertTrue(client.send("tell", "two"));
        NodeServer again = server(Map.of("port", server.port));
        assertEquals("one", again.await("told").get("text").stringValue());
        assertEquals("two", again.await("told").get("text").stringValue());
        assertEquals("x", client.request("echo", LONG, String.class, "x"));
    }

    @Test
    void whatIsSentBeforeTheFirstConnectionWaitsToo() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = client(server, c -> {});
        assertTrue(client.send("tell", "early"));
        client.connect();
        assertEquals("x", client.request("echo", LONG, String.class, "x"));
        assertEquals("early", server.await("told").get("text").stringValue());
    }

    @Test
    void aRequestWhoseConnectionIsLostIsNotAnswered() throws Exception {
        LiveClient client = connected(server(Map.of()));
        var kind =
                CompletableFuture.supplyAsync(
                        () -> kind(() -> client.request("never", LONG, String.class)));
        Log.until("it waits", () -> client.asks());
        client.send("cut");
        assertEquals(Kind.CLOSED, kind.get(10, TimeUnit.SECONDS));
    }

    @Test
    void anEngineThatClosesIsComeBackTo() throws Exception {
        LiveClient client = connected(server(Map.of()));
        client.send("close-engine");
        assertEquals(Cause.LOST, log.next(Disconnected.class).cause());
        log.next(Reconnecting.class);
        log.next(Connected.class);
    }

    @Test
    void aKickIsNotComeBackFromByItself() throws Exception {
        for (String how : List.of("kick", "kick-all")) {
            NodeServer server = server(Map.of());
            LiveClient client = connected(server);
            client.send(how);
            assertEquals(new Disconnected(Cause.KICKED, "", false), log.next(Disconnected.class));
            client.connect().get(20, TimeUnit.SECONDS);
            log.next(Connected.class);
            assertEquals("x", client.request("echo", LONG, String.class, "x"));
            assertTrue(log.told.isEmpty(), log.told::toString);
            client.close();
            log.next(Disconnected.class);
        }
    }

    @Test
    void withoutReconnectALossIsTheEnd() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = client(server, LiveClientSettings::noReconnect);
        client.connect().get(20, TimeUnit.SECONDS);
        log.next(Connected.class);
        server.close();
        assertFalse(log.next(Disconnected.class).returns());
        var thrown =
                assertThrows(
                        ExecutionException.class, () -> client.connect().get(20, TimeUnit.SECONDS));
        assertTrue(thrown.getMessage().contains("refused"), thrown::getMessage);
    }

    // ---- the end

    @Test
    void whatWasSentBeforeCloseArrives() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = connected(server);
        for (int i = 0; i < 500; i++) {
            client.send("tell", "number " + i);
        }
        client.close();
        for (int i = 0; i < 500; i++) {
            assertEquals("number " + i, server.await("told").get("text").stringValue());
        }
        assertEquals(
                "client namespace disconnect",
                server.await("disconnected").get("reason").stringValue());
        assertEquals(Cause.CLOSED, log.next(Disconnected.class).cause());
        assertFalse(client.send("tell", "late"));
        assertEquals(Kind.CLOSED, kind(() -> client.request("echo", LONG, String.class, "x")));
        assertThrows(ExecutionException.class, () -> client.connect().get(1, TimeUnit.SECONDS));
        client.close();
    }

    @Test
    void aHandlerMayCloseItsClient() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = connected(server);
        client.on("echo", arguments -> client.close());
        client.send("echo");
        assertEquals(Cause.CLOSED, log.next(Disconnected.class).cause());
        server.await("disconnected");
        client.close();
    }
}
