// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.Wire.wire;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sirocco.http.Rule;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attacks and faults by name, each with the rule that stops it. */
class HeadRejectionTest {

    record Case(String name, Rule rule, String head) {
        @Override
        public String toString() {
            return name + " -> " + rule;
        }
    }

    /** A request line and what follows it, or, when it ends without a line end, all there is. */
    private static Case of(String name, Rule rule, String head) {
        return new Case(name, rule, head);
    }

    private static Case line(String name, Rule rule, String line) {
        return new Case(name, rule, line + "\nHost: a\n\n");
    }

    private static Case field(String name, Rule rule, String lines) {
        return new Case(name, rule, "POST / HTTP/1.1\nHost: a\n" + lines + "\n\n");
    }

    private static Case host(String name, String host) {
        return new Case(name, Rule.BAD_HOST, "GET / HTTP/1.1\nHost: " + host + "\n\n");
    }

    static Stream<Case> requestLines() {
        return Stream.of(
                of("bare LF ends the request line", Rule.BARE_LF, "GET / HTTP/1.1␊Host: a\n\n"),
                of("bare LF ends everything", Rule.BARE_LF, "GET / HTTP/1.1␊Host: a␊␊"),
                of("bare CR in the request line", Rule.BARE_CR, "GET / HTTP/1.1␍Host: a\n\n"),
                of("CR CR LF", Rule.BARE_CR, "GET / HTTP/1.1␍␍␊Host: a\n\n"),
                of("leading LF, which crashed Qurricane", Rule.BARE_LF, "␊GET / HTTP/1.1\n"),
                of("leading CR alone", Rule.BARE_CR, "␍GET / HTTP/1.1\n"),
                of("second empty line before the request", Rule.LEADING_EMPTY_LINE, "\n\nGET /"),
                of("bare LF behind an empty line", Rule.BARE_LF, "\n␊GET / HTTP/1.1\n"),
                of("empty method", Rule.BAD_METHOD, " / HTTP/1.1\n"),
                of("method with a parenthesis", Rule.BAD_METHOD, "GE(T / HTTP/1.1\n"),
                of("method with NUL", Rule.BAD_METHOD, "GE␀T / HTTP/1.1\n"),
                of("method with a tab behind it", Rule.BAD_METHOD, "GET\t/ HTTP/1.1\n"),
                of("method alone", Rule.BAD_METHOD, "GET\n"),
                of("method beyond ASCII", Rule.BAD_METHOD, "G\u00C9T / HTTP/1.1\n"),
                of("fragment of a TLS ClientHello", Rule.BAD_METHOD, "\u0016\u0003\u0001"),
                of("PROXY protocol v2 signature", Rule.LEADING_EMPTY_LINE, "␍␊␍␊␀␍␊QUIT␊"),
                line("two spaces before the target", Rule.BAD_TARGET, "GET  / HTTP/1.1"),
                line("two spaces behind the target", Rule.BAD_VERSION, "GET /  HTTP/1.1"),
                line("space in the target", Rule.BAD_VERSION, "GET /a b HTTP/1.1"),
                line("tab in the target", Rule.CONTROL_CHARACTER, "GET /a\tb HTTP/1.1"),
                line("NUL in the target", Rule.CONTROL_CHARACTER, "GET /a␀b HTTP/1.1"),
                line("DEL in the target", Rule.CONTROL_CHARACTER, "GET /\u007F HTTP/1.1"),
                line("raw UTF-8 in the target", Rule.BAD_TARGET, "GET /\u00C3\u00A9 HTTP/1.1"),
                line("fragment in the target", Rule.BAD_TARGET, "GET /a#b HTTP/1.1"),
                line("percent without digits", Rule.BAD_TARGET, "GET /% HTTP/1.1"),
                line("percent with one digit", Rule.BAD_TARGET, "GET /%4 HTTP/1.1"),
                line("percent zz", Rule.BAD_TARGET, "GET /%zz HTTP/1.1"),
                line("percent in the query", Rule.BAD_TARGET, "GET /?a=%g0 HTTP/1.1"),
                line("relative target", Rule.BAD_TARGET, "GET a/b HTTP/1.1"),
                line("target of a query alone", Rule.BAD_TARGET, "GET ?a HTTP/1.1"),
                line("asterisk with GET", Rule.BAD_TARGET, "GET * HTTP/1.1"),
                line("asterisk and more", Rule.BAD_TARGET, "OPTIONS *a HTTP/1.1"),
                line("asterisk with options in lower case", Rule.BAD_TARGET, "options * HTTP/1.1"),
                line("authority without CONNECT", Rule.BAD_TARGET, "GET a:80 HTTP/1.1"),
                line("CONNECT to a path", Rule.BAD_TARGET, "CONNECT / HTTP/1.1"),
                line("CONNECT to a URI", Rule.BAD_TARGET, "CONNECT http://a:80 HTTP/1.1"),
                line("CONNECT without port", Rule.BAD_TARGET, "CONNECT a HTTP/1.1"),
                line("CONNECT with empty port", Rule.BAD_TARGET, "CONNECT a: HTTP/1.1"),
                line("CONNECT to port 65536", Rule.BAD_TARGET, "CONNECT a:65536 HTTP/1.1"),
                line("CONNECT with user", Rule.BAD_TARGET, "CONNECT u@a:80 HTTP/1.1"),
                line("absolute target of another scheme", Rule.BAD_TARGET, "GET ftp://a/ HTTP/1.1"),
                line("absolute target without host", Rule.BAD_TARGET, "GET http:///p HTTP/1.1"),
                line("absolute target with port only", Rule.BAD_TARGET, "GET http://:80/ HTTP/1.1"),
                line("absolute target with user", Rule.BAD_TARGET, "GET http://a@b/ HTTP/1.1"),
                line("absolute target, one slash", Rule.BAD_TARGET, "GET http:/a HTTP/1.1"),
                line("absolute target, backslash", Rule.BAD_TARGET, "GET http://a\\b/ HTTP/1.1"),
                of("HTTP/0.9 line", Rule.BAD_VERSION, "GET /\n"),
                of("HTTP/0.9 line with bare LF", Rule.BARE_LF, "GET /␊"),
                line("version in lower case", Rule.BAD_VERSION, "GET / http/1.1"),
                line("version without minor", Rule.BAD_VERSION, "GET / HTTP/1"),
                line("version HTTP/2", Rule.BAD_VERSION, "GET / HTTP/2"),
                line("version with two digits", Rule.BAD_VERSION, "GET / HTTP/1.10"),
                line("version with a letter", Rule.BAD_VERSION, "GET / HTTP/1.x"),
                line("version with a space behind it", Rule.BAD_VERSION, "GET / HTTP/1.1 "),
                line("version of another protocol", Rule.BAD_VERSION, "GET / ICAP/1.0"),
                line("HTTP/0.9 by name", Rule.UNKNOWN_VERSION, "GET / HTTP/0.9"),
                line("HTTP/2.0", Rule.UNKNOWN_VERSION, "GET / HTTP/2.0"),
                line("HTTP/3.0", Rule.UNKNOWN_VERSION, "GET / HTTP/3.0"),
                of("HTTP/2 preface", Rule.HTTP_2_PREFACE, "PRI * HTTP/2.0\n\nSM\n\n"));
    }

    static Stream<Case> fields() {
        return Stream.of(
                field("bare LF ends a field", Rule.BARE_LF, "X: y␊Z: w"),
                field("bare LF hides a field", Rule.BARE_LF, "X: y␊Content-Length: 3"),
                field("bare LF behind a name", Rule.BARE_LF, "X␊: y"),
                of("bare LF as the blank line", Rule.BARE_LF, "GET / HTTP/1.1\nHost: a\n␊"),
                of("bare CR as the blank line", Rule.BARE_CR, "GET / HTTP/1.1\nHost: a\n␍X"),
                field("bare CR in a value", Rule.BARE_CR, "X: y␍Content-Length: 3"),
                field("bare CR ends a value", Rule.BARE_CR, "X: y␍␍␊"),
                field("NUL in a value", Rule.CONTROL_CHARACTER, "X: long enough ␀y"),
                field("vertical tab in a value", Rule.CONTROL_CHARACTER, "X: \u000By"),
                field("DEL in a value", Rule.CONTROL_CHARACTER, "X: 1234567\u007F"),
                field("escape in a value", Rule.CONTROL_CHARACTER, "X: \u001B[2J"),
                field("space before the colon", Rule.SPACE_BEFORE_COLON, "Content-Length : 3"),
                field("tab before the colon", Rule.SPACE_BEFORE_COLON, "Transfer-Encoding\t: x"),
                field("folded field", Rule.OBSOLETE_FOLD, "X: y\n z"),
                field("field folded with a tab", Rule.OBSOLETE_FOLD, "X: y\n\tz"),
                field(
                        "fold that hides chunked",
                        Rule.OBSOLETE_FOLD,
                        "Transfer-Encoding:\n chunked"),
                of(
                        "fold before the first field",
                        Rule.OBSOLETE_FOLD,
                        "GET / HTTP/1.1\n Host: a\n\n"),
                field("empty name", Rule.BAD_HEADER_NAME, ": y"),
                field("line without a colon", Rule.BAD_HEADER_NAME, "Hello"),
                field("name with a slash", Rule.BAD_HEADER_NAME, "A/B: y"),
                field("name with NUL", Rule.BAD_HEADER_NAME, "Content-Length␀: 3"),
                field("name beyond ASCII", Rule.BAD_HEADER_NAME, "\u00C9: 3"),
                field("name in quotes", Rule.BAD_HEADER_NAME, "\"Content-Length\": 3"),
                of("Host missing", Rule.HOST_MISSING, "GET / HTTP/1.1\n\n"),
                of("Host missing, version 1.2", Rule.HOST_MISSING, "GET / HTTP/1.2\nX: y\n\n"),
                of("Host missing, absolute", Rule.HOST_MISSING, "GET http://a/ HTTP/1.1\n\n"),
                field("Host twice", Rule.HOST_TWICE, "Host: b"),
                field("Host twice and equal", Rule.HOST_TWICE, "host: a"),
                of("Host twice in 1.0", Rule.HOST_TWICE, "GET / HTTP/1.0\nHost: a\nHost: a\n\n"),
                of("Host bad in 1.0", Rule.BAD_HOST, "GET / HTTP/1.0\nHost: a/b\n\n"),
                of("Host bad, absolute", Rule.BAD_HOST, "GET http://a/ HTTP/1.1\nHost: @\n\n"),
                of("Host empty, absolute", Rule.BAD_HOST, "GET http://a/ HTTP/1.1\nHost:\n\n"),
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
                field("length negative", Rule.BAD_LENGTH, "Content-Length: -1"),
                field("length signed", Rule.BAD_LENGTH, "Content-Length: +5"),
                field("length empty", Rule.BAD_LENGTH, "Content-Length:"),
                field("length hexadecimal", Rule.BAD_LENGTH, "Content-Length: 0x10"),
                field(
                        "length not a number, 0 to Qurricane",
                        Rule.BAD_LENGTH,
                        "Content-Length: abc"),
                field("length with a fraction", Rule.BAD_LENGTH, "Content-Length: 5.0"),
                field("length with a space inside", Rule.BAD_LENGTH, "Content-Length: 1 0"),
                field("length as a list of equals", Rule.BAD_LENGTH, "Content-Length: 5, 5"),
                field("length as a list", Rule.BAD_LENGTH, "Content-Length: 5, 6"),
                field(
                        "length of 19 digits",
                        Rule.BAD_LENGTH,
                        "Content-Length: 1000000000000000000"),
                field(
                        "length beyond 64 bits",
                        Rule.BAD_LENGTH,
                        "Content-Length: 18446744073709551621"),
                field("two lengths", Rule.TWO_LENGTHS, "Content-Length: 3\nContent-Length: 4"),
                field(
                        "two equal lengths",
                        Rule.TWO_LENGTHS,
                        "Content-Length: 3\ncontent-length: 3"),
                field(
                        "length, then coding",
                        Rule.LENGTH_AND_CODING,
                        "Content-Length: 3\nTransfer-Encoding: chunked"),
                field(
                        "coding, then length",
                        Rule.LENGTH_AND_CODING,
                        "Transfer-Encoding: chunked\nContent-Length: 0"),
                field(
                        "gzip before chunked",
                        Rule.UNKNOWN_CODING,
                        "Transfer-Encoding: gzip, chunked"),
                field("gzip alone", Rule.CHUNKED_NOT_LAST, "Transfer-Encoding: gzip"),
                field("identity", Rule.CHUNKED_NOT_LAST, "Transfer-Encoding: identity"),
                field("xchunked", Rule.CHUNKED_NOT_LAST, "Transfer-Encoding: xchunked"),
                field(
                        "chunked, identity",
                        Rule.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked, identity"),
                field(
                        "chunked with a parameter",
                        Rule.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked;a=b"),
                field("chunked and a comma", Rule.CHUNKED_NOT_LAST, "Transfer-Encoding: chunked,"),
                field("comma and chunked", Rule.UNKNOWN_CODING, "Transfer-Encoding: ,chunked"),
                field("chunked in quotes", Rule.CHUNKED_NOT_LAST, "Transfer-Encoding: \"chunked\""),
                field(
                        "chunked behind a form feed",
                        Rule.CONTROL_CHARACTER,
                        "Transfer-Encoding: \u000Cchunked"),
                field("coding empty", Rule.CHUNKED_NOT_LAST, "Transfer-Encoding:"),
                field(
                        "chunked twice in a list",
                        Rule.CODING_TWICE,
                        "Transfer-Encoding: chunked, chunked"),
                field(
                        "chunked twice in two fields",
                        Rule.CODING_TWICE,
                        "Transfer-Encoding: chunked\nTransfer-Encoding: chunked"),
                field(
                        "identity hidden behind chunked",
                        Rule.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked\nTransfer-encoding: identity"),
                of(
                        "chunked in HTTP/1.0",
                        Rule.CODING_IN_HTTP_1_0,
                        "POST / HTTP/1.0\nTransfer-Encoding: chunked\n\n"),
                field("expectation unknown", Rule.UNKNOWN_EXPECTATION, "Expect: 200-ok"),
                field(
                        "gzip and chunked in two fields",
                        Rule.UNKNOWN_CODING,
                        "Transfer-Encoding: gzip\nTransfer-Encoding: chunked"),
                field(
                        "chunked and gzip in two fields",
                        Rule.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked\nTransfer-Encoding: gzip"),
                field(
                        "an empty coding behind chunked",
                        Rule.CHUNKED_NOT_LAST,
                        "Transfer-Encoding: chunked\nTransfer-Encoding:"),
                field(
                        "two codings beside a length",
                        Rule.LENGTH_AND_CODING,
                        "Transfer-Encoding: gzip\nContent-Length: 3"),
                field(
                        "expectation behind an empty one",
                        Rule.UNKNOWN_EXPECTATION,
                        "Expect:\nExpect: a"),
                field(
                        "expectations in a list",
                        Rule.UNKNOWN_EXPECTATION,
                        "Expect: 100-continue, a"));
    }

    @ParameterizedTest
    @MethodSource({"requestLines", "fields", "framing"})
    void isRejectedAtTheSameByteOnEverySplit(Case c) {
        byte[] bytes = wire(c.head());
        Head head = new Head();
        Rule rule = null;
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
        assertEquals(400, Rule.BARE_LF.status());
        assertEquals("RFC 9112 2.2", Rule.BARE_LF.source());
        assertEquals(505, Rule.UNKNOWN_VERSION.status());
        assertEquals(501, Rule.UNKNOWN_CODING.status());
        assertEquals(417, Rule.UNKNOWN_EXPECTATION.status());
        assertEquals(414, Rule.TARGET_TOO_LONG.status());
        assertEquals(431, Rule.HEAD_TOO_LARGE.status());
    }
}
