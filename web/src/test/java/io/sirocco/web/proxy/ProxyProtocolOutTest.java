// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.TrustedProxies;
import io.sirocco.net.ProxyProtocol;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** The PROXY protocol to servers: each connection announces one client, and serves no other. */
@OnEachTransport
class ProxyProtocolOutTest {
    private static final String GET = "GET /a HTTP/1.1\nHost: a\n\n";
    private static final String OK = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok";

    @Parameter TransportKind transport;

    private ProxyServer proxy(Consumer<UpstreamSettings> settings, String url) {
        return new ProxyServer(transport, Upstream.of(settings, url));
    }

    /** Keeps each line of a PROXY header as a request. */
    private static FakeUpstream lines() throws Exception {
        return new FakeUpstream(
                peer -> {
                    peer.note(peer.until("\r\n").strip());
                    while (!peer.request().isEmpty()) {
                        peer.send(OK);
                    }
                });
    }

    private static String line(RawClient client, ProxyServer proxy) {
        return "PROXY TCP4 %s 127.0.0.1 %d %d"
                .formatted(
                        client.socket.getLocalAddress().getHostAddress(),
                        client.socket.getLocalPort(),
                        proxy.server.port());
    }

    @Test
    void aConnectionIsReusedForItsClientOnly() throws Exception {
        try (FakeUpstream behind = lines();
                ProxyServer proxy = proxy(s -> s.proxyProtocol(ProxyProtocol.V1), behind.url());
                var first = new RawClient(proxy.server.port());
                var second = new RawClient(proxy.server.port(), "127.0.0.2")) {
            for (int i = 0; i < 2; i++) {
                assertTrue(first.send(GET).response().endsWith("ok"));
                assertTrue(second.send(GET).response().endsWith("ok"));
            }
            assertEquals(line(first, proxy), behind.next());
            assertTrue(behind.next().startsWith("GET /a"));
            assertEquals(line(second, proxy), behind.next());
            for (int i = 0; i < 3; i++) {
                assertTrue(behind.next().startsWith("GET /a"));
            }
            assertEquals(2, behind.accepted.get());
        }
    }

    /** Otherwise the idle connections of clients that have left would keep others waiting. */
    @Test
    void anIdleConnectionMakesRoomForAnotherClient() throws Exception {
        try (FakeUpstream behind = lines();
                ProxyServer proxy =
                        proxy(
                                s ->
                                        s.proxyProtocol(ProxyProtocol.V1)
                                                .maxConnections(2)
                                                .keepAlive(Duration.ofHours(1)),
                                behind.url())) {
            for (int i = 0; i < 10; i++) {
                try (var client = new RawClient(proxy.server.port())) {
                    assertTrue(client.send(GET).response().endsWith("ok"));
                    assertEquals(line(client, proxy), behind.next());
                    assertTrue(behind.next().startsWith("GET /a"));
                }
                assertTrue(proxy.upstream.stats().connections() <= 2);
            }
            assertEquals(10, behind.accepted.get());
        }
    }

    /** More clients at once than connections: each waits for its own. */
    @Test
    void manyClientsShareFewConnections() throws Exception {
        try (Server behind = announced();
                ProxyServer proxy =
                        proxy(
                                s -> s.proxyProtocol(ProxyProtocol.V2).maxConnections(3),
                                "http://127.0.0.1:" + behind.port())) {
            var clients = new RawClient[16];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = new RawClient(proxy.server.port(), "127.0.0." + (i + 1));
            }
            for (int round = 0; round < 20; round++) {
                for (RawClient client : clients) {
                    client.send(GET);
                }
                for (RawClient client : clients) {
                    assertEquals(
                            client.socket.getLocalSocketAddress().toString(),
                            body(client.response()));
                }
            }
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** A server of ours that responds with the client that it was told. */
    private static Server announced() {
        return Server.start(
                c -> {
                    var address = new InetSocketAddress("127.0.0.1", 0);
                    c.trustedProxies(TrustedProxies.of(peer -> true)).loops(1);
                    c.listen(address, Optional.empty(), true);
                },
                routes -> routes.any("/*", r -> Response.text(r.remoteAddress().toString())));
    }

    @Test
    void healthChecksAreForNobody() throws Exception {
        try (FakeUpstream behind = lines();
                ProxyServer proxy =
                        proxy(
                                s -> s.proxyProtocol(ProxyProtocol.V1).healthPath("/health"),
                                behind.url())) {
            proxy.upstream.start(proxy.server);
            assertEquals("PROXY UNKNOWN", behind.next());
            assertTrue(behind.next().startsWith("GET /health"));
        }
    }

    @Test
    void aServerWithTlsIsRefused() {
        var e =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Upstream.of(s -> s.proxyProtocol(ProxyProtocol.V1), "https://a"));
        assertEquals(
                "proxyProtocol is for servers without TLS: http:// and unix:.", e.getMessage());
    }

    private static String body(String response) {
        return response.substring(response.indexOf("\n\n") + 2);
    }
}
