// SPDX-License-Identifier: Apache-2.0
package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Server;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the README, taken from the README. */
public class ReadmeTest {
    private static final Path README = Snippets.TOP.resolve("README.md");

    /** Where the program under test leaves its server. */
    public static Server started;

    private static String program() {
        return Snippets.in(README).stream()
                .filter(block -> block.contains("void main()"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the README has no program"));
    }

    @Test
    void itsProgramDoesWhatItSays(@TempDir Path folder) throws Exception {
        // Its port may be in use here, and somebody must stop it.
        String own = "Server server = Server.start(";
        String port = "\"127.0.0.1\", 8080)";
        assertTrue(program().contains(own), "the README starts its server in another way");
        assertTrue(program().contains(port), "the README listens on another address");
        String ours =
                program()
                        .replace(own, "Server server = examples.ReadmeTest.started = Server.start(")
                        .replace(port, "\"127.0.0.1\", 0)");
        assertEquals("", Snippets.compile("Program", ours, folder));
        Snippets.run("Program", folder);
        try (Server server = started;
                var http = HttpClient.newHttpClient()) {
            String base = "http://127.0.0.1:" + server.port();
            var hello = HttpRequest.newBuilder(URI.create(base + "/hello/README")).build();
            assertEquals("Hello, README", http.send(hello, BodyHandlers.ofString()).body());
            var echo =
                    HttpRequest.newBuilder(URI.create(base + "/echo"))
                            .POST(BodyPublishers.ofString("as it was"))
                            .build();
            assertEquals("as it was", http.send(echo, BodyHandlers.ofString()).body());
            var ticks = HttpRequest.newBuilder(URI.create(base + "/ticks")).build();
            try (var lines = http.send(ticks, BodyHandlers.ofLines()).body()) {
                assertEquals("data: tick", lines.findFirst().orElseThrow());
            }
            server.stop(Duration.ofMillis(100));
        }
    }

    /** The test above would be worth nothing if it could not fail. */
    @Test
    void aBrokenProgramIsFound(@TempDir Path folder) {
        String broken = program().replace("request.param", "request.parameter");
        assertNotEquals("", Snippets.compile("Program", broken, folder));
        String unimported = program().replaceFirst("import static [^;]*;", "");
        assertNotEquals("", Snippets.compile("Program", unimported, folder));
    }

    @Test
    void helloIsTheSameProgram() {
        String here = Snippets.text(Path.of("src/main/java/examples/Hello.java"));
        String there = program();
        String routes = there.substring(there.indexOf("routes ->"), there.indexOf(");\n    IO."));
        assertTrue(
                here.replaceAll("\\s", "").contains(routes.replaceAll("\\s", "")),
                "Hello.java and the README differ");
    }
}
