// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.RequestError;
import io.sirocco.http.h1.HostileResponses.Hostile;
import io.sirocco.http.h1.ResponseReader.Event;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.HeadLimits;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a client makes of responses, in whatever pieces they arrive. */
class ResponseReaderTest {

    /** What was read of one response. */
    private record Told(String events, String body, ResponseError error, ResponseReader reader) {}

    private static Told read(String method, boolean upgrade, byte[] all, int piece, boolean ends) {
        var reader = new ResponseReader(HeadLimits.DEFAULT, 4);
        reader.begin(method, upgrade ? "x" : "");
        var events = new StringBuilder();
        var body = new StringBuilder();
        byte[] b = {};
        int at = 0;
        boolean over = false;
        while (!over && at < all.length) {
            int n = Math.min(piece, all.length - at);
            byte[] next = Arrays.copyOf(b, b.length + n);
            System.arraycopy(all, at, next, b.length, n);
            b = next;
            at += n;
            int p = 0;
            for (Event event; (event = reader.read(b, p, b.length)) != Event.MORE; ) {
                p = reader.next();
                if (event == Event.DATA) {
                    int from = reader.dataFrom();
                    body.append(new String(b, from, reader.dataTo() - from, ISO_8859_1));
                } else {
                    events.append(event).append(event == Event.END ? "+" + rest(b, p) : " ");
                }
                over = event == Event.END || event == Event.REJECTED;
                if (over) {
                    break;
                }
            }
            b = Arrays.copyOfRange(b, over ? p : reader.next(), b.length);
        }
        if (!over && ends) {
            events.append(reader.end());
        }
        boolean broken = events.toString().endsWith("REJECTED") || events.indexOf("REJ") >= 0;
        return new Told(
                events.toString().strip(), body.toString(), broken ? reader.error() : null, reader);
    }

    private static String rest(byte[] b, int p) {
        return new String(b, p, b.length - p, ISO_8859_1);
    }

    private static Told whole(String method, String text) {
        return read(method, false, text.getBytes(ISO_8859_1), 1 << 20, true);
    }

    static List<Hostile> hostile() {
        return HostileResponses.all();
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void breaksItsRuleInWhateverPieces(Hostile hostile) {
        byte[] bytes = hostile.bytes();
        if (hostile.endless()) {
            byte[] refrain = HostileResponses.refrain(hostile);
            bytes = Arrays.copyOf(bytes, bytes.length + 4000 * refrain.length);
            for (int at = hostile.bytes().length; at < bytes.length; at += refrain.length) {
                System.arraycopy(refrain, 0, bytes, at, refrain.length);
            }
        }
        for (int piece : new int[] {1 << 30, 1000, 7, 2, 1}) {
            if (hostile.endless() && piece < 7) {
                continue; // it would be read from its beginning a million times
            }
            Told told = read("GET", false, bytes, piece, true);
            assertEquals(hostile.error(), told.error(), "in pieces of " + piece);
            assertFalse(told.reader.lasting());
        }
    }

    @Test
    void everyRuleHasACase() {
        EnumSet<ResponseError> missing = EnumSet.allOf(ResponseError.class);
        HostileResponses.all().forEach(each -> missing.remove(each.error()));
        missing.remove(ResponseError.BODY_TOO_LARGE); // the limit is the caller's
        assertTrue(missing.isEmpty(), () -> "no case for " + missing);
    }

    @Test
    void rulesThatAreSharedHaveTheSameClause() {
        for (RequestError each : RequestError.values()) {
            ResponseError shared;
            try {
                shared = ResponseError.of(each);
            } catch (IllegalArgumentException e) {
                continue;
            }
            assertEquals(each.name(), shared.name());
        }
    }

    @Test
    void goodOnesInWhateverPieces() {
        record Good(String method, String bytes, String events, String body, boolean lasting) {}
        String chunks =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
                        + "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n";
        List<Good> all =
                List.of(
                        new Good(
                                "GET",
                                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                                "HEAD END+",
                                "hello",
                                true),
                        new Good("GET", chunks, "HEAD END+", "abcde", true),
                        new Good("GET", "HTTP/1.1 200\r\n\r\nabc", "HEAD END", "abc", false),
                        new Good("GET", "HTTP/1.1 204 N\r\n\r\n", "HEAD END+", "", true),
                        new Good(
                                "GET",
                                "HTTP/1.1 304 N\r\nContent-Length: 7\r\n\r\n",
                                "HEAD END+",
                                "",
                                true),
                        new Good(
                                "HEAD",
                                "HTTP/1.1 200 K\r\nContent-Length: 7\r\n\r\n",
                                "HEAD END+",
                                "",
                                true),
                        new Good(
                                "HEAD",
                                "HTTP/1.1 200 K\r\nTransfer-Encoding: chunked\r\n\r\n",
                                "HEAD END+",
                                "",
                                true),
                        new Good(
                                "GET",
                                "HTTP/1.1 200 K\r\nContent-Length: 0\r\nConnection: a, Close\r\n\r\n",
                                "HEAD END+",
                                "",
                                false),
                        new Good(
                                "GET",
                                "HTTP/1.0 200 K\r\nContent-Length: 0\r\n\r\n",
                                "HEAD END+",
                                "",
                                false),
                        new Good(
                                "GET",
                                "HTTP/1.0 200 K\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
                                "HEAD END+",
                                "",
                                true),
                        new Good(
                                "GET",
                                "HTTP/1.2 299 \r\nContent-Length: 1\r\n\r\n1",
                                "HEAD END+",
                                "1",
                                true),
                        new Good(
                                "GET",
                                "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 E\r\nA: b\r\n\r\n"
                                        + "HTTP/1.1 999 \u00fcber\r\nContent-Length: 1\r\n\r\n1",
                                "INTERIM INTERIM HEAD END+",
                                "1",
                                true));
        for (Good good : all) {
            byte[] bytes = good.bytes.getBytes(ISO_8859_1);
            for (int piece = 1; piece <= bytes.length; piece++) {
                Told told = read(good.method, false, bytes, piece, true);
                assertEquals(good.events, told.events, good.bytes);
                assertEquals(good.body, told.body, good.bytes);
                assertEquals(good.lasting, told.reader.lasting(), good.bytes);
            }
        }
    }

    @Test
    void whatFollowsAResponseIsLeftOver() {
        Told told =
                whole("GET", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n");
        assertEquals("HEAD END+HTTP/1.1 200 OK", told.events);
        told = whole("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
        assertEquals("HEAD END+abc", told.events);
        told = whole("GET", "HTTP/1.1 204 OK\r\nContent-Length: 0\r\n\r\nabc");
        assertEquals("HEAD END+abc", told.events);
    }

    @Test
    void anotherProtocolFollowsAnUpgradeAndATunnel() {
        byte[] upgrade =
                "HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n\1\2"
                        .getBytes(ISO_8859_1);
        Told told = read("GET", true, upgrade, 1 << 20, false);
        assertEquals("HEAD END+\1\2", told.events);
        assertTrue(told.reader.switched() && !told.reader.lasting());
        byte[] without = "HTTP/1.1 101 S\r\nConnection: x\r\n\r\n".getBytes(ISO_8859_1);
        told = read("GET", true, without, 1 << 20, false);
        assertEquals(ResponseError.UNEXPECTED_UPGRADE, told.error);
        told = whole("CONNECT", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
        assertEquals("HEAD END+abc", told.events);
        assertTrue(told.reader.switched());
        told = whole("CONNECT", "HTTP/1.1 407 No\r\nContent-Length: 3\r\n\r\nabc");
        assertEquals("abc", told.body);
        assertFalse(told.reader.switched());
    }

    @Test
    void trailersAreThoseThatMayBe() {
        Told told =
                whole(
                        "GET",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + "0\r\nDigest: x\r\nContent-Length: 7\r\nServer-Timing: y\r\n\r\n");
        Fields trailers = told.reader.trailers();
        assertEquals(
                "Digest: x, Server-Timing: y",
                java.util.stream.IntStream.range(0, trailers.count())
                        .mapToObj(i -> trailers.name(i) + ": " + trailers.value(i))
                        .collect(Collectors.joining(", ")));
    }

    @Test
    void theLimitOfAHeadIsExact() {
        String head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: b\r\n\r\n";
        byte[] bytes = head.getBytes(ISO_8859_1);
        var exact = new ResponseHead();
        var limits = new HeadLimits(bytes.length, 1, 2);
        assertEquals(Parsed.COMPLETE, exact.parse(bytes, 0, bytes.length, limits));
        assertEquals("OK", exact.reason());
        var less = new HeadLimits(bytes.length - 1, 1, 2);
        assertEquals(Parsed.REJECTED, exact.parse(bytes, 0, bytes.length, less));
        assertEquals(ResponseError.HEAD_TOO_LARGE, exact.error());
        var fewer = new HeadLimits(bytes.length, 1, 1);
        assertEquals(Parsed.REJECTED, exact.parse(bytes, 0, bytes.length, fewer));
        assertEquals(ResponseError.TOO_MANY_HEADERS, exact.error());
    }
}
