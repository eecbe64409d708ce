// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * In the old server a 404 announced a body that never came, in HTTP/1.0, on a connection that was
 * left open.
 */
@OnEachTransport
class NotFoundIsCompleteTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Running running;

    @BeforeEach
    void serve() throws Exception {
        Path site = Files.createDirectory(folder.resolve("site"));
        Files.writeString(site.resolve("page"), "page");
        Files.writeString(site.resolve("404.html"), "<h1>nothing here");
        running =
                Running.of(
                        folder,
                        transport,
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [[site]]
                        root = "site"
                        [[site]]
                        hosts = ["page.test"]
                        root = "site"
                        not-found = "/404.html"
                        [[site]]
                        hosts = ["empty.test"]
                        """);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "empty.test"})
    void itHasItsBodyAndTheConnectionGoesOn(String host) throws IOException {
        try (var client = new Client(running.port())) {
            for (int i = 0; i < 3; i++) {
                client.send("GET /none HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(host));
                Answer answer = client.next(false);
                assertEquals(404, answer.status());
                assertTrue(answer.head().startsWith("HTTP/1.1 404 Not Found\r\n"), answer.head());
                assertEquals("9", answer.field("Content-Length"));
                assertEquals("Not Found", answer.body());
                assertEquals("", answer.field("Connection"));
            }
            assertEquals("page", client.ask("GET", "/page").body());
        }
    }

    @Test
    void aPageOfTheSiteIsWholeToo() throws IOException {
        try (var client = new Client(running.port())) {
            client.send("GET /none HTTP/1.1\r\nHost: page.test\r\n\r\n");
            Answer answer = client.next(false);
            assertEquals(404, answer.status());
            assertEquals("<h1>nothing here", answer.body());
            assertEquals("page", client.ask("GET", "/page").body());
        }
    }

    @Test
    void ofAHeadItHasTheLengthOnly() throws IOException {
        try (var client = new Client(running.port())) {
            Answer answer = client.ask("HEAD", "/none");
            assertEquals(404, answer.status());
            assertEquals("9", answer.field("Content-Length"));
            assertEquals("page", client.ask("GET", "/page").body());
        }
    }

    @Tag("peers")
    @Test
    void curlReturnsAndKeepsItsConnection() throws Exception {
        String url = "http://127.0.0.1:%d/".formatted(running.port());
        String said =
                Tool.CURL.does(
                        folder,
                        "-sS",
                        "--max-time",
                        "20",
                        "-w",
                        " %{http_code} %{num_connects}\n",
                        url + "none",
                        url + "page");
        assertEquals("Not Found 404 1\npage 200 0\n", said);
    }
}
