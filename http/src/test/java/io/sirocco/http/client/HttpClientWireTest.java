// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.BodySource;
import io.sirocco.http.Headers;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.http.h1.HostileResponses;
import io.sirocco.http.h1.HostileResponses.Hostile;
import io.sirocco.http.h1.ResponseError;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.Protocol;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The client against bytes: what it sends exactly, and what it makes of what it is sent. */
@ParameterizedClass
@EnumSource(
        value = TransportKind.class,
        names = {"IO_URING", "EPOLL"})
@Timeout(60)
class HttpClientWireTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private static final Duration BRIEF = Duration.ofSeconds(2);

    @Parameter TransportKind transport;
    private Loops loops;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException {
        loops = Loops.start(s -> s.loops(1).transport(transport).longTurnMillis(0));
        client = HttpClient.on(loops, s -> {});
    }

    @AfterEach
    void stop() {
        client.close(Duration.ZERO);
        loops.close();
    }

    private HttpClient with(java.util.function.Consumer<HttpClientSettings> settings) {
        return HttpClient.on(loops, settings);
    }

    private static Reason reason(Executable sends) {
        return assertThrows(HttpClientException.class, sends).reason();
    }

    private static void until(String what, BooleanSupplier happened) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!happened.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "not in time: " + what);
            LockSupport.parkNanos(100_000);
        }
    }

    private static ClientRequest get(ScriptedServer server) {
        return ClientRequest.get(server.url() + "/");
    }

    // ---- hostile servers

    @Test
    void aHostileResponseEndsInItsNamedError() throws Exception {
        var wrong = new ArrayList<String>();
        List<Hostile> all = HostileResponses.all();
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            String request = peer.request();
                            int which = Integer.parseInt(request.split("[/ ]+")[1]);
                            Hostile hostile = all.get(which);
                            peer.send(hostile.bytes());
                            while (hostile.endless()) {
                                peer.send(HostileResponses.refrain(hostile));
                            }
                            peer.socket.shutdownOutput();
                            peer.awaitEnd();
                        })) {
            for (int i = 0; i < all.size(); i++) {
                Hostile hostile = all.get(i);
                Reason reason;
                try {
                    ClientResponse response =
                            client.send(ClientRequest.get(server.url() + "/" + i));
                    response.body()
                            .inputStream()
                            .transferTo(java.io.OutputStream.nullOutputStream());
                    reason = null;
                } catch (HttpClientException e) {
                    reason = e.reason();
                }
                if (reason != Reason.of(hostile.error())) {
                    wrong.add(hostile.name() + ": " + reason + ", not " + hostile.error());
                }
            }
            assertEquals(List.of(), wrong);
            until("no connection is kept", () -> client.stats().connections() == 0);
            assertEquals(List.of(), List.copyOf(server.failures));
            assertTrue(all.size() > 50);
        }
    }

    @Test
    void everyRuleOfTheParserHasAReason() {
        for (ResponseError each : ResponseError.values()) {
            assertNotNull(Reason.of(each), each.name());
            assertEquals(each.name(), Reason.of(each).name());
            assertEquals(each.source(), Reason.of(each).source());
        }
    }

    @Test
    void bytesBehindAResponseCloseTheConnection() throws Exception {
        String split = OK + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            while (!peer.request().isEmpty()) {
                                peer.send(number == 0 ? split : OK);
                            }
                        })) {
            for (int i = 0; i < 3; i++) {
                assertEquals("ok", client.send(get(server)).body().text());
            }
            assertEquals(2, client.stats().opened());
        }
    }

    /** A read of the transport ends where the response does, and the bytes behind it come later. */
    @ParameterizedTest
    @ValueSource(ints = {4 << 10, 16 << 10, 64 << 10})
    void bytesBehindAResponseAreNoResponseToARequestThatWaits(int size) throws Exception {
        String head = "HTTP/1.1 200 OK\r\nContent-Length: %06d\r\n\r\n";
        int length = size - head.formatted(0).length();
        String whole = head.formatted(length) + "a".repeat(length);
        String evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
        var asked = new CompletableFuture<Void>();
        var waits = new CompletableFuture<Void>();
        var all = new CompletableFuture<Void>();
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    while (!peer.request().isEmpty()) {
                                        asked.complete(null);
                                        waits.join();
                                        peer.send(number == 0 ? whole + evil : OK);
                                        all.complete(null);
                                    }
                                });
                HttpClient narrow = with(s -> s.maxConnectionsPerOrigin(1))) {
            var first = narrow.sendAsync(get(server)).thenCompose(r -> r.body().bytesAsync());
            asked.get();
            var second = narrow.sendAsync(get(server)).thenCompose(r -> r.body().bytesAsync());
            loops.all()
                    .getFirst()
                    .execute( // it sees all that was sent, in one turn
                            () -> {
                                waits.complete(null);
                                all.join();
                            });
            assertEquals(length, first.get().length);
            assertEquals("ok", new String(second.get(), ISO_8859_1));
        }
    }

    @Test
    void bytesOnAnIdleConnectionCloseIt() throws Exception {
        var sends = new CompletableFuture<Void>();
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            peer.request();
                            peer.send(OK);
                            sends.join();
                            peer.send(OK.replace("ok", "no"));
                            peer.awaitEnd();
                        })) {
            assertEquals("ok", client.send(get(server)).body().text());
            sends.complete(null);
            until("it is closed", () -> client.stats().connections() == 0);
        }
    }

    @Test
    void aBodyOfAnotherResponseIsNoBody() throws Exception {
        try (var server =
                ScriptedServer.answering("HTTP/1.1 304 N\r\nContent-Length: 2\r\n\r\nok")) {
            assertEquals("", client.send(get(server)).body().text());
            var head = ClientRequest.of("HEAD", server.url() + "/");
            assertEquals("", client.send(head).body().text());
            until("none is kept", () -> client.stats().connections() == 0);
        }
    }

    @Test
    void aResetInTheBodyIsNoEndOfIt() throws Exception {
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            peer.request();
                            peer.send("HTTP/1.1 200 OK\r\n\r\nabc");
                            assertEquals('!', peer.in.read());
                            peer.reset();
                        })) {
            ClientResponse response =
                    client.send(
                            ClientRequest.post(server.url() + "/").body(1, this::awaitThenWrite));
            InputStream in = response.body().inputStream();
            assertEquals("abc", new String(in.readNBytes(3), ISO_8859_1));
            go.complete(null);
            assertEquals(Reason.BODY_TRUNCATED, reason(in::read));
        }
    }

    private final CompletableFuture<Void> go = new CompletableFuture<>();

    private void awaitThenWrite(java.io.OutputStream out) throws IOException {
        go.join();
        out.write('!');
    }

    // ---- what is sent

    @Test
    void requestsLookLikeThis() throws Exception {
        var requests = new ConcurrentLinkedQueue<String>();
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            String head = peer.request();
                            int length =
                                    head.contains("Content-Length: ")
                                            ? Integer.parseInt(
                                                    head.replaceAll(
                                                            "(?s).*Content-Length: ([0-9]+).*",
                                                            "$1"))
                                            : 0;
                            String body = new String(peer.in.readNBytes(length), ISO_8859_1);
                            var chunks = new StringBuilder();
                            while (head.contains("chunked") && chunks.indexOf("\r\n\r\n") < 0) {
                                chunks.append((char) peer.in.read());
                            }
                            requests.add(head + body + chunks);
                            peer.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
                        })) {
            String url = server.url();
            String host = "Host: " + url.substring(7) + "\r\n";
            var post = ClientRequest.post(url + "/p");
            record Sent(ClientRequest request, String bytes) {}
            List<Sent> all =
                    List.of(
                            new Sent(ClientRequest.get(url), "GET / HTTP/1.1\r\n" + host + "\r\n"),
                            new Sent(
                                    ClientRequest.get(url + "?a=b#c"),
                                    "GET /?a=b HTTP/1.1\r\n" + host + "\r\n"),
                            new Sent(
                                    ClientRequest.of("OPTIONS", url).target("*"),
                                    "OPTIONS * HTTP/1.1\r\n" + host + "\r\n"),
                            new Sent(
                                    ClientRequest.get(url)
                                            .header("Host", "other")
                                            .closeConnection(),
                                    "GET / HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n"),
                            new Sent(
                                    ClientRequest.get(url).header("TE", "trailers"),
                                    "GET / HTTP/1.1\r\n"
                                            + host
                                            + "TE: trailers\r\nConnection: TE\r\n\r\n"),
                            new Sent(
                                    post,
                                    "POST /p HTTP/1.1\r\n" + host + "Content-Length: 0\r\n\r\n"),
                            new Sent(
                                    post.body("abc"),
                                    "POST /p HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc"),
                            new Sent(
                                    post.body("abc").trailers(() -> Headers.of("A", "b")),
                                    "POST /p HTTP/1.1\r\n"
                                            + host
                                            + "Transfer-Encoding: chunked\r\n\r\n"
                                            + "3\r\nabc\r\n0\r\nA: b\r\n\r\n"),
                            new Sent(
                                    post.body(out -> out.write(new byte[] {'a', 'b'})),
                                    "POST /p HTTP/1.1\r\n"
                                            + host
                                            + "Transfer-Encoding: chunked\r\n\r\n"
                                            + "2\r\nab\r\n0\r\n\r\n"));
            for (Sent each : all) {
                assertEquals(204, client.send(each.request).status());
                assertEquals(each.bytes, requests.remove());
            }
        }
    }

    @Test
    void headersOfTheClientArePartOfTheRequest() throws Exception {
        var head = new CompletableFuture<String>();
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    head.complete(peer.request());
                                    peer.send("HTTP/1.1 204 No Content\r\n\r\n");
                                });
                HttpClient named = with(s -> s.header("Host", "a").header("TE", "trailers"))) {
            named.send(get(server));
            String one = "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE\r\n\r\n";
            assertEquals(one, head.get()); // RFC 9112 3.2: one Host; RFC 9110 10.1.4
        }
    }

    @Test
    void aHostThatIsNoneIsUnknown() {
        var nowhere = new HttpOrigin(false, "[", 80, java.util.Optional.empty());
        ClientRequest request = ClientRequest.get("http://localhost/").via(nowhere);
        assertEquals(Reason.UNKNOWN_HOST, reason(() -> client.send(request.timeout(BRIEF))));
        assertEquals(0, client.stats().connections());
    }

    // ---- connections that end

    @Test
    void aReusedConnectionThatWasClosedIsReplacedOnce() throws Exception {
        // each connection serves one request, and ends upon the second
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            peer.request();
                            peer.send(OK);
                            peer.request();
                        })) {
            assertEquals("ok", client.send(get(server)).body().text());
            assertEquals("ok", client.send(get(server)).body().text());
            var put = ClientRequest.put(server.url() + "/").body("abc");
            assertEquals("ok", client.send(put).body().text());
            assertEquals(2, client.stats().retries());
            assertEquals(3, server.accepted.get());
        }
    }

    @Test
    void whatMustNotBeSentTwiceIsNot() throws Exception {
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            peer.request();
                            peer.send(OK);
                            peer.request();
                        })) {
            var post = ClientRequest.post(server.url() + "/").body("abc");
            client.send(get(server)).body().text();
            assertEquals(Reason.CONNECTION_CLOSED, reason(() -> client.send(post)));
            client.send(get(server)).body().text();
            assertEquals("ok", client.send(post.idempotent()).body().text());
            var once = ClientRequest.put(server.url() + "/").body(out -> out.write(1));
            assertEquals(Reason.CONNECTION_CLOSED, reason(() -> client.send(once)));
            assertEquals(1, client.stats().retries());
        }
    }

    @Test
    void aNewConnectionIsNotReplaced() throws Exception {
        try (var server = new ScriptedServer((number, peer) -> peer.request())) {
            assertEquals(Reason.CONNECTION_CLOSED, reason(() -> client.send(get(server))));
            assertEquals(1, server.accepted.get());
        }
    }

    @Test
    void aByteOfAResponseRulesASecondTryOut() throws Exception {
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            peer.request();
                            peer.send(OK);
                            peer.request();
                            peer.send("H");
                        })) {
            client.send(get(server)).body().text();
            assertEquals(Reason.HEAD_TRUNCATED, reason(() -> client.send(get(server))));
            assertEquals(0, client.stats().retries());
        }
    }

    @Test
    void theAnnouncedKeepAliveIsKept() throws Exception {
        String head = "HTTP/1.1 204 N\r\nKeep-Alive: timeout=1, max=9\r\n\r\n";
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            peer.request();
                            peer.send(head);
                            peer.awaitEnd();
                        })) {
            assertEquals(204, client.send(get(server)).status());
            assertEquals(204, client.send(get(server)).status());
            assertEquals(2, client.stats().opened());
        }
    }

    @Test
    void anIdleConnectionIsClosedInTime() throws Exception {
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    peer.request();
                                    peer.send(OK);
                                    peer.awaitEnd();
                                });
                HttpClient brief = with(s -> s.keepAliveTimeout(Duration.ofMillis(30)))) {
            brief.send(get(server)).body().text();
            until("it is closed", () -> brief.stats().connections() == 0);
        }
    }

    // ---- bodies of requests

    @Test
    void aRefusalInsteadOf100SpareTheBody() throws Exception {
        var rest = new CompletableFuture<Integer>();
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            assertTrue(peer.request().contains("Expect: 100-continue\r\n"));
                            peer.send("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno");
                            rest.complete(peer.in.read());
                        })) {
            var post = ClientRequest.post(server.url() + "/").body("abc").expectContinue();
            ClientResponse response = client.send(post);
            assertEquals("417 no", response.status() + " " + response.body().text());
            assertEquals(-1, rest.get());
        }
    }

    @Test
    void aSourceThatIsNotAskedForItsBodyIsClosed() throws Exception {
        var closed = new ConcurrentLinkedQueue<String>();
        var source =
                new BodySource() {
                    @Override
                    public CompletableFuture<byte[]> next() {
                        return CompletableFuture.failedFuture(new AssertionError("asked"));
                    }

                    @Override
                    public void close() {
                        closed.add("closed");
                    }
                };
        try (var server =
                ScriptedServer.answering("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno")) {
            var post = ClientRequest.post(server.url() + "/").body(source).expectContinue();
            assertEquals("no", client.send(post).body().text());
            until("it is closed", () -> !closed.isEmpty());
            until("the connection, too", () -> client.stats().connections() == 0);
            assertEquals(1, closed.size());
        }
    }

    @Test
    void without100TheBodyIsSentAfterAWhile() throws Exception {
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    peer.request();
                                    assertEquals(
                                            "abc", new String(peer.in.readNBytes(3), ISO_8859_1));
                                    peer.send(OK);
                                });
                HttpClient brief = with(s -> s.continueTimeout(Duration.ofMillis(30)))) {
            var post = ClientRequest.post(server.url() + "/").body("abc").expectContinue();
            assertEquals("ok", brief.send(post).body().text());
            assertEquals(List.of(), List.copyOf(server.failures));
        }
    }

    @Test
    void anEarlyAnswerIsDelivered() throws Exception {
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            peer.request();
                            peer.send("HTTP/1.1 413 Large\r\nContent-Length: 2\r\n\r\nno");
                            peer.awaitEnd();
                        })) {
            var stopped = new CompletableFuture<Throwable>();
            var post =
                    ClientRequest.post(server.url() + "/")
                            .body(
                                    out -> {
                                        try {
                                            while (true) {
                                                out.write(new byte[1000]);
                                            }
                                        } catch (IOException e) {
                                            stopped.complete(e);
                                            throw e;
                                        }
                                    });
            ClientResponse response = client.send(post);
            assertEquals("413 no", response.status() + " " + response.body().text());
            assertTrue(stopped.get().getMessage().contains("over"), stopped.get().getMessage());
            until("it is closed", () -> client.stats().connections() == 0);
        }
    }

    @Test
    void aServerThatTakesNothingIsGivenUp() throws Exception {
        var done = new CompletableFuture<Void>();
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    peer.request();
                                    done.join();
                                });
                HttpClient brief = with(s -> s.bodyIdleTimeout(Duration.ofMillis(200)))) {
            var post =
                    ClientRequest.post(server.url() + "/")
                            .body(
                                    out -> {
                                        while (true) {
                                            out.write(new byte[10_000]);
                                        }
                                    });
            assertEquals(Reason.WRITE_TIMEOUT, reason(() -> brief.send(post)));
            done.complete(null);
        }
    }

    // ---- time

    @Test
    void aSilentServerIsGivenUp() throws Exception {
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    if (peer.request().startsWith("GET /body")) {
                                        peer.send(
                                                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
                                    } else {
                                        peer.send("HTTP/1.1 200 OK\r\nContent-Le");
                                    }
                                    peer.awaitEnd();
                                });
                HttpClient brief =
                        with(
                                s ->
                                        s.responseTimeout(Duration.ofMillis(500))
                                                .bodyIdleTimeout(Duration.ofMillis(50)))) {
            assertEquals(Reason.RESPONSE_TIMEOUT, reason(() -> brief.send(get(server))));
            ClientResponse response = brief.send(ClientRequest.get(server.url() + "/body"));
            assertEquals(Reason.BODY_TIMEOUT, reason(() -> response.body().text()));
            until("both are closed", () -> brief.stats().connections() == 0);
        }
    }

    /** The body of the request is not sent any more: it is no reason to wait. */
    @Test
    void aServerThatFallsSilentBehindAnEarlyResponseIsGivenUp() throws Exception {
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    boolean refuses = !peer.request().contains("Expect: ");
                                    peer.send(
                                            refuses ? "HTTP/1.1 413 L\r\n" : "HTTP/1.1 200 OK\r\n");
                                    peer.send("Content-Length: 9\r\n\r\nabc");
                                    peer.awaitEnd();
                                });
                HttpClient brief =
                        with(
                                s ->
                                        s.bodyIdleTimeout(Duration.ofMillis(50))
                                                .totalTimeout(Duration.ofSeconds(5)))) {
            ClientRequest post = ClientRequest.post(server.url() + "/");
            ClientResponse refused = brief.send(post.body(CompletableFuture::new));
            assertEquals(Reason.BODY_TIMEOUT, reason(() -> refused.body().text()));
            ClientResponse early = brief.send(post.body("body").expectContinue());
            assertEquals(Reason.BODY_TIMEOUT, reason(() -> early.body().text()));
        }
    }

    /** A byte now and then, or an interim response, is not what the timeout waits for. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "\r\n\r\nHTTP/1.1 102 P\r\nA: "})
    void aServerThatDripsIsGivenUp(String drop) throws Exception {
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 102 P\r\nA: ");
                                    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
                                    while (System.nanoTime() < end) {
                                        peer.send(drop);
                                        LockSupport.parkNanos(20_000_000);
                                    }
                                });
                HttpClient brief =
                        with(
                                s ->
                                        s.responseTimeout(Duration.ofMillis(200))
                                                .maxInterimResponses(10_000)
                                                .totalTimeout(Duration.ofSeconds(3)))) {
            assertEquals(Reason.RESPONSE_TIMEOUT, reason(() -> brief.send(get(server))));
        }
    }

    @Test
    void aSlowReaderIsNoSilentServer() throws Exception {
        byte[] body = new byte[1 << 20];
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    peer.request();
                                    peer.send(
                                            "HTTP/1.1 200 OK\r\nContent-Length: "
                                                    + body.length
                                                    + "\r\n\r\n");
                                    peer.send(body);
                                    peer.awaitEnd();
                                });
                HttpClient brief = with(s -> s.bodyIdleTimeout(Duration.ofMillis(50)))) {
            ClientResponse slow = brief.send(get(server));
            // others have their idle time several times over
            var other = new CompletableFuture<Void>();
            loops.all()
                    .getFirst()
                    .execute(
                            () -> loops.all().getFirst().schedule(200, () -> other.complete(null)));
            other.join();
            assertEquals(body.length, slow.body().bytes().length);
        }
    }

    @Test
    void aHandshakeHasItsTime() throws Exception {
        try (var silent = new ServerSocket(0);
                HttpClient brief = with(s -> s.tlsTimeout(Duration.ofMillis(100)))) {
            var request = ClientRequest.get("https://127.0.0.1:" + silent.getLocalPort() + "/");
            HttpClientException thrown =
                    assertThrows(HttpClientException.class, () -> brief.send(request));
            assertEquals(Reason.TLS_TIMEOUT, thrown.reason());
            assertTrue(thrown.isRetryable());
        }
        try (var plain = ScriptedServer.answering(OK)) {
            var request = ClientRequest.get(plain.url().replace("http:", "https:"));
            // it reads no request in what we send, and answers nothing
            try (HttpClient brief = with(s -> s.tlsTimeout(Duration.ofMillis(300)))) {
                Reason reason = reason(() -> brief.send(request));
                assertTrue(reason == Reason.TLS_TIMEOUT || reason == Reason.TLS_FAILED);
            }
        }
    }

    @Test
    void aHandshakeMayTakeLongerThanTheDefaults() throws Exception {
        var clock = new ManualClock();
        var hello = new CountDownLatch(1);
        try (var silent =
                        new ScriptedServer(
                                (number, peer) -> {
                                    peer.in.read();
                                    hello.countDown();
                                    peer.awaitEnd();
                                });
                Loops timed = timed(clock);
                HttpClient patient =
                        HttpClient.on(timed, s -> s.tlsTimeout(Duration.ofSeconds(60)))) {
            var response =
                    patient.sendAsync(
                            ClientRequest.get(silent.url().replace("http:", "https:") + "/"));
            hello.await();
            clock.advance(59_000);
            settle(timed);
            assertFalse(response.isDone());
            clock.advance(2_000);
            var thrown = assertThrows(ExecutionException.class, response::get);
            var why = assertInstanceOf(HttpClientException.class, thrown.getCause());
            assertEquals(Reason.TLS_TIMEOUT, why.reason());
            assertTrue(why.getMessage().contains("longer than 60000 ms"), why.getMessage());
        }
    }

    private Loops timed(ManualClock clock) throws IOException {
        return Loops.start(s -> s.loops(1).transport(transport).longTurnMillis(0).clock(clock));
    }

    /** Lets the loop finish the turn that it is in, and the next ones. */
    private static void settle(Loops loops) {
        for (int i = 0; i < 3; i++) {
            var turned = new CompletableFuture<Void>();
            loops.next().execute(() -> turned.complete(null));
            turned.join();
        }
    }

    @Test
    void aLoopThatStopsDuringTheHandshakeClosesTheClient() throws Exception {
        var hello = new CountDownLatch(1);
        try (var silent =
                new ScriptedServer(
                        (number, peer) -> {
                            peer.in.read();
                            hello.countDown();
                            peer.awaitEnd();
                        })) {
            var response =
                    client.sendAsync(
                            ClientRequest.get(silent.url().replace("http:", "https:") + "/"));
            hello.await();
            loops.close();
            var thrown = assertThrows(ExecutionException.class, response::get);
            var why = assertInstanceOf(HttpClientException.class, thrown.getCause());
            assertEquals(Reason.CLIENT_CLOSED, why.reason());
        }
    }

    @Test
    void aLoopThatStopsDuringAConnectClosesTheClient() throws Exception {
        // a backlog that is full: Linux drops what comes then
        try (var full = new ServerSocket(0, 1)) {
            var fillers = fill(full);
            var url = "http://127.0.0.1:" + full.getLocalPort() + "/";
            var response = client.sendAsync(ClientRequest.get(url));
            settle(loops);
            loops.close();
            var thrown = assertThrows(ExecutionException.class, response::get);
            var why = assertInstanceOf(HttpClientException.class, thrown.getCause());
            assertEquals(Reason.CLIENT_CLOSED, why.reason());
            for (Socket each : fillers) {
                each.close();
            }
        }
    }

    private static List<Socket> fill(ServerSocket server) {
        var fillers = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 8; i++) {
                var filler = new Socket();
                fillers.add(filler);
                filler.connect(server.getLocalSocketAddress(), 50);
            }
        } catch (IOException e) {
            // it is full
        }
        return fillers;
    }

    @Test
    void anAddressThatDoesNotAcceptIsGivenUp() throws Exception {
        // a backlog that is full: Linux drops what comes then
        try (var full = new ServerSocket(0, 1);
                HttpClient brief = with(s -> s.connectTimeout(Duration.ofMillis(100)))) {
            List<Socket> fillers = fill(full);
            try {
                var request = ClientRequest.get("http://127.0.0.1:" + full.getLocalPort() + "/");
                assertEquals(Reason.CONNECT_TIMEOUT, reason(() -> brief.send(request)));
            } finally {
                for (Socket each : fillers) {
                    each.close();
                }
            }
        }
    }

    // ---- other protocols

    /** Collects what it is given, and says what it has. */
    private record Raw(Connection connection, CompletableFuture<String> first) implements Protocol {
        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            if (to - from < 6) {
                return from;
            }
            first.complete(new String(bytes, from, to - from, ISO_8859_1));
            byte[] answer = "pong".getBytes(ISO_8859_1);
            connection.write(answer, 0, answer.length);
            connection.finish();
            return to;
        }
    }

    @Test
    void anUpgradeHandsOverWhatWasReadAlready() throws Exception {
        var heard = new CompletableFuture<String>();
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            assertTrue(
                                    peer.request()
                                            .endsWith(
                                                    "Upgrade: x/1\r\nConnection: Upgrade\r\n\r\n"));
                            peer.send(
                                    "HTTP/1.1 103 E\r\n\r\nHTTP/1.1 101 S\r\nUpgrade: x/1\r\n"
                                            + "Connection: upgrade\r\n\r\nabc");
                            peer.send("def");
                            heard.complete(new String(peer.in.readNBytes(4), ISO_8859_1));
                        })) {
            var first = new CompletableFuture<String>();
            ClientResponse response =
                    client.send(get(server).upgrade("x/1", each -> new Raw(each, first)));
            assertEquals(101, response.status());
            assertEquals("abcdef", first.get());
            assertEquals("pong", heard.get());
            assertEquals(0, client.stats().connections());
        }
    }

    /** RFC 9110 7.8: no other protocol in the middle of a request, whose body would run into it. */
    @Test
    void anUpgradeBeforeTheWholeRequestIsRefused() throws Exception {
        var behind = new ConcurrentLinkedQueue<Integer>();
        try (var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    peer.request();
                                    peer.send(
                                            "HTTP/1.1 101 S\r\nUpgrade: x\r\n"
                                                    + "Connection: upgrade\r\n\r\n");
                                    behind.add(peer.in.read());
                                });
                HttpClient patient = with(s -> s.continueTimeout(Duration.ofSeconds(20)))) {
            var piece = new CompletableFuture<byte[]>();
            ClientRequest streamed =
                    ClientRequest.post(server.url() + "/")
                            .body(() -> piece)
                            .upgrade("x", each -> new Raw(each, new CompletableFuture<>()));
            ClientRequest asks =
                    ClientRequest.post(server.url() + "/")
                            .body("body")
                            .expectContinue()
                            .upgrade("x", each -> new Raw(each, new CompletableFuture<>()));
            assertEquals(Reason.UNEXPECTED_UPGRADE, reason(() -> patient.send(streamed)));
            piece.complete("body".getBytes(ISO_8859_1));
            assertEquals(Reason.UNEXPECTED_UPGRADE, reason(() -> patient.send(asks)));
            until("both have ended", () -> behind.size() == 2);
            assertEquals(List.of(-1, -1), List.copyOf(behind));
        }
    }

    @Test
    void anUpgradeThatIsRefusedIsAResponse() throws Exception {
        try (var server = ScriptedServer.answering(OK)) {
            var request =
                    get(server).upgrade("x", each -> new Raw(each, new CompletableFuture<>()));
            ClientResponse response = client.send(request);
            assertEquals("200 ok", response.status() + " " + response.body().text());
        }
    }

    @Test
    void aTunnelLeadsThroughAProxy() throws Exception {
        try (var server =
                new ScriptedServer(
                        (number, peer) -> {
                            String head = peer.request();
                            assertTrue(
                                    head.startsWith(
                                            "CONNECT far.test:22 HTTP/1.1\r\nHost: far.test:22\r\n"),
                                    head);
                            peer.send("HTTP/1.1 200 Connected\r\n\r\nSSH-2.");
                            peer.awaitEnd();
                        })) {
            var first = new CompletableFuture<String>();
            var request =
                    ClientRequest.connect(
                            HttpOrigin.of(server.url()),
                            "far.test:22",
                            each -> new Raw(each, first));
            assertEquals(200, client.send(request).status());
            assertEquals("SSH-2.", first.get());
            assertEquals(List.of(), List.copyOf(server.failures));
        }
    }

    @Test
    void aProtocolThatFailsFailsTheRequest() throws Exception {
        try (var server =
                ScriptedServer.answering(
                        "HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")) {
            var request =
                    get(server)
                            .upgrade(
                                    "x",
                                    each -> {
                                        throw new IllegalStateException("a test");
                                    });
            assertEquals(Reason.LISTENER_FAILED, reason(() -> client.send(request)));
            until("it is closed", () -> client.stats().connections() == 0);
        }
    }

    /**
     * A look-up that comes back while the loop ends finds it closed, while its thread still works
     * on the pool: nothing of the pool may be touched before that has ended.
     */
    @Test
    void aLookUpThatEndsWithTheLoopLeavesThePoolToIt() throws Exception {
        Loop loop = loops.all().getFirst();
        var begun = new CompletableFuture<Void>();
        var closing = new CompletableFuture<Void>();
        var response = new CompletableFuture<CompletableFuture<ClientResponse>>();
        var early = new CompletableFuture<Boolean>();
        Runnable last =
                () -> { // the loop takes nothing from other threads any more
                    var sent = client.sendAsync(loop, ClientRequest.get("http://localhost:1/"));
                    response.complete(sent);
                    loop.execute(
                            () -> {
                                try {
                                    sent.handle((r, e) -> e).get(300, TimeUnit.MILLISECONDS);
                                    early.complete(true);
                                } catch (Exception e) {
                                    early.complete(false);
                                }
                            });
                };
        loop.execute(
                () -> {
                    begun.complete(null);
                    closing.join();
                });
        begun.get();
        Thread closes = Thread.ofPlatform().start(loops::close);
        until("it waits", () -> closes.getState() == Thread.State.TIMED_WAITING);
        loop.execute(() -> loop.execute(last)); // behind what stops the loop
        closing.complete(null);
        HttpClientException thrown =
                assertThrows(HttpClientException.class, () -> HttpClient.await(response.get()));
        assertEquals(Reason.CLIENT_CLOSED, thrown.reason());
        assertEquals(false, early.get());
        closes.join();
    }

    @Test
    void theMemoryOfTheLoopIsABound() throws Exception {
        byte[] much = new byte[60_000];
        try (Loops small =
                        Loops.start(
                                s ->
                                        s.loops(1)
                                                .transport(transport)
                                                .longTurnMillis(0)
                                                .memory(1 << 20));
                HttpClient poor = HttpClient.on(small, s -> {});
                var server =
                        new ScriptedServer(
                                (number, peer) -> {
                                    peer.request();
                                    peer.send(
                                            "HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n");
                                    while (true) {
                                        peer.send(much);
                                    }
                                })) {
            var all = new ArrayList<ClientResponse>();
            int refused = 0;
            for (int i = 0; i < 100; i++) { // each holds 16 KiB, however late its bytes come
                try {
                    all.add(poor.send(get(server)));
                } catch (HttpClientException e) {
                    assertEquals(Reason.MEMORY_SHORT, e.reason());
                    refused++;
                }
            }
            for (ClientResponse each : all) {
                try (InputStream in = each.body().inputStream()) {
                    in.readNBytes(100_000);
                } catch (HttpClientException e) {
                    assertEquals(Reason.MEMORY_SHORT, e.reason());
                    refused++;
                }
            }
            assertTrue(refused > 0, "all were held");
        }
    }
}
