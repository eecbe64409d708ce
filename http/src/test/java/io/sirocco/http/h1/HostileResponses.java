// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.ResponseError.*;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;

/** Responses that a server sends by mistake or by malice, and the rule that each breaks. */
public final class HostileResponses {
    private HostileResponses() {}

    /**
     * One of them, to a GET.
     *
     * @param endless whether the server sends the last line again for ever
     */
    public record Hostile(String name, byte[] bytes, boolean endless, ResponseError error) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Hostile> ALL = new ArrayList<>();

    private static void is(ResponseError error, String name, String bytes) {
        ALL.add(new Hostile(name, bytes.getBytes(ISO_8859_1), false, error));
    }

    private static void forEver(ResponseError error, String name, String bytes) {
        ALL.add(new Hostile(name, bytes.getBytes(ISO_8859_1), true, error));
    }

    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";

    static {
        is(BAD_STATUS_LINE, "no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n");
        is(BAD_STATUS_LINE, "HTTP/0.9", "<html>hello</html>");
        is(BAD_STATUS_LINE, "an empty line first", "\r\n" + OK + "\r\n");
        is(BAD_STATUS_LINE, "lower case", "http/1.1 200 OK\r\n\r\n");
        is(BAD_STATUS_LINE, "no status", "HTTP/1.1\r\n\r\n");
        is(BAD_STATUS_LINE, "two spaces", "HTTP/1.1  200 OK\r\n\r\n");
        is(BAD_STATUS_LINE, "a tab for the space", "HTTP/1.1\t200 OK\r\n\r\n");
        is(BAD_STATUS_LINE, "a status of two digits", "HTTP/1.1 20 OK\r\n\r\n");
        is(BAD_STATUS_LINE, "a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n");
        is(BAD_STATUS_LINE, "a status below 100", "HTTP/1.1 099 OK\r\n\r\n");
        is(BAD_STATUS_LINE, "a status with a sign", "HTTP/1.1 -20 OK\r\n\r\n");
        is(BAD_STATUS_LINE, "a version of two digits", "HTTP/1.10 200 OK\r\n\r\n");
        is(UNKNOWN_VERSION, "HTTP/2 in text", "HTTP/2.0 200 OK\r\n\r\n");
        is(UNKNOWN_VERSION, "HTTP/0", "HTTP/0.9 200 OK\r\n\r\n");
        is(BARE_LF, "LF behind the status line", "HTTP/1.1 200 OK\nA: b\r\n\r\n");
        is(BARE_LF, "LF behind a field", OK + "A: b\nContent-Length: 0\r\n\r\n");
        is(BARE_LF, "LF for the blank line", OK + "A: b\r\n\n");
        is(BARE_LF, "LF in a chunk line", CHUNKED + "3\nabc\r\n0\r\n\r\n");
        is(BARE_LF, "LF behind the last chunk", CHUNKED + "0\r\n\n");
        is(BARE_CR, "CR in the status line", "HTTP/1.1 200 OK\rSet-Cookie: a=b\r\n\r\n");
        is(BARE_CR, "CR in a field", OK + "A: b\rContent-Length: 5\r\n\r\n");
        is(BARE_CR, "CR for the blank line", OK + "\rA: b\r\n\r\n");
        is(BARE_CR, "CR in a chunk line", CHUNKED + "3\rabc\r\n0\r\n\r\n");
        is(CONTROL_CHARACTER, "NUL in a reason", "HTTP/1.1 200 O\0K\r\n\r\n");
        is(CONTROL_CHARACTER, "NUL in a value", OK + "A: b\0c\r\n\r\n");
        is(CONTROL_CHARACTER, "DEL in a value", OK + "A: b\u007fc\r\n\r\n");
        is(BAD_HEADER_NAME, "an empty name", OK + ": b\r\n\r\n");
        is(BAD_HEADER_NAME, "a line without a colon", OK + "Nonsense\r\n\r\n");
        is(BAD_HEADER_NAME, "NUL in a name", OK + "A\0: b\r\n\r\n");
        is(BAD_HEADER_NAME, "a second status line", OK + "HTTP/1.1 200 OK\r\n\r\n");
        is(SPACE_BEFORE_COLON, "a space before a colon", OK + "Content-Length : 5\r\n\r\nhello");
        is(SPACE_BEFORE_COLON, "a tab before a colon", OK + "Transfer-Encoding\t: chunked\r\n\r\n");
        is(OBSOLETE_FOLD, "a folded value", OK + "A: b\r\n c\r\n\r\n");
        is(OBSOLETE_FOLD, "a folded length", OK + "Content-Length:\r\n 5\r\n\r\nhello");
        is(OBSOLETE_FOLD, "a first line that is folded", OK + "\tA: b\r\n\r\n");
        is(TWO_LENGTHS, "two lengths", OK + "Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde");
        is(TWO_LENGTHS, "twice the same", OK + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc");
        is(BAD_LENGTH, "a list of lengths", OK + "Content-Length: 3, 3\r\n\r\nabc");
        is(BAD_LENGTH, "a negative length", OK + "Content-Length: -1\r\n\r\n");
        is(BAD_LENGTH, "a length with a plus", OK + "Content-Length: +3\r\n\r\nabc");
        is(BAD_LENGTH, "a length in hex", OK + "Content-Length: 0x3\r\n\r\nabc");
        is(BAD_LENGTH, "an empty length", OK + "Content-Length:\r\n\r\nabc");
        is(BAD_LENGTH, "a huge length", OK + "Content-Length: 99999999999999999999\r\n\r\nabc");
        is(
                LENGTH_AND_CODING,
                "a length and chunks",
                OK + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        is(
                LENGTH_AND_CODING,
                "chunks and a length",
                OK + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n");
        is(UNKNOWN_CODING, "gzip below chunks", OK + "Transfer-Encoding: gzip, chunked\r\n\r\n");
        is(CHUNKED_NOT_LAST, "gzip alone", OK + "Transfer-Encoding: gzip\r\n\r\nabc");
        is(CHUNKED_NOT_LAST, "chunks below gzip", OK + "Transfer-Encoding: chunked, gzip\r\n\r\n");
        is(CHUNKED_NOT_LAST, "xchunked", OK + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n");
        is(CHUNKED_NOT_LAST, "identity", OK + "Transfer-Encoding: identity\r\n\r\nabc");
        is(
                CODING_TWICE,
                "chunked twice",
                OK + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        is(
                CODING_IN_HTTP_1_0,
                "chunks in HTTP/1.0",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        is(UNEXPECTED_BODY, "204 with a length", "HTTP/1.1 204 N\r\nContent-Length: 3\r\n\r\nabc");
        is(
                UNEXPECTED_BODY,
                "204 in chunks",
                "HTTP/1.1 204 N\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        is(UNEXPECTED_BODY, "100 with a length", "HTTP/1.1 100 C\r\nContent-Length: 3\r\n\r\nabc");
        is(
                UNEXPECTED_UPGRADE,
                "101 unasked for",
                "HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
        is(BAD_CHUNK_SIZE, "no size", CHUNKED + "\r\nabc\r\n0\r\n\r\n");
        is(BAD_CHUNK_SIZE, "a size that is no number", CHUNKED + "xyz\r\n");
        is(BAD_CHUNK_SIZE, "a size with 0x", CHUNKED + "0x3\r\nabc\r\n0\r\n\r\n");
        is(BAD_CHUNK_SIZE, "a negative size", CHUNKED + "-3\r\n");
        is(BAD_CHUNK_SIZE, "a size that overflows", CHUNKED + "fffffffffffffffff\r\n");
        is(BAD_CHUNK_SIZE, "a size of 2^60", CHUNKED + "1000000000000000\r\n");
        is(BAD_CHUNK_END, "a chunk longer than its size", CHUNKED + "3\r\nabcd\r\n0\r\n\r\n");
        is(BAD_CHUNK_END, "a chunk that ends with LF", CHUNKED + "3\r\nabc\n0\r\n\r\n");
        is(BAD_CHUNK_EXTENSION, "an extension without a name", CHUNKED + "3;=a\r\nabc\r\n");
        is(BAD_CHUNK_EXTENSION, "an extension with NUL", CHUNKED + "3;a\0\r\nabc\r\n");
        is(CHUNK_LINE_TOO_LONG, "a long extension", CHUNKED + "3;" + "a".repeat(300) + "\r\n");
        is(BAD_TRAILER, "a folded trailer", CHUNKED + "0\r\nA: b\r\n c\r\n\r\n");
        is(BAD_TRAILER, "a trailer with a space", CHUNKED + "0\r\nA : b\r\n\r\n");
        is(HEAD_TRUNCATED, "the end in the status line", "HTTP/1.1 20");
        is(HEAD_TRUNCATED, "the end in a field", OK + "Content-Len");
        is(HEAD_TRUNCATED, "the end before the blank line", OK + "Content-Length: 0\r\n");
        is(HEAD_TRUNCATED, "the end behind a 1xx", "HTTP/1.1 103 Early\r\n\r\n");
        is(BODY_TRUNCATED, "less than its length", OK + "Content-Length: 5\r\n\r\nabcd");
        is(BODY_TRUNCATED, "a length and nothing", OK + "Content-Length: 5\r\n\r\n");
        is(BODY_TRUNCATED, "no last chunk", CHUNKED + "3\r\nabc\r\n");
        is(BODY_TRUNCATED, "the end in a chunk", CHUNKED + "5\r\nabc");
        is(BODY_TRUNCATED, "the end in the trailers", CHUNKED + "0\r\nA: b\r\n");
        is(BODY_TRUNCATED, "no blank line at last", CHUNKED + "3\r\nabc\r\n0\r\n");
        forEver(BAD_STATUS_LINE, "an endless line", "x".repeat(100));
        forEver(HEAD_TOO_LARGE, "an endless reason", "HTTP/1.1 200 " + "a".repeat(100));
        forEver(HEAD_TOO_LARGE, "an endless value", OK + "A: " + "b".repeat(100));
        forEver(HEAD_TOO_LARGE, "an endless name", OK + "a".repeat(100));
        forEver(TOO_MANY_HEADERS, "endless fields", OK + "A: b\r\n");
        forEver(TOO_MANY_INTERIM, "a flood of 100", "HTTP/1.1 100 Continue\r\n\r\n");
        forEver(
                TOO_MANY_INTERIM,
                "a flood of 103",
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
        forEver(TOO_MANY_HEADERS, "endless trailers", CHUNKED + "0\r\nA: b\r\n");
        forEver(TRAILERS_TOO_LARGE, "an endless trailer", CHUNKED + "0\r\nA: " + "b".repeat(90));
        forEver(
                CHUNK_LINES_TOO_LONG,
                "tiny chunks with long extensions",
                CHUNKED + "1;" + "a".repeat(200) + "\r\na\r\n");
    }

    /** All of them. */
    public static List<Hostile> all() {
        return List.copyOf(ALL);
    }

    /** What an endless one sends again and again. */
    public static byte[] refrain(Hostile hostile) {
        String text = new String(hostile.bytes, ISO_8859_1);
        int chunked = text.startsWith(CHUNKED) ? CHUNKED.length() : 0;
        if (text.startsWith("0\r\n", chunked)) {
            chunked += 3;
        }
        String rest = text.substring(chunked);
        if (rest.startsWith(OK)) {
            rest = rest.substring(OK.length());
        }
        if (!rest.endsWith("\n")) { // one line for ever
            rest = rest.substring(rest.length() - 50);
        }
        return rest.getBytes(ISO_8859_1);
    }
}
