// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.peer.Npm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official client of JavaScript, in Chromium, by the file that it has for browsers. */
@Tag("peers")
class ChromiumClientTest {
    private static final Path DIST = Path.of("node_modules/socket.io-client/dist");

    private static Response page(Npm npm, Request request) throws IOException {
        String name = request.param("name");
        Path own = npm.folder().resolve(name);
        Path file = Files.exists(own) ? own : npm.folder().resolve(DIST).resolve(name);
        String text = Files.readString(file);
        return name.endsWith(".js")
                ? Response.text(text).header("Content-Type", "text/javascript")
                : Response.html(text);
    }

    private static void pages(Npm npm, CompletableFuture<String> facts, Routes routes) {
        routes.get("/page/{name}", request -> page(npm, request));
        routes.post(
                "/facts",
                request -> {
                    facts.complete(request.body().text());
                    return Response.empty(204);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "upgrade"})
    void isServed(String transport) throws Exception {
        var npm = new Npm("socket.io-client");
        var facts = new CompletableFuture<String>();
        try (var here = new Acquaintance(routes -> pages(npm, facts, routes));
                var chromium = new Chromium()) {
            String server = "http://127.0.0.1:" + here.port();
            chromium.open(server + "/page/page.html?" + transport);
            assertEquals(Acquaintance.expected(), facts.get(60, TimeUnit.SECONDS));
        }
    }
}
