// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.cache.ResponseCache;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * Many clients on several loops ask for the same URLs at once, some leave, and no response reaches
 * a client that it is not for.
 */
@OnEachTransport
class ProxyCacheMixedTest {
    private static final int CLIENTS = 8;
    private static final int REQUESTS = 150;

    @Parameter TransportKind transport;

    /** The response depends on what its kind of URL says, and on nothing else. */
    private static Response respond(Request request) {
        String address = request.header("X-Forwarded-For").orElse("none");
        String name = request.header("X-Name").orElse("none");
        return switch (request.path().substring(1, 3)) {
            case "sh" -> text("all").header("Cache-Control", "max-age=60");
            case "pr" -> text(name).header("Cache-Control", "private, max-age=60");
            case "va" -> text(name).header("Cache-Control", "max-age=60").header("Vary", "X-Name");
            case "ad" ->
                    text(address)
                            .header("Cache-Control", "max-age=60")
                            .header("Vary", "X-Forwarded-For");
            case "au" ->
                    text(request.header("Authorization").orElse("none"))
                            .header("Cache-Control", "max-age=60");
            case "co" ->
                    text(name)
                            .header("Cache-Control", "max-age=60")
                            .header("Set-Cookie", "name=" + name);
            case "st" -> text("all").header("Cache-Control", "max-age=0, must-revalidate");
            default -> Response.empty(404);
        };
    }

    private static Response text(String text) {
        return Response.text(text).header("ETag", '"' + text.replace(' ', '-') + '"');
    }

    private static String expected(String kind, int client) {
        return switch (kind) {
            case "pr", "va", "co" -> "n" + client;
            case "ad" -> "127.0.1." + client;
            case "au" -> "Basic c" + client;
            default -> "all";
        };
    }

    @Test
    void noResponseReachesAnotherClient() throws Exception {
        String[] kinds = {"sh", "pr", "va", "ad", "au", "co", "st"};
        try (Server origin =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                routes -> routes.any("/*", ProxyCacheMixedTest::respond));
                ResponseCache cache = ResponseCache.create();
                Upstream upstream = Upstream.of("http://127.0.0.1:" + origin.port());
                ProxyServer proxy =
                        new ProxyServer(
                                upstream,
                                config -> config.transport(transport).loops(3),
                                routes ->
                                        routes.any(
                                                "/*",
                                                Proxy.to(upstream, all -> all.cache(cache))));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var clients = new ArrayList<Future<?>>();
            for (int i = 1; i <= CLIENTS; i++) {
                int number = i;
                clients.add(threads.submit(() -> play(proxy, kinds, number)));
            }
            for (Future<?> each : clients) {
                each.get(50, TimeUnit.SECONDS);
            }
            assertTrue(cache.stats().hits() > 0, () -> cache.stats().toString());
            proxy.awaitQuiet();
        }
    }

    private Void play(ProxyServer proxy, String[] kinds, int number) throws IOException {
        var random = new Random(number);
        RawClient client = new RawClient(proxy.server.port(), "127.0.1." + number);
        try {
            for (int i = 0; i < REQUESTS; i++) {
                String kind = kinds[random.nextInt(kinds.length)];
                String target = "/" + kind + "/" + i / 5;
                String credentials =
                        kind.equals("au") ? "Authorization: Basic c" + number + "\n" : "";
                client.send(
                        "GET %s HTTP/1.1\nHost: a\nX-Name: n%d\n%s\n"
                                .formatted(target, number, credentials));
                if (random.nextInt(10) == 0) { // it leaves
                    client.reset();
                    client = new RawClient(proxy.server.port(), "127.0.1." + number);
                    continue;
                }
                String response = client.response();
                String body = response.substring(response.indexOf("\n\n") + 2);
                assertEquals(expected(kind, number), body, () -> target + "\n" + response);
            }
        } finally {
            client.close();
        }
        return null;
    }
}
