// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Servers that are added to an upstream and removed while requests are served. */
@OnEachTransport
class UpstreamMembersTest {
    private static final String GET = "GET /a HTTP/1.1\nHost: a\n\n";

    @Parameter TransportKind transport;

    private static Server named(String name) {
        return Server.start(
                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                routes -> routes.any("/*", request -> Response.text(name)));
    }

    private static String url(Server server) {
        return "http://127.0.0.1:" + server.port();
    }

    private ProxyServer empty(Consumer<UpstreamSettings> settings) {
        return new ProxyServer(
                transport, Upstream.of(s -> settings.accept(s.name("pool").allowEmpty(true))));
    }

    private static String last(String response) {
        return response.substring(response.lastIndexOf('\n') + 1);
    }

    private static List<String> names(Upstream upstream) {
        return upstream.stats().servers().stream().map(UpstreamStats.ServerStats::name).toList();
    }

    @Test
    void anEmptyUpstreamRefusesUntilAServerIsAdded() throws Exception {
        try (Server a = named("a");
                ProxyServer proxy = empty(s -> {})) {
            assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 503 "));
            assertTrue(proxy.upstream.add(url(a), 1));
            assertEquals("a", last(proxy.ask(GET)));
            assertFalse(proxy.upstream.add(url(a), 1));
            assertEquals(List.of(url(a)), names(proxy.upstream));
            assertTrue(proxy.upstream.remove(url(a) + "/")); // another spelling
            assertFalse(proxy.upstream.remove(url(a)));
            assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 503 "));
        }
    }

    @Test
    void aWeightChangesTheShareAndKeepsConnectionsAndCounters() throws Exception {
        try (Server a = named("a");
                Server b = named("b");
                ProxyServer proxy = empty(s -> {});
                RawClient client = proxy.client()) {
            proxy.upstream.add(url(a), 1);
            proxy.upstream.add(url(b), 1);
            for (int i = 0; i < 10; i++) {
                client.send(GET).response();
            }
            assertFalse(proxy.upstream.add(url(b), 4));
            Map<String, Integer> times = new HashMap<>();
            for (int i = 0; i < 10; i++) {
                times.merge(last(client.send(GET).response()), 1, Integer::sum);
            }
            assertEquals(Map.of("a", 2, "b", 8), times);
            UpstreamStats stats = proxy.upstream.stats();
            assertEquals(2, stats.connections());
            assertEquals(
                    List.of(7L, 13L),
                    stats.servers().stream().map(UpstreamStats.ServerStats::requests).toList());
            assertEquals(13, stats.servers().get(1).latency().count());
        }
    }

    @Test
    void aRequestAtAServerThatIsRemovedFinishes() throws Exception {
        var reached = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        try (Server slow =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                routes ->
                                        routes.any(
                                                "/*",
                                                request -> {
                                                    reached.countDown();
                                                    release.await();
                                                    return Response.text("done");
                                                }));
                Server other = named("other");
                ProxyServer proxy = empty(s -> {});
                RawClient client = proxy.client()) {
            proxy.upstream.add(url(slow), 1);
            client.send(GET);
            reached.await();
            proxy.upstream.add(url(other), 1);
            assertTrue(proxy.upstream.remove(url(slow)));
            for (int i = 0; i < 4; i++) {
                assertEquals("other", last(proxy.ask(GET)));
            }
            release.countDown();
            assertEquals("done", last(client.response()));
            proxy.awaitQuiet();
        }
    }

    @Test
    void aNameThatIsAddedIsResolved() throws Exception {
        try (Server a = named("a");
                ProxyServer proxy = empty(s -> {})) {
            proxy.ask(GET); // look-ups begin
            proxy.upstream.add("http://127.0.0.1.nip.invalid:1", 1); // has no address
            proxy.upstream.add("http://localhost:" + a.port(), 1);
            ProxyServer.await(
                    "an address",
                    () ->
                            proxy.upstream.servers().stream()
                                    .anyMatch(s -> s.origin.address().isPresent()));
            proxy.upstream.remove("http://127.0.0.1.nip.invalid:1");
            assertEquals("a", last(proxy.ask(GET)));
            proxy.upstream.remove("http://localhost:" + a.port());
            assertEquals(List.of(), names(proxy.upstream));
        }
    }

    @Test
    void aServerOfTheSettingsStays() {
        try (Upstream upstream = Upstream.of("http://127.0.0.1:1")) {
            assertFalse(upstream.add("http://127.0.0.1:1/", 9));
            assertFalse(upstream.remove("http://127.0.0.1:1"));
            assertEquals(List.of("http://127.0.0.1:1"), names(upstream));
            assertThrows(IllegalArgumentException.class, () -> upstream.add("127.0.0.1:1", 1));
            assertThrows(
                    IllegalArgumentException.class, () -> upstream.add("http://127.0.0.1:2", 0));
            assertThrows(
                    IllegalArgumentException.class, () -> Upstream.of(s -> s.allowEmpty(true)));
        }
    }
}
