// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.net.TransportKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(
        value = TransportKind.class,
        names = {"AUTO", "NIO"})
class ServingTest {

    @Parameter TransportKind transport;
    private Serving serving;
    private HttpClient http;

    @BeforeEach
    void serve() throws Exception {
        serving = Serving.open(options(0));
        http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    @AfterEach
    void stop() {
        http.close();
        serving.close();
    }

    private Source options(int port) {
        return Sources.of(Optional.empty(), "127.0.0.1", port, 2, transport);
    }

    private HttpResponse<byte[]> post(String path, String type, BodyPublisher body)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + serving.port() + path);
        var request = HttpRequest.newBuilder(uri).header("Content-Type", type).POST(body).build();
        return http.send(request, BodyHandlers.ofByteArray());
    }

    @ParameterizedTest
    @CsvSource({
        "/,           text/html; charset=utf-8,       Your server is running",
        "/style.css,  text/css; charset=utf-8,        color-scheme",
        "/welcome.js, text/javascript; charset=utf-8, EventSource",
        "/icon.svg,   image/svg+xml,                  <svg",
    })
    void theWelcomeSiteHasItsTypes(String path, String type, String within) throws IOException {
        Answer answer = Client.get(serving.port(), path);
        assertEquals(200, answer.status());
        assertEquals(type, answer.field("Content-Type"));
        assertEquals("default-src 'self'", answer.field("Content-Security-Policy"));
        assertTrue(answer.body().contains(within), answer.body());
    }

    @ParameterizedTest
    @CsvSource({"/hello/world, 'Hello, world'", "/hello/a%20b%2Fc, 'Hello, a b/c'"})
    void greets(String path, String greeting) throws IOException {
        Answer answer = Client.get(serving.port(), path);
        assertEquals("text/plain; charset=utf-8", answer.field("Content-Type"));
        assertEquals(greeting, answer.body());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65, 10_240, 1_048_576})
    void givesAsManyBytesAsAreAskedFor(int length) throws IOException {
        Answer answer = Client.get(serving.port(), "/bytes/" + length);
        assertEquals(200, answer.status());
        assertEquals("text/plain", answer.field("Content-Type"));
        assertEquals(Integer.toString(length), answer.field("Content-Length"));
        assertEquals(length, answer.body().length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1048577", "-1", "1e3", "x", "99999999999999999999", "+1", "\u0663"})
    void aLengthThatIsNoneIsABadRequest(String length) throws IOException {
        String path = "/bytes/" + URLEncoder.encode(length, UTF_8);
        assertEquals(400, Client.get(serving.port(), path).status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/hello", "/hello/", "/hello/a/b", "/favicon.ico", "/echoes"})
    void allElseIsNotFound(String path) throws IOException {
        assertEquals(404, Client.get(serving.port(), path).status());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 100_000})
    void echoesBodyAndType(int length) throws Exception {
        byte[] body = random(length);
        var known = post("/echo", "application/x-test;a=\"b c\"", BodyPublishers.ofByteArray(body));
        assertTrue(Arrays.equals(body, known.body()));
        assertEquals(
                "application/x-test;a=\"b c\"", known.headers().firstValue("Content-Type").get());
        var chunked = BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(body));
        assertTrue(Arrays.equals(body, post("/echo", "a/b", chunked).body()));
    }

    /** Above the server's own limit of a body, by a client that reads while it sends. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 40000000", "Transfer-Encoding: chunked"})
    void echoesALongBodyWhileItStillComes(String framing) throws Exception {
        boolean chunked = framing.contains("chunked");
        try (var client = new Client(serving.port())) {
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + framing);
            client.send("\r\n\r\n");
            var sender =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        String piece = "0123456789".repeat(4000);
                                        String head = chunked ? "9c40\r\n" : "";
                                        String tail = chunked ? "\r\n" : "";
                                        for (int i = 0; i < 1000; i++) {
                                            client.sendOrFail(head + piece + tail);
                                        }
                                        client.sendOrFail(chunked ? "0\r\n\r\n" : "");
                                    });
            long nines = 0;
            byte[] piece = new byte[1 << 16];
            for (int n; (n = client.in().read(piece)) >= 0; ) {
                for (int i = 0; i < n; i++) if (piece[i] == '9') nines++;
            }
            sender.join();
            assertTrue(
                    nines >= 4_000_000,
                    nines + " nines"); // the head and the chunks have nines of their own
        }
    }

    @Test
    void theEchoBeginsBeforeTheBodyEnds() throws IOException {
        try (var client = new Client(serving.port())) {
            client.send(
                    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 20000\r\n\r\n");
            client.send("x".repeat(10_000));
            byte[] begun = client.in().readNBytes(20);
            assertTrue(new String(begun, US_ASCII).startsWith("HTTP/1.1 200 OK"));
        }
    }

    @Test
    void anEchoOfATypeThatIsNoneIsStillAnAnswer() throws IOException {
        try (var client = new Client(serving.port())) {
            client.send(
                    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: \u00ff\t\u0080\r\nConnection: close\r\n"
                            + "Content-Length: 2\r\n\r\nab");
            Answer answer = client.last();
            assertEquals(200, answer.status(), answer.head());
            assertEquals("ab", answer.body());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 12_000_000})
    void countsWhatIsUploaded(int length) throws Exception {
        byte[] body = random(length);
        String expected = "{\"bytes\":" + length + "}";
        var known = post("/upload", "a/b", BodyPublishers.ofByteArray(body));
        assertEquals(expected, new String(known.body(), US_ASCII));
        assertEquals("application/json", known.headers().firstValue("Content-Type").get());
        var chunked = BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(body));
        assertEquals(expected, new String(post("/upload", "a/b", chunked).body(), US_ASCII));
    }

    @Test
    void ticksUntilItIsStopped() throws IOException {
        try (var client = new Client(serving.port())) {
            client.send("GET /ticks HTTP/1.1\r\nHost: a\r\n\r\n");
            var lines = new BufferedReader(new InputStreamReader(client.in(), US_ASCII));
            assertEquals(
                    1,
                    lines.lines()
                            .limit(20)
                            .takeWhile(l -> !l.startsWith("data: tick 1"))
                            .filter("Content-Type: text/event-stream"::equals)
                            .count());
            serving.close(); // at once: no drain waits for a stream without an end
            assertTrue(lines.lines().anyMatch("0"::equals), "the stream has no proper end");
        }
    }

    @Test
    void statsAreWhatThePageReads() throws IOException {
        Client.get(serving.port(), "/hello/a");
        Answer answer = Client.get(serving.port(), "/stats");
        String label = transport == TransportKind.NIO ? "nio" : "(io_uring|nio)";
        String expected =
                "\\{\"connections\":\\d+,\"requests\":2,\"loops\":2,\"transport\":\"%s\",\"uptime\":\\d+}\\s*";
        assertTrue(answer.body().matches(expected.formatted(label)), answer.body());
        assertEquals("no-store", answer.field("Cache-Control"));
    }

    @Test
    void aPortInUseIsSaidWithTheOptionThatNamesIt() {
        int port = serving.port();
        var refused = assertThrows(InvalidConfiguration.class, () -> Serving.open(options(port)));
        assertEquals(
                """
                command line: error: cannot listen on 127.0.0.1:%d: Address already in use
                      | --host 127.0.0.1 --port %d
                      | %s
                  another program may be listening there; port 0 selects a free one
                """
                        .formatted(
                                port,
                                port,
                                "^".repeat(("--host 127.0.0.1 --port " + port).length())),
                refused.getMessage());
    }

    @Test
    void anIpv6AddressInUseIsWrittenAsInAUrl() throws Exception {
        try (var taken = new java.net.ServerSocket()) {
            taken.bind(new InetSocketAddress("::1", 0));
            int port = taken.getLocalPort();
            var refused =
                    assertThrows(
                            InvalidConfiguration.class,
                            () ->
                                    Serving.open(
                                                    Sources.of(
                                                            Optional.empty(),
                                                            "::1",
                                                            port,
                                                            2,
                                                            transport))
                                            .close());
            assertTrue(
                    refused.getMessage()
                            .startsWith(
                                    "command line: error: cannot listen on [::1]:" + port + ": "),
                    refused.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"::1", "::", "0.0.0.0", "127.0.0.1"})
    void saysWhereItListensAsAUrl(String host) throws Exception {
        try (var other = Serving.open(Sources.of(Optional.empty(), host, 0, 1, transport))) {
            String url =
                    "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + other.port();
            assertTrue(other.toString().contains(url + " ("), other.toString());
        }
    }

    @Test
    void theSamePortIsFreeAtOnceAfterTheEnd() throws Exception {
        int port = serving.port();
        Client.get(port, "/hello/a");
        serving.close();
        serving = Serving.open(options(port));
        assertEquals(port, serving.port());
        assertEquals("Hello, b", Client.get(port, "/hello/b").body());
    }

    @Test
    void theCommandRunsUntilItIsInterrupted() throws Exception {
        var out = new StringWriter();
        var code = new int[] {-1};
        Thread command =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        code[0] = Serving.run(options(0), new PrintWriter(out));
                                    } catch (IOException | InvalidConfiguration e) {
                                        throw new AssertionError(e);
                                    }
                                });
        while (command.isAlive() && !out.toString().endsWith(System.lineSeparator())) {
            LockSupport.parkNanos(200_000);
        }
        assertTrue(
                out.toString()
                        .matches(
                                "Sirocco serves the welcome site on http://127.0.0.1:[1-9]\\d* \\((io_uring|nio), 2 loops\\)\\R"),
                out.toString());
        command.interrupt();
        command.join();
        assertEquals(0, code[0]);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }
}
