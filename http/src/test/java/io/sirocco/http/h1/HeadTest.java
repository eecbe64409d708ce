// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.h1.Wire.wire;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.message.RequestHead;
import io.sirocco.http.message.TargetForm;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What good heads mean, on every prefix of them. */
class HeadTest {

    /** Parses the head at every length: incomplete up to its end, then complete for good. */
    private static Head head(String block) {
        byte[] bytes = wire("GET / HTTP/1.1\n" + block);
        int from = "GET / HTTP/1.1\r\n".length();
        Head head = new Head();
        int end = -1;
        for (int to = from; to <= bytes.length; to++) {
            byte[] arrived = Arrays.copyOf(bytes, to);
            Parsed parsed = head.parse(arrived, from, to, HeadLimits.DEFAULT);
            assertTrue(parsed != Parsed.REJECTED, () -> head.rule() + " at " + head.brokenAt());
            if (end < 0 && parsed == Parsed.COMPLETE) {
                end = to;
            }
            assertEquals(end >= 0, parsed == Parsed.COMPLETE);
        }
        assertEquals(end, head.end());
        return head;
    }

    private static Head headWith(String lines) {
        return head("GET / HTTP/1.1\nHost: a\n" + lines + "\n");
    }

    @Test
    void smallestRequest() {
        Head head = head("GET /plaintext HTTP/1.1\nHost: 127.0.0.1:8080\n\n");
        assertEquals("GET", head.method());
        assertEquals("/plaintext", head.target());
        assertEquals("/plaintext", head.path());
        assertFalse(head.hasQuery());
        assertEquals("", head.query());
        assertEquals(TargetForm.ORIGIN, head.form());
        assertEquals(1, head.minor());
        assertEquals(1, head.count());
        assertEquals("Host", head.name(0));
        assertEquals("127.0.0.1:8080", head.value(0));
        assertEquals("127.0.0.1", head.host());
        assertEquals(8080, head.port());
        assertEquals(-1, head.contentLength());
        assertFalse(head.chunked());
        assertFalse(head.hasBody());
        assertTrue(head.keepAlive());
        assertFalse(head.expectContinue());
        assertFalse(head.upgrade());
    }

    @Test
    void whatFollowsTheHeadIsNotTouched() {
        assertEquals(1, head("GET / HTTP/1.1\nHost: a\n\nGET /2 HTTP/1.1\n").count());
        assertEquals(1, head("GET / HTTP/1.1\nHost: a\n\n\n\n\0").count());
    }

    @Test
    void pathAndQueryPartAtTheFirstQuestionMark() {
        Head head = head("GET /a%20b/c?x=1&y=?%7B HTTP/1.1\nHost: a\n\n");
        assertEquals("/a%20b/c", head.path());
        assertEquals("x=1&y=?%7B", head.query());
        Head empty = head("GET /? HTTP/1.1\nHost: a\n\n");
        assertEquals("/", empty.path());
        assertTrue(empty.hasQuery());
        assertEquals("", empty.query());
    }

    @Test
    void anyTokenIsAMethodAndItsCaseMatters() {
        assertEquals("PROPFIND", head("PROPFIND / HTTP/1.1\nHost: a\n\n").method());
        assertEquals("get", head("get / HTTP/1.1\nHost: a\n\n").method());
        assertEquals("!#$%&'*+-.^_`|~9", head("!#$%&'*+-.^_`|~9 / HTTP/1.1\nHost: a\n\n").method());
        assertEquals("PRI", head("PRI / HTTP/1.1\nHost: a\n\n").method());
    }

    @Test
    void absoluteTargetGoesBeforeHost() {
        Head head = head("GET HTTP://b.example:81/p?q HTTP/1.1\nHost: a:80\n\n");
        assertEquals(TargetForm.ABSOLUTE, head.form());
        assertEquals("b.example", head.host());
        assertEquals(81, head.port());
        assertEquals("/p", head.path());
        assertEquals("q", head.query());
    }

    @Test
    void absoluteTargetWithoutPathIsTheRoot() {
        Head head = head("GET https://[::1]?q HTTP/1.1\nHost: a\n\n");
        assertEquals("[::1]", head.host());
        assertEquals(-1, head.port());
        assertEquals("/", head.path());
        assertEquals(head.pathFrom(), head.pathTo());
        assertEquals("q", head.query());
        assertEquals("/", head("GET http://b HTTP/1.1\nHost: a\n\n").path());
    }

    @Test
    void connectTakesAnAuthority() {
        Head head = head("CONNECT b.example:443 HTTP/1.1\nHost: b.example:443\n\n");
        assertEquals(TargetForm.AUTHORITY, head.form());
        assertEquals("b.example", head.host());
        assertEquals(443, head.port());
        assertEquals("", head.path());
    }

    @Test
    void optionsTakesAnAsteriskAndThenAnEmptyHost() {
        Head head = head("OPTIONS * HTTP/1.1\nHost:\n\n");
        assertEquals(TargetForm.ASTERISK, head.form());
        assertEquals("*", head.path());
        assertFalse(head.hasHost());
        assertEquals("", head.host());
        assertEquals(-1, head.port());
        assertEquals("a", head("OPTIONS * HTTP/1.1\nHost: a\n\n").host());
    }

    @Test
    void hostsOfAllKinds() {
        for (String host :
                new String[] {
                    "a",
                    "A-b.c_d~",
                    "1.2.3.4",
                    "999.1.1.1",
                    "%41b",
                    "a,b;c=d!$&'()*+",
                    "[::]",
                    "[::1]",
                    "[1:2:3:4:5:6:7:8]",
                    "[1:2:3:4:5:6:7::]",
                    "[::2:3:4:5:6:7:8]",
                    "[1::8]",
                    "[::ffff:1.2.3.4]",
                    "[1:2:3:4:5:6:255.0.99.1]",
                    "[abcd:EF01::]"
                }) {
            assertEquals(host, head("GET / HTTP/1.1\nHost: " + host + "\n\n").host());
            Head withPort = head("GET / HTTP/1.1\nHost: " + host + ":65535\n\n");
            assertEquals(host, withPort.host());
            assertEquals(65535, withPort.port());
            assertEquals(-1, head("GET / HTTP/1.1\nHost: " + host + ":\n\n").port());
        }
    }

    @Test
    void oneEmptyLineBeforeTheRequestIsIgnored() {
        assertEquals("/", head("\nGET / HTTP/1.1\nHost: a\n\n").path());
    }

    @Test
    void laterMinorVersionsAreReadAs11() {
        assertEquals(1, head("GET / HTTP/1.9\nHost: a\n\n").minor());
        assertEquals(0, head("GET / HTTP/1.0\n\n").minor());
    }

    @Test
    void whitespaceAroundAValueIsNotOfIt() {
        Head head = headWith("A:1\nB: \t 2 3\t \nC:\nD:  \nE: \u00E9\u00FF\ttab\n");
        assertEquals("1", head.value(1));
        assertEquals("2 3", head.value(2));
        assertEquals("", head.value(3));
        assertEquals("", head.value(4));
        assertEquals("\u00E9\u00FF\ttab", head.value(5));
    }

    @Test
    void longValuesAreReadWhateverTheirLength() {
        for (int length = 0; length < 40; length++) {
            String value = "v".repeat(length);
            assertEquals(value, headWith("X: " + value + "\n").value(1));
            assertEquals(value + "\u00E9", headWith("X: " + value + "\u00E9\n").value(1));
            assertEquals("a" + value + "\tz", headWith("X: a" + value + "\tz\n").value(1));
        }
    }

    @Test
    void fieldsAreFoundWhateverTheirCase() {
        Head head = headWith("X-One: 1\nx-two: 2\nX-ONE: 3\nX-On: 4\n");
        assertEquals(1, head.find("x-one"));
        assertEquals(3, head.find("X-oNe", 2));
        assertEquals(2, head.find("X-TWO"));
        assertEquals(-1, head.find("x-three"));
        assertEquals(-1, head.find("x-two", 3));
        assertEquals(4, head.find(wire("x-on")));
        assertEquals(-1, head.find(wire("x-o")));
    }

    @Test
    void namesThatDifferInBit5AreNotTheSame() {
        // '^' | 0x20 is '~': a careless comparison would take one for the other.
        Head head = headWith("a^b: 1\n");
        assertEquals(-1, head.find("a~b"));
        assertEquals(1, head.find("A^B"));
    }

    @Test
    void lengthOfABody() {
        Head head = headWith("content-LENGTH: 999999999999999999\n");
        assertEquals(999999999999999999L, head.contentLength());
        assertTrue(head.hasBody());
        assertEquals(5, headWith("Content-Length:5\n").contentLength());
        assertEquals(5, headWith("Content-Length: 00005\n").contentLength());
        assertFalse(headWith("Content-Length: 0\n").hasBody());
    }

    @Test
    void bodyInChunks() {
        Head head = headWith("TRANSFER-encoding: Chunked\n");
        assertTrue(head.chunked());
        assertTrue(head.hasBody());
        assertEquals(-1, head.contentLength());
    }

    @Test
    void namesAsLongAsAKnownOneAreNotTakenForIt() {
        Head head =
                headWith(
                        """
                        Transfer_Encoding: x
                        Content_Length: y
                        Conneccion: close
                        Expezt: 1
                        Upgrabe: 2
                        Hosc: 3
                        """);
        assertFalse(head.chunked());
        assertEquals(-1, head.contentLength());
        assertTrue(head.keepAlive());
    }

    @Test
    void connectionOptionsInAnyCaseAndSeveralFields() {
        assertFalse(headWith("Connection: close\n").keepAlive());
        assertFalse(headWith("Connection: Keep-Alive\nconnection: x,\t CLOSE ,\n").keepAlive());
        assertTrue(headWith("Connection: closed, x-close\n").keepAlive());
        assertFalse(head("GET / HTTP/1.0\n\n").keepAlive());
        assertTrue(head("GET / HTTP/1.0\nConnection: ,keep-ALIVE\n\n").keepAlive());
        assertFalse(head("GET / HTTP/1.0\nConnection: keep-alive, close\n\n").keepAlive());
    }

    @Test
    void upgradeNeedsBothFieldsAndHttp11() {
        assertTrue(headWith("Upgrade: websocket\nConnection: keep-alive, Upgrade\n").upgrade());
        assertFalse(headWith("Upgrade: websocket\n").upgrade());
        assertFalse(headWith("Connection: upgrade\n").upgrade());
        assertFalse(headWith("Upgrade:\nConnection: upgrade\n").upgrade());
        assertFalse(head("GET / HTTP/1.0\nUpgrade: h2c\nConnection: upgrade\n\n").upgrade());
    }

    @Test
    void expectationOfHttp10IsIgnored() {
        assertTrue(headWith("Expect: 100-Continue\n").expectContinue());
        assertFalse(head("GET / HTTP/1.0\nExpect: 100-continue\n\n").expectContinue());
        assertFalse(head("GET / HTTP/1.0\nExpect: tea\n\n").expectContinue());
    }

    @Test
    void detachedHeadOutlivesItsBytes() {
        byte[] bytes = wire("xxGET http://h:1/p?q HTTP/1.1\nHost: a\nConnection: close\n\nrest");
        Head head = new Head();
        assertEquals(Parsed.COMPLETE, head.parse(bytes, 2, bytes.length, HeadLimits.DEFAULT));
        RequestHead copy = head.detach();
        Arrays.fill(bytes, (byte) 0);
        assertEquals("GET", copy.method());
        assertEquals("/p", copy.path());
        assertEquals("q", copy.query());
        assertEquals("h", copy.host());
        assertEquals(1, copy.port());
        assertEquals("close", copy.value(copy.find("connection")));
        assertEquals(copy.bytes().length, copy.end());
    }

    @Test
    void nothingOfARequestRemainsInTheNext() {
        byte[] first =
                wire(
                        """
                        POST http://h:1/?q HTTP/1.1
                        Host: a
                        Expect: 100-continue
                        Connection: close, upgrade
                        Upgrade: x
                        Content-Length: 3

                        """);
        byte[] second = wire("GET / HTTP/1.1\nHost: b\n\n");
        Head head = new Head();
        assertEquals(Parsed.COMPLETE, head.parse(first, 0, first.length, HeadLimits.DEFAULT));
        assertEquals(Parsed.COMPLETE, head.parse(second, 0, second.length, HeadLimits.DEFAULT));
        assertEquals("b", head.host());
        assertEquals(-1, head.port());
        assertFalse(head.hasQuery());
        assertFalse(head.expectContinue());
        assertFalse(head.upgrade());
        assertTrue(head.keepAlive());
        assertEquals(-1, head.contentLength());
        assertEquals(TargetForm.ORIGIN, head.form());
    }

    @Test
    void aHeadRepeatsWhereTheSameBytesFollow() {
        String one = "GET http://h:1/p?q HTTP/1.1\nHost: a\nX: y\n\n";
        byte[] bytes = wire("??" + one + one + one.replace('y', 'z'));
        int length = wire(one).length;
        Head head = new Head();
        assertFalse(head.repeatedAt(bytes, 2, bytes.length), "none was parsed");
        head.parse(bytes, 2, bytes.length, HeadLimits.DEFAULT);
        int next = 2 + length;
        assertEquals(next, head.end());
        assertFalse(head.repeatedAt(bytes.clone(), next, bytes.length), "another array");
        assertFalse(head.repeatedAt(bytes, next + 1, bytes.length), "not directly behind");
        assertFalse(head.repeatedAt(bytes, next, next + length - 1), "not all of it has arrived");
        assertEquals(next, head.end());

        assertTrue(head.repeatedAt(bytes, next, next + length));
        assertEquals(next + length, head.end());
        assertEquals(next + "GET http://h:1".length(), head.pathFrom());
        assertEquals(List.of("h", "/p", "q", "y"), whatItSays(head));
        assertFalse(head.repeatedAt(bytes, head.end(), bytes.length), "another value");

        head.parse(bytes, 2, bytes.length, HeadLimits.DEFAULT);
        head.forget();
        assertFalse(head.repeatedAt(bytes, next, bytes.length), "it was forgotten");
        assertEquals(
                Parsed.COMPLETE,
                head.parse(bytes, next + length, bytes.length, HeadLimits.DEFAULT));
        assertEquals(List.of("h", "/p", "q", "z"), whatItSays(head));
        assertEquals(Parsed.INCOMPLETE, head.parse(bytes, 2, 2 + length - 1, HeadLimits.DEFAULT));
        assertFalse(head.repeatedAt(bytes, next, bytes.length), "the last one was incomplete");
    }

    private static List<String> whatItSays(Head head) {
        return List.of(head.host(), head.path(), head.query(), head.value(head.find("x")));
    }

    @Test
    void manyFieldsGrowTheTable() {
        Head head = headWith("X: y\n".repeat(99));
        assertEquals(100, head.count());
        assertEquals("y", head.value(99));
    }
}
