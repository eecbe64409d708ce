// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.HttpClient;
import io.sirocco.net.TlsClient;
import io.sirocco.script.Scripts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder examples/scripts, the cache in front of a remote site, and TLS on one side only. */
class ScriptExamplesTest {
    private static final java.net.http.HttpClient HTTP = java.net.http.HttpClient.newHttpClient();
    private static Scripts scripts;
    private static Server site;

    @BeforeAll
    static void start() throws IOException {
        scripts = ScriptSite.scripts(Path.of("scripts"));
        scripts.ready().toCompletableFuture().join();
        site = ScriptSite.start(0, scripts);
    }

    @AfterAll
    static void stop() {
        site.stop(Duration.ofSeconds(1));
        scripts.close();
        HTTP.shutdownNow();
    }

    private static HttpResponse<String> send(
            Server to, String method, String path, String body, String... headers)
            throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + to.port() + path))
                        .method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    private static String greeting(String... languages) throws Exception {
        return send(site, "GET", "/helloWorld.html", "", languages).body();
    }

    @Test
    void localeChoice() throws Exception {
        var spanish =
                send(
                        site,
                        "GET",
                        "/helloWorld.html",
                        "",
                        "Accept-Language",
                        "es, fr;q=0.8, en;q=0.7");
        assertEquals(200, spanish.statusCode());
        assertTrue(spanish.body().contains("¡Hola, mundo!"), spanish.body());
        assertEquals(
                "text/html; charset=utf-8", spanish.headers().firstValue("Content-Type").get());
        assertTrue(greeting("Accept-Language", "de, fr-CA;q=0.3, es;q=0.1").contains("Bonjour"));
        assertTrue(greeting("Accept-Language", "constructor").contains("Hello"));
        assertTrue(greeting().contains("Hello, world!"));
    }

    /** As {@code sirocco serve} runs them: its configuration has no nested tables for scripts. */
    @Test
    void theyRunWithoutConfiguration() throws Exception {
        try (Scripts plain = Scripts.of(Path.of("scripts"));
                Server server = ScriptSite.start(0, plain)) {
            for (String path : new String[] {"/helloWorld.html", "/page.html", "/guestbook"}) {
                var response = send(server, "GET", path, "");
                assertEquals(200, response.statusCode(), path);
            }
            assertEquals("[]", send(server, "GET", "/mock/items", "").body());
            server.stop(Duration.ofSeconds(1));
        }
    }

    @Test
    void abSplit() throws Exception {
        Map<String, Integer> pages = new TreeMap<>();
        for (int i = 0; i < 20; i++) {
            pages.merge(send(site, "GET", "/page.html", "").body(), 1, Integer::sum);
        }
        assertEquals(Map.of("<h1>Page A</h1>", 10, "<h1>Page B</h1>", 10), pages);
        for (int i = 0; i < 5; i++) {
            var again = send(site, "GET", "/page.html", "", "Cookie", "variant=b");
            assertEquals("<h1>Page B</h1>", again.body());
        }
    }

    @Test
    void servlet() throws Exception {
        assertEquals(303, send(site, "POST", "/guestbook", "name=Ada+%3Cb%3E").statusCode());
        String page = send(site, "GET", "/guestbook", "").body();
        assertTrue(page.contains("<li>Ada &#60;b&#62;"), page);
        assertEquals(400, send(site, "POST", "/guestbook", "name=").statusCode());
        assertEquals(405, send(site, "DELETE", "/guestbook", "").statusCode());
    }

    @Test
    void mockService() throws Exception {
        var created = send(site, "POST", "/mock/items", "{\"name\": \"a\"}");
        assertEquals(201, created.statusCode());
        assertEquals("{\"name\":\"a\",\"id\":1}", created.body());
        assertEquals("/mock/items/1", created.headers().firstValue("Location").get());
        assertEquals("[{\"name\":\"a\",\"id\":1}]", send(site, "GET", "/mock/items", "").body());
        assertEquals(503, send(site, "GET", "/mock/items/1?fail=503", "").statusCode());
        assertEquals(200, send(site, "GET", "/mock/items/1?delay=5", "").statusCode());
        assertEquals(400, send(site, "POST", "/mock/items", "{").statusCode());
        assertEquals(204, send(site, "DELETE", "/mock/items/1", "").statusCode());
        assertEquals(404, send(site, "GET", "/mock/items/1", "").statusCode());
        assertEquals(404, send(site, "GET", "/mock/other", "").statusCode());
    }

    @Test
    void cacheOfARemoteSite() throws Exception {
        var fetched = new AtomicInteger();
        try (Server remote =
                        Server.start(
                                0,
                                all ->
                                        all.get(
                                                "/*",
                                                request ->
                                                        Response.text(
                                                                        request.path()
                                                                                + " "
                                                                                + fetched
                                                                                        .incrementAndGet())
                                                                .header(
                                                                        "Cache-Control",
                                                                        "max-age=60")));
                Server cached = CachedSite.start(0, "http://127.0.0.1:" + remote.port())) {
            for (int i = 0; i < 10; i++) {
                assertEquals("/a 1", send(cached, "GET", "/a", "").body());
            }
            assertEquals("/b 2", send(cached, "GET", "/b", "").body());
            assertEquals(2, fetched.get());
        }
    }

    @Test
    void tlsOnOneSideOnly(@TempDir Path certificates) throws Exception {
        try (Server plain = Server.start(0, all -> all.get("/*", r -> Response.text(r.path())));
                Server secure =
                        TlsBridge.terminate(0, certificates, "http://127.0.0.1:" + plain.port());
                Server bridge =
                        TlsBridge.originate(
                                0,
                                certificates.resolve("localhost.pem"),
                                "https://localhost:" + secure.port())) {
            assertEquals("/over/tls", send(bridge, "GET", "/over/tls", "").body());
            TlsClient trusting = TlsClient.trusting(certificates.resolve("localhost.pem"));
            try (HttpClient client = HttpClient.create(settings -> settings.tls(trusting))) {
                String url = "https://localhost:" + secure.port();
                try (var response = client.send(ClientRequest.of("GET", url).target("/a"))) {
                    assertEquals("/a", response.body().text());
                }
            }
        }
    }
}
