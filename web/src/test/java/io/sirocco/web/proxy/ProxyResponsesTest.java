// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Filter;
import io.sirocco.net.TransportKind;
import io.sirocco.web.cache.ResponseCache;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of an upstream pass unchanged, whatever else is changed, or are refused. */
@Timeout(60)
class ProxyResponsesTest {
    private static final String GET = "GET / HTTP/1.1\nHost: a\n\n";

    /** U+00E9 in UTF-8. */
    private static final String RAW = "/caf\u00c3\u00a9?a=%20";

    private static final Filter ADDS =
            (request, next) ->
                    next.handle(request)
                            .map(r -> r.headers(r.headers().with("X-Filter", "1")))
                            .header("X-Other", "2");

    private static String through(String how, String response) throws Exception {
        try (FakeUpstream fake = FakeUpstream.responding(response);
                ResponseCache cache = ResponseCache.create(o -> {})) {
            Upstream upstream = Upstream.of(fake.url());
            try (var proxy =
                    new ProxyServer(
                            upstream,
                            config -> {},
                            routes -> {
                                if (how.equals("filter")) {
                                    routes.filter(ADDS);
                                }
                                routes.any(
                                        "/*",
                                        Proxy.to(
                                                upstream,
                                                o -> {
                                                    if (how.equals("variable")) {
                                                        o.responseHeader("X-Id", r -> "1");
                                                    } else if (how.equals("cache")) {
                                                        o.cache(cache);
                                                    } else if (how.equals("locations")) {
                                                        o.rewriteLocation(true).strip("/x");
                                                    }
                                                }));
                            })) {
                String last = "";
                for (int i = 0; i < (how.equals("cache") ? 2 : 1); i++) {
                    last = proxy.ask(GET);
                }
                return last;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "filter", "variable", "cache", "locations"})
    void aLocationPassesAsBytes(String how) throws Exception {
        String location = through(how, moved("Location: " + RAW + "\n"));
        String expected = how.equals("locations") ? "/x" + RAW : RAW;
        assertTrue(location.contains("\nLocation: " + expected + "\n"), location);
    }

    private static String moved(String headers) {
        return "HTTP/1.1 301 Moved\nCache-Control: max-age=60\n"
                + headers
                + "Content-Length: 2\n\nok";
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "filter", "variable", "cache", "locations"})
    void anAnnouncementOfTrailersPasses(String how) throws Exception {
        String response = through(how, moved("Trailer: Digest\n"));
        assertTrue(response.startsWith("HTTP/1.1 301 "), response);
        assertTrue(how.equals("cache") || response.contains("\nTrailer: Digest\n"), response);
        assertTrue(response.endsWith("\n\nok"), response);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 4\n\nbody", "Transfer-Encoding: chunked\n\n0\n\n"})
    void aResetHasNoContent(String rest) throws Exception {
        try (FakeUpstream fake = FakeUpstream.responding("HTTP/1.1 205 Reset Content\n" + rest);
                var proxy = new ProxyServer(TransportKind.NIO, Upstream.of(fake.url()));
                RawClient client = proxy.client()) {
            for (int i = 0; i < 2; i++) { // nothing of it is before the second one
                String response = client.send(GET).response();
                assertTrue(response.startsWith("HTTP/1.1 205 "), response);
                assertTrue(response.endsWith("\n\n"), response);
                assertTrue(!response.contains("chunked"), response);
            }
            proxy.awaitQuiet();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "websocket, WebSocket, 101",
        "websocket, tcp, 502",
        "websocket, 'websocket, tcp', 502",
        "SPDY/3.1, SPDY/3.1, 101",
        "SPDY/3.1, SPDY/2, 502",
    })
    void onlyTheProtocolThatIsAskedForIsSwitchedTo(String asked, String got, int status)
            throws Exception {
        String reply = "HTTP/1.1 101 Switching\nConnection: Upgrade\nUpgrade: " + got + "\n\n";
        try (FakeUpstream fake = FakeUpstream.responding(reply);
                var proxy =
                        new ProxyServer(
                                TransportKind.NIO,
                                Upstream.of(fake.url()),
                                config -> {},
                                options -> options.upgrades(asked))) {
            String response =
                    proxy.ask(
                            "GET / HTTP/1.1\nHost: a\nConnection: upgrade\nUpgrade: "
                                    + asked
                                    + "\n\n");
            assertTrue(response.startsWith("HTTP/1.1 " + status + " "), response);
        }
    }

    /** As {@code docker exec} does it. */
    @Test
    void anUpgradeMayHaveABody() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.note(peer.read(4));
                                    peer.send(
                                            "HTTP/1.1 101 UPGRADED\nConnection: Upgrade\n"
                                                    + "Upgrade: tcp\n\nhello");
                                    peer.note(peer.read(5));
                                    peer.awaitEnd();
                                });
                var proxy =
                        new ProxyServer(
                                TransportKind.NIO,
                                Upstream.of(fake.url()),
                                config -> {},
                                options -> options.upgrades("*"));
                RawClient client = proxy.client()) {
            client.send(
                    "POST /exec HTTP/1.1\nHost: a\nConnection: Upgrade\nUpgrade: tcp\n"
                            + "Content-Length: 4\n\nbody");
            String head = fake.next();
            assertTrue(head.contains("\nUpgrade: tcp\n"), head);
            assertEquals("body", fake.next());
            assertTrue(client.until("\n\n").startsWith("HTTP/1.1 101 "));
            assertEquals("hello", client.until("hello"));
            client.send("input");
            assertEquals("input", fake.next());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 4", "Transfer-Encoding: chunked"})
    void theBodyOfAnUpgradeMayComeLate(String framing) throws Exception {
        boolean chunked = framing.endsWith("chunked");
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.note(chunked ? peer.until("0\r\n\r\n") : peer.read(4));
                                    peer.send(
                                            "HTTP/1.1 103 Early Hints\nLink: <a>\n\n"
                                                    + "HTTP/1.1 101 UPGRADED\nConnection: Upgrade\n"
                                                    + "Upgrade: tcp\n\nhello");
                                    peer.note(peer.read(5));
                                    peer.awaitEnd();
                                });
                var proxy =
                        new ProxyServer(
                                TransportKind.NIO,
                                Upstream.of(fake.url()),
                                config -> {},
                                options -> options.upgrades("tcp"));
                RawClient client = proxy.client()) {
            client.send(
                    "POST /exec HTTP/1.1\nHost: a\nConnection: Upgrade\nUpgrade: tcp\n"
                            + framing
                            + "\n\n");
            assertTrue(fake.next().contains("\nUpgrade: tcp\n"));
            client.send(chunked ? "2\nbo\n" : "bo");
            client.send(chunked ? "2\ndy\n0\n\n" : "dy");
            String body = fake.next();
            assertEquals("body", body.replaceAll("\r\n|[0-9]", ""), body);
            assertTrue(client.until("\n\n").startsWith("HTTP/1.1 103 "));
            assertTrue(client.until("\n\n").startsWith("HTTP/1.1 101 "));
            assertEquals("hello", client.until("hello"));
            client.send("input");
            assertEquals("input", fake.next());
        }
    }

    @Test
    void allProtocolsButH2cAreForwarded() throws Exception {
        try (FakeUpstream fake = FakeUpstream.responding("HTTP/1.1 200 OK\nContent-Length: 0\n\n");
                var proxy =
                        new ProxyServer(
                                TransportKind.NIO,
                                Upstream.of(fake.url()),
                                config -> {},
                                options -> options.upgrades("*"))) {
            for (String protocol : new String[] {"tcp", "SPDY/3.1", "h2c", "H2C", ""}) {
                proxy.ask(
                        "GET / HTTP/1.1\nHost: a\nConnection: Upgrade\nUpgrade: "
                                + protocol
                                + "\n\n");
                boolean passes = !protocol.isEmpty() && !protocol.equalsIgnoreCase("h2c");
                String head = fake.next();
                assertEquals(passes, head.contains("\nUpgrade: " + protocol + "\n"), head);
            }
        }
    }

    @Test
    void theLimitsOfHeadersCanBeSet() throws Exception {
        String large = "X-Large: " + "x".repeat(40_000) + "\n";
        String many = "X-Many: 1\n".repeat(150);
        try (FakeUpstream fake =
                FakeUpstream.responding(
                        "HTTP/1.1 200 OK\n" + large + many + "Content-Length: 0\n\n")) {
            try (var proxy = new ProxyServer(TransportKind.NIO, Upstream.of(fake.url()))) {
                assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 502"));
            }
            Upstream generous =
                    Upstream.of(s -> s.maxHeaderBytes(64 << 10).maxHeaders(200), fake.url());
            try (var proxy = new ProxyServer(TransportKind.NIO, generous)) {
                assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 200"));
            }
        }
    }

    /** As a front end with HTTP/2 sends it (RFC 9113 8.2.3). */
    @Test
    void aCookieOfAnyLineKeepsAClient() throws Exception {
        try (FakeUpstream a = FakeUpstream.responding(named("a"));
                FakeUpstream b = FakeUpstream.responding(named("b"))) {
            Upstream upstream = Upstream.of(s -> s.stickyCookie("node"), a.url(), b.url());
            try (var proxy = new ProxyServer(TransportKind.NIO, upstream)) {
                for (UpstreamServer server : upstream.servers()) {
                    String last = "";
                    for (int i = 0; i < 3; i++) {
                        String response =
                                proxy.ask(
                                        "GET / HTTP/1.1\nHost: a\nCookie: x=1\nCookie: node="
                                                + server.id
                                                + "\n\n");
                        assertTrue(!response.contains("Set-Cookie"), response);
                        String name = response.substring(response.length() - 1);
                        assertTrue(last.isEmpty() || last.equals(name), name);
                        last = name;
                    }
                }
            }
            Upstream hashed =
                    Upstream.of(
                            s -> s.balance(Balance.HASH).hashBy("cookie:user"), a.url(), b.url());
            try (var proxy = new ProxyServer(TransportKind.NIO, hashed)) {
                for (int i = 0; i < 8; i++) {
                    String one = proxy.ask(GET.strip() + "\nCookie: user=" + i + "\n\n");
                    String two =
                            proxy.ask(GET.strip() + "\nCookie: x=1\nCookie: user=" + i + "\n\n");
                    assertEquals(one.charAt(one.length() - 1), two.charAt(two.length() - 1));
                }
            }
        }
    }

    private static String named(String name) {
        return "HTTP/1.1 200 OK\nContent-Length: 1\n\n" + name;
    }
}
