// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong is told by its kind, and once for each request. */
@OnEachTransport
class FailuresTest {
    private static final Duration SHORT = Duration.ofMillis(150);

    @Parameter TransportKind transport;

    private Result run(Scripted.Script script, int n, Consumer<Load> configure) throws IOException {
        try (var server = new Scripted(script)) {
            return Runs.run(transport, server.address(), n, configure);
        }
    }

    @Test
    void aReset() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.reset();
                };
        Result result = run(script, 5, load -> load.connections(2));
        assertEquals(Map.of(Failure.RESET, 5L), result.failures());
        assertEquals(0, result.requests());
        assertEquals(0, result.bytesOut(), "of requests that were answered");
        assertEquals(Map.of(), result.statuses());
        result = run(script, 5, load -> load.close(true));
        assertEquals(Map.of(Failure.RESET, 5L), result.failures());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "H",
                "HTTP/1.1 200 OK\nContent-Len",
                "HTTP/1.1 100 Continue\n\n",
                "HTTP/1.1 200 OK\nContent-Length: 9\n\n",
                "HTTP/1.1 200 OK\nContent-Length: 9\n\n12345678",
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n",
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhel",
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n",
            })
    void anEndBeforeTheAnswersEnd(String part) throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send(part);
                };
        assertEquals(Map.of(Failure.CLOSED, 3L), run(script, 3, load -> {}).failures());
    }

    @Test
    void anEndBeforeTheAnswersOfAllThatWerePipelined() throws Exception {
        Scripted.Script script =
                peer -> {
                    for (int i = 0; i < 4; i++) {
                        peer.request();
                    }
                    peer.send(Scripted.OK + Scripted.OK + Scripted.OK.substring(0, 20));
                };
        Result result = run(script, 8, load -> load.pipeline(4));
        assertEquals(4, result.requests());
        assertEquals(Map.of(Failure.CLOSED, 4L), result.failures());
    }

    @Test
    void anEndThatIsTheAnswersOwnIsNoFailure() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send("HTTP/1.1 200 OK\n\nall of it");
                };
        Result result = run(script, 3, load -> {});
        assertEquals(3, result.requests());
        assertEquals(Map.of(), result.failures());
        assertEquals(3 * 28, result.bytesIn());
    }

    @Test
    void noAnswerInTime() throws Exception {
        Scripted.Script script = Scripted.Peer::untilEnd;
        Result result = run(script, 4, load -> load.connections(2).timeout(SHORT));
        assertEquals(Map.of(Failure.TIMEOUT, 4L), result.failures());
    }

    @Test
    void noWholeAnswerInTime() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send("HTTP/1.1 200 OK\nContent-Length: 9\n\n12345");
                    peer.untilEnd();
                };
        Result result = run(script, 3, load -> load.timeout(SHORT));
        assertEquals(Map.of(Failure.TIMEOUT, 3L), result.failures());
    }

    /** Both were answered; the end that was to follow the first is not there in time. */
    @Test
    void noEndInTime() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send(Scripted.OK);
                    peer.untilEnd();
                };
        Result result = run(script, 2, load -> load.close(true).timeout(SHORT));
        assertEquals(2, result.requests());
        assertEquals(Map.of(Failure.TIMEOUT, 1L), result.failures());
    }

    @Test
    void whatIsNoAnswer() throws Exception {
        Scripted.Script script =
                peer -> {
                    peer.request();
                    peer.send("220 mail.example ESMTP\n");
                    peer.untilEnd();
                };
        Result result = run(script, 3, load -> {});
        assertEquals(Map.of(Failure.MALFORMED, 3L), result.failures());
    }

    /** It came before the next request was sent, so it is no answer to that. */
    @ParameterizedTest
    @ValueSource(strings = {Scripted.OK, "garbage", "\n"})
    void bytesThatNobodyAskedFor(String more) throws Exception {
        Scripted.Script script =
                peer -> {
                    while (peer.request() != null) {
                        peer.send(Scripted.OK + more);
                    }
                };
        Result result = run(script, 5, load -> {});
        assertEquals(5, result.requests());
        assertEquals(Map.of(Failure.MALFORMED, 5L), result.failures());
        String last = "HTTP/1.1 200 OK\nConnection: close\nContent-Length: 0\n\n";
        script =
                peer -> {
                    peer.request();
                    peer.send(last + more);
                };
        result = run(script, 5, load -> {});
        assertEquals(5, result.requests());
        assertEquals(Map.of(Failure.MALFORMED, 5L), result.failures());
    }
}
