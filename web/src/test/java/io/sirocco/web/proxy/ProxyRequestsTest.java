// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Headers;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.ManualClock;
import io.sirocco.web.cache.ResponseCache;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of a program, and those of clients that it sends elsewhere. */
@Timeout(60)
class ProxyRequestsTest {
    private static final String OK = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok";

    private static String refusing() {
        return "http://127.0.0.1:" + FreePort.tcp();
    }

    private static ProxyServer server(Upstream upstream) {
        return new ProxyServer(upstream, config -> {}, routes -> {});
    }

    private static UpstreamRequest request(String method, String body) {
        return new UpstreamRequest(
                method,
                "/a?b=c",
                Headers.of("X-Any", "1", "Connection", "X-Gone", "X-Gone", "1"),
                body.getBytes(),
                Duration.ofSeconds(30),
                1000);
    }

    private static CompletableFuture<UpstreamResponse> send(
            ProxyServer server, UpstreamRequest request) {
        return server.upstream
                .send(server.server.loops().getFirst(), request)
                .toCompletableFuture();
    }

    private static String failure(CompletableFuture<?> failed) {
        return assertThrows(CompletionException.class, failed::join).getCause().getMessage();
    }

    @Test
    void aRequestOfTheProgramIsBalancedAndRetried() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    while (!peer.request().isEmpty()) {
                                        peer.send(
                                                "HTTP/1.1 200 OK\nContent-Length: 4\n\n"
                                                        + peer.read(4));
                                    }
                                });
                ProxyServer server =
                        server(Upstream.of(s -> s.maxFailures(0), refusing(), fake.url()))) {
            for (int i = 0; i < 4; i++) {
                UpstreamResponse response = send(server, request("POST", "body")).join();
                assertEquals("200 body", response.status() + " " + new String(response.body()));
                assertEquals("1.1 sirocco", response.headers().first("Via").orElseThrow());
                String head = fake.next();
                assertTrue(head.startsWith("POST /a?b=c HTTP/1.1\n"), head);
                assertTrue(head.contains("\nX-Any: 1\n"), head);
                assertFalse(head.contains("X-Gone") || head.contains("X-Forwarded"), head);
                assertTrue(head.contains("\nHost: " + fake.url().substring(7) + "\n"), head);
            }
            assertEquals(4, server.upstream.stats().requests());
            assertEquals(2, server.upstream.stats().retries());
            server.awaitQuiet();
        }
    }

    @Test
    void itsFailuresSayWhy() throws Exception {
        try (ProxyServer server = server(Upstream.of(s -> s.name("api"), refusing()))) {
            assertEquals(
                    "the upstream api did not respond: BAD_GATEWAY: CONNECT_FAILED",
                    failure(send(server, request("GET", ""))));
            server.awaitQuiet();
        }
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 10\n\npart");
                                });
                ProxyServer server = server(Upstream.of(s -> s.name("api"), fake.url()))) {
            String said = failure(send(server, request("GET", "")));
            assertTrue(said.contains("BAD_GATEWAY: "), said);
            assertEquals(1, server.upstream.stats().servers().getFirst().failures());
            server.awaitQuiet();
        }
        String big = "HTTP/1.1 200 OK\nContent-Length: 1001\n\n" + "x".repeat(1001);
        try (FakeUpstream fake = FakeUpstream.responding(big);
                ProxyServer server = server(Upstream.of(s -> s.name("api"), fake.url()))) {
            assertEquals(
                    "the response of the upstream api has more than 1000 bytes",
                    failure(send(server, request("GET", ""))));
            server.awaitQuiet();
        }
    }

    @Test
    void itsTimeoutAndItsCancellationEndTheRequest() throws Exception {
        var clock = ManualClock.belowZero();
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.awaitEnd();
                                });
                ProxyServer server =
                        new ProxyServer(
                                Upstream.of(s -> s.retries(0), fake.url()),
                                config -> config.clock(clock),
                                routes -> {})) {
            CompletableFuture<UpstreamResponse> late = send(server, request("GET", ""));
            fake.next();
            clock.advance(Duration.ofSeconds(31));
            String said = failure(late);
            assertTrue(said.contains("GATEWAY_TIMEOUT"), said);
            CompletableFuture<UpstreamResponse> cancelled = send(server, request("GET", ""));
            fake.next();
            cancelled.cancel(true);
            server.awaitQuiet();
        }
    }

    @Test
    void aRequestOfAClientIsForwardedToAnotherTargetWithOtherHeaders() throws Exception {
        try (FakeUpstream fake = FakeUpstream.responding(OK);
                ResponseCache cache = ResponseCache.create()) {
            Proxy proxy =
                    Proxy.to(
                            Upstream.of(fake.url()),
                            options -> options.strip("/v1").prefix("/v2").cache(cache));
            try (ProxyServer server =
                    new ProxyServer(
                            proxy.upstream,
                            config -> {},
                            routes ->
                                    routes.get(
                                            "/*",
                                            r ->
                                                    proxy.forward(
                                                            r,
                                                            r.query("to").orElseThrow(),
                                                            Headers.of(
                                                                    "Host",
                                                                    r.query("host").orElse("a"),
                                                                    "X-Any",
                                                                    "1"))))) {
                String get = "GET /?to=%s HTTP/1.1\nHost: a\nX-Client: 1\n\n";
                server.ask(get.formatted("/v1/b%3Fc=d"));
                String head = fake.next();
                assertTrue(head.startsWith("GET /v2/b?c=d HTTP/1.1\nHost: a\nX-Any: 1\n"), head);
                assertTrue(head.contains("\nX-Forwarded-For: 127.0.0.1\n"), head);
                assertFalse(head.contains("X-Client"), head);
                server.ask(get.formatted("/v1/b&host=other"));
                head = fake.next();
                assertTrue(head.startsWith("GET /v2/b HTTP/1.1\nHost: other\n"), head);
                assertTrue(head.contains("\nX-Forwarded-Host: a\n"), head);
                for (String bad : new String[] {"/v1/../b", "/v1/%252e%252e/b"}) {
                    String said = server.ask(get.formatted(bad));
                    assertTrue(said.startsWith("HTTP/1.1 400 "), said);
                }
                String said = server.ask(get.formatted("b%20c")); // no target: the program's fault
                assertTrue(said.startsWith("HTTP/1.1 500 "), said);
                assertEquals(0, cache.stats().misses(), "it is bypassed");
                server.awaitQuiet();
            }
        }
    }
}
