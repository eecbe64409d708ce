// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Filter;
import io.sirocco.web.cache.ResponseCache;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Headers of an upstream arrive as the bytes that it has sent, on whichever path they take. */
@Timeout(60)
class RawHeadersTest {
    /** What is between an upstream and its client. */
    enum Way {
        PROXY,
        FILTER,
        VARIABLE,
        MEMORY,
        DISK,
        DISK_AFTER_A_RESTART;

        boolean caches() {
            return ordinal() >= MEMORY.ordinal();
        }

        boolean onDisk() {
            return ordinal() >= DISK.ordinal();
        }
    }

    /** U+00E9 in UTF-8, and bytes that are no UTF-8, as Latin-1. */
    private static final List<String> RAW =
            List.of(
                    "Location: /caf\u00c3\u00a9?a=%20 b",
                    "Content-Location: /caf\u00c3\u00a9",
                    "Content-Disposition: attachment; filename=\"caf\u00c3\u00a9.txt\"",
                    "Link: </\u00c3\u00a9>; rel=next",
                    "Refresh: 0; url=/\u00c3\u00a9",
                    "X-Bytes: \u0080\u00ff");

    private static final String COOKIE = "Set-Cookie: a=\u00c3\u00a9; Path=/\u00c3\u00a9";
    private static final String BODY = "0123456789";

    private static final Filter ADDS =
            (request, next) ->
                    next.handle(request)
                            .map(r -> r.headers(r.headers().with("X-Filter", "1")))
                            .header("X-Other", "2");

    @TempDir Path folder;

    private static String headers(String more) {
        return String.join("\n", RAW) + "\n" + COOKIE + "\n" + more + "ETag: \"1\"\n";
    }

    private static String response(int status, String more) {
        return "HTTP/1.1 "
                + status
                + " A\n"
                + headers(more)
                + "Content-Length: "
                + BODY.length()
                + "\n\n"
                + BODY;
    }

    private ResponseCache cache(Way way, int status) {
        return ResponseCache.create(
                options -> {
                    options.rules(rules -> rules.storeSetCookie());
                    if (way.onDisk()) {
                        options.disk(folder.resolve("" + status), 8 << 20).memoryBody(0);
                    }
                });
    }

    private static ProxyServer proxy(FakeUpstream fake, Way way, ResponseCache cache) {
        Upstream upstream = Upstream.of(fake.url());
        return new ProxyServer(
                upstream,
                config -> {},
                routes -> {
                    if (way == Way.FILTER) {
                        routes.filter(ADDS);
                    }
                    routes.any(
                            "/*",
                            Proxy.to(
                                    upstream,
                                    options -> {
                                        if (way == Way.VARIABLE) {
                                            options.responseHeader("X-Id", request -> "1");
                                        } else if (way.caches()) {
                                            options.cache(cache);
                                        }
                                    }));
                });
    }

    private static void assertRaw(String response, int status, List<String> expected) {
        assertTrue(response.startsWith("HTTP/1.1 " + status + " "), response);
        for (String line : expected) {
            assertTrue(response.contains("\n" + line + "\n"), line + " is not in\n" + response);
        }
    }

    private static String ask(ProxyServer proxy, String method, String more) throws Exception {
        try (RawClient client = proxy.client()) {
            return method.equals("HEAD")
                    ? client.send("HEAD / HTTP/1.1\nHost: a\nConnection: close\n\n").end()
                    : client.send(method + " / HTTP/1.1\nHost: a\n" + more + "\n").response();
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void headersArriveAsBytes(Way way) throws Exception {
        for (int status : List.of(200, 301, 404)) {
            try (var fake =
                    FakeUpstream.responding(response(status, "Cache-Control: max-age=60\n"))) {
                try (ResponseCache cache = cache(way, status);
                        var proxy = proxy(fake, way, cache)) {
                    assertRaw(ask(proxy, "GET", ""), status, RAW);
                    if (way.caches()) {
                        ProxyServer.await("it is stored", () -> cache.stats().stored() > 0);
                    }
                    if (way != Way.DISK_AFTER_A_RESTART) {
                        again(proxy, way, status);
                    }
                }
                if (way == Way.DISK_AFTER_A_RESTART) {
                    try (ResponseCache cache = cache(way, status);
                            var proxy = proxy(fake, way, cache)) {
                        again(proxy, way, status);
                    }
                }
            }
        }
    }

    private static void again(ProxyServer proxy, Way way, int status) throws Exception {
        String second = ask(proxy, "GET", "");
        assertRaw(second, status, RAW);
        assertRaw(second, status, List.of(COOKIE));
        assertTrue(second.endsWith(BODY), second);
        assertEquals(way.caches(), second.contains("\nAge: "), second);
        if (way.caches()) {
            assertRaw(ask(proxy, "HEAD", ""), status, RAW);
        }
        if (way.caches() && status == 200) {
            assertRaw(ask(proxy, "GET", "Range: bytes=2-4\n"), 206, RAW);
            assertRaw(ask(proxy, "GET", "Range: bytes=2-4,6-7\n"), 206, RAW);
            assertRaw(
                    ask(proxy, "GET", "If-None-Match: \"1\"\n"),
                    304,
                    List.of("Content-Location: /caf\u00c3\u00a9"));
        }
    }

    /** A 304 brings other headers, which take the place of those that are stored. */
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"MEMORY", "DISK"})
    void headersOfANotModifiedResponseArriveAsBytes(Way way) throws Exception {
        String stale = "Cache-Control: max-age=0\n";
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    for (String request = peer.request();
                                            !request.isEmpty();
                                            request = peer.request()) {
                                        peer.send(
                                                request.contains("If-None-Match")
                                                        ? "HTTP/1.1 304 A\nX-New: \u00c3\u00a8\n"
                                                                + "Location: /\u00c3\u00a8\n"
                                                                + "ETag: \"1\"\n\n"
                                                        : response(200, stale));
                                    }
                                });
                ResponseCache cache = cache(way, 200);
                var proxy = proxy(fake, way, cache)) {
            ask(proxy, "GET", "");
            ProxyServer.await("it is stored", () -> cache.stats().stored() > 0);
            for (int i = 0; i < 2; i++) {
                String response = ask(proxy, "GET", "");
                assertRaw(response, 200, List.of("X-New: \u00c3\u00a8", "Location: /\u00c3\u00a8"));
                assertRaw(response, 200, RAW.subList(1, RAW.size()));
                assertTrue(response.endsWith(BODY), response);
            }
        }
    }
}
