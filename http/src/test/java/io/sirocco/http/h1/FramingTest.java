// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.Wire.wire;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sirocco.http.RequestError;
import io.sirocco.http.h1.Reading.Message;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Where one request ends and the next begins, in whole streams: each test is named for a way in
 * which a server got it wrong. Every stream is read whole, split at every byte, and byte by byte.
 */
class FramingTest {

    private static Connection read(String block) {
        byte[] stream = wire(block);
        for (int split = 0; split <= stream.length; split++) {
            Differential.checkSplits(stream, split);
        }
        Differential.checkDribble(stream);
        Differential.check(stream);
        return Connection.of(stream);
    }

    /** Reads a stream that is good to its end; returns method, target and body of each request. */
    private static List<String> requests(String block) {
        Connection connection = read(block);
        assertNull(connection.rule());
        return lines(connection);
    }

    private static List<String> lines(Connection connection) {
        return connection.reading().messages().stream().map(FramingTest::line).toList();
    }

    private static String line(Message m) {
        return m.method() + " " + m.target() + " " + m.body();
    }

    @Test
    void pipelinedRequestsInOneSegmentAreAllRead() {
        String get = "GET /1 HTTP/1.1\nHost: a\n\n";
        assertEquals(List.of("GET /1 ", "GET /1 ", "GET /1 "), requests(get.repeat(3)));
    }

    @Test
    void requestBehindABodyIsNotSwallowedIntoIt() {
        assertEquals(
                List.of("POST /1 abc", "GET /2 "),
                requests(
                        """
                        POST /1 HTTP/1.1
                        Host: a
                        Content-Length: 3

                        abcGET /2 HTTP/1.1
                        Host: a

                        """));
    }

    @Test
    void requestBehindChunksIsNotSwallowedAndChunksAreNoRequest() {
        assertEquals(
                List.of("POST /1 GET /x HTTP/1.1\r\n\r\n", "GET /2 "),
                requests(
                        """
                        POST /1 HTTP/1.1
                        Host: a
                        Transfer-Encoding: chunked

                        13
                        GET /x HTTP/1.1


                        0

                        GET /2 HTTP/1.1
                        Host: a

                        """));
    }

    @Test
    void lengthWithoutASpaceIsALength() {
        assertEquals(
                List.of("POST / hello", "GET /2 "),
                requests(
                        """
                        POST / HTTP/1.1
                        Host: a
                        Content-Length:5

                        helloGET /2 HTTP/1.1
                        Host: a

                        """));
    }

    @Test
    void getWithABodyHasABody() {
        assertEquals(
                List.of("GET / GET /evil HTTP/1.1\r\n", "GET /2 "),
                requests(
                        """
                        GET / HTTP/1.1
                        Host: a
                        Content-Length: 20

                        GET /evil HTTP/1.1
                        GET /2 HTTP/1.1
                        Host: a

                        """));
    }

    @Test
    void postWithoutLengthHasNoBody() {
        assertEquals(
                List.of("POST / ", "GET /2 "),
                requests("POST / HTTP/1.1\nHost: a\n\nGET /2 HTTP/1.1\nHost: a\n\n"));
    }

    @Test
    void emptyLineBehindABodyIsIgnoredOnce() {
        String post = "POST / HTTP/1.1\nHost: a\nContent-Length: 1\n\nx";
        assertEquals(List.of("POST / x", "POST / x"), requests(post + "\n" + post));
        assertEquals(RequestError.LEADING_EMPTY_LINE, read(post + "\n\n" + post).rule());
    }

    @Test
    void lengthBesideCodingFramesNothing() {
        Connection connection =
                read(
                        """
                        POST / HTTP/1.1
                        Host: a
                        Content-Length: 6
                        Transfer-Encoding: chunked

                        0

                        GET /smuggled HTTP/1.1
                        Host: a

                        """);
        assertEquals(RequestError.LENGTH_AND_CODING, connection.rule());
        assertEquals(List.of(), lines(connection));
    }

    @Test
    void codingThatNobodyKnowsFramesNothing() {
        Connection connection =
                read(
                        "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: xchunked\n\n0\n\nGET / HTTP/1.1\n");
        assertEquals(RequestError.CHUNKED_NOT_LAST, connection.rule());
    }

    @Test
    void differentLengthsFrameNothing() {
        Connection connection =
                read("POST / HTTP/1.1\nHost: a\nContent-Length: 0\nContent-Length: 9\n\nGET / HTT");
        assertEquals(RequestError.TWO_LENGTHS, connection.rule());
    }

    @Test
    void goodRequestBeforeABadOneIsRead() {
        Connection connection = read("GET /1 HTTP/1.1\nHost: a\n\nGET /2 HTTP/1.1\nHost : a\n\n");
        assertEquals(List.of("GET /1 "), lines(connection));
        assertEquals(RequestError.SPACE_BEFORE_COLON, connection.rule());
    }

    @Test
    void chunkSizeBeyond64BitsIsNoSmallOne() {
        Connection connection =
                read(
                        "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n10000000000000005\nhello\n0\n\n");
        assertEquals(RequestError.BAD_CHUNK_SIZE, connection.rule());
    }
}
