// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where an answer ends, and whether the connection goes on behind it: RFC 9112 6.3 and 9.3. */
class AnswerReaderTest {

    @Test
    void aBodyEndsWhereItsLengthSays() {
        String answer =
                """
                HTTP/1.1 200 OK
                Content-Length: 5

                hello""";
        assertEquals("200 stays", Reading.of(answer));
        assertEquals("200 stays, 200 stays, 200 stays", Reading.of(answer.repeat(3)));
        assertEquals("200 stays, cut short", Reading.of(answer + answer.substring(0, 38)));
    }

    @Test
    void aBodyMayBeEmptyAndAReasonAsWell() {
        assertEquals("200 stays", Reading.of("HTTP/1.1 200 \nContent-Length: 0\n\n"));
        assertEquals("200 stays", Reading.of("HTTP/1.1 200\nContent-Length: 0\n\n"));
        assertEquals("204 stays", Reading.of("HTTP/1.1 204\n\n"));
    }

    @Test
    void chunksEndWithTheEmptyOneAndItsTrailers() {
        String head = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n";
        assertEquals("200 stays", Reading.of(head + "5\nhello\n0\n\n"));
        assertEquals("200 stays", Reading.of(head + "0\n\n"));
        assertEquals("200 stays", Reading.of(head + "5;a=b;c=\"d\"\nhello\n0;e\nT: 1\nU: 2\n\n"));
        assertEquals(
                "200 stays, 200 stays",
                Reading.of((head + "A\n0\n\n0\n\n\n0\n\n").repeat(2)),
                "what looks like the end within a chunk");
        assertEquals("200 stays, cut short", Reading.of(head + "0\n\n" + head + "5\nhello\n0\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "", "5x", "-5", "+5", "0x5", "5 5", "1000000000000000000", "5,6"})
    void aLengthThatIsNoNumberIsRefused(String length) {
        String answer = "HTTP/1.1 200 OK\nContent-Length: " + length + "\n\nhello";
        assertEquals("malformed", Reading.of(answer));
    }

    @Test
    void twoLengthsThatDifferAreRefused() {
        String two = "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: %d\n\nhello";
        assertEquals("malformed", Reading.of(two.formatted(4)));
        assertEquals("200 stays", Reading.of(two.formatted(5)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "content-length:5",
                "CONTENT-LENGTH: 5",
                "Content-Length:   005",
                "Content-Length: 5 ",
                "Content-Length:\t5\t "
            })
    void caseAndBlanksOfAFieldDoNotCount(String field) {
        assertEquals("200 stays", Reading.of("HTTP/1.1 200 OK\n" + field + "\n\nhello"));
    }

    /** Were one of them taken for the length, the answer would end before the server does. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Content-Length: 5",
                "Content-Length-X: 5",
                "Content-Lengt: 5",
                "Content_Length: 5",
                "X: Content-Length: 5",
                "X: a\n Content-Length: 5",
                "c",
                ":",
                "Content-Length"
            })
    void whatOnlyLooksLikeALengthIsNone(String field) {
        assertEquals("200 by the end", Reading.of("HTTP/1.1 200 OK\n" + field + "\n\nhello"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "1.1 | Connection: close                         | closes",
                "1.1 | connection: CLOSE                         | closes",
                "1.1 | Connection:close                          | closes",
                "1.1 | Connection: a , close ,b                  | closes",
                "1.1 | Connection: close, keep-alive             | closes",
                "1.1 | Connection: keep-alive, close             | closes",
                "1.1 | Connection: close~Connection: keep-alive  | closes",
                "1.1 | Connection: keep-alive~Connection: close  | closes",
                "1.1 | Connection: keep-alive                    | stays",
                "1.1 | Connection: closed                        | stays",
                "1.1 | Connection: not-close                     | stays",
                "1.1 | Connection: x-close, disclose             | stays",
                "1.1 | Connection: cl ose                        | stays",
                "1.1 | Connection:                               | stays",
                "1.1 | X-Connection: close                       | stays",
                "1.1 | Connection-X: close                       | stays",
                "1.1 | X: Connection: close                      | stays",
                "1.1 | Proxy-Connection: close                   | stays",
                "1.0 | Server: any                               | closes",
                "1.0 | Connection: Keep-Alive                    | stays",
                "1.0 | Connection: a,keep-alive                  | stays",
                "1.0 | Connection: no-keep-alive                 | closes",
                "1.0 | Keep-Alive: timeout=5                     | closes"
            })
    void theConnectionGoesOnOrNot(String version, String fields, String then) {
        String answer = "HTTP/%s 200 OK\n%s\nContent-Length: 2\n\nok";
        String text = answer.formatted(version, fields.replace('~', '\n'));
        assertEquals("200 " + then, Reading.of(text));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "Transfer-Encoding: CHUNKED                             | 200 stays",
                "TRANSFER-ENCODING:chunked                              | 200 stays",
                "Transfer-Encoding: gzip, chunked                       | 200 stays",
                "Transfer-Encoding: gzip~Transfer-Encoding: chunked     | 200 stays",
                "Transfer-Encoding: chunked~Content-Length: 3           | 200 stays",
                "Content-Length: 3~Transfer-Encoding: chunked           | 200 stays",
                "Transfer-Encoding: chunked, gzip                       | 200 by the end",
                "Transfer-Encoding: chunked~Transfer-Encoding: gzip     | 200 by the end",
                "Transfer-Encoding: gzip~Content-Length: 3              | 200 by the end",
                "Transfer-Encoding: unchunked                           | 200 by the end",
                "Transfer-Encoding: x-chunked                           | 200 by the end",
                "Transfer-Encoding: chunked-not                         | 200 by the end",
                "X-Transfer-Encoding: chunked                           | 200 by the end",
                "X: Transfer-Encoding: chunked                          | 200 by the end"
            })
    void aCodingComesBeforeALengthAndChunkedComesLast(String fields, String expected) {
        String answer = "HTTP/1.1 200 OK\n%s\n\n2\nok\n0\n\n";
        assertEquals(expected, Reading.of(answer.formatted(fields.replace('~', '\n'))));
    }

    /** RFC 9112 6.1: whoever says so has not understood it, and may not know where it ended. */
    @Test
    void chunksOfHttp10EndTheConnection() {
        String head = "HTTP/1.0 200 OK\nConnection: keep-alive\nTransfer-Encoding: chunked\n\n";
        assertEquals("200 closes", Reading.of(head + "0\n\n"));
    }

    @Test
    void toHeadThereIsNoBodyWhateverTheHeadSays() {
        String head = "HTTP/1.1 200 OK\nContent-Length: 5\n\n";
        assertEquals("200 stays, 200 stays", Reading.of(head + head + "hello", true));
        String chunked = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n";
        assertEquals(
                "200 stays, 200 stays", Reading.of(chunked + "HTTP/1.1 200 OK\n\n", true, true));
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 304})
    void someStatusesHaveNoBodyWhateverTheHeadSays(int status) {
        String answer = "HTTP/1.1 %d That's it\nContent-Length: 5\n\n".formatted(status);
        assertEquals(status + " stays, " + status + " stays", Reading.of(answer + answer));
    }

    @Test
    void interimAnswersBelongToTheOneTheyPrecede() {
        String interim = "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: </a>\n\n";
        String last = "HTTP/1.1 201 Created\nContent-Length: 2\n\nok";
        assertEquals("201 stays, 201 stays", Reading.of((interim + last).repeat(2)));
        String closing = "HTTP/1.1 103 Early Hints\nConnection: close\nContent-Length: 9\n\n";
        assertEquals("201 stays", Reading.of(closing + last), "what an interim one says of it");
    }

    /** RFC 9110 15.2.2: another protocol follows, so this is the last answer there is. */
    @Test
    void switchingProtocolsIsAnAnswerAndTheLast() {
        String answer = "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n\n";
        assertEquals("101 closes, more", Reading.of(answer + "frames"));
    }

    @Test
    void aBodyWithoutALengthGoesUpToTheEnd() {
        assertEquals("200 by the end", Reading.of("HTTP/1.1 200 OK\n\nHTTP/1.1 200 OK\n\n"));
        assertEquals("200 by the end", Reading.of("HTTP/1.0 200 OK\nConnection: keep-alive\n\n"));
    }

    @Test
    void linesMayEndWithABareLineFeed() {
        assertEquals("200 stays", Reading.of("HTTP/1.1 200 OK␊Content-Length: 2␊␊ok"));
        assertEquals("204 stays, 204 stays", Reading.of("HTTP/1.1 204␊␊".repeat(2)));
    }
}
