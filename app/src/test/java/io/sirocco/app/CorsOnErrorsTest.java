// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.app.Client.Answer;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A page of another origin can read each error of a site, with the site's own headers. */
@Timeout(60)
class CorsOnErrorsTest {
    @TempDir Path folder;
    private Running running;
    private ServerSocket held; // accepts, and never responds

    @BeforeAll
    static void loadTheEngine() throws Exception {
        ScriptEngine.load();
    }

    @BeforeEach
    void serve() throws Exception {
        held = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        Files.createDirectories(folder.resolve("site"));
        Files.createDirectories(folder.resolve("scripts"));
        Files.writeString(folder.resolve("site/index.html"), "index");
        Files.writeString(
                folder.resolve("scripts/script.js"),
                "export function generateResponse(request) { throw new Error('a fault'); }");
        running =
                Running.of(
                        folder,
                        TransportKind.AUTO,
                        """
                        [limits]
                        max-header-bytes = "2KiB"
                        max-target-bytes = "1KiB"
                        max-body-bytes = "1KiB"
                        [timeouts]
                        header = "200ms"
                        body = "200ms"
                        [[listen]]
                        address = "127.0.0.1:0"
                        [[site]]
                        root = "site"
                        cors = { origins = ["https://app.test"] }
                        security-headers = true
                        headers = { "X-Own" = "yes" }
                        [[site.route]]
                        path = "/script"
                        script = "scripts"
                        [[site.route]]
                        path = "/dead/*"
                        proxy = "http://127.0.0.1:%d"
                        [[site.route]]
                        path = "/held"
                        proxy = "http://127.0.0.1:%d"
                        """
                                .formatted(FreePort.tcp(), held.getLocalPort()));
    }

    @AfterEach
    void stop() throws IOException {
        if (running != null) running.close();
        held.close();
    }

    private void assertReadable(int status, String method, String target, String... more)
            throws IOException {
        var fields = new String[more.length + 1];
        fields[0] = "Origin: https://app.test";
        System.arraycopy(more, 0, fields, 1, more.length);
        try (var client = new Client(running.port())) {
            Answer answer = client.ask(method, target, fields);
            assertReadable(status, answer, target);
        }
    }

    private static void assertReadable(int status, Answer answer, String what) {
        assertEquals(status, answer.status(), what);
        assertEquals("https://app.test", answer.field("Access-Control-Allow-Origin"), what);
        assertEquals("yes", answer.field("X-Own"), what);
        assertEquals("nosniff", answer.field("X-Content-Type-Options"), what);
    }

    @Test
    void eachErrorCanBeRead() throws Exception {
        assertReadable(200, "GET", "/");
        assertReadable(404, "GET", "/none");
        assertReadable(405, "DELETE", "/");
        assertReadable(500, "GET", "/script");
        assertReadable(502, "GET", "/dead/a");
        assertReadable(413, "POST", "/dead/a", "Content-Length: 2000");
        assertReadable(431, "GET", "/", "Cookie: " + "x".repeat(4000));
        assertReadable(431, "GET", "/script", "Cookie: " + "x".repeat(4000));
        assertReadable(414, "GET", "/?" + "x".repeat(1500));
        assertReadable(414, "GET", "/" + "x".repeat(1500));
        assertReadable(400, "GET", "/?a=100%");
        assertReadable(400, "GET", "/", "A b: c");
        assertReadable(400, "GET", "/", "Host: b");
        assertReadable(417, "GET", "/", "Expect: more");
    }

    /** What arrives too late is refused, with the headers of the site that it was for. */
    @Test
    void errorsOfRequestsThatDoNotArrive() throws Exception {
        String head = "POST /held HTTP/1.1\r\nHost: a\r\nOrigin: https://app.test\r\n";
        assertReadable(408, head);
        assertReadable(408, head + "Content-Length: 9\r\n\r\nbody");
    }

    private void assertReadable(int status, String bytes) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(bytes);
            assertReadable(status, client.next(false), bytes);
        }
    }
}
