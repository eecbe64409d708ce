// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Filter;
import io.sirocco.http.Headers;
import io.sirocco.http.TrustedProxies;
import io.sirocco.web.cache.ResponseCache;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A request in absolute-form is forwarded, cached and logged as the same one in origin-form, under
 * every combination of the options that concern the target.
 */
@Timeout(120)
class ProxyTargetsTest {
    private static final String OK =
            "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 2\n\nok";

    /** Absolute forms; the host and the target in origin-form that each means. */
    private static final String[][] FORMS = {
        {"http://a.test/shop/a?x=1", "a.test", "/shop/a?x=1"},
        {"HTTP://a.test:81/shop", "a.test:81", "/shop"},
        {"http://a.test//internal.test/shop", "a.test", "//internal.test/shop"},
        {"http://a.test?x", "a.test", "/?x"},
        {"http://a.test", "a.test", "/"},
        {"http://%69nternal.test/shop/b", "%69nternal.test", "/shop/b"},
        {"http://[::1]:80/shop/http://b/", "[::1]:80", "/shop/http://b/"},
    };

    private record Choice(String name, Consumer<ProxyOptions> options) {
        @Override
        public String toString() {
            return name;
        }

        Choice and(Choice other) {
            return new Choice(name + " " + other.name, options.andThen(other.options));
        }
    }

    private static Choice choice(String name, Consumer<ProxyOptions> options) {
        return new Choice(name, options);
    }

    static Stream<Choice> options() {
        List<Choice> all = List.of(choice("", o -> {}));
        for (List<Choice> one :
                List.of(
                        List.of(
                                choice("plain", o -> {}),
                                choice("paths", o -> o.strip("/shop").prefix("/tenant1")),
                                choice("rewrite", o -> o.rewrite(r -> "/new" + r.path()))),
                        List.of(
                                choice("client", o -> {}),
                                choice("server", o -> o.host(Proxy.HOST_OF_SERVER)),
                                choice("pinned", o -> o.host("pinned.test"))),
                        List.of(
                                choice("", o -> {}),
                                choice("header", o -> o.requestHeader("X-Any", "1")),
                                choice("variable", o -> o.requestHeader("X-To", r -> r.target()))),
                        List.of(
                                choice("", o -> {}),
                                choice("cache", o -> o.cache(ResponseCache.create(c -> {})))))) {
            var next = new ArrayList<Choice>();
            all.forEach(before -> one.forEach(each -> next.add(before.and(each))));
            all = next;
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("options")
    void anAbsoluteTargetIsForwardedAsItsOriginForm(Choice choice) throws Exception {
        boolean cached = choice.name.endsWith("cache");
        try (FakeUpstream fake = FakeUpstream.responding(OK);
                var proxy = proxy(fake, choice.options);
                var other = proxy(fake, choice.options);
                RawClient client = proxy.client();
                RawClient plain = other.client()) {
            for (String[] form : FORMS) {
                String rest = " HTTP/1.1\nHost: " + form[1] + "\n\n";
                String response = client.send("GET " + form[0] + rest).response();
                assertTrue(response.startsWith("HTTP/1.1 200"), form[0] + "\n" + response);
                String absolute = fake.next();
                if (!cached) { // the two proxies share it
                    plain.send("GET " + form[2] + rest).response();
                    assertEquals(fake.next(), absolute);
                }
                assertTrue(absolute.startsWith("GET /"), absolute);
                client.send("GET " + form[2] + rest).response();
                assertEquals(cached ? 0 : 1, fake.requests.size());
                fake.requests.clear();
            }
        }
    }

    private static ProxyServer proxy(FakeUpstream fake, Consumer<ProxyOptions> options) {
        Upstream upstream = Upstream.of(fake.url());
        return new ProxyServer(
                upstream, config -> {}, routes -> routes.any("/*", Proxy.to(upstream, options)));
    }

    @Test
    void aHostThatATrustedProxyNamesHasNoOtherTarget() throws Exception {
        try (FakeUpstream fake = FakeUpstream.responding(OK)) {
            Upstream upstream = Upstream.of(fake.url());
            ResponseCache cache = ResponseCache.create(c -> {});
            try (var proxy =
                    new ProxyServer(
                            upstream,
                            config ->
                                    config.trustedProxies(
                                            TrustedProxies.of(
                                                    peer -> true,
                                                    TrustedProxies.Field.X_FORWARDED_HOST)),
                            routes ->
                                    routes.any(
                                            "/*",
                                            Proxy.to(
                                                    upstream,
                                                    o ->
                                                            o.cache(cache)
                                                                    .requestHeader(
                                                                            "X-A", r -> "1"))))) {
                String rest = " HTTP/1.1\nHost: b\nX-Forwarded-Host: shop.test\n\n";
                proxy.ask("GET http://internal.test/a" + rest);
                String head = fake.next();
                assertTrue(head.startsWith("GET /a HTTP/1.1\nHost: shop.test\n"), head);
            }
        }
    }

    /** As a script or a filter forwards it. */
    @ParameterizedTest
    @CsvSource({
        "http://a.test/b?c, /b?c, a.test",
        "http://a.test, /, a.test",
        "http://a.test//b, //b, a.test",
    })
    void aFilterForwardsThePathOnly(String target, String origin, String host) throws Exception {
        try (FakeUpstream fake = FakeUpstream.responding(OK)) {
            Upstream upstream = Upstream.of(fake.url());
            Proxy to = Proxy.to(upstream);
            try (var proxy =
                    new ProxyServer(
                            upstream,
                            config -> {},
                            routes ->
                                    routes.any(
                                            "/*", r -> to.forward(r, r.target(), r.headers())))) {
                proxy.ask("GET " + target + " HTTP/1.1\nHost: other.test\n\n");
                String head = fake.next();
                assertTrue(
                        head.startsWith("GET " + origin + " HTTP/1.1\nHost: " + host + "\n"), head);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OPTIONS *, 204",
        "CONNECT internal.test:80, 501",
        "GET http:///a, 400",
        "GET http:/a, 400",
        "GET http://user@internal.test/, 400",
        "GET http://user:secret@internal.test/, 400",
        "GET http://internal.test:99999/, 400",
        "GET http://internal.test:x/, 400",
        "GET http://internal.test#a, 400",
        "GET http://[::1/, 400",
        "GET http:\\\\internal.test/, 400",
        "GET internal.test/a, 400",
        "GET *, 400",
        "GET internal.test:80, 400",
        "GET ftp://internal.test/, 400",
        "GET https://internal.test/, 421",
    })
    void targetsWithoutAPathAreNotForwarded(String line, int status) throws Exception {
        try (FakeUpstream fake = FakeUpstream.responding(OK)) {
            Upstream upstream = Upstream.of(fake.url());
            Proxy to = Proxy.to(upstream, o -> o.prefix("/tenant1"));
            Filter all = (request, next) -> to.handle(request); // unmatched targets, too
            try (var proxy =
                    new ProxyServer(upstream, config -> {}, routes -> routes.filterAll(all))) {
                String response = proxy.ask(line + " HTTP/1.1\nHost: internal.test:80\n\n");
                assertTrue(response.startsWith("HTTP/1.1 " + status + " "), response);
                assertTrue(fake.requests.isEmpty());
            }
        }
    }

    @Test
    void aProgramCannotForwardAUrl() throws Exception {
        try (FakeUpstream fake = FakeUpstream.responding(OK)) {
            Upstream upstream = Upstream.of(fake.url());
            Proxy to = Proxy.to(upstream);
            Proxy rewriting = Proxy.to(upstream, o -> o.rewrite(r -> "http://internal.test/"));
            try (var proxy =
                    new ProxyServer(
                            upstream,
                            config -> {},
                            routes ->
                                    routes.any(
                                                    "/forward",
                                                    r ->
                                                            to.forward(
                                                                    r,
                                                                    "http://internal.test/",
                                                                    Headers.none()))
                                            .any("/*", rewriting))) {
                for (String path : List.of("/forward", "/rewrite")) {
                    String response = proxy.ask("GET " + path + " HTTP/1.1\nHost: a\n\n");
                    assertTrue(response.startsWith("HTTP/1.1 500 "), response);
                }
                assertFalse(fake.accepted.get() > 0);
            }
        }
    }
}
