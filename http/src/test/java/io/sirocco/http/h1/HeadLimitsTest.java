// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.Wire.wire;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.HeadLimits;
import org.junit.jupiter.api.Test;

/** Each limit to the byte: one less, as much, one more. */
class HeadLimitsTest {

    /** The rule that ends the head, or null when it is complete; the same on every split. */
    private static RequestError rule(byte[] bytes, HeadLimits limits) {
        Head head = new Head();
        Parsed last = Parsed.INCOMPLETE;
        for (int to = 1; to <= bytes.length; to++) {
            Parsed parsed = head.parse(bytes, 0, to, limits);
            if (last == Parsed.INCOMPLETE) {
                last = parsed;
            }
            assertEquals(last, parsed);
        }
        return last == Parsed.REJECTED ? head.rule() : null;
    }

    private static byte[] headOf(int length) {
        String empty = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n";
        return wire(
                empty.replace("X: ", "X: " + "y".repeat(length - empty.length()))
                        .replace("\r", ""));
    }

    @Test
    void headToTheByte() {
        HeadLimits limits = new HeadLimits(200, 100, 10);
        assertEquals(200, headOf(200).length);
        assertNull(rule(headOf(199), limits));
        assertNull(rule(headOf(200), limits));
        assertEquals(RequestError.HEAD_TOO_LARGE, rule(headOf(201), limits));
        assertEquals(RequestError.HEAD_TOO_LARGE, rule(headOf(210), limits));
    }

    @Test
    void targetToTheByte() {
        HeadLimits limits = new HeadLimits(200, 20, 10);
        for (String end : new String[] {"a", "?", "%41", "?%41"}) {
            for (int length = 19; length <= 25; length++) {
                String target = "/" + "a".repeat(length - 1 - end.length()) + end;
                byte[] bytes = wire("GET " + target + " HTTP/1.1\nHost: a\n\n");
                assertEquals(
                        length <= 20 ? null : RequestError.TARGET_TOO_LONG, rule(bytes, limits));
            }
        }
    }

    @Test
    void headersToTheCount() {
        for (int most = 1; most < 70; most += 17) {
            HeadLimits limits = new HeadLimits(2000, 20, most);
            for (int count = Math.max(1, most - 1); count <= most + 1; count++) {
                byte[] bytes =
                        wire("GET / HTTP/1.1\nHost: a\n" + "X: y\n".repeat(count - 1) + "\n");
                assertEquals(
                        count <= most ? null : RequestError.TOO_MANY_HEADERS, rule(bytes, limits));
            }
        }
    }

    @Test
    void endlessHeadIsRejectedWhereverItIs() {
        HeadLimits limits = new HeadLimits(64, 1000, 10);
        String a = "a".repeat(100);
        assertEquals(RequestError.HEAD_TOO_LARGE, rule(wire(a), limits));
        assertEquals(RequestError.TARGET_TOO_LONG, rule(wire("GET /" + a), limits));
        assertEquals(RequestError.TARGET_TOO_LONG, rule(wire("GET /?" + a), limits));
        assertEquals(RequestError.HEAD_TOO_LARGE, rule(wire("GET / HTTP/1.1\n" + a), limits));
        assertEquals(RequestError.HEAD_TOO_LARGE, rule(wire("GET / HTTP/1.1\nX: " + a), limits));
        assertEquals(
                RequestError.HEAD_TOO_LARGE,
                rule(wire("GET / HTTP/1.1\nX:" + " ".repeat(99)), limits));
    }

    @Test
    void whatCannotEndInTimeIsRejectedBeforeItsNextByte() {
        byte[] bytes = headOf(201);
        Head head = new Head();
        HeadLimits limits = new HeadLimits(200, 100, 10);
        assertEquals(Parsed.INCOMPLETE, head.parse(bytes, 0, 199, limits));
        assertEquals(Parsed.REJECTED, head.parse(bytes, 0, 200, limits));
    }

    @Test
    void leadingEmptyLineCounts() {
        byte[] bytes = wire("\nGET / HTTP/1.1\nHost: a\n\n");
        assertNull(rule(bytes, new HeadLimits(bytes.length, 10, 1)));
        assertEquals(
                RequestError.HEAD_TOO_LARGE, rule(bytes, new HeadLimits(bytes.length - 1, 10, 1)));
    }
}
