// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.WebSocket;
import io.sirocco.live.Arguments;
import io.sirocco.live.RequestException;
import io.sirocco.live.RequestException.Kind;
import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** LiveClient at a server that does as it is told, on a clock that is moved by hand. */
@Timeout(60)
class LinkFaultsTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final ManualClock clock = new ManualClock();
    private final ScriptedServer server = new ScriptedServer();
    private final Log log = new Log();
    private final List<LiveClient> open = new ArrayList<>();

    @AfterEach
    void stop() {
        for (LiveClient client : open) {
            Thread closing = Thread.ofVirtual().start(client::close);
            Log.until("it is closed", () -> isOver(closing));
        }
        server.close();
    }

    private boolean isOver(Thread closing) {
        clock.advance(1_000);
        return !closing.isAlive();
    }

    private LiveClient client(Consumer<LiveClientSettings> configure) {
        LiveClient client =
                LiveClient.create(
                        server.url(),
                        c -> {
                            c.clock(clock).reconnect(Duration.ofSeconds(4), Duration.ofSeconds(8));
                            configure.accept(c);
                        });
        open.add(client);
        log.of(client);
        return client;
    }

    private LiveClient joined(Consumer<LiveClientSettings> configure) {
        LiveClient client = client(configure);
        client.connect();
        server.join();
        log.next(Connected.class);
        return client;
    }

    private LiveClient joined() {
        return joined(c -> {});
    }

    // ---- time

    @Test
    void aServerThatFallsSilentIsLeft() {
        joined();
        clock.advance(44_000);
        server.say("2");
        assertEquals("3", server.next());
        clock.advance(44_000); // 45 s have to pass since the ping
        server.say("2x");
        assertEquals("3x", server.next());
        clock.advance(46_000);
        assertEquals(Cause.SILENT, log.next(Disconnected.class).cause());
        Reconnecting next = log.next(Reconnecting.class);
        assertTrue(next.delay().toMillis() >= 2_000 && next.delay().toMillis() <= 4_000);
        assertEquals("closed 1000", server.next());
        clock.advance(4_500);
        server.join();
        log.next(Connected.class);
    }

    @Test
    void aServerThatDoesNotOpenIsLeft() {
        client(c -> {}).connect();
        server.accept();
        clock.advance(10_500);
        assertTrue(log.next(Reconnecting.class).why().contains("within 10000 ms"));
        assertTrue(server.next().startsWith("closed"));
    }

    @Test
    void aServerThatDoesNotAnswerConnectIsLeft() {
        client(c -> {}).connect();
        server.accept();
        server.say(ScriptedServer.OPEN);
        assertEquals("40{}", server.next());
        clock.advance(10_500);
        assertTrue(log.next(Reconnecting.class).why().contains("CONNECT"));
    }

    @Test
    void delaysDoubleUpToTheirLimitAndBeginAnewWithAConnection() {
        joined();
        for (int round = 0; round < 2; round++) {
            server.say("1");
            log.next(Disconnected.class);
            for (long most : new long[] {4_000, 8_000, 8_000}) {
                Reconnecting next = log.next(Reconnecting.class);
                long delay = next.delay().toMillis();
                assertTrue(delay >= most / 2 && delay <= most, next::toString);
                clock.advance(delay + 500); // long delays come coarse
                server.accept();
                server.say("not Engine.IO");
            }
            log.next(Reconnecting.class);
            clock.advance(8_500);
            server.join();
            log.next(Connected.class);
        }
    }

    // ---- what is no protocol

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "8",
                "x",
                "4",
                "49",
                "4x",
                "42",
                "42{}",
                "42[",
                "42[]",
                "42[1]",
                "42[\"a\"]x",
                "43[1]",
                "43",
                "40[]",
                "41{}",
                "44",
                "44[1]",
                "45[\"a\"]",
                "45-[\"a\"]",
                "4517-[\"a\"]",
                "42" + "1234567890123456" + "[\"a\"]",
                "0{}",
                ScriptedServer.OPEN
            })
    void whatIsNoPacketEndsTheConnectionAndNoMore(String text) {
        joined();
        server.say(text);
        assertEquals(Cause.MALFORMED, log.next(Disconnected.class).cause());
        log.next(Reconnecting.class);
        clock.advance(4_500);
        server.join();
        log.next(Connected.class);
    }

    @Test
    void bytesWithoutAnAnnouncementToo() {
        joined();
        server.say(new byte[1]);
        assertEquals(Cause.MALFORMED, log.next(Disconnected.class).cause());
    }

    @Test
    void textWhereBytesWereAnnouncedToo() {
        joined();
        server.say("451-[\"a\",{\"_placeholder\":true,\"num\":0}]", "42[\"a\"]");
        assertEquals(Cause.MALFORMED, log.next(Disconnected.class).cause());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "-1", "\"0\"", "null", "0.5"})
    void aPlaceholderForOtherBytesToo(String number) {
        joined();
        server.say("451-[\"a\",{\"_placeholder\":true,\"num\":" + number + "}]");
        server.say(new byte[1]);
        assertEquals(Cause.MALFORMED, log.next(Disconnected.class).cause());
    }

    @Test
    void aMessageAboveTheLimitToo() {
        joined(c -> c.maxMessage(1_000));
        server.say("42[\"" + "x".repeat(1_000) + "\"]");
        assertEquals(Cause.MALFORMED, log.next(Disconnected.class).cause());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"sid\":1}", "[]", "{\"pingInterval\":0,\"pingTimeout\":1}"})
    void anOpenWithoutItsNumbersToo(String data) {
        client(c -> {}).connect();
        server.accept();
        server.say("0" + data);
        log.next(Reconnecting.class);
    }

    @Test
    void aServerOfSocketIo2IsNamed() {
        client(c -> {}).connect();
        server.accept();
        server.say(ScriptedServer.OPEN);
        assertEquals("40{}", server.next());
        server.say("40");
        assertTrue(log.next(Reconnecting.class).why().contains("Socket.IO 2"));
    }

    @Test
    void bytesAreAttachedAndDetached() throws Exception {
        LiveClient client = joined();
        var photos = new LinkedBlockingQueue<Arguments>();
        client.on("photo", photos::add);
        server.say(
                "452-[\"photo\",{\"a\":{\"_placeholder\":true,\"num\":1}},"
                        + "{\"_placeholder\":true,\"num\":0}]");
        server.say(new byte[] {1});
        server.say(new byte[] {2});
        Arguments photo = photos.poll(20, TimeUnit.SECONDS);
        assertArrayEquals(new byte[] {1}, photo.asBytes(1));
        client.send("two", List.of(new byte[] {3}, "x"), new byte[] {4});
        assertEquals(
                "452-[\"two\",[{\"_placeholder\":true,\"num\":0},\"x\"],{\"_placeholder\":true,\"num\":1}]",
                server.next());
        assertEquals("03", server.next());
        assertEquals("04", server.next());
    }

    @Test
    void newsOfNamespacesThatNobodyHasIsPassedOver() {
        joined();
        server.say("42/other,[\"a\"]", "41/other,", "44{\"message\":\"x\"}");
        server.say("2");
        assertEquals("3", server.next());
        assertTrue(log.told.isEmpty(), log.told::toString);
    }

    // ---- recovery

    @Test
    void whoComesBackSaysWhereItWas() {
        LiveClient client = client(c -> c.auth(java.util.Map.of("k", 1)));
        client.connect();
        server.accept();
        server.say(ScriptedServer.OPEN);
        assertEquals("40{\"k\":1}", server.next());
        server.say(
                "40{\"sid\":\"s\",\"pid\":\"p\"}", "42[\"a\",1,\"o1\"]", "427[\"b\",\"no\"]", "1");
        log.next(Connected.class);
        server.next(); // the answer to b
        again("40{\"pid\":\"p\",\"offset\":\"o1\",\"k\":1}", "40{\"sid\":\"s\",\"pid\":\"p\"}");
        assertTrue(log.next(Connected.class).recovered());
        server.say("1");
        again("40{\"pid\":\"p\",\"offset\":\"o1\",\"k\":1}", "40{\"sid\":\"t\",\"pid\":\"q\"}");
        assertFalse(log.next(Connected.class).recovered());
        server.say("1");
        again("40{\"pid\":\"q\",\"k\":1}", "40{\"sid\":\"u\"}");
        assertFalse(log.next(Connected.class).recovered());
        server.say("1");
        again("40{\"k\":1}", "40{\"sid\":\"v\"}");
    }

    private void again(String asked, String answer) {
        log.next(Disconnected.class);
        log.next(Reconnecting.class);
        clock.advance(4_500);
        server.accept();
        server.say(ScriptedServer.OPEN);
        assertEquals(asked, server.next());
        server.say(answer);
    }

    // ---- bounds

    @Test
    void whatWaitsForAConnectionIsBoundedAndTheNewestGoes() {
        LiveClient client = client(c -> c.offline(3, 10_000, Overflow.DROP_NEWEST));
        for (int i = 0; i < 10; i++) {
            assertEquals(i < 3, client.send("n", i));
        }
        assertEquals(7, client.dropped());
        client.connect();
        server.join();
        for (int i = 0; i < 3; i++) {
            assertEquals("42[\"n\"," + i + "]", server.next());
        }
    }

    @Test
    void orTheOldest() {
        LiveClient client = client(c -> c.offline(3, 10_000, Overflow.DROP_OLDEST));
        var asked =
                CompletableFuture.supplyAsync(
                        () ->
                                assertThrows(
                                        RequestException.class,
                                        () -> client.request("r", LONG, String.class)));
        Log.until("it waits", client::asks);
        Log.until("the request has been displaced", () -> client.send("n", 0) && asked.isDone());
        assertEquals(Kind.CLOSED, asked.join().kind());
        for (int i = 1; i < 10; i++) {
            assertTrue(client.send("n", i));
        }
        client.connect();
        server.join();
        for (int i = 7; i < 10; i++) {
            assertEquals("42[\"n\"," + i + "]", server.next());
        }
    }

    @Test
    void bytesAreBoundedToo() {
        LiveClient client = client(c -> c.offline(1_000, 1_000, Overflow.DROP_NEWEST));
        assertTrue(client.send("n", "x".repeat(500)));
        assertFalse(client.send("n", "x".repeat(500)));
        assertTrue(client.send("n", "x".repeat(300)));
    }

    @Test
    void requestsAreBounded() {
        LiveClient client = client(c -> c.requests(2));
        var waiting = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                waiting.incrementAndGet();
                                client.request("r", LONG, Void.class);
                                waiting.decrementAndGet();
                            });
        }
        client.connect();
        server.join();
        String first = server.next();
        String second = server.next();
        var thrown =
                assertThrows(RequestException.class, () -> client.request("r", LONG, Void.class));
        assertEquals("limited", thrown.code());
        server.say("43" + first.charAt(2) + "[]", "43" + second.charAt(2) + "[]");
        Log.until("both are answered", () -> waiting.get() == 0);
    }

    @Test
    void aRequestThatTimesOutBeforeItIsSentIsNotSent() {
        LiveClient client = client(c -> {});
        assertThrows(
                RequestException.class,
                () -> client.request("late", Duration.ofMillis(10), Void.class));
        client.send("n");
        client.connect();
        server.join();
        assertEquals("42[\"n\"]", server.next());
    }

    @Test
    void anAnswerThatNobodyWaitsForIsPassedOver() throws InterruptedException {
        LiveClient client = joined();
        var gone = new CompletableFuture<RequestException>();
        Thread asks =
                Thread.ofVirtual()
                        .start(
                                () ->
                                        gone.complete(
                                                assertThrows(
                                                        RequestException.class,
                                                        () ->
                                                                client.request(
                                                                        "late",
                                                                        LONG,
                                                                        Void.class))));
        assertEquals("420[\"late\"]", server.next());
        asks.interrupt();
        asks.join();
        assertEquals(Kind.CLOSED, gone.join().kind());
        server.say("430[1]", "4399[1]", "2");
        assertEquals("3", server.next());
        assertTrue(log.told.isEmpty(), log.told::toString);
    }

    /** With a connection, {@code send} waits while the server reads nothing. */
    @Test
    void sendWaitsForAServerThatDoesNotRead() throws Exception {
        LiveClient client = client(c -> c.offline(10, 100_000, Overflow.DROP_NEWEST));
        client.connect();
        WebSocket socket = server.accept();
        server.say(ScriptedServer.OPEN);
        server.next();
        server.say(ScriptedServer.JOINED);
        log.next(Connected.class);
        socket.pause();
        var sent = new AtomicInteger();
        int all = 400;
        Thread sender =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    for (int i = 0; i < all; i++) {
                                        if (client.send("n", "x".repeat(50_000))) {
                                            sent.incrementAndGet();
                                        }
                                    }
                                });
        Log.until(
                "it waits",
                () -> sender.getState() == Thread.State.TIMED_WAITING && sent.get() > 10);
        assertTrue(sent.get() < all, () -> sent + " are sent");
        socket.resume();
        sender.join();
        assertEquals(all, sent.get());
        for (int i = 0; i < all; i++) {
            assertEquals(50_010, server.next().length());
        }
    }
}
