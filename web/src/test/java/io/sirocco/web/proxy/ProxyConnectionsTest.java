// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsClient;
import io.sirocco.net.TlsSettings.ClientCertificates;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** How servers are reached, and where handlers and filters run beside a proxy. */
@OnEachTransport
class ProxyConnectionsTest {
    private static final String GET = "GET /a HTTP/1.1\nHost: a\n\n";

    @Parameter TransportKind transport;

    @TempDir private static Path folder; // its certificate is made once

    private static void told(Routes routes) {
        routes.any(
                "/*",
                r ->
                        Response.text(
                                r.method()
                                        + " "
                                        + r.authority()
                                        + " "
                                        + r.tls().map(t -> t.serverName().orElse("")).orElse("-")
                                        + " "
                                        + r.body().text()));
    }

    private ProxyServer proxy(Consumer<UpstreamSettings> settings, String... urls) {
        return new ProxyServer(
                transport, Upstream.of(settings, urls), c -> {}, o -> o.host(Proxy.HOST_OF_SERVER));
    }

    private static String body(String response) {
        return response.substring(response.indexOf("\n\n") + 2);
    }

    @Test
    void aUnixSocketIsAServer() throws Exception {
        Path socket = folder.resolve("s");
        try (Server _ =
                        Server.start(
                                c -> c.listen(UnixDomainSocketAddress.of(socket)).loops(1),
                                ProxyConnectionsTest::told);
                ProxyServer proxy = proxy(s -> {}, "unix:" + socket)) {
            assertEquals("GET localhost - ", body(proxy.ask(GET)));
            assertEquals("GET localhost - ", body(proxy.ask(GET)));
            assertEquals(1, proxy.upstream.stats().connections());
            UpstreamStats.ServerStats server = proxy.upstream.stats().servers().getFirst();
            assertEquals(1, server.connections());
            ProxyServer.await(
                    "the connection is idle",
                    () -> proxy.upstream.stats().servers().getFirst().idle() == 1);
        }
    }

    @Test
    void aNameIsAServerForEachOfItsAddresses() throws Exception {
        try (Server behind =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                ProxyConnectionsTest::told);
                ProxyServer proxy = proxy(s -> {}, "http://localhost:" + behind.port())) {
            String expected = "GET localhost:" + behind.port() + " - ";
            assertEquals(expected, body(proxy.ask(GET)));
            ProxyServer.await(
                    "the addresses",
                    () ->
                            proxy.upstream.servers().stream()
                                    .allMatch(each -> each.origin.address().isPresent()));
            assertEquals(expected, body(proxy.ask(GET)));
            proxy.awaitQuiet();
        }
    }

    // ---- TLS

    private Server secure(Tls tls) {
        return Server.start(
                c -> c.listen(new InetSocketAddress("127.0.0.1", 0), tls).loops(1),
                ProxyConnectionsTest::told);
    }

    @Test
    void certificatesAreVerifiedByTheNameOfTheServer() throws Exception {
        Tls tls = Tls.of(s -> s.selfSigned(folder));
        TlsClient trusting = TlsClient.trusting(folder.resolve("localhost.pem"));
        try (Server behind = secure(tls)) {
            String url = "https://127.0.0.1:" + behind.port();
            try (ProxyServer proxy = proxy(s -> s.tls(trusting).serverName("localhost"), url)) {
                assertEquals("GET 127.0.0.1:" + behind.port() + "  ", body(proxy.ask(GET)));
            }
            try (ProxyServer proxy = proxy(s -> s.tls(trusting).serverName("other.test"), url)) {
                assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 502 "));
                assertEquals("502 1 BAD_GATEWAY: TLS_FAILED", proxy.next());
            }
            try (ProxyServer proxy = proxy(s -> {}, url)) {
                assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 502 "));
            }
        }
    }

    @Test
    void aClientCertificateIsPresented() throws Exception {
        Tls tls = Tls.of(s -> s.selfSigned(folder));
        Path chain = folder.resolve("localhost.pem");
        tls.replace(s -> s.selfSigned(folder).clientCertificates(ClientCertificates.NEEDED, chain));
        TlsClient own = TlsClient.of(context());
        try (Server behind = secure(tls)) {
            String url = "https://localhost:" + behind.port();
            try (ProxyServer proxy = proxy(s -> s.tls(TlsClient.trusting(chain)), url)) {
                assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 502 "));
            }
            try (ProxyServer proxy = proxy(s -> s.tls(own), url)) {
                assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 200 "));
            }
        }
    }

    /** Its key is the one that the server has made for itself. */
    private SSLContext context() throws Exception {
        char[] password = "sirocco".toCharArray();
        KeyStore store = KeyStore.getInstance(folder.resolve("localhost.p12").toFile(), password);
        store.setCertificateEntry("authority", store.getCertificate(store.aliases().nextElement()));
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    // ---- beside filters, in other modes

    private static Response read(Request request, Handler next) throws Exception {
        String body = request.body().text();
        return next.handle(request).map(response -> response.header("X-Body", body));
    }

    @Test
    void filtersAndAllModesWorkAndAFilterMayReadTheBody() throws Exception {
        try (Server behind =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                ProxyConnectionsTest::told);
                var upstream = Upstream.of("http://127.0.0.1:" + behind.port());
                var proxy =
                        new ProxyServer(
                                upstream,
                                c -> c.transport(transport),
                                routes -> {
                                    var to = Proxy.to(upstream);
                                    for (ExecutionMode mode : ExecutionMode.values()) {
                                        routes.route("*", "/" + mode, to).executionMode(mode);
                                    }
                                    routes.group(
                                            "/filtered",
                                            all ->
                                                    all.filter(ProxyConnectionsTest::read)
                                                            .any("", to));
                                });
                RawClient client = proxy.client()) {
            String post = "POST /%s HTTP/1.1\nHost: a\nContent-Length: 4\n\nbody";
            for (ExecutionMode mode : ExecutionMode.values()) {
                for (int i = 0; i < 3; i++) {
                    assertEquals(
                            "POST a - body", body(client.send(post.formatted(mode)).response()));
                }
            }
            String filtered = client.send(post.formatted("filtered")).response();
            assertTrue(filtered.contains("\nX-Body: body\n"), filtered);
            assertEquals("POST a - body", body(filtered));
            proxy.awaitQuiet();
        }
    }

    /** Pages of the site instead of those of a server, whose body nobody reads. */
    @Test
    void aFilterMayReplaceTheResponse() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 404 No\nContent-Length: 9\n\npart");
                                    peer.awaitEnd();
                                });
                var upstream = Upstream.of(fake.url());
                var proxy =
                        new ProxyServer(
                                upstream,
                                c -> c.transport(transport),
                                routes ->
                                        routes.filter(
                                                        (r, next) ->
                                                                next.handle(r)
                                                                        .map(
                                                                                from ->
                                                                                        Response
                                                                                                .text(
                                                                                                        "ours")))
                                                .any("/*", Proxy.to(upstream)))) {
            assertEquals("ours", body(proxy.ask(GET)));
            assertTrue(fake.ends.take() != null);
            proxy.awaitQuiet();
        }
    }

    @Test
    void anUpstreamOutlivesARestartOfItsServer() throws Exception {
        try (var fake = FakeUpstream.responding("HTTP/1.1 200 OK\nContent-Length: 2\n\nok");
                ProxyServer proxy = proxy(s -> {}, fake.url())) {
            for (int i = 0; i < 3; i++) {
                assertEquals("ok", body(proxy.ask(GET)));
                proxy.server.stop(Duration.ofSeconds(5));
                proxy.server.start();
            }
            assertEquals(3, fake.accepted.get());
        }
    }

    @Test
    void eachLoopHasConnectionsOfItsOwnAndAllCountTogether() throws Exception {
        try (var fake = FakeUpstream.responding("HTTP/1.1 200 OK\nContent-Length: 2\n\nok");
                var proxy =
                        new ProxyServer(
                                transport, Upstream.of(fake.url()), c -> c.loops(3), o -> {})) {
            for (int i = 0; i < 30; i++) {
                assertEquals("ok", body(proxy.ask(GET)));
            }
            assertEquals(30, proxy.upstream.stats().requests());
            assertTrue(fake.accepted.get() <= 3, "connections: " + fake.accepted);
            proxy.awaitQuiet();
        }
    }
}
