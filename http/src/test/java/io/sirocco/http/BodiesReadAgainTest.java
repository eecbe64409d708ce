// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A body that is read a second time: the same again, or an error, and never nothing. */
class BodiesReadAgainTest extends OnTheWire {
    private static final String LENGTH = "Content-Length: 3\n\na=b";
    private static final String CHUNKS = "Transfer-Encoding: chunked\n\n1\na\n2\n=b\n0\n\n";

    @Override
    void routes(Routes routes) {
        Filter reads =
                (request, next) -> {
                    request.attribute("seen", request.body().text());
                    return next.handle(request);
                };
        routes.group(
                "/filtered",
                filtered ->
                        filtered.filter(reads)
                                .post("/text", r -> Response.text(seen(r) + r.body().text()))
                                .post("/bytes", r -> Response.bytes(r.body().bytes()))
                                .post("/form", r -> Response.text(r.form().first("a", "none")))
                                .post("/stream", r -> Response.text(streamed(r) + streamed(r)))
                                .post("/small", r -> Response.bytes(r.body().bytes(2))));
        routes.post(
                "/streamed",
                r -> {
                    streamed(r);
                    return Response.text(
                            outcome(() -> r.body().text()) + outcome(() -> streamed(r)));
                });
        routes.post(
                "/unread", r -> Response.text(r.body().inputStream() == null ? "" : streamed(r)));
    }

    private static Object seen(Request request) {
        return request.attribute("seen").orElseThrow();
    }

    private static String streamed(Request request) throws Exception {
        return new String(request.body().inputStream().readAllBytes());
    }

    private static String outcome(Callable<String> reading) throws Exception {
        try {
            return "read: " + reading.call();
        } catch (IllegalStateException e) {
            return "gone ";
        }
    }

    private Answer post(String path, String body) {
        return wireWhole(
                "POST "
                        + path
                        + " HTTP/1.1\nHost: a\nContent-Type: application/x-www-form-urlencoded\n"
                        + body);
    }

    @ParameterizedTest
    @ValueSource(strings = {LENGTH, CHUNKS})
    void behindAFilterThatHasReadIt(String body) {
        post("/filtered/text", body).answers(200, "a=ba=b").goesOn();
        post("/filtered/bytes", body).answers(200, "a=b").goesOn();
        post("/filtered/form", body).answers(200, "b").goesOn();
        post("/filtered/stream", body).answers(200, "a=ba=b").goesOn();
        post("/filtered/small", body).answers(413).goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {LENGTH, CHUNKS})
    void whatAStreamHasReadIsGone(String body) {
        post("/streamed", body).answers(200, "gone gone ").goesOn();
        post("/unread", body).answers(200, "a=b").goesOn();
    }

    @Test
    void anEmptyOne() {
        post("/filtered/text", "Content-Length: 0\n\n").answers(200, "").goesOn();
        post("/filtered/text", "\n").answers(200, "").goesOn();
    }
}
