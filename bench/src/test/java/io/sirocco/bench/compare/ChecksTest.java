// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that are wrong in one way each; the socket answers every read with the same bytes. */
class ChecksTest {
    private static final String RIGHT =
            "HTTP/1.1 200 OK|Content-Type: text/plain; charset=utf-8|Content-Length: 13|Date: x||Hello, World!";

    @Test
    void theRightAnswerTwiceOnOneConnection() throws Exception {
        assertEquals(Optional.empty(), check("plaintext", RIGHT, false));
    }

    @Test
    void theRightAnswerAndTheEnd() throws Exception {
        assertEquals(Optional.empty(), check("churn", RIGHT, true));
    }

    @Test
    void twoRightAnswersToAPipelinedPair() throws Exception {
        assertEquals(Optional.empty(), check("pipelined", RIGHT + RIGHT, false));
    }

    @Test
    void oneAnswerToAPipelinedPair() throws Exception {
        assertEquals("the connection ended in place of an answer", wrong("pipelined", RIGHT, true));
    }

    @Test
    void aKeptConnectionThatCloses() throws Exception {
        assertEquals("the connection ended in place of an answer", wrong("plaintext", RIGHT, true));
    }

    @Test
    void twoAnswersWhereTheConnectionShouldClose() throws Exception {
        assertEquals(
                "more than one answer where the connection should close",
                wrong("churn", RIGHT + RIGHT, true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '"',
            value = {
                "200 OK # 404 Not Found # status 404",
                "text/plain # text/html # Content-Type is 'text/html; charset=utf-8'",
                "Content-Length: 13 # X: y # Content-Length is ''",
                "Content-Length: 13 # Content-Length: -1 # Content-Length is '-1'",
                "Content-Length: 13 # Content-Length: 14 # it ends after 13 of 14 bytes",
                "Date: x # X: y # no Date",
                "World # Wirld # a body of 13 bytes instead of 13, other from byte 8 on",
                "HTTP/1.1 # HTTP/2 # no status line: 'HTTP/2 200 OK'",
                "Date: x # Date # no field: 'Date'",
            })
    void aPartThatIsWrong(String right, String instead, String why) throws Exception {
        assertEquals(why, wrong("churn", RIGHT.replace(right, instead), true));
    }

    private static String wrong(String work, String answer, boolean thenClose) throws Exception {
        String prefix = "wrong answer: GET /plaintext: ";
        return check(work, answer, thenClose).orElseThrow().substring(prefix.length());
    }

    /** Answers each read of each connection, and closes after the first if so wanted. */
    private static Optional<String> check(String work, String answer, boolean thenClose)
            throws Exception {
        byte[] bytes = answer.replace("|", "\r\n").getBytes(StandardCharsets.US_ASCII);
        try (var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try (Socket socket = listener.accept()) {
                                    var in = socket.getInputStream();
                                    var request = new byte[4096];
                                    while (in.read(request) > 0) {
                                        socket.getOutputStream().write(bytes);
                                        if (thenClose) {
                                            return;
                                        }
                                    }
                                } catch (IOException e) {
                                    // The checker has seen enough.
                                }
                            });
            var address = (InetSocketAddress) listener.getLocalSocketAddress();
            return Checks.of(Works.named(List.of(work)).getFirst(), address);
        }
    }
}
