// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * In the old server the body of a GET was read as the next request. Here the body is a request for
 * a secret, and the access log says which requests the server saw.
 */
@OnEachTransport
class BodyOfAGetIsConsumedTest {
    private static final String WITHIN = "GET /secret HTTP/1.1\r\nHost: a\r\n\r\n";

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Running running;

    @BeforeEach
    void serve() throws Exception {
        Path site = Files.createDirectory(folder.resolve("site"));
        Files.writeString(site.resolve("page"), "page");
        Files.writeString(site.resolve("secret"), "SECRET");
        running =
                Running.of(
                        folder,
                        transport,
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [access-log]
                        file = "access.log"
                        [[site]]
                        root = "site"
                        """);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    /** The requests that the server saw, in their order: it is stopped, so the log is whole. */
    private List<String> seen() throws IOException {
        running.close();
        return Files.readAllLines(folder.resolve("access.log")).stream()
                .map(line -> line.replaceFirst(".*\"target\":\"([^\"]*)\".*", "$1"))
                .toList();
    }

    private static String chunked(String body) {
        return "%x\r\n%s\r\n0\r\n\r\n".formatted(body.length(), body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "DELETE", "OPTIONS", "POST", "PURGE"})
    void aBodyOfAStatedLength(String method) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(
                    "%s /page HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s"
                            .formatted(method, WITHIN.length(), WITHIN));
            int status = client.next(method.equals("HEAD")).status();
            assertTrue(List.of(200, 204, 405).contains(status), "status " + status);
            assertEquals("page", client.ask("GET", "/page?next").body());
        }
        assertEquals(List.of("/page", "/page?next"), seen());
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "DELETE"})
    void aBodyInChunks(String method) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(
                    "%s /page HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n%s"
                            .formatted(method, chunked(WITHIN)));
            client.next(method.equals("HEAD"));
            assertEquals("page", client.ask("GET", "/page?next").body());
        }
        assertEquals(List.of("/page", "/page?next"), seen());
    }

    @Test
    void aBodyThatComesLaterThanItsResponse() throws IOException {
        try (var client = new Client(running.port())) {
            client.send(
                    "GET /page HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
                            .formatted(WITHIN.length()));
            assertEquals("page", client.next(false).body());
            client.send(WITHIN);
            assertEquals("page", client.ask("GET", "/page?next").body());
        }
        assertEquals(List.of("/page", "/page?next"), seen());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                "Content-Length: 5\r\nContent-Length: 6\r\n",
                "Content-Length: 5, 6\r\n",
                "Content-Length: +5\r\n",
                "Content-Length: 5\r\n 0\r\n", // obs-fold
                "X: a\r\n b\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding: chunked, identity\r\n",
                "Transfer-Encoding : chunked\r\n",
                "Content-Length : 5\r\n",
            })
    void whatTwoServersMayFrameDifferentlyIsRefusedAndEndsTheConnection(String framing)
            throws IOException {
        try (var client = new Client(running.port())) {
            client.send("POST /page HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n0\r\n\r\n" + WITHIN);
            Answer answer = client.last();
            assertTrue(answer.status() == 400 || answer.status() == 501, answer.head());
            assertEquals("close", answer.field("Connection"));
            assertFalse(answer.body().contains("SECRET"), answer.body());
            assertFalse(answer.body().contains("HTTP/1.1"), answer.body());
        }
        assertEquals(1, seen().size());
    }
}
