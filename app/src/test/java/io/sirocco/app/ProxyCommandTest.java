// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command {@code sirocco proxy}. */
@Timeout(60)
class ProxyCommandTest {
    private static Server named(String name) {
        return Server.start(
                config -> config.port(0).loops(1),
                routes -> routes.get("/*", request -> Response.text(name)));
    }

    private static String url(Server server) {
        return "http://127.0.0.1:" + server.port();
    }

    @Tag("peers")
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no signals")
    void theProcessForwardsByPathUntilItIsStopped() throws Exception {
        try (Server a = named("a");
                Server b = named("b");
                Server rest = named("rest");
                var child =
                        new Child(
                                "proxy",
                                "/api/*=" + url(a) + "," + url(b),
                                "*=" + url(rest),
                                "--port",
                                "0",
                                "--loops",
                                "1")) {
            int port = child.port();
            String to = "Sirocco serves a proxy for /api/*, /* on http://127.0.0.1:";
            assertTrue(child.line().startsWith(to), child.line());
            String first = Client.get(port, "/api/x").body();
            String second = Client.get(port, "/api/x").body();
            assertEquals(Set.of("a", "b"), Set.of(first, second));
            assertEquals("rest", Client.get(port, "/index.html").body());
            child.signal("TERM");
            assertEquals(0, child.exitCode());
        }
    }

    /** What is wrong is outside of the program: a stack trace would tell an operator nothing. */
    @Tag("peers")
    @Test
    void aServerThatIsDownIsOneLineOfTheLog() throws Exception {
        int closed;
        try (Server down = named("down")) {
            closed = down.port();
        }
        String url = "http://127.0.0.1:" + closed;
        try (var child = new Child("proxy", "*=" + url, "--port", "0", "--loops", "1")) {
            assertTrue(Client.get(child.port(), "/").status() == 502);
            String line = child.errLine();
            String why =
                    "upstream " + url + ": CONNECT_FAILED: cannot connect to 127.0.0.1:" + closed;
            assertTrue(line.contains(why), line);
            child.signal("TERM");
            String next = child.errLine();
            assertTrue(next.endsWith("stopped"), next);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    /api                              | '/api' is not PATTERN=URL
                    api/*=http://127.0.0.1:1          | 'api/*=http://127.0.0.1:1' is not PATTERN=URL
                    http://127.0.0.1:1                | write '*=http://127.0.0.1:1'
                    *=http://127.0.0.1:1/app          | "to" has a path: "http://127.0.0.1:1/app"
                    /a=http://a:1,http://a:1          | "servers" contains "http://a:1" twice
                    /a=http://a:1 /a=http://b:1       | two routes of this site have the same path: "/a"
                    *=http://127.0.0.1:1 --port 70000 | --port must be from 0 to 65535
                    --port 0                          | PATTERN=URL is missing
                    """)
    void mistakesAreExplained(String words, String message) {
        var err = new StringWriter();
        String[] line = ("proxy " + words).split(" ");
        var sirocco = Main.commandLine(line);
        sirocco.setErr(new PrintWriter(err, true));
        assertEquals(2, sirocco.execute(line));
        assertTrue(err.toString().contains(message), err.toString());
    }
}
