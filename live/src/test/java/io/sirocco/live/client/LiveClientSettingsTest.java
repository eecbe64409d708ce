// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.live.Live;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsClient;
import io.sirocco.testkit.Certificates;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a client goes, and with what. */
@Timeout(60)
class LiveClientSettingsTest {
    @Test
    void timesOfAnyLength() {
        Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
        LiveClient.create(
                        "http://localhost:1",
                        s -> s.connectTimeout(ever).closeTimeout(ever).reconnect(ever, ever))
                .close();
        Live.create(
                        s ->
                                s.ping(ever, ever)
                                        .connectTimeout(ever)
                                        .handlerTimeout(ever)
                                        .recovery(ever)
                                        .tickets(ever))
                .close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:1",
                "ftp://a",
                "http:///",
                "http://a/admin",
                "http://u@a",
                "http://[",
                "http://my_host:65536",
                "http://u:p@my_host",
                "http://bücher.test",
                ""
            })
    void whatIsNoServerIsSaid(String url) {
        assertThrows(IllegalArgumentException.class, () -> LiveClient.create(url));
    }

    @ParameterizedTest
    @CsvSource({
        "http://my_host,                  ws://my_host/socket.io/",
        "https://MY_host:1/,              wss://MY_host:1/socket.io/",
        "ws://[::1]:2,                    ws://[::1]:2/socket.io/",
        "wss://xn--bcher-kva.test,        wss://xn--bcher-kva.test/socket.io/"
    })
    void hosts(String url, String place) {
        assertEquals(
                place + "?EIO=4&transport=websocket", new LiveClientSettings().uri(url).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://u:hunter2@a", "http://u:hun ter2@a", "u:hunter2@a"})
    void aPasswordIsNotSaid(String url) {
        String why =
                assertThrows(IllegalArgumentException.class, () -> LiveClient.create(url))
                        .getMessage();
        assertFalse(why.contains("ter2"), why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "", "/a,b", "/a?b"})
    void whatIsNoNamespaceIsSaid(String name) {
        try (LiveClient client = LiveClient.create("http://localhost:1")) {
            assertThrows(IllegalArgumentException.class, () -> client.namespace(name));
        }
    }

    @Test
    void whatCannotBeSetIsSaid() {
        List<Runnable> bad =
                List.of(
                        () -> LiveClient.create("http://a", c -> c.path("x")),
                        () -> LiveClient.create("http://a", c -> c.maxMessage(0)),
                        () -> LiveClient.create("http://a", c -> c.requests(0)),
                        () -> LiveClient.create("http://a", c -> c.closeTimeout(Duration.ZERO)),
                        () ->
                                LiveClient.create(
                                        "http://a", c -> c.offline(0, 1, Overflow.DROP_OLDEST)),
                        () ->
                                LiveClient.create(
                                        "http://a",
                                        c -> c.reconnect(Duration.ofSeconds(2), Duration.ZERO)));
        for (Runnable each : bad) {
            assertThrows(IllegalArgumentException.class, each::run);
        }
    }

    /** Over TLS, with a path, a field and a query of its own. */
    @Test
    void theRequestIsAsItWasSet(@TempDir Path folder) throws Exception {
        var authority = Certificates.authority(folder, "authority");
        Certificates.Pair pair = authority.sign("localhost", "EC", "localhost");
        Tls tls = Tls.of(s -> s.certificate(pair.chain(), pair.key()));
        var asked = new CompletableFuture<String>();
        var listener =
                new WebSocketListener() {
                    @Override
                    public void onOpen(WebSocket socket) {
                        socket.trySend(ScriptedServer.OPEN);
                    }

                    @Override
                    public void onText(WebSocket socket, String text) {
                        if (text.startsWith("40")) {
                            socket.trySend(ScriptedServer.JOINED);
                        }
                    }
                };
        Server server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("localhost", 0), tls).loops(1),
                        routes ->
                                routes.get(
                                        "/chat/",
                                        request -> {
                                            asked.complete(
                                                    request.target()
                                                            + " "
                                                            + request.header("X-Who").orElse(""));
                                            return Response.webSocket(listener);
                                        }));
        String url = "https://localhost:" + server.port() + "/?room=7";
        TlsClient trusting = TlsClient.trusting(authority.authority());
        try (LiveClient client =
                LiveClient.create(url, c -> c.path("/chat/").header("X-Who", "me").tls(trusting))) {
            assertEquals("s", client.connect().get(20, TimeUnit.SECONDS).id());
            assertEquals("/chat/?EIO=4&transport=websocket&room=7 me", asked.join());
        }
        try (LiveClient client = LiveClient.create(url, c -> c.path("/chat/").noReconnect())) {
            var failed = client.connect().handle((joined, thrown) -> thrown.getMessage());
            assertTrue(failed.get(20, TimeUnit.SECONDS).contains("TLS"), failed::join);
        }
        server.stop(Duration.ofSeconds(5));
    }

    @Test
    void delaysDoubleWithARandomPart() {
        var backoff = new Backoff(Duration.ofMillis(100), Duration.ofMillis(1_500), new Random(1));
        for (int round = 0; round < 2; round++) {
            for (long most : new long[] {100, 200, 400, 800, 1_500, 1_500, 1_500}) {
                long delay = backoff.next();
                assertTrue(delay >= most / 2 && delay <= most, () -> delay + " of " + most);
            }
            assertEquals(7, backoff.attempts());
            backoff.reset();
        }
        for (int i = 0; i < 200; i++) {
            assertTrue(backoff.next() <= 1_500);
        }
    }

    @Test
    void thoseWhoWereCutOffTogetherDoNotComeBackTogether() {
        var delays = new ArrayList<Long>();
        for (int i = 0; i < 100; i++) {
            var backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1), new Random(i));
            delays.add(backoff.next());
        }
        assertTrue(delays.stream().distinct().count() > 50);
    }

    @Test
    void aMapThatIsGivenIsWhatIsSent() {
        try (var server = new ScriptedServer();
                LiveClient client =
                        LiveClient.create(server.url(), c -> c.auth(Map.of("password", "x")))) {
            client.connect();
            assertEquals("40{\"password\":\"x\"}", server.join());
        }
    }
}
