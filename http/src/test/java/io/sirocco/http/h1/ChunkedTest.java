// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.Wire.wire;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.Octets;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bodies in chunks, whole, split at every byte, and byte by byte. */
class ChunkedTest {
    private static final long LIMIT = 1000;

    /**
     * {@code outcome} is the data, a bar and what follows the body; or the rule that rejects it.
     * Trailers stand between, after a semicolon each.
     */
    record Case(String name, String outcome, String body) {
        @Override
        public String toString() {
            return name + " -> " + outcome;
        }
    }

    private static Case good(String name, String outcome, String body) {
        return new Case(name, outcome, body);
    }

    private static Case bad(String name, RequestError rule, String body) {
        return new Case(name, rule.name(), body);
    }

    static Stream<Case> bodies() {
        return Stream.of(
                good("empty", "|", "0\n\n"),
                good("zeros", "|", "0000000000000000\n\n"),
                good("one chunk", "hello|", "5\nhello\n0\n\n"),
                good("pipelined request behind it", "hello|GET /", "5\nhello\n0\n\nGET /"),
                good("two chunks", "hello world|", "5\nhello\n6\n world\n0\n\n"),
                good(
                        "hexadecimal in both cases",
                        "0123456789abcdef01|",
                        "B\n0123456789a\n7\nbcdef01\n0\n\n"),
                good("leading zeros", "hello|", "0000000000000005\nhello\n0\n\n"),
                good("line ends in the data", "a\r\n0\r\n\r\nb|", "9\na\n0\n\nb\n0\n\n"),
                good("extension", "hello|", "5;a\nhello\n0;b=c\n\n"),
                good("extensions with bad whitespace", "hello|", "5 ; a\t= b ;c\nhello\n0\n\n"),
                good("extension in quotes", "hello|", "5;a=\"b \\\" ; \t\u00E9\"\nhello\n0\n\n"),
                good("extension of the last chunk", "|", "0;a=\"\"\n\n"),
                good("trailer", ";X-Sum: 1|", "0\nX-Sum: 1\n\n"),
                good("trailers", "hello;A: ;B: c|x", "5\nhello\n0\nA:\nB: c \n\nx"),
                bad("size missing", RequestError.BAD_CHUNK_SIZE, "\n"),
                bad("size not a number", RequestError.BAD_CHUNK_SIZE, "x\n"),
                bad("size negative", RequestError.BAD_CHUNK_SIZE, "-5\nhello\n0\n\n"),
                bad("size signed", RequestError.BAD_CHUNK_SIZE, "+5\nhello\n0\n\n"),
                bad("size with 0x", RequestError.BAD_CHUNK_SIZE, "0x5\nhello\n0\n\n"),
                bad("size behind a space", RequestError.BAD_CHUNK_SIZE, " 5\nhello\n0\n\n"),
                bad("size behind a bare semicolon", RequestError.BAD_CHUNK_SIZE, ";a\n"),
                bad(
                        "size of 17 digits",
                        RequestError.BAD_CHUNK_SIZE,
                        "00000000000000005\nhello\n0\n\n"),
                bad("size of 2^60", RequestError.BAD_CHUNK_SIZE, "1000000000000000\n"),
                bad(
                        "size of 2^64 and 5",
                        RequestError.BAD_CHUNK_SIZE,
                        "10000000000000005\nhello\n"),
                bad("size of 2^60 less one", RequestError.BODY_TOO_LARGE, "fffffffffffffff\n"),
                bad("size with NUL", RequestError.BAD_CHUNK_SIZE, "5␀\nhello\n"),
                bad("size beyond ASCII", RequestError.BAD_CHUNK_SIZE, "5\u0665\n"),
                bad("space behind the size", RequestError.BAD_CHUNK_EXTENSION, "5 \nhello\n0\n\n"),
                bad("bare LF behind the size", RequestError.BARE_LF, "5␊hello\n0\n\n"),
                bad("bare LF alone", RequestError.BARE_LF, "␊"),
                bad("bare CR behind the size", RequestError.BARE_CR, "5␍hello\n0\n\n"),
                bad("bare LF in an extension", RequestError.BARE_LF, "5;a␊hello\n0\n\n"),
                bad(
                        "bare LF in a quoted extension",
                        RequestError.BARE_LF,
                        "5;a=\"␊\"\nhello\n0\n\n"),
                bad("bare CR in an extension", RequestError.BARE_CR, "5;a␍b\nhello\n0\n\n"),
                bad(
                        "CR in a quoted extension",
                        RequestError.BAD_CHUNK_EXTENSION,
                        "5;a=\"\n\"\nhello\n0\n\n"),
                bad("extension empty", RequestError.BAD_CHUNK_EXTENSION, "5;\nhello\n0\n\n"),
                bad(
                        "extension without value",
                        RequestError.BAD_CHUNK_EXTENSION,
                        "5;a=\nhello\n0\n\n"),
                bad(
                        "extension without name",
                        RequestError.BAD_CHUNK_EXTENSION,
                        "5;=b\nhello\n0\n\n"),
                bad(
                        "extension not closed",
                        RequestError.BAD_CHUNK_EXTENSION,
                        "5;a=\"b\nhello\n0\n\n"),
                bad(
                        "extension with NUL",
                        RequestError.BAD_CHUNK_EXTENSION,
                        "5;a=\"␀\"\nhello\n0\n\n"),
                bad(
                        "extension with a space in its end",
                        RequestError.BAD_CHUNK_EXTENSION,
                        "5;a \nhello\n"),
                bad(
                        "extension with text behind quotes",
                        RequestError.BAD_CHUNK_EXTENSION,
                        "5;a=\"b\"c\nhello\n"),
                bad("extension with two names", RequestError.BAD_CHUNK_EXTENSION, "5;a b\nhello\n"),
                bad("data longer than the size", RequestError.BAD_CHUNK_END, "4\nhello\n0\n\n"),
                bad("data shorter than the size", RequestError.BAD_CHUNK_END, "6\nhello\n0\n\n"),
                bad("bare LF behind the data", RequestError.BAD_CHUNK_END, "5\nhello␊0\n\n"),
                bad("bare CR behind the data", RequestError.BAD_CHUNK_END, "5\nhello␍0\n\n"),
                bad("bare LF as the blank line", RequestError.BARE_LF, "0\n␊"),
                bad("bare CR as the blank line", RequestError.BARE_CR, "0\n␍X"),
                bad("trailer with bare LF", RequestError.BAD_TRAILER, "0\nA: b␊\n"),
                bad("trailer without colon", RequestError.BAD_TRAILER, "0\nGET / HTTP/1.1\n\n"),
                bad("trailer folded", RequestError.BAD_TRAILER, "0\nA: b\n c\n\n"),
                bad("trailer folded at once", RequestError.BAD_TRAILER, "0\n A: b\n\n"),
                bad("trailer with NUL", RequestError.BAD_TRAILER, "0\nA: ␀\n\n"),
                bad(
                        "trailer with space before the colon",
                        RequestError.BAD_TRAILER,
                        "0\nA : b\n\n"),
                good("trailer Content-Length", "|x", "0\nContent-Length: 5\n\nx"),
                good("trailer Transfer-Encoding", "|", "0\nTRANSFER-ENCODING: x\n\n"),
                good("trailer Host", ";A: b|", "0\nA: b\nhost: a\n\n"),
                good("trailer Trailer", ";A: b|", "0\nTrailer: a\nA: b\n\n"),
                good(
                        "trailer Authorization between others",
                        ";A: b;C: d|",
                        "0\nA: b\nAuthorization: a\nC: d\n\n"));
    }

    private static String outcome(byte[] body, int... ends) {
        Chunked chunked = new Chunked(LIMIT);
        StringBuilder data = new StringBuilder();
        int at = 0;
        for (int i = 0; i <= ends.length; i++) {
            int end = i < ends.length ? ends[i] : body.length;
            Chunked.Event event;
            do {
                event = chunked.decode(Arrays.copyOf(body, end), at, end);
                at = chunked.next();
                switch (event) {
                    case DATA ->
                            data.append(Octets.text(body, chunked.dataFrom(), chunked.dataTo()));
                    case END -> {
                        Fields trailers = chunked.trailers();
                        for (int t = 0; t < trailers.count(); t++) {
                            data.append(';')
                                    .append(trailers.name(t))
                                    .append(": ")
                                    .append(trailers.value(t));
                        }
                        return data + "|" + Octets.text(body, at, body.length);
                    }
                    case REJECTED -> {
                        return chunked.rule().name();
                    }
                    case MORE -> assertEquals(end, at);
                }
            } while (event == Chunked.Event.DATA);
        }
        return data + "...";
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void hasTheSameOutcomeOnEverySplit(Case c) {
        byte[] body = wire(c.body());
        assertEquals(c.outcome(), outcome(body));
        for (int split = 0; split <= body.length; split++) {
            assertEquals(c.outcome(), outcome(body, split));
        }
        assertEquals(c.outcome(), outcome(body, IntStream.range(0, body.length).toArray()));
    }

    @Test
    void cutShortItWaits() {
        byte[] body = wire("5;a=\"b\"\nhello\n0\nA: b\n\n");
        for (int end = 0; end < body.length; end++) {
            assertEquals("...", outcome(Arrays.copyOf(body, end)).replaceAll("^h?e?l?l?o?", ""));
        }
    }

    @Test
    void endAndRejectionAreForGood() {
        byte[] body = wire("0\n\n0\n\n");
        Chunked chunked = new Chunked(LIMIT);
        assertEquals(Chunked.Event.END, chunked.decode(body, 0, body.length));
        assertEquals(5, chunked.next());
        assertEquals(Chunked.Event.END, chunked.decode(body, 5, body.length));
        assertEquals(5, chunked.next());
        assertEquals(Chunked.Event.END, chunked.decode(body, 5, 5));
        assertThrows(IllegalStateException.class, chunked::rule);

        Chunked broken = new Chunked(LIMIT);
        assertEquals(Chunked.Event.REJECTED, broken.decode(wire("x"), 0, 1));
        assertEquals(Chunked.Event.REJECTED, broken.decode(body, 0, body.length));
        assertEquals(0, broken.next());
        assertEquals(Chunked.Event.REJECTED, broken.decode(body, 0, 0));
        assertEquals(RequestError.BAD_CHUNK_SIZE, broken.rule());
    }

    @Test
    void bodyToTheByte() {
        String chunk = "64\n" + "x".repeat(100) + "\n";
        String nine = chunk.repeat(9);
        assertEquals(1001, outcome(wire(chunk.repeat(10) + "0\n\n")).length());
        assertEquals(1000, outcome(wire(nine + "63\n" + "x".repeat(99) + "\n0\n\n")).length());
        assertEquals("BODY_TOO_LARGE", outcome(wire(nine + "65\n")));
        assertEquals("BODY_TOO_LARGE", outcome(wire(chunk.repeat(10) + "1\n")));
    }

    @Test
    void chunkLineToTheByte() {
        for (int length = Chunked.LINE - 1; length <= Chunked.LINE + 1; length++) {
            byte[] body = wire("0;" + "a".repeat(length - 2) + "\n\n");
            String expected = length <= Chunked.LINE ? "|" : "CHUNK_LINE_TOO_LONG";
            assertEquals(expected, outcome(body));
            assertEquals(expected, outcome(body, IntStream.range(0, body.length).toArray()));
        }
    }

    @Test
    void extensionsCountAgainstTheLimitOfTheBody() {
        String chunk = "1;" + "a".repeat(98) + "\nx\n"; // 99 of extension, 1 of data
        assertEquals("x".repeat(10) + "|", outcome(wire(chunk.repeat(10) + "0\n\n")));
        assertEquals("BODY_TOO_LARGE", outcome(wire(chunk.repeat(10) + "1\nx\n0\n\n")));
        assertEquals("BODY_TOO_LARGE", outcome(wire(chunk.repeat(10) + "0;a\n\n")));
    }

    @Test
    void extensionsOfAWholeBodyAreBounded() {
        String extension = ";a=\"" + "b".repeat(240) + "\"";
        byte[] body = wire(("1" + extension + "\nx\n").repeat(200_000) + "0\n\n");
        Chunked chunked = new Chunked(Long.MAX_VALUE);
        int at = 0;
        Chunked.Event event;
        while ((event = chunked.decode(body, at, body.length)) == Chunked.Event.DATA) {
            at = chunked.next();
        }
        assertEquals(Chunked.Event.REJECTED, event);
        assertEquals(RequestError.CHUNK_LINES_TOO_LONG, chunked.rule());
        assertTrue(at < 2 * Chunked.EXCESS, "after " + at);
    }

    @Test
    void chunksOfOneByteAndLargeChunksWithLongExtensionsAreFine() {
        assertEquals(
                100_000,
                count(wire("1\nx\n".repeat(100_000) + "0\n\n"), new Chunked(Long.MAX_VALUE)));
        String large = "1000;a=" + "b".repeat(200) + "\n" + "x".repeat(4096) + "\n";
        assertEquals(
                409_600, count(wire(large.repeat(100) + "0\n\n"), new Chunked(Long.MAX_VALUE)));
    }

    private static long count(byte[] body, Chunked chunked) {
        long count = 0;
        int at = 0;
        Chunked.Event event;
        while ((event = chunked.decode(body, at, body.length)) == Chunked.Event.DATA) {
            count += chunked.dataTo() - chunked.dataFrom();
            at = chunked.next();
        }
        assertEquals(Chunked.Event.END, event);
        return count;
    }

    @Test
    void trailersToTheByteAndToTheCount() {
        for (int length = Chunked.TRAILER_BYTES - 1;
                length <= Chunked.TRAILER_BYTES + 1;
                length++) {
            String value = "b".repeat(length - "A: \r\n\r\n".length());
            byte[] body = wire("0\nA: " + value + "\n\nnext");
            boolean good = length <= Chunked.TRAILER_BYTES;
            String expected = good ? ";A: " + value + "|next" : "TRAILERS_TOO_LARGE";
            assertEquals(expected, outcome(body));
            assertEquals(expected, outcome(body, IntStream.range(0, body.length).toArray()));
        }
        String most = "A: b\n".repeat(Chunked.TRAILER_FIELDS);
        assertEquals(';', outcome(wire("0\n" + most + "\n")).charAt(0));
        assertEquals("TOO_MANY_HEADERS", outcome(wire("0\n" + most + "A: b\n\n")));
    }
}
