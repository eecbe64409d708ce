// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.TrustedProxies;
import io.sirocco.http.TrustedProxies.Field;
import io.sirocco.net.TransportKind;
import io.sirocco.web.proxy.ProxyOptions.Forwarding;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and responses pass byte by byte, but for the headers of docs/proxy.md. */
@Timeout(60)
class ProxyHeadersTest {
    private static final String OK =
            """
            HTTP/1.1 200 OK
            Date: today
            Server: fake
            Content-Length: 2

            ok""";

    private FakeUpstream fake;
    private String response = OK;

    @BeforeEach
    void open() throws IOException {
        fake =
                new FakeUpstream(
                        peer -> {
                            while (!peer.request().isEmpty()) {
                                peer.send(response);
                            }
                        });
    }

    @AfterEach
    void close() throws IOException {
        fake.close();
    }

    private ProxyServer proxy(Consumer<Config> config, Consumer<ProxyOptions> options) {
        return new ProxyServer(TransportKind.NIO, Upstream.of(fake.url()), config, options);
    }

    private String forwarded(String request) throws Exception {
        return forwarded(request, config -> {}, options -> {});
    }

    private String forwarded(
            String request, Consumer<Config> config, Consumer<ProxyOptions> options)
            throws Exception {
        try (ProxyServer proxy = proxy(config, options)) {
            proxy.ask(request);
            return fake.next();
        }
    }

    private String returned(String from, Consumer<ProxyOptions> options) throws Exception {
        response = from;
        try (ProxyServer proxy = proxy(config -> {}, options)) {
            return proxy.ask("GET /a HTTP/1.1\nHost: shop.test\n\n");
        }
    }

    // ---- to the server

    @Test
    void orderAndSpellingOfAllOtherHeadersAreKept() throws Exception {
        assertEquals(
                """
                GET /a%2Fb;c=d/?x=%zz&y HTTP/1.1
                Host: shop.test:8080
                aCCept: */*
                X-One:\s
                Cookie: a=b; c="d"
                X-One: 2
                Zeta: \u00e4
                X-Forwarded-For: 127.0.0.1
                X-Forwarded-Proto: http
                X-Forwarded-Host: shop.test:8080
                Via: 1.1 sirocco

                """
                        .replace("%zz", "%7a"),
                forwarded(
                        """
                        GET /a%2Fb;c=d/?x=%7a&y HTTP/1.1
                        aCCept: */*
                        X-One:
                        Host: shop.test:8080
                        Cookie: a=b; c="d"
                        X-One: 2
                        Zeta: \u00e4

                        """));
    }

    @Test
    void headersOfTheConnectionAreRemoved() throws Exception {
        assertEquals(
                """
                GET / HTTP/1.1
                Host: a
                TE: trailers
                Kept: 5
                X-Forwarded-For: 127.0.0.1
                X-Forwarded-Proto: http
                X-Forwarded-Host: a
                Via: 1.1 sirocco
                Connection: TE

                """,
                forwarded(
                        """
                        GET / HTTP/1.1
                        Host: a
                        Connection: X-Secret, close
                        Connection: foo , X-Forwarded-For,Via
                        X-Secret: 1
                        FOO: 2
                        Keep-Alive: timeout=5
                        Proxy-Connection: keep-alive
                        Proxy-Authorization: Basic eDp5
                        TE: gzip, trailers;q=0.5
                        Upgrade: h2c
                        HTTP2-Settings: AAMAAABkAAQAAP__
                        Kept: 5

                        """));
    }

    @ParameterizedTest
    @CsvSource({
        "GET /a HTTP/1.1, GET /a HTTP/1.1",
        "GET http://a/b?c HTTP/1.1, GET /b?c HTTP/1.1",
        "GET http://a?c HTTP/1.1, GET /?c HTTP/1.1",
        "PURGE //x//?? HTTP/1.1, PURGE //x//?? HTTP/1.1",
        "GET /? HTTP/1.0, GET /? HTTP/1.1",
    })
    void targetsAreOfTheOriginForm(String line, String forwarded) throws Exception {
        assertEquals(
                forwarded, forwarded(line + "\nHost: a\n\n").lines().findFirst().orElseThrow());
    }

    @Test
    void anHttp10RequestWithoutAHostHasThatOfTheServer() throws Exception {
        assertEquals(
                """
                GET / HTTP/1.1
                Host: 127.0.0.1:%d
                X-Forwarded-For: 127.0.0.1
                X-Forwarded-Proto: http
                Via: 1.0 sirocco

                """
                        .formatted(fake.port()),
                forwarded("GET / HTTP/1.0\n\n"));
    }

    @Test
    void theHostOfAnAbsoluteTargetWins() throws Exception {
        assertTrue(
                forwarded("GET http://real:81/ HTTP/1.1\nHost: fake\n\n")
                        .startsWith("GET / HTTP/1.1\nHost: real:81\n"));
    }

    @Test
    void theHostIsThatOfTheOption() throws Exception {
        String get = "GET / HTTP/1.1\nHost: a\n\n";
        assertTrue(
                forwarded(get, c -> {}, o -> o.host(Proxy.HOST_OF_SERVER))
                        .contains("Host: 127.0.0.1:" + fake.port() + "\n"));
        assertTrue(forwarded(get, c -> {}, o -> o.host("other:7")).contains("Host: other:7\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "/shop/cart?x=1, /v2/cart?x=1",
        "/shop, /v2",
        "/shop?x, /v2?x",
        "/shop/, /v2/",
        "/shopping, /v2/shopping",
        "/a/shop/b, /v2/a/shop/b",
        "/%73hop/a, /v2/a",
        "/%73%68%6F%70, /v2",
        "/sho%70/%61?b, /v2/%61?b",
        "/shop%2Fa, /v2/shop%2Fa",
        "/%2fshop/a, /v2/%2fshop/a",
    })
    void stripAndPrefixChangeThePath(String target, String forwarded) throws Exception {
        String request =
                forwarded(
                        "GET " + target + " HTTP/1.1\nHost: a\n\n",
                        c -> {},
                        o -> o.strip("/shop/").prefix("/v2"));
        assertEquals("GET " + forwarded + " HTTP/1.1", request.lines().findFirst().orElseThrow());
    }

    @Test
    void stripAloneLeavesASlash() throws Exception {
        assertTrue(
                forwarded("GET /shop?x HTTP/1.1\nHost: a\n\n", c -> {}, o -> o.strip("/shop"))
                        .startsWith("GET /?x HTTP/1.1\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a/../b",
                "/..",
                "/a/.",
                "/a/%2e%2E/b",
                "/a/.%2e",
                "/a/..%2fb",
                "/a/..;x/b",
                "/a/..%5cb",
                "/./a"
            })
    void dotSegmentsAreRefused(String path) throws Exception {
        try (ProxyServer proxy = proxy(c -> {}, o -> {})) {
            String answer = proxy.ask("GET " + path + " HTTP/1.1\nHost: a\n\n");
            assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
            assertEquals(0, fake.accepted.get());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/...", "/a..b", "/.well-known/x", "/a/..b", "/a%2e.b", "/a?b=/../"})
    void otherDotsAreNot(String path) throws Exception {
        assertTrue(forwarded("GET " + path + " HTTP/1.1\nHost: a\n\n").startsWith("GET " + path));
    }

    @Test
    void headersOfTheRequestAreSetAndRemoved() throws Exception {
        String request =
                forwarded(
                        "GET / HTTP/1.1\nHost: a\nX-Old: 1\nX-Old: 2\nCookie: c\n\n",
                        c -> {},
                        o -> o.requestHeader("X-Old", "new").requestHeader("Cookie", ""));
        assertTrue(request.endsWith("Via: 1.1 sirocco\nX-Old: new\n\n"), request);
        assertTrue(!request.contains("Cookie"), request);
    }

    /** A server that speaks CGI has one variable for both spellings. */
    @Test
    void aClientCannotSetAHeaderOfTheProxyByAnotherSpelling() throws Exception {
        String request =
                forwarded(
                        "GET / HTTP/1.1\nHost: a\nX_Real_IP: 1.2.3.4\nX-Real_ip: 1.2.3.4\nX_Own: 1\n\n",
                        c -> {},
                        o -> o.requestHeader("X-Real-IP", "10.0.0.1"));
        assertTrue(request.endsWith("Via: 1.1 sirocco\nX-Real-IP: 10.0.0.1\n\n"), request);
        assertTrue(request.contains("X_Own: 1\n"), request);
        assertTrue(!request.contains("1.2.3.4"), request);
    }

    @Test
    void headersCanDependOnTheRequest() throws Exception {
        String request =
                forwarded(
                        "GET /a HTTP/1.1\nHost: a\nX-Real-IP: 1.2.3.4\nX-User: root\n\n",
                        c -> {},
                        o ->
                                o.requestHeader("X-Target", r -> r.method() + " " + r.target())
                                        .requestHeader("X-Real-IP", r -> "127.0.0.1")
                                        .requestHeader("X-User", r -> ""));
        assertTrue(
                request.endsWith("Via: 1.1 sirocco\nX-Target: GET /a\nX-Real-IP: 127.0.0.1\n\n"),
                request);
        assertTrue(!request.contains("X-User"), request);
    }

    @ParameterizedTest
    @CsvSource({
        "'a\r\nX-Evil: 1', 'a%0D%0AX-Evil: 1'",
        "'a\r\n\r\nGET /evil HTTP/1.1', 'a%0D%0A%0D%0AGET /evil HTTP/1.1'",
        "'\0\u007f\t', '%00%7F'",
        "J\u00fcrgen, J%C3%BCrgen",
        "' a b ', a b",
    })
    void aValueCannotAddAHeader(String value, String sent) throws Exception {
        String request =
                forwarded(
                        "GET / HTTP/1.1\nHost: a\n\n",
                        c -> {},
                        o -> o.requestHeader("X-User", r -> value));
        assertTrue(request.endsWith("Via: 1.1 sirocco\nX-User: " + sent + "\n\n"), request);
    }

    @Test
    void headersOfEachResponseCanDependOnTheRequest() throws Exception {
        try (ProxyServer proxy =
                proxy(
                        c -> {},
                        o ->
                                o.responseHeader("X-Id", r -> "of " + r.target())
                                        .responseHeader("X-Bad", r -> "a\r\nX-Evil: 1")
                                        .responseHeader("Server", r -> ""))) {
            String ok = proxy.ask("GET /a HTTP/1.1\nHost: a\n\n");
            assertTrue(ok.contains("\nX-Id: of /a\nX-Bad: a%0D%0AX-Evil: 1\n"), ok);
            assertTrue(ok.endsWith("\n\nok") && !ok.contains("Server: fake"), ok);
            fake.stop();
            String failed = proxy.ask("GET /b HTTP/1.1\nHost: a\n\n");
            assertTrue(failed.startsWith("HTTP/1.1 502 "), failed);
            assertTrue(failed.contains("\nX-Id: of /b\n"), failed);
        }
    }

    // ---- who the client is

    private static final String FORGED =
            """
            GET / HTTP/1.1
            Host: a
            X-Forwarded-For: 1.2.3.4
            X-Forwarded-Proto: https
            X-Forwarded-Host: evil
            X-Forwarded-Prefix: /evil
            X_Forwarded_For: 1.2.3.4
            Forwarded: for=1.2.3.4;proto=https;host=evil

            """;

    @Test
    void whatAStrangerClaimsIsDropped() throws Exception {
        assertEquals(
                """
                GET / HTTP/1.1
                Host: a
                X-Forwarded-For: 127.0.0.1
                X-Forwarded-Proto: http
                X-Forwarded-Host: a
                Via: 1.1 sirocco

                """,
                forwarded(FORGED));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    NONE      |
                    FORWARDED | Forwarded: for=127.0.0.1;proto=http;host=a
                    """)
    void otherFormsAreOptions(Forwarding forwarding, String lines) throws Exception {
        assertEquals(
                "GET / HTTP/1.1\nHost: a\n"
                        + (lines == null ? "" : lines + "\n")
                        + "Via: 1.1 sirocco\n\n",
                forwarded(FORGED, c -> {}, o -> o.forwarded(forwarding)));
    }

    /** A host may have semicolons and commas (RFC 3986 3.2.2), which separate what is forwarded. */
    @ParameterizedTest
    @ValueSource(strings = {"a;for=1.2.3.4", "a,for=1.2.3.4", "a=b", "a:80", "[::1]"})
    void aHostForgesNoForwardedHeader(String host) throws Exception {
        String request =
                forwarded(
                        "GET / HTTP/1.1\nHost: " + host + "\n\n",
                        c -> {},
                        o -> o.forwarded(Forwarding.FORWARDED));
        String expected = "\nForwarded: for=127.0.0.1;proto=http;host=\"" + host + "\"\n";
        assertTrue(request.contains(expected), request);
    }

    private static Consumer<Config> trusting(Field... fields) {
        return config ->
                config.trustedProxies(
                        TrustedProxies.of(
                                peer ->
                                        ((InetSocketAddress) peer)
                                                .getAddress()
                                                .getHostAddress()
                                                .startsWith("127."),
                                fields));
    }

    @Test
    void whatATrustedProxySaysIsExtended() throws Exception {
        assertEquals(
                """
                GET / HTTP/1.1
                Host: evil
                X-Forwarded-For: 9.9.9.9, 1.2.3.4, 127.0.0.1
                X-Forwarded-Proto: https
                X-Forwarded-Host: evil
                Forwarded: for=1.2.3.4, for=127.0.0.1;proto=https;host=evil
                Via: 1.1 sirocco

                """,
                forwarded(
                        FORGED.replace(
                                "X-Forwarded-For: 1.2.3.4",
                                "X-Forwarded-For: 9.9.9.9\nX-Forwarded-For: 1.2.3.4"),
                        trusting(
                                Field.X_FORWARDED_FOR,
                                Field.X_FORWARDED_PROTO,
                                Field.X_FORWARDED_HOST),
                        o -> o.forwarded(Forwarding.BOTH)));
    }

    @Test
    void onlyTheHeadersThatAreTrustedCount() throws Exception {
        assertEquals(
                """
                GET / HTTP/1.1
                Host: evil
                X-Forwarded-For: 1.2.3.4, 127.0.0.1
                X-Forwarded-Proto: https
                X-Forwarded-Host: evil
                Forwarded: for=1.2.3.4;proto=https;host=evil, for=127.0.0.1;proto=https;host=evil
                Via: 1.1 sirocco

                """,
                forwarded(
                        FORGED.replace("X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 6.6.6.6"),
                        trusting(Field.FORWARDED),
                        o -> o.forwarded(Forwarding.BOTH)));
        assertEquals(
                """
                GET / HTTP/1.1
                Host: a
                X-Forwarded-For: 1.2.3.4, 127.0.0.1
                X-Forwarded-Proto: http
                X-Forwarded-Host: a
                Via: 1.1 sirocco

                """,
                forwarded(FORGED, trusting(Field.X_FORWARDED_FOR), o -> {}));
    }

    // ---- loops and hops

    @Test
    void aLoopOfProxiesEnds() throws Exception {
        try (ProxyServer proxy = proxy(c -> {}, o -> {})) {
            String hops = "1.1 sirocco, ".repeat(5);
            String ten = "GET / HTTP/1.1\nHost: a\nVia: " + hops + "\nvia: " + hops + "1.0 else\n";
            assertTrue(proxy.ask(ten + "\n").startsWith("HTTP/1.1 200 OK\n"));
            String more = proxy.ask(ten + "Via: 1.1 Sirocco (it)\n\n");
            assertTrue(more.startsWith("HTTP/1.1 508 Loop Detected\n"), more);
            assertEquals("200 1", proxy.next());
            assertEquals("508 0 LOOP", proxy.next());
        }
    }

    @Test
    void maxForwardsIsCountedDown() throws Exception {
        try (ProxyServer proxy = proxy(c -> {}, o -> {})) {
            proxy.ask("OPTIONS / HTTP/1.1\nHost: a\nMax-Forwards: 7\n\n");
            assertTrue(fake.next().contains("\nMax-Forwards: 6\n"));
            proxy.ask("GET / HTTP/1.1\nHost: a\nMax-Forwards: 0\n\n");
            assertTrue(fake.next().contains("\nMax-Forwards: 0\n"));
            String own = proxy.ask("OPTIONS / HTTP/1.1\nHost: a\nMax-Forwards: 0\n\n");
            assertTrue(own.startsWith("HTTP/1.1 204 No Content\nAllow: "), own);
            String trace = proxy.ask("TRACE / HTTP/1.1\nHost: a\nMax-Forwards: 0\n\n");
            assertTrue(trace.startsWith("HTTP/1.1 405 "), trace);
            assertEquals(0, fake.requests.size());
        }
    }

    // ---- to the client

    @Test
    void aResponsePassesUnchangedButForItsConnection() throws Exception {
        assertEquals(
                """
                HTTP/1.1 404 Not Found
                date: today
                SERVER: fake
                Set-Cookie: a=b; Path=/v2
                set-cookie: c=d
                Location: /v2/ x
                Trailer: Sum
                ETag: "1"
                X-Empty:\s
                Via: 0.9 old
                Via: 1.1 sirocco
                Content-Length: 4

                body""",
                returned(
                        """
                        HTTP/1.1 404 Gone with the wind
                        date: today
                        Connection: keep-alive, X-Secret
                        SERVER: fake
                        Set-Cookie: a=b; Path=/v2
                        set-cookie: c=d
                        content-length: 4
                        X-Secret: 1
                        Keep-Alive: timeout=9
                        Proxy-Authenticate: Basic
                        Upgrade: h2c
                        Location: /v2/ x
                        Trailer: Sum
                        ETag: "1"
                        X-Empty:
                        Via: 0.9 old

                        body""",
                        o -> {}));
    }

    @Test
    void locationsAndCookiesArePointedToTheRoute() throws Exception {
        response =
                """
                HTTP/1.1 302 Found
                Date: today
                Server: fake
                Location: http://127.0.0.1:%d/v2/cart?x#y
                Content-Location: /v2/cart
                Set-Cookie: a=b; Path=/v2; HttpOnly
                Set-Cookie: c=d; Domain=127.0.0.1; path=/v2/cart
                Set-Cookie: e=f; Domain=other.test; Path=/
                Content-Length: 0

                """
                        .formatted(fake.port());
        try (ProxyServer proxy =
                proxy(
                        c -> {},
                        o ->
                                o.strip("/shop")
                                        .prefix("/v2")
                                        .rewriteLocation(true)
                                        .rewriteCookiePath(true)
                                        .responseHeader("Server", "")
                                        .responseHeader("X-New", "1"))) {
            assertEquals(
                    """
                    HTTP/1.1 302 Found
                    Date: today
                    Location: /shop/cart?x#y
                    Content-Location: /shop/cart
                    Set-Cookie: a=b; Path=/shop; HttpOnly
                    Set-Cookie: c=d; path=/shop/cart
                    Set-Cookie: e=f; Domain=other.test; Path=/
                    Via: 1.1 sirocco
                    X-New: 1
                    Content-Length: 0
                    Server: Sirocco

                    """,
                    proxy.ask("GET /shop/cart HTTP/1.1\nHost: a\n\n"));
        }
    }

    /** What browsers read as a host (WHATWG URL 4.4), and the path that the client is told. */
    @ParameterizedTest
    @CsvSource({
        "/v2/\\evil.test/, /shop//evil.test/, /.//evil.test/",
        "/v2\\evil.test/, /shop/evil.test/, /evil.test/",
        "/\\evil.test/, /.//evil.test/, /.//evil.test/",
        "\\\\evil.test/, /.//evil.test/, /.//evil.test/",
        "\\/evil.test/, /.//evil.test/, /.//evil.test/",
        "http://OWN/\\evil.test/, /.//evil.test/, /.//evil.test/",
        "http://OWN\\\\evil.test/, /.//evil.test/, /.//evil.test/",
        "http://x@OWN//e, /.//e, /.//e",
        "http://x:y@z@OWN/v2/e, /shop/e, /e",
        "http:\\\\OWN/v2/e, /shop/e, /e",
        "http:///OWN/v2/e, /shop/e, /e",
        "HTTP://OWN, /, /",
        "http://OWN?q=//e, /?q=//e, /?q=//e",
        "\\\\OWN/v2/e, /shop/e, /e",
        "/v2/<tab>/evil.test/, /shop//evil.test/, /.//evil.test/",
        "/<tab>/OWN/v2/e, /shop/e, /e",
        "http://OWN@evil.test/, http://OWN@evil.test/, http://OWN@evil.test/",
        "//evil.test/v2, //evil.test/v2, //evil.test/v2",
        "https:evil, https:evil, https:evil",
        "e/v2?a://b, e/v2?a://b, e/v2?a://b"
    })
    void aLocationNamesNeitherTheServerNorAnotherHost(String sent, String shop, String root)
            throws Exception {
        String own = "127.0.0.1:" + fake.port();
        response =
                "HTTP/1.1 302 Found\nLocation: "
                        + sent.replace("OWN", own).replace("<tab>", "\t")
                        + "\nContent-Length: 0\n\n";
        for (String strip : List.of("/shop", "")) {
            try (ProxyServer proxy =
                    proxy(c -> {}, o -> o.strip(strip).prefix("/v2").rewriteLocation(true))) {
                String location = strip.isEmpty() ? root : shop;
                String received = proxy.ask("GET /shop/cart HTTP/1.1\nHost: a\n\n");
                assertTrue(
                        received.contains("\nLocation: " + location.replace("OWN", own) + "\n"),
                        received);
            }
        }
    }
}
