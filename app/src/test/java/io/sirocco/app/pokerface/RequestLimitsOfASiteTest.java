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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The old server had no limits: a head of 200 KB, any count of fields, any body, any time, no Host
 * and HTTP/2.0 in the first line were taken. The limits here are those that are usual, but for the
 * deadline.
 */
@OnEachTransport
class RequestLimitsOfASiteTest {
    private static final String CONFIGURATION =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [[site]]
            root = "site"
            """;

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Running running;

    @BeforeEach
    void serve() throws Exception {
        Path site = Files.createDirectory(folder.resolve("site"));
        Files.writeString(site.resolve("page"), "page");
        running = Running.of(folder, transport, CONFIGURATION);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private Answer raw(String request) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(request);
            return client.last();
        }
    }

    @ParameterizedTest
    @CsvSource({"200000, 431", "17000, 431", "15000, 200"})
    void aHeadHasALimit(int length, int status) throws IOException {
        String field = "X: " + "x".repeat(length) + "\r\n";
        assertEquals(
                status,
                raw("GET /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + field + "\r\n")
                        .status());
    }

    @ParameterizedTest
    @CsvSource({"101, 431", "100, 200"})
    void soHasTheNumberOfItsFields(int fields, int status) throws IOException {
        String others = "X: x\r\n".repeat(fields - 2);
        assertEquals(
                status,
                raw("GET /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + others + "\r\n")
                        .status());
    }

    @ParameterizedTest
    @CsvSource({"9000, 414", "8000, 404"})
    void soHasTheTarget(int length, int status) throws IOException {
        assertEquals(status, Client.get(running.port(), "/" + "x".repeat(length)).status());
    }

    /** Files take no bodies, so the limit shows where one is told of before it comes. */
    @Test
    void soHasTheBody() throws Exception {
        running.reload("[limits]\nmax-body-bytes = 10\n" + CONFIGURATION);
        String head = "POST /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ";
        assertEquals(413, raw(head + "11\r\n\r\n").status());
        assertEquals(405, raw(head + "10\r\n\r\n0123456789").status());
    }

    @Test
    void soHasTheTimeOfAHead() throws Exception {
        running.reload("[timeouts]\nheader = \"200ms\"\n" + CONFIGURATION);
        assertEquals(408, raw("GET /page HTTP/1.1\r\nHost: a\r\nX: ").status());
    }

    @Test
    void soHasTheTimeOfABody() throws Exception {
        running.reload("[timeouts]\nbody = \"200ms\"\n" + CONFIGURATION);
        try (var client = new Client(running.port())) {
            client.send("GET /page HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n012");
            String all = new String(client.in().readAllBytes());
            assertTrue(all.contains("HTTP/1.1 200 ") || all.contains("HTTP/1.1 408 "), all);
        }
    }

    @Test
    void soHasTheTimeWithoutARequest() throws Exception {
        running.reload("[timeouts]\nidle = \"200ms\"\n" + CONFIGURATION);
        try (var client = new Client(running.port())) {
            assertEquals("page", client.ask("GET", "/page").body());
            assertEquals(-1, client.in().read());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'GET /page HTTP/1.1\r\n\r\n', 400", // no Host
        "'GET /page HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400",
        "'GET /page HTTP/2.0\r\nHost: a\r\n\r\n', 505",
        "'GET /page HTTP/3\r\nHost: a\r\n\r\n', 400",
        "'GET /page\r\n\r\n', 400", // HTTP/0.9
    })
    void whatIsNoHttp11IsRefused(String request, int status) throws IOException {
        Answer answer = raw(request);
        assertEquals(status, answer.status(), answer.head());
        assertTrue(answer.head().startsWith("HTTP/1.1 "), answer.head());
    }
}
