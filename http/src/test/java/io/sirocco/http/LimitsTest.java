// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Limits are exact: as much is served, one byte more is not, and the client is told why. */
class LimitsTest extends OnTheWire {
    private static final int HEAD = 200;
    private static final int TARGET = 40;
    private static final int FIELDS = 5;
    private static final int BODY = 30;

    @Override
    void config(Config config) {
        config.headerLimits(HEAD, TARGET, FIELDS).maxBodyBytes(BODY);
    }

    @Override
    void routes(Routes routes) {
        routes.get("/*", request -> Response.text("served"));
        routes.post("/", request -> Response.text(request.body().bytes().length + ""));
        routes.post("/ignore", request -> Response.text("ignored"));
        routes.post("/some", request -> Response.text(request.body().bytes(7).length + ""));
        routes.route("POST", "/large", LimitsTest::count).maxBodyBytes(40);
        routes.route("POST", "/small", LimitsTest::count).maxBodyBytes(3);
        routes.route("POST", "/none", LimitsTest::count).maxBodyBytes(0);
        routes.route("POST", "/any", LimitsTest::count).maxBodyBytes(-1);
    }

    private static Response count(Request request) throws java.io.IOException {
        return Response.text(request.body().bytes().length + "");
    }

    private static String head(int bytes) {
        String start = "GET / HTTP/1.1\nHost: a\nX: ";
        String end = "\n\n";
        int now = Client.bytes(start + end).length;
        return start + "x".repeat(bytes - now) + end;
    }

    @Test
    void heads() {
        wire(head(HEAD - 1)).answers(200, "served").goesOn();
        wire(head(HEAD)).answers(200, "served").goesOn();
        wire(head(HEAD + 1))
                .answers(431, "Request Header Fields Too Large")
                .closes()
                .logs(RequestError.HEAD_TOO_LARGE);
    }

    /** RFC 9110 9.3.2: the length is that of the page. */
    @Test
    void aRefusalOfHeadHasNoContent() {
        for (String line : List.of("X: " + "x".repeat(HEAD), "Bad Name: x")) {
            OnTheWire.Answer refused = wire("HEAD / HTTP/1.1\nHost: a\n" + line + "\n\n").closes();
            String text = refused.text();
            assertTrue(text.endsWith("\r\nConnection: close\r\n\r\n"), text);
            assertFalse(text.contains("Content-Length: 0"), text);
        }
    }

    @Test
    void targets() {
        for (int length : new int[] {TARGET - 1, TARGET}) {
            wire("GET /" + "x".repeat(length - 1) + " HTTP/1.1\nHost: a\n\n")
                    .answers(200, "served")
                    .goesOn();
        }
        wire("GET /" + "x".repeat(TARGET) + " HTTP/1.1\nHost: a\n\n")
                .answers(414, "URI Too Long")
                .closes()
                .logs(RequestError.TARGET_TOO_LONG);
    }

    @Test
    void fields() {
        wire("GET / HTTP/1.1\nHost: a\n" + "X: y\n".repeat(FIELDS - 1) + "\n")
                .answers(200, "served")
                .goesOn();
        wire("GET / HTTP/1.1\nHost: a\n" + "X: y\n".repeat(FIELDS) + "\n")
                .answers(431, "Request Header Fields Too Large")
                .closes()
                .logs(RequestError.TOO_MANY_HEADERS);
    }

    @ParameterizedTest
    @CsvSource({"/,30", "/large,40", "/small,3", "/none,0"})
    void bodiesOfAStatedLength(String path, int most) {
        for (int length = Math.max(0, most - 1); length <= most; length++) {
            wire(stated(path, length)).answers(200, "" + length).goesOn().logs();
        }
        wire(stated(path, most + 1))
                .answers(413, "Content Too Large")
                .closes()
                .logs(RequestError.BODY_TOO_LARGE);
    }

    @ParameterizedTest
    @CsvSource({"/,30", "/large,40", "/small,3", "/none,0"})
    void bodiesInChunks(String path, int most) {
        for (int length = Math.max(0, most - 1); length <= most; length++) {
            wire(chunked(path, length)).answers(200, "" + length).goesOn().logs();
        }
        wire(chunked(path, most + 1))
                .answers(413, "Content Too Large")
                .closes()
                .logs(RequestError.BODY_TOO_LARGE);
    }

    private static String stated(String path, int length) {
        return "POST "
                + path
                + " HTTP/1.1\nHost: a\nContent-Length: "
                + length
                + "\n\n"
                + "x".repeat(length);
    }

    /** Chunks of seven bytes and a rest. */
    private static String chunked(String path, int length) {
        var text = new StringBuilder("POST " + path + " HTTP/1.1\nHost: a\n");
        text.append("Transfer-Encoding: chunked\n\n");
        for (int at = 0; at < length; at += 7) {
            int n = Math.min(7, length - at);
            text.append(n).append('\n').append("x".repeat(n)).append('\n');
        }
        return text.append("0\n\n").toString();
    }

    @Test
    void aBodyWithoutALimit() {
        wireWhole(stated("/any", 100_000)).answers(200, "100000").goesOn();
        wireWhole(chunked("/any", 100_000)).answers(200, "100000").goesOn();
    }

    @Test
    void aHandlersOwnLimit() {
        wire(stated("/some", 7)).answers(200, "7").goesOn();
        wire(chunked("/some", 7)).answers(200, "7").goesOn();
        wire(stated("/some", 8)).answers(413, "The body is longer than 7 bytes.").goesOn();
        wire(chunked("/some", 8)).answers(413, "The body is longer than 7 bytes.").goesOn();
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/2.0,505,UNKNOWN_VERSION",
        "HTTP/0.9,505,UNKNOWN_VERSION",
        "HTTX/1.1,400,BAD_VERSION",
        "http/1.1,400,BAD_VERSION"
    })
    void versions(String version, int status, RequestError rule) {
        wire("GET / " + version + "\nHost: a\n\n")
                .answers(status, Status.reason(status))
                .closes()
                .logs(rule);
    }

    @Test
    void unknownCodings() {
        wire("POST / HTTP/1.1\nHost: a\nTransfer-Encoding: gzip, chunked\n\n0\n\n")
                .answers(501, "Not Implemented")
                .closes()
                .logs(RequestError.UNKNOWN_CODING);
    }

    /** One request too many is told so, keeps its connection, and a slot that is freed is used. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void requestsInProgress(TransportKind transport) throws Exception {
        BlockingQueue<CompletableFuture<Response>> waiting = new LinkedBlockingQueue<>();
        try (var serving =
                        new Serving(
                                transport,
                                config -> config.maxConcurrentRequests(2),
                                routes -> {
                                    routes.get("/now", request -> Response.text("now"));
                                    routes.get(
                                            "/",
                                            request -> {
                                                var later = new CompletableFuture<Response>();
                                                waiting.add(later);
                                                return Response.async(later);
                                            });
                                });
                Client first = serving.client();
                Client second = serving.client();
                Client third = serving.client()) {
            first.send("GET / HTTP/1.1\nHost: a\n\n");
            var one = waiting.take();
            second.send("GET / HTTP/1.1\nHost: a\n\n");
            var two = waiting.take();
            third.send("GET /now HTTP/1.1\nHost: a\n\n").until("Service Unavailable\r\n");
            third.await("the page", () -> third.text().endsWith("Service Unavailable"));
            assertTrue(third.text().contains("\r\nRetry-After: 1\r\n"), third.text());
            assertEquals(List.of(RequestError.SLOTS_FULL), serving.rules());
            one.complete(Response.text("one"));
            first.until("\r\n\r\none");
            third.send("GET /now HTTP/1.1\nHost: a\n\n").until("\r\n\r\nnow");
            assertFalse(third.hasEnded());
            two.complete(Response.text("two"));
            second.until("\r\n\r\ntwo");
            assertEquals(0, serving.stats().inProgress());
            assertEquals(1, serving.stats().rejected());
        }
    }

    /** The client sends ten megabytes before it looks; the answer is there when it does. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void anAnswerIsNotLostOnAClientThatIsStillSending(TransportKind transport) {
        byte[] much = new byte[10 << 20];
        java.util.Arrays.fill(much, (byte) 'x');
        var cases =
                List.of(
                        "413 POST / HTTP/1.1\nHost: a\nContent-Length: 10485760\n\n",
                        "413 POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\nA00000\n",
                        "200 POST /ignore HTTP/1.1\nHost: a\nContent-Length: 9437184\n\n",
                        "405 POST /x HTTP/1.1\nHost: a\nContent-Length: 9437184\n\n",
                        "400 POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\nx\n",
                        "400 POST / HTTP/1.1\nContent-Length: 10485760\n\n",
                        "431 GET / HTTP/1.1\nHost: a\nX: ",
                        "414 GET /");
        for (Serving.Mode mode : Serving.Mode.values()) {
            try (var serving =
                    new Serving(
                            transport,
                            mode,
                            config -> config.maxBodyBytes(9 << 20),
                            this::routes)) {
                for (String each : cases) {
                    String status = each.substring(0, 3);
                    String question = each.substring(4);
                    if (mode == Serving.Mode.INLINE && status.equals("200")) {
                        continue; // it is called with its body only
                    }
                    try (Client client = serving.client()) {
                        client.send(question).send(much);
                        String answer = client.untilEnd();
                        assertTrue(
                                answer.startsWith("HTTP/1.1 " + status + " "),
                                () -> serving + " " + each + " " + client);
                        assertTrue(answer.contains("\r\nConnection: close\r\n"), answer);
                        assertEquals(1, Reply.all(answer).size());
                    }
                    serving.awaitQuiet();
                }
            }
        }
    }
}
