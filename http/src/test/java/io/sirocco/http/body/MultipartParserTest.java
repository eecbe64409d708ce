// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Headers;
import io.sirocco.http.Multipart.Limits;
import java.util.List;
import org.junit.jupiter.api.Test;

class MultipartParserTest {

    /** Writes events down; the data of a part is one piece however it was split. */
    static final class Trace implements MultipartParser.Events {
        private final StringBuilder text = new StringBuilder();

        @Override
        public void partStart(Headers headers) {
            text.append('<');
            headers.forEach(
                    (name, value) -> text.append(name).append('=').append(value).append(';'));
            text.append('|');
        }

        @Override
        public void partData(byte[] bytes, int from, int to) {
            assertTrue(from < to, "an empty piece");
            text.append(new String(bytes, from, to - from, ISO_8859_1));
        }

        @Override
        public void partEnd() {
            text.append('>');
        }

        @Override
        public void end() {
            text.append('.');
        }

        @Override
        public void rejected(MultipartRule rule) {
            text.append('!').append(rule);
        }
    }

    /**
     * The events of a body with boundary {@code b}, the same for every split in two and for bytes.
     */
    private static String events(String body, Limits limits) {
        byte[] bytes = body.getBytes(UTF_8);
        String whole = run(bytes, limits, bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            assertEquals(whole, run(bytes, limits, i), "split at " + i);
        }
        var trace = new Trace();
        var parser = new MultipartParser("b", limits, trace);
        for (int i = 0; i < bytes.length; i++) {
            parser.feed(new byte[] {bytes[i]}, 0, 1);
        }
        parser.close();
        assertEquals(whole, trace.text.toString(), "byte by byte");
        return whole;
    }

    private static String run(byte[] bytes, Limits limits, int split) {
        var trace = new Trace();
        var parser = new MultipartParser("b", limits, trace);
        parser.feed(bytes, 0, split);
        parser.feed(bytes, split, bytes.length);
        parser.close();
        parser.close();
        return trace.text.toString();
    }

    /** A text block with CRLF, and without the last one. */
    private static String events(String body) {
        return events(crlf(body), Limits.DEFAULT);
    }

    private static String crlf(String body) {
        return body.stripTrailing().replace("\n", "\r\n");
    }

    @Test
    void partsPreambleAndEpilogue() {
        String utf8 = new String("ż".getBytes(UTF_8), ISO_8859_1);
        assertEquals(
                "<A=1;B=ż x;|one " + utf8 + "><|>.",
                events(
                        """
                        This is ignored, and so is --b in a line
                        --b
                        A: 1
                        B: ż x\s

                        one ż
                        --b


                        --b--
                        and this
                        --b
                        """));
    }

    @Test
    void dataThatLooksLikeADelimiterIsData() {
        for (String data :
                List.of(
                        "\r",
                        "\n",
                        "\r\n",
                        "\r\n-",
                        "\r\n--",
                        "\r\r\n--",
                        "\r\n--c",
                        "-",
                        "--",
                        "-b",
                        "\r\n\r\n",
                        "\r\n\r\n-x",
                        "\n--b",
                        "\r--b",
                        "x--b--\r",
                        "\r\n--\r\n-")) {
            assertEquals(
                    "<|" + data + ">.",
                    events("--b\r\n\r\n" + data + "\r\n--b--", Limits.DEFAULT),
                    data);
        }
    }

    @Test
    void aPartMayHaveNoData() {
        assertEquals("<A=1;|>.", events("--b\nA: 1\n\n\n--b--"));
        assertEquals("<A=1;|>.", events("--b\nA: 1\n\n--b--"));
        assertEquals("<|>.", events("--b\n\n--b--"));
        assertEquals(".", events("--b--"));
    }

    @Test
    void blanksMayFollowABoundary() {
        assertEquals("<|x>.", events("--b \t\n\nx\n--b--  "));
        assertEquals("!DELIMITER_LINE", events("--b --"));
    }

    @Test
    void anythingElseAfterABoundaryIsRejected() {
        assertEquals("!DELIMITER_LINE", events("--bx\n\nx"));
        assertEquals("!DELIMITER_LINE", events("--b-x\n\nx"));
        assertEquals("<|x>!DELIMITER_LINE", events("--b\n\nx\n--bb\nx"));
        assertEquals("!DELIMITER_LINE", events("--b\rx", Limits.DEFAULT));
        assertEquals("!DELIMITER_LINE", events("--b\nA: 1\n\nx", Limits.DEFAULT)); // bare LF
    }

    @Test
    void aMissingFinalBoundaryIsTruncation() {
        String body = crlf("--b\nA: 1\n\nx\n--b--");
        for (int i = 0; i < body.length(); i++) {
            String events = events(body.substring(0, i), Limits.DEFAULT);
            assertTrue(events.endsWith("!TRUNCATED"), events);
        }
    }

    @Test
    void headsAreStrict() {
        assertEquals("!HEADER_NAME", events("--b\nno colon\n\nx"));
        assertEquals("!HEADER_NAME", events("--b\n: x\n\nx"));
        assertEquals("!HEADER_NAME", events("--b\nA : x\n\nx"));
        assertEquals("!HEADER_FOLDED", events("--b\nA: x\n y\n\nx"));
        assertEquals("!HEADER_VALUE", events("--b\nA: \0\n\nx"));
        assertEquals("!HEADER_VALUE", events("--b\r\nA: x\ry\r\n\r\n", Limits.DEFAULT));
        assertEquals("!BARE_LF", events("--b\r\nA: x\n\r\n", Limits.DEFAULT));
        assertEquals("!BARE_LF", events("--b\r\n\n", Limits.DEFAULT));
    }

    @Test
    void limitsAreExactToTheByte() {
        String body = crlf("--b\nA: 1\n\n12345\n--b\n\n6\n--b--");
        long all = body.length();
        String good = "<A=1;|12345><|6>.";
        assertEquals(good, events(body, new Limits(2, 8, 5, all)));
        assertEquals(good, events(body + "epilogue", new Limits(2, 8, 5, all)));
        assertEquals("<A=1;|12345>!TOO_MANY_PARTS", events(body, new Limits(1, 8, 5, all)));
        assertEquals("!HEADERS_TOO_LARGE", events(body, new Limits(2, 7, 5, all)));
        assertEquals("<A=1;|1234!PART_TOO_LARGE", events(body, new Limits(2, 8, 4, all)));
        assertEquals("<A=1;|12345><|6>!BODY_TOO_LARGE", events(body, new Limits(2, 8, 5, all - 1)));
        assertEquals("!BODY_TOO_LARGE", events(body, new Limits(2, 8, 5, 0)));
    }

    @Test
    void aLineThatNeverEndsIsBounded() {
        String body = "--b\r\nA: " + "x".repeat(9_000);
        assertEquals("!HEADERS_TOO_LARGE", run(body.getBytes(UTF_8), Limits.DEFAULT, 100));
    }

    @Test
    void boundariesAreChecked() {
        for (String good :
                List.of("b", "a b", "x".repeat(70), "----WebKitFormBoundary7MA", "'()+_,-./:=?")) {
            assertTrue(MultipartParser.isBoundary(good), good);
        }
        for (String bad :
                List.of("", " ", "a ", "x".repeat(71), "a\r\nb", "ż", "a;b", "\"", "a@")) {
            assertFalse(MultipartParser.isBoundary(bad), bad);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new MultipartParser(bad, Limits.DEFAULT, new Trace()));
        }
    }
}
