// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.Wire.wire;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.HeadLimits;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attacks and faults by name, each with the rule that stops it. */
class HeadRejectionTest {

    record Case(String name, RequestError rule, String head) {
        @Override
        public String toString() {
            return name + " -> " + rule;
        }
    }

    /** A request line and what follows it, or, when it ends without a line end, all there is. */
    private static Case of(String name, RequestError rule, String head) {
        return new Case(name, rule, head);
    }

    private static Case line(String name, RequestError rule, String line) {
        return new Case(name, rule, line + "\nHost: a\n\n");
    }

    private static Case field(String name, RequestError rule, String lines) {
        return new Case(name, rule, "POST / HTTP/1.1\nHost: a\n" + lines + "\n\n");
    }

    private static Case host(String name, String host) {
        return new Case(name, RequestError.BAD_HOST, "GET / HTTP/1.1\nHost: " + host + "\n\n");
    }

    static Stream<Case> requestLines() {
        return Stream.of(
                of(
                        "bare LF ends the request line",
                        RequestError.BARE_LF,
                        "GET / HTTP/1.1␊Host: a\n\n"),
                of("bare LF ends everything", RequestError.BARE_LF, "GET / HTTP/1.1␊Host: a␊␊"),
                of(
                        "bare CR in the request line",
                        RequestError.BARE_CR,
                        "GET / HTTP/1.1␍Host: a\n\n"),
                of("CR CR LF", RequestError.BARE_CR, "GET / HTTP/1.1␍␍␊Host: a\n\n"),
                of(
                        "leading LF, which crashed Qurricane",
                        RequestError.BARE_LF,
                        "␊GET / HTTP/1.1\n"),
                of("leading CR alone", RequestError.BARE_CR, "␍GET / HTTP/1.1\n"),
                of(
                        "second empty line before the request",
                        RequestError.LEADING_EMPTY_LINE,
                        "\n\nGET /"),
                of("bare LF behind an empty line", RequestError.BARE_LF, "\n␊GET / HTTP/1.1\n"),
                of("empty method", RequestError.BAD_METHOD, " / HTTP/1.1\n"),
                of("method with a parenthesis", RequestError.BAD_METHOD, "GE(T / HTTP/1.1\n"),
                of("method with NUL", RequestError.BAD_METHOD, "GE␀T / HTTP/1.1\n"),
                of("method with a tab behind it", RequestError.BAD_METHOD, "GET\t/ HTTP/1.1\n"),
                of("method alone", RequestError.BAD_METHOD, "GET\n"),
                of("method beyond ASCII", RequestError.BAD_METHOD, "G\u00C9T / HTTP/1.1\n"),
                of("fragment of a TLS ClientHello", RequestError.BAD_METHOD, "\u0016\u0003\u0001"),
                of("PROXY protocol v2 signature", RequestError.LEADING_EMPTY_LINE, "␍␊␍␊␀␍␊QUIT␊"),
                line("two spaces before the target", RequestError.BAD_TARGET, "GET  / HTTP/1.1"),
                line("two spaces behind the target", RequestError.BAD_VERSION, "GET /  HTTP/1.1"),
                line("space in the target", RequestError.BAD_VERSION, "GET /a b HTTP/1.1"),
                line("tab in the target", RequestError.CONTROL_CHARACTER, "GET /a\tb HTTP/1.1"),
                line("NUL in the target", RequestError.CONTROL_CHARACTER, "GET /a␀b HTTP/1.1"),
                line("DEL in the target", RequestError.CONTROL_CHARACTER, "GET /\u007F HTTP/1.1"),
                line(
                        "raw UTF-8 in the target",
                        RequestError.BAD_TARGET,
                        "GET /\u00C3\u00A9 HTTP/1.1"),
                line("fragment in the target", RequestError.BAD_TARGET, "GET /a#b HTTP/1.1"),
                line("percent without digits", RequestError.BAD_TARGET, "GET /% HTTP/1.1"),
                line("percent with one digit", RequestError.BAD_TARGET, "GET /%4 HTTP/1.1"),
                line("percent zz", RequestError.BAD_TARGET, "GET /%zz HTTP/1.1"),
                line("percent in the query", RequestError.BAD_TARGET, "GET /?a=%g0 HTTP/1.1"),
                line("relative target", RequestError.BAD_TARGET, "GET a/b HTTP/1.1"),
                line("target of a query alone", RequestError.BAD_TARGET, "GET ?a HTTP/1.1"),
                line("asterisk with GET", RequestError.BAD_TARGET, "GET * HTTP/1.1"),
                line("asterisk and more", RequestError.BAD_TARGET, "OPTIONS *a HTTP/1.1"),
                line(
                        "asterisk with options in lower case",
                        RequestError.BAD_TARGET,
                        "options * HTTP/1.1"),
                line("authority without CONNECT", RequestError.BAD_TARGET, "GET a:80 HTTP/1.1"),
                line("CONNECT to a path", RequestError.BAD_TARGET, "CONNECT / HTTP/1.1"),
                line("CONNECT to a URI", RequestError.BAD_TARGET, "CONNECT http://a:80 HTTP/1.1"),
                line("CONNECT without port", RequestError.BAD_TARGET, "CONNECT a HTTP/1.1"),
                line("CONNECT with empty port", RequestError.BAD_TARGET, "CONNECT a: HTTP/1.1"),
                line("CONNECT to port 65536", RequestError.BAD_TARGET, "CONNECT a:65536 HTTP/1.1"),
                line("CONNECT with user", RequestError.BAD_TARGET, "CONNECT u@a:80 HTTP/1.1"),
                line(
                        "absolute target of another scheme",
                        RequestError.BAD_TARGET,
                        "GET ftp://a/ HTTP/1.1"),
                line(
                        "absolute target without host",
                        RequestError.BAD_TARGET,
                        "GET http:///p HTTP/1.1"),
                line(
                        "absolute target with port only",
                        RequestError.BAD_TARGET,
                        "GET http://:80/ HTTP/1.1"),
                line(
                        "absolute target with user",
                        RequestError.BAD_TARGET,
                        "GET http://a@b/ HTTP/1.1"),
                line("absolute target, one slash", RequestError.BAD_TARGET, "GET http:/a HTTP/1.1"),
                line(
                        "absolute target, backslash",
                        RequestError.BAD_TARGET,
                        "GET http://a\\b/ HTTP/1.1"),
                of("HTTP/0.9 line", RequestError.BAD_VERSION, "GET /\n"),
                of("HTTP/0.9 line with bare LF", RequestError.BARE_LF, "GET /␊"),
                line("version in lower case", RequestError.BAD_VERSION, "GET / http/1.1"),
                line("version without minor", RequestError.BAD_VERSION, "GET / HTTP/1"),
                line("version HTTP/2", RequestError.BAD_VERSION, "GET / HTTP/2"),
                line("version with two digits", RequestError.BAD_VERSION, "GET / HTTP/1.10"),
                line("version with a letter", RequestError.BAD_VERSION, "GET / HTTP/1.x"),
                line("version with a space behind it", RequestError.BAD_VERSION, "GET / HTTP/1.1 "),
                line("version of another protocol", RequestError.BAD_VERSION, "GET / ICAP/1.0"),
                line("HTTP/0.9 by name", RequestError.UNKNOWN_VERSION, "GET / HTTP/0.9"),
                line("HTTP/2.0", RequestError.UNKNOWN_VERSION, "GET / HTTP/2.0"),
                line("HTTP/3.0", RequestError.UNKNOWN_VERSION, "GET / HTTP/3.0"),
                of("HTTP/2 preface", RequestError.HTTP_2_PREFACE, "PRI * HTTP/2.0\n\nSM\n\n"));
    }

    static Stream<Case> fields() {
        return Stream.of(
                field("bare LF ends a field", RequestError.BARE_LF, "X: y␊Z: w"),
                field("bare LF hides a field", RequestError.BARE_LF, "X: y␊Content-Length: 3"),
                field("bare LF behind a name", RequestError.BARE_LF, "X␊: y"),
                of("bare LF as the blank line", RequestError.BARE_LF, "GET / HTTP/1.1\nHost: a\n␊"),
                of(
                        "bare CR as the blank line",
                        RequestError.BARE_CR,
                        "GET / HTTP/1.1\nHost: a\n␍X"),
                field("bare CR in a value", RequestError.BARE_CR, "X: y␍Content-Length: 3"),
                field("bare CR ends a value", RequestError.BARE_CR, "X: y␍␍␊"),
                field("NUL in a value", RequestError.CONTROL_CHARACTER, "X: long enough ␀y"),
                field("vertical tab in a value", RequestError.CONTROL_CHARACTER, "X: \u000By"),
                field("DEL in a value", RequestError.CONTROL_CHARACTER, "X: 1234567\u007F"),
                field("escape in a value", RequestError.CONTROL_CHARACTER, "X: \u001B[2J"),
                field(
                        "space before the colon",
                        RequestError.SPACE_BEFORE_COLON,
                        "Content-Length : 3"),
                field(
                        "tab before the colon",
                        RequestError.SPACE_BEFORE_COLON,
                        "Transfer-Encoding\t: x"),
                field("folded field", RequestError.OBSOLETE_FOLD, "X: y\n z"),
                field("field folded with a tab", RequestError.OBSOLETE_FOLD, "X: y\n\tz"),
                field(
                        "fold that hides chunked",
                        RequestError.OBSOLETE_FOLD,
                        "Transfer-Encoding:\n chunked"),
                of(
                        "fold before the first field",
                        RequestError.OBSOLETE_FOLD,
                        "GET / HTTP/1.1\n Host: a\n\n"),
                field("empty name", RequestError.BAD_HEADER_NAME, ": y"),
                field("line without a colon", RequestError.BAD_HEADER_NAME, "Hello"),
                field("name with a slash", RequestError.BAD_HEADER_NAME, "A/B: y"),
                field("name with NUL", RequestError.BAD_HEADER_NAME, "Content-Length␀: 3"),
                field("name beyond ASCII", RequestError.BAD_HEADER_NAME, "\u00C9: 3"),
                field("name in quotes", RequestError.BAD_HEADER_NAME, "\"Content-Length\": 3"),
                of("Host missing", RequestError.HOST_MISSING, "GET / HTTP/1.1\n\n"),
                of(
                        "Host missing, version 1.2",
                        RequestError.HOST_MISSING,
                        "GET / HTTP/1.2\nX: y\n\n"),
                of(
                        "Host missing, absolute",
                        RequestError.HOST_MISSING,
                        "GET http://a/ HTTP/1.1\n\n"),
                field("Host twice", RequestError.HOST_TWICE, "Host: b"),
                field("Host twice and equal", RequestError.HOST_TWICE, "host: a"),
                of(
                        "Host twice in 1.0",
                        RequestError.HOST_TWICE,
                        "GET / HTTP/1.0\nHost: a\nHost: a\n\n"),
                of("Host bad in 1.0", RequestError.BAD_HOST, "GET / HTTP/1.0\nHost: a/b\n\n"),
                of(
                        "Host bad, absolute",
                        RequestError.BAD_HOST,
                        "GET http://a/ HTTP/1.1\nHost: @\n\n"),
                of(
                        "Host empty, absolute",
                        RequestError.BAD_HOST,
                        "GET http://a/ HTTP/1.1\nHost:\n\n"),
                host("Host empty", ""),
                host("Host with a path", "a/b"),
                host("Host with a user", "u@a"),
                host("Host with a space", "a b"),
                host("Host with two names", "a, b@"),
                host("Host with a scheme", "http://a"),
                host("Host of a port alone", ":80"),
                host("Host with a sign in the port", "a:+80"),
                host("Host with a letter in the port", "a:8o"),
                host("Host with port 65536", "a:65536"),
                host("Host with a port of six digits", "a:000080"),
                host("Host with two ports", "a:80:80"),
                host("Host beyond ASCII", "\u00E9"),
                host("Host with a broken percent", "a%4"),
                host("IPv6 without brackets", "::1"),
                host("IPv6 not closed", "[::1"),
                host("IPv6 not opened", "::1]"),
                host("IPv6 empty", "[]"),
                host("IPv6 of one colon", "[:]"),
                host("IPv6 of three colons", "[:::]"),
                host("IPv6 of seven groups", "[1:2:3:4:5:6:7]"),
                host("IPv6 of nine groups", "[1:2:3:4:5:6:7:8:9]"),
                host("IPv6 of eight groups and a gap", "[1:2:3:4::5:6:7:8]"),
                host("IPv6 with two gaps", "[1::2::3]"),
                host("IPv6 with five digits", "[12345::]"),
                host("IPv6 with one colon at its end", "[1:2:3:4:5:6:7:]"),
                host("IPv6 with a zone", "[fe80::1%25eth0]"),
                host("IPv6 with IPv4 in its middle", "[::1.2.3.4:1]"),
                host("IPv6 with IPv4 of 256", "[::1.2.3.256]"),
                host("IPv6 with IPv4 of leading zeros", "[::1.2.3.04]"),
                host("IPv6 with IPv4 of three parts", "[::1.2.3]"),
                host("IPv6 with IPv4 cut short", "[::1.2.3.]"),
                host("IPv6 and something behind it", "[::1]a"),
                host("IPvFuture", "[v1.a]"));
    }

    static Stream<Case> framing() {
        return Stream.of(
                field("length negative", RequestError.BAD_LENGTH, "Content-Length: -1"),
                field("length signed", RequestError.BAD_LENGTH, "Content-Length: +5"),
                field("length empty", RequestError.BAD_LENGTH, "Content-Length:"),
                field("length hexadecimal", RequestError.BAD_LENGTH, "Content-Length: 0x10"),
                field(
                        "length not a number, 0 to Qurricane",
                        RequestError.BAD_LENGTH,
                        "Content-Length: abc"),
                field("length with a fraction", RequestError.BAD_LENGTH, "Content-Length: 5.0"),
                field("length with a space inside", RequestError.BAD_LENGTH, "Content-Length: 1 0"),
                field(
                        "length as a list of equals",
                        RequestError.BAD_LENGTH,
                        "Content-Length: 5, 5"),
                field("length as a list", RequestError.BAD_LENGTH, "Content-Length: 5, 6"),
                field(
                        "length of 19 digits",
                        RequestError.BAD_LENGTH,
                        "Content-Length: 1000000000000000000"),
                field(
                        "length beyond 64 bits",
                        RequestError.BAD_LENGTH,
                        "Content-Length: 18446744073709551621"),
                field(
                        "two lengths",
                        RequestError.TWO_LENGTHS,
                        "Content-Length: 3\nContent-Length: 4"),
                field(
                        "two equal lengths",
                        RequestError.TWO_LENGTHS,
                        "Content-Length: 3\ncontent-length: 3"),
                field(
                        "length, then coding",
                        RequestError.LENGTH_AND_CODING,
                        "Content-Length: 3\nTransfer-Encoding: chunked"),
                field(
                        "coding, then length",
                        RequestError.LENGTH_AND_CODING,
                        "Transfer-Encoding: chunked\nContent-Length: 0"),
                field(
                        "gzip before chunked",
                        RequestError.UNKNOWN_CODING,
                        "Transfer-Encoding: gzip, chunked"),
                field("gzip alone", RequestError.CHUNKED_NOT_LAST, "Transfer-Encoding: gzip"),
                field("identity", RequestError.CHUNKED_NOT_LAST, "Transfer-Encoding: identity"),
                field("xchunked", RequestError.CHUNKED_NOT_LAST, "Transfer-Encoding: xchunked"),
                field(
                        "chunked, identity",
                        RequestError.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked, identity"),
                field(
                        "chunked with a parameter",
                        RequestError.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked;a=b"),
                field(
                        "chunked and a comma",
                        RequestError.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked,"),
                field(
                        "comma and chunked",
                        RequestError.UNKNOWN_CODING,
                        "Transfer-Encoding: ,chunked"),
                field(
                        "chunked in quotes",
                        RequestError.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: \"chunked\""),
                field(
                        "chunked behind a form feed",
                        RequestError.CONTROL_CHARACTER,
                        "Transfer-Encoding: \u000Cchunked"),
                field("coding empty", RequestError.CHUNKED_NOT_LAST, "Transfer-Encoding:"),
                field(
                        "chunked twice in a list",
                        RequestError.CODING_TWICE,
                        "Transfer-Encoding: chunked, chunked"),
                field(
                        "chunked twice in two fields",
                        RequestError.CODING_TWICE,
                        "Transfer-Encoding: chunked\nTransfer-Encoding: chunked"),
                field(
                        "identity hidden behind chunked",
                        RequestError.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked\nTransfer-encoding: identity"),
                of(
                        "chunked in HTTP/1.0",
                        RequestError.CODING_IN_HTTP_1_0,
                        "POST / HTTP/1.0\nTransfer-Encoding: chunked\n\n"),
                field("expectation unknown", RequestError.UNKNOWN_EXPECTATION, "Expect: 200-ok"),
                field(
                        "gzip and chunked in two fields",
                        RequestError.UNKNOWN_CODING,
                        "Transfer-Encoding: gzip\nTransfer-Encoding: chunked"),
                field(
                        "chunked and gzip in two fields",
                        RequestError.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked\nTransfer-Encoding: gzip"),
                field(
                        "an empty coding behind chunked",
                        RequestError.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked\nTransfer-Encoding:"),
                field(
                        "two codings beside a length",
                        RequestError.LENGTH_AND_CODING,
                        "Transfer-Encoding: gzip\nContent-Length: 3"),
                field(
                        "expectation behind an empty one",
                        RequestError.UNKNOWN_EXPECTATION,
                        "Expect:\nExpect: a"),
                field(
                        "expectations in a list",
                        RequestError.UNKNOWN_EXPECTATION,
                        "Expect: 100-continue, a"));
    }

    @ParameterizedTest
    @MethodSource({"requestLines", "fields", "framing"})
    void isRejectedAtTheSameByteOnEverySplit(Case c) {
        byte[] bytes = wire(c.head());
        Head head = new Head();
        RequestError rule = null;
        int at = 0;
        for (int to = 0; to <= bytes.length; to++) {
            Parsed parsed = head.parse(Arrays.copyOf(bytes, to), 0, to, HeadLimits.DEFAULT);
            assertNotEquals(Parsed.COMPLETE, parsed);
            if (rule != null) {
                assertEquals(Parsed.REJECTED, parsed);
                assertEquals(rule, head.rule());
                assertEquals(at, head.brokenAt());
            } else if (parsed == Parsed.REJECTED) {
                rule = head.rule();
                at = head.brokenAt();
            }
        }
        assertEquals(c.rule(), rule);
    }

    @Test
    void statusesOfTheRules() {
        assertEquals(400, RequestError.BARE_LF.status());
        assertEquals("RFC 9112 2.2", RequestError.BARE_LF.source());
        assertEquals(505, RequestError.UNKNOWN_VERSION.status());
        assertEquals(501, RequestError.UNKNOWN_CODING.status());
        assertEquals(417, RequestError.UNKNOWN_EXPECTATION.status());
        assertEquals(414, RequestError.TARGET_TOO_LONG.status());
        assertEquals(431, RequestError.HEAD_TOO_LARGE.status());
    }
}
