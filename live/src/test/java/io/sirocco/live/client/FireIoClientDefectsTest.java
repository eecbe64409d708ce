// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.net.Loops;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was wrong with the Java client of Fire-IO, defect by defect, and is not with ours. */
@Tag("peers")
@Timeout(90)
class FireIoClientDefectsTest {
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Log log = new Log();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private NodeServer server(Map<String, ?> options) {
        var server = new NodeServer(options);
        open.add(server);
        return server;
    }

    private LiveClient client(String url) {
        LiveClient client =
                LiveClient.create(
                        url, c -> c.reconnect(Duration.ofMillis(1), Duration.ofMillis(20)));
        open.add(client);
        log.of(client);
        return client;
    }

    private LiveClient connected(NodeServer server) throws Exception {
        LiveClient client = client(server.url());
        client.connect().get(20, TimeUnit.SECONDS);
        log.next(Connected.class);
        return client;
    }

    /** It had no event then, and took it for a time-out five seconds later. */
    @Test
    void aCleanCloseByTheServerIsTold() throws Exception {
        LiveClient client = connected(server(Map.of()));
        client.send("kick");
        assertEquals(new Disconnected(Cause.KICKED, "", false), log.next(Disconnected.class));
    }

    /** A client that was closed while it waited to come back went on connecting for ever. */
    @Test
    void closeEndsWhatWouldReconnect() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        NodeServer server = server(Map.of());
        LiveClient client = connected(server);
        server.close();
        log.next(Disconnected.class);
        for (int i = 0; i < 5; i++) {
            log.next(Reconnecting.class);
        }
        client.close();
        log.told.clear();
        NodeServer again = server(Map.of("port", server.port));
        assertTrue(newThreads(before).isEmpty(), () -> newThreads(before).toString());
        assertEquals(0, again.count("engine"));
        assertTrue(log.told.isEmpty(), log.told::toString);
    }

    /** Two signals of one loss started two loops, each of which connected. */
    @Test
    void oneLossStartsOneAttemptHoweverOftenItIsNoticed() {
        try (var server = new ScriptedServer()) {
            client(server.url()).connect();
            int rounds = 30;
            for (int i = 0; i < rounds; i++) {
                server.join();
                log.next(Connected.class);
                server.say("1", "41", "nonsense", "42[", "1"); // and the end of the connection
                assertEquals(Cause.LOST, log.next(Disconnected.class).cause());
                assertEquals(1, log.next(Reconnecting.class).attempt());
            }
            server.join();
            log.next(Connected.class);
            assertEquals(rounds + 1, server.connections.get());
            assertTrue(log.told.isEmpty(), log.told::toString);
            open.removeLast().close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Its threads kept the JVM alive. */
    @Test
    void aJvmEndsBehindClose() throws Exception {
        NodeServer server = server(Map.of());
        Process program =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                EndsByItself.class.getName(),
                                server.url())
                        .redirectErrorStream(true)
                        .start();
        try {
            assertTrue(program.waitFor(30, TimeUnit.SECONDS), "it has not ended");
            String said = new String(program.getInputStream().readAllBytes());
            assertEquals(0, program.exitValue(), said);
            assertTrue(said.contains("closed"), said);
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void noThreadIsLeftBehindClose() throws Exception {
        NodeServer server = server(Map.of());
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        LiveClient client = connected(server);
        client.on("echo", arguments -> Thread.sleep(1));
        client.send("echo", 1);
        client.request("echo", Duration.ofSeconds(20), Integer.class, 1);
        assertEquals(1, newThreads(before).size(), () -> newThreads(before).toString());
        client.close();
        Log.until("the thread has ended, too", () -> newThreads(before).isEmpty());
    }

    /** Those that are ours: the JDK keeps some of its own for virtual threads. */
    private static Set<Thread> newThreads(Set<Thread> before) {
        var now = new HashSet<>(Thread.getAllStackTraces().keySet());
        now.removeAll(before);
        now.removeIf(
                thread ->
                        thread.isDaemon()
                                && Stream.of("ForkJoinPool", "VirtualThread", "process reaper")
                                        .anyMatch(thread.getName()::startsWith));
        return now;
    }

    /** Each client had four. */
    @Test
    void aHundredClientsNeedNoThreadButTheLoops() throws Exception {
        NodeServer server = server(Map.of());
        try (Loops loops = Loops.start(s -> s.loops(1).withoutWatchdog())) {
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            var clients = new ArrayList<LiveClient>();
            var all = new ArrayList<CompletableFuture<Connected>>();
            for (int i = 0; i < 100; i++) {
                LiveClient client = LiveClient.create(server.url(), c -> c.loops(loops));
                clients.add(client);
                all.add(client.connect());
            }
            for (CompletableFuture<Connected> each : all) {
                each.get(30, TimeUnit.SECONDS);
            }
            assertTrue(newThreads(before).isEmpty(), () -> newThreads(before).toString());
            clients.forEach(LiveClient::close);
        }
    }

    /** {@code Thread.stop} was its way to end a handler. */
    @Test
    void aHandlerThatDoesNotEndIsInterruptedByClose() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client =
                LiveClient.create(server.url(), c -> c.closeTimeout(Duration.ofMillis(100)));
        var running = new CountDownLatch(1);
        var interrupted = new CompletableFuture<Boolean>();
        client.on(
                "echo",
                arguments -> {
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.complete(true);
                    }
                });
        client.connect();
        client.send("echo", 1);
        assertTrue(running.await(20, TimeUnit.SECONDS));
        client.close();
        assertTrue(interrupted.get(20, TimeUnit.SECONDS));
    }

    /** Its handlers were given null for whom to answer. */
    @Test
    void aHandlerHasWhomToAnswer() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = connected(server);
        client.on("echo", String.class, text -> client.send("tell", "heard " + text));
        client.send("echo", "you");
        assertEquals("heard you", server.await("told").get("text").stringValue());
    }

    /** It tried a wrong password without end. */
    @Test
    void aWrongPasswordIsTriedOnce() throws Exception {
        NodeServer server = server(Map.of("password", "secret"));
        LiveClient client = client(server.url());
        var thrown =
                assertThrows(
                        ExecutionException.class, () -> client.connect().get(20, TimeUnit.SECONDS));
        Refused refused = assertInstanceOf(RefusedException.class, thrown.getCause()).refused();
        assertEquals("wrong password", refused.message());
        assertEquals("unauthorized", refused.code());
        assertEquals(refused, log.next(Refused.class));
        server.await("refused");
        client.close();
        assertEquals(1, server.count("refused"));
        assertTrue(log.told.isEmpty(), log.told::toString);
    }

    /** Nor does it come back to a server that says so before it is one. */
    @Test
    void aForbiddenConnectionIsTriedOnce() throws Exception {
        try (var server = new ServerSocket(0, 10, InetAddress.ofLiteral("127.0.0.1"))) {
            LiveClient client = client("http://127.0.0.1:" + server.getLocalPort());
            CompletableFuture<Connected> connecting = client.connect();
            answer(server, "HTTP/1.1 403 Forbidden");
            var thrown =
                    assertThrows(
                            ExecutionException.class, () -> connecting.get(20, TimeUnit.SECONDS));
            Refused refused = assertInstanceOf(RefusedException.class, thrown.getCause()).refused();
            assertEquals("http_403", refused.code());
            client.close();
            server.setSoTimeout(1);
            assertThrows(java.net.SocketTimeoutException.class, server::accept);
        }
    }

    /** After one redirect it knew no other server any more. */
    @Test
    void eachAttemptGoesToTheServerThatWasGiven() throws Exception {
        try (var server = new ServerSocket(0, 10, InetAddress.ofLiteral("127.0.0.1"))) {
            client("http://127.0.0.1:" + server.getLocalPort()).connect();
            for (int i = 1; i < 5; i++) {
                answer(server, "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/");
                Reconnecting next = log.next(Reconnecting.class);
                assertEquals(i, next.attempt());
                assertTrue(next.why().contains("307"), next::why);
            }
            open.removeLast().close();
        }
    }

    private static void answer(ServerSocket server, String head) throws Exception {
        try (Socket socket = server.accept()) {
            InputStream in = socket.getInputStream();
            var request = new StringBuilder();
            while (!request.toString().endsWith("\r\n\r\n")) {
                request.append((char) in.read());
            }
            socket.getOutputStream()
                    .write((head + "\r\nContent-Length: 0\r\n\r\n").getBytes(ISO_8859_1));
            socket.shutdownOutput();
            assertEquals(-1, in.read());
        }
    }

    /** What was sent without a connection was lost, or threw. */
    @Test
    void whatIsSentWithoutAConnectionIsKept() throws Exception {
        NodeServer server = server(Map.of());
        LiveClient client = client(server.url());
        assertTrue(client.send("tell", "kept"));
        assertFalse(client.isConnected());
        client.connect();
        assertEquals("kept", server.await("told").get("text").stringValue());
    }
}
