// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Filter;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.web.files.Client.Answer;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files at {@code /*} beside other routes: errors look as those of the server do. */
@Timeout(60)
class FilesBesideRoutesTest {
    @TempDir Path root;
    private FileServer files;
    private Server server;

    private void serve(String method) throws Exception {
        Files.writeString(root.resolve("index.html"), "home");
        Files.createDirectories(root.resolve("bare"));
        files = FileServer.of(root);
        server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(1)
                                        .errorPages(
                                                (status, message) ->
                                                        Response.html("<h1>" + status + "</h1>")),
                        routes -> {
                            routes.filter(Filter.ofResponses(r -> r.setHeader("X-Own", "yes")));
                            routes.get("/api/{id}", r -> Response.text("got"))
                                    .post("/api/{id}", r -> Response.text("posted"));
                            routes.route("DELETE", "/api/me", r -> Response.text("deleted"));
                            routes.host(
                                    "a.test", a -> a.put("/api/{id}", r -> Response.text("put")));
                            routes.route(method, "/*", files);
                            routes.any("/served", r -> files.serve(r, "/none"));
                        });
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
            files.close();
        }
    }

    private Answer ask(String method, String target) throws Exception {
        try (var client = new Client(server.port())) {
            return client.ask(method, target);
        }
    }

    private void assertPage(int status, String allow, Answer answer, String what) {
        assertEquals(status, answer.status(), what);
        assertEquals(allow, answer.field("Allow"), what);
        assertEquals("yes", answer.field("X-Own"), what);
        if (status != 204) {
            assertEquals("<h1>" + status + "</h1>", answer.text(), what);
            assertTrue(answer.field("Content-Type").startsWith("text/html"), what);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "GET"})
    void allowHasTheMethodsOfAllRoutesOfAPath(String registered) throws Exception {
        serve(registered);
        for (String method : new String[] {"PATCH", "PROPFIND", "PUT"}) {
            assertPage(405, "GET, HEAD, OPTIONS, POST", ask(method, "/api/7"), method);
            assertPage(405, "DELETE, GET, HEAD, OPTIONS, POST", ask(method, "/api/me"), method);
            assertPage(405, "GET, HEAD, OPTIONS", ask(method, "/index.html"), method);
            assertPage(405, "GET, HEAD, OPTIONS", ask(method, "/none"), method);
        }
        assertPage(204, "GET, HEAD, OPTIONS, POST", ask("OPTIONS", "/api/7"), "OPTIONS");
        assertPage(204, "GET, HEAD, OPTIONS", ask("OPTIONS", "/index.html"), "OPTIONS");
        assertEquals("posted", ask("POST", "/api/7").text());
        assertEquals("home", ask("GET", "/").text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/none", "/bare/", "/bare/none", "/..%2fx", "/.git", "/served"})
    void aMissingFileHasTheErrorPageOfTheServer(String target) throws Exception {
        serve("*");
        for (int i = 0; i < 3; i++) { // from the disk, then from the cache
            assertPage(404, "", ask("GET", target), target);
        }
    }

    @ParameterizedTest
    @CsvSource({"a.test, 'GET, HEAD, OPTIONS, POST, PUT'", "b.test, 'GET, HEAD, OPTIONS, POST'"})
    void allowHasTheRoutesOfTheHost(String host, String allow) throws Exception {
        serve("*");
        try (var client = new Client(server.port())) {
            client.send("PATCH /api/7 HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            assertPage(405, allow, client.answer(false), host);
        }
    }

    @Test
    void aHeadRequestForAMissingFileHasTheHeadersOfThePage() throws Exception {
        serve("*");
        Answer answer = ask("HEAD", "/none");
        assertEquals(404, answer.status());
        assertEquals("12", answer.field("Content-Length"));
    }
}
