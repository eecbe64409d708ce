// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of requests: where they end, who reads them, and who is told to go on. */
class RequestBodiesTest extends OnTheWire {
    @Override
    void routes(Routes routes) {
        routes.post("/echo", request -> Response.bytes(request.body().bytes()));
        routes.post(
                "/echo/stream",
                request -> Response.stream(out -> request.body().inputStream().transferTo(out)));
        routes.post(
                "/length",
                request ->
                        Response.text(
                                request.body().length() + " " + request.body().bytes().length));
        routes.post(
                "/answer/first",
                request ->
                        Response.stream(
                                out -> {
                                    out.write('>');
                                    out.flush();
                                    request.body().inputStream().transferTo(out);
                                }));
        routes.post("/ignore", request -> Response.text("ignored"));
        routes.post("/head", request -> Response.text(request.body().inputStream().read() + ""));
        routes.route("POST", "/none", request -> Response.text("none")).maxBodyBytes(0);
    }

    @Test
    void aStatedLength() {
        wire("POST /echo HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello")
                .answers(200, "hello")
                .goesOn()
                .logs();
        wire("POST /echo HTTP/1.1\nHost: a\nContent-Length: 0005\n\nhello").answers(200, "hello");
        wire("POST /length HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello")
                .answers(200, "OptionalLong[5] 5");
    }

    @Test
    void noBodyAtAll() {
        wire("POST /echo HTTP/1.1\nHost: a\n\n").answers(200, "").goesOn();
        wire("POST /echo HTTP/1.1\nHost: a\nContent-Length: 0\n\n").answers(200, "").goesOn();
        wire("POST /length HTTP/1.1\nHost: a\n\n").answers(200, "OptionalLong[0] 0").goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/echo", "/echo/stream"})
    void chunksWithExtensionsAndTrailers(String path) {
        wire("POST "
                        + path
                        + """
                         HTTP/1.1
                        Host: a
                        Transfer-Encoding: chunked

                        5
                        hello
                        6;a=b;c="d e"
                         world
                        0;last
                        X-Sum: 7

                        """)
                .answers(200, "hello world")
                .goesOn()
                .logs();
    }

    @Test
    void chunksWithoutData() {
        wire("POST /length HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n0\n\n")
                .answers(200, "OptionalLong.empty 0")
                .goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/echo", "/ignore", "/unknown"})
    void trailersThatWouldFrameTheMessageAreIgnored(String path) {
        wireWhole(
                        "POST "
                                + path
                                + """
                                 HTTP/1.1
                                Host: a
                                Transfer-Encoding: chunked

                                5
                                hello
                                0
                                Content-Length: 5

                                """)
                .goesOn()
                .logs();
    }

    @Test
    void aBadChunkIsRefusedInPlaceOfTheResponse() {
        wire("POST /echo HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n5\nhelloX")
                .answers(400, "Bad Request")
                .closes()
                .logs(RequestError.BAD_CHUNK_END);
        wire("POST /echo HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n-1\n")
                .answers(400, "Bad Request")
                .closes()
                .logs(RequestError.BAD_CHUNK_SIZE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ignore", "/unknown", "/"})
    void aShortBodyThatNobodyReadsIsSkipped(String path) {
        String known = path.equals("/ignore") ? "ignored" : "Not Found";
        int status = path.equals("/ignore") ? 200 : 404;
        wire("POST " + path + " HTTP/1.1\nHost: a\nContent-Length: 22\n\nGET / HTTP/1.1\nHost: ")
                .answers(status, known)
                .goesOn();
        wire("POST " + path + " HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n3\nGET\n0\n\n")
                .answers(status, known)
                .goesOn();
    }

    @Test
    void theRestOfABodyThatWasBegunIsSkipped() {
        wire("POST /head HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello")
                .answers(200, "" + (int) 'h')
                .goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/echo", "/echo/stream", "/head"})
    void hundredIsSentOnceWhenTheBodyIsWanted(String path) {
        String ask =
                "POST " + path + " HTTP/1.1\nHost: a\nExpect: 100-Continue\nContent-Length: 2\n\n";
        waiting(ask, "hi", 100, 200);
        waiting(
                ask.replace("Content-Length: 2", "Transfer-Encoding: chunked"),
                "1\nh\n0\n\n",
                100,
                200);
    }

    /** Whoever refuses does not ask for the body, and cannot know whether it will come. */
    @ParameterizedTest
    @ValueSource(strings = {"/ignore", "/unknown", "/none"})
    void hundredIsNotSentWhenTheBodyIsNotWanted(String path) {
        String ask =
                "POST " + path + " HTTP/1.1\nHost: a\nExpect: 100-continue\nContent-Length: 2\n\n";
        for (var transport : TRANSPORTS) {
            for (var mode : Serving.Mode.values()) {
                try (var serving = new Serving(transport, mode, this::config, this::routes);
                        Client client = serving.client()) {
                    if (mode == Serving.Mode.INLINE && path.equals("/ignore")) {
                        continue; // an inline handler is called with its body
                    }
                    String all = client.send(ask).untilEnd();
                    int status = Reply.all(all).getFirst().status();
                    org.junit.jupiter.api.Assertions.assertEquals(
                            path.equals("/ignore") ? 200 : path.equals("/none") ? 413 : 404,
                            status,
                            mode + all);
                }
            }
        }
    }

    /** Sends a head, waits for 100, sends the body, and sees these statuses. */
    private void waiting(String head, String body, int... statuses) {
        for (var transport : TRANSPORTS) {
            for (var mode : Serving.Mode.values()) {
                try (var serving = new Serving(transport, mode, this::config, this::routes);
                        Client client = serving.client()) {
                    client.send(head).until("HTTP/1.1 100 Continue\r\n\r\n");
                    client.send(body + "GET /x HTTP/1.1\nHost: a\nConnection: close\n\n");
                    org.junit.jupiter.api.Assertions.assertEquals(
                            java.util.Arrays.toString(statuses).replace("]", ", 404]"),
                            Reply.all(client.untilEnd()).stream()
                                    .map(Reply::status)
                                    .toList()
                                    .toString(),
                            () -> mode + " " + client);
                }
            }
        }
    }

    /** It would be a part of the response. */
    @Test
    void hundredIsNotSentBehindTheHeadOfAResponse() {
        String ask = "POST /answer/first HTTP/1.1\nHost: a\nExpect: 100-continue\n";
        for (var transport : TRANSPORTS) {
            for (var mode :
                    new Serving.Mode[] {
                        Serving.Mode.VIRTUAL, Serving.Mode.UNCARRIED, Serving.Mode.POOL
                    }) {
                try (var serving = new Serving(transport, mode, this::config, this::routes);
                        Client client = serving.client()) {
                    client.send(ask + "Content-Length: 2\n\n").until("\r\n1\r\n>\r\n");
                    client.send("hi");
                    Reply reply = Reply.all(client.untilEnd()).getFirst();
                    org.junit.jupiter.api.Assertions.assertEquals(200, reply.status());
                    org.junit.jupiter.api.Assertions.assertEquals(">hi", reply.body());
                }
            }
        }
    }

    @Test
    void hundredIsNotSentWhenTheBodyIsThere() {
        wireWhole("POST /echo HTTP/1.1\nHost: a\nExpect: 100-continue\nContent-Length: 2\n\nhi")
                .answers(200, "hi")
                .goesOn();
    }

    @Test
    void anEmptyExpectationIsNone() {
        wire("POST /echo HTTP/1.1\nHost: a\nExpect:\nContent-Length: 2\n\nhi")
                .answers(200, "hi")
                .goesOn();
        wire("POST /echo HTTP/1.1\nHost: a\nExpect: ,\nContent-Length: 2\n\nhi")
                .answers(200, "hi")
                .goesOn();
    }

    @Test
    void otherExpectationsFail() {
        wire("POST /echo HTTP/1.1\nHost: a\nExpect: 200-ok\nContent-Length: 2\n\nhi")
                .answers(417, "Expectation Failed")
                .closes()
                .logs(RequestError.UNKNOWN_EXPECTATION);
        wire("POST /echo HTTP/1.0\nExpect: 100-continue\nContent-Length: 2\n\nhi")
                .answers(200, "hi")
                .closes();
    }
}
