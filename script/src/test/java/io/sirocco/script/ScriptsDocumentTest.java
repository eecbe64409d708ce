// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Every script that docs/scripts.md shows does what the page says. */
@ExtendWith(LoadedLanguage.class)
class ScriptsDocumentTest {
    private static final Pattern SCRIPT = Pattern.compile("```js\n(.*?)```", Pattern.DOTALL);

    /** Responds with the target. */
    private static final Upstreams UPSTREAMS =
            new Upstreams() {
                @Override
                public boolean has(String name) {
                    return name.equals("legacy");
                }

                @Override
                public Response forward(Request request, Forward to) {
                    return Response.text(to.upstream() + " " + to.target());
                }

                @Override
                public CompletionStage<Fetched> fetch(Fetch fetch) {
                    throw new UnsupportedOperationException();
                }
            };

    @TempDir Path folder;

    private static String script(String part) throws IOException {
        String page = Files.readString(Path.of("../docs/scripts.md"));
        List<String> found =
                SCRIPT.matcher(page)
                        .results()
                        .map(each -> each.group(1))
                        .filter(each -> each.contains(part))
                        .toList();
        assertEquals(1, found.size(), part);
        return found.getFirst();
    }

    private Site site(String name, String part, Response response) throws IOException {
        Site.write(folder, name, script(part));
        return new Site(
                folder,
                ExecutionMode.VIRTUAL,
                options -> options.upstreams(UPSTREAMS),
                request -> response);
    }

    @Test
    void hello() throws IOException {
        try (Site site = site("hello.js", "Hello, $", Response.empty(404))) {
            assertEquals("Hello, Ada!", site.text("/hello?name=Ada"));
            assertEquals("Hello, world!", site.text("/hello"));
        }
    }

    @Test
    void aHeaderOnEveryResponse() throws IOException {
        try (Site site = site("_.js", "X-Frame-Options", Response.text("a"))) {
            assertEquals("DENY", site.get("/a").header("X-Frame-Options"));
        }
    }

    @Test
    void aPasswordAndAnotherUpstream() throws IOException {
        try (Site site = site("_.js", "Bearer secret", Response.text("passed"))) {
            String[] secret = {"Authorization", "Bearer secret"};
            assertEquals(401, site.status("/a"));
            assertEquals("passed", site.text("/a", secret));
            assertEquals("legacy /old/a", site.text("/old/a", secret));
        }
    }

    @Test
    void events() throws IOException {
        String script = script("text/event-stream");
        assertTrue(script.contains("resolve, 1000)"), script);
        Site.write(folder, "events.js", script.replace("resolve, 1000)", "resolve, 10)"));
        try (Site site = new Site(folder)) {
            Site.Reply reply = site.get("/events");
            assertEquals("text/event-stream", reply.header("Content-Type"));
            assertEquals("data: 0\n\ndata: 1\n\ndata: 2\n\n", reply.body());
        }
    }

    @Test
    void aFooterInEveryPage() throws IOException {
        Response page = Response.html("<body>Hi</body>");
        try (Site site = site("_.js", "<footer>", page)) {
            String body = site.text("/a");
            assertTrue(body.endsWith("Hi<footer>Served by Sirocco</footer></body>"), body);
        }
    }
}
