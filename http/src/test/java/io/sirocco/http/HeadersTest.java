// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeadersTest {

    /** Qurricane kept one value for each name. */
    @Test
    void twoCookiesBothSurvive() {
        var headers = Headers.none().with("Set-Cookie", "a=1").with("set-cookie", "b=2");
        assertEquals(List.of("a=1", "b=2"), headers.all("SET-COOKIE"));
        assertEquals(Optional.of("a=1"), headers.first("Set-cookie"));
        assertEquals(2, headers.size());
    }

    @Test
    void setReplacesAllInThePlaceOfTheFirst() {
        var headers = Headers.of("A", "1", "B", "2", "a", "3");
        assertEquals(Headers.of("A", "4", "B", "2"), headers.set("a", "4"));
        assertEquals(Headers.of("A", "1", "B", "2", "a", "3", "C", "5"), headers.set("C", "5"));
        assertEquals(Headers.of("B", "2"), headers.without("A"));
        assertSame(headers, headers.without("X"));
        assertEquals(0, headers.without("a").without("b").size());
    }

    @Test
    void aChangeLeavesTheOriginalAlone() {
        String[] pairs = {"A", "1"};
        var headers = Headers.of(pairs);
        pairs[1] = "bad\r\n";
        headers.with("B", "2");
        headers.set("A", "3");
        assertEquals("A: 1\r\n", headers.toString());
        assertEquals("A", headers.name(0));
        assertEquals("1", headers.value(0));
    }

    @Test
    void encodedAsTheyAreSent() {
        var headers = Headers.of("A", " 1\t", "Empty", "", "L", "\u00e9 \t x");
        assertEquals("A: 1\r\nEmpty: \r\nL: \u00e9 \t x\r\n", headers.toString());
    }

    /** CR and LF in a value split Qurricane's response. */
    @Test
    void nothingThatSplitsTheResponseGetsIn() {
        for (String bad :
                List.of("a\r\nB: c", "\n", "\r", "\0", "\u007f", "\u010a", "\u2028", "ż")) {
            for (String value : List.of(bad, "x" + bad + "y")) {
                var ok = Headers.of("A", "1");
                assertThrows(IllegalArgumentException.class, () -> Headers.of("A", value));
                assertThrows(IllegalArgumentException.class, () -> ok.with("B", value));
                assertThrows(IllegalArgumentException.class, () -> ok.set("A", value));
            }
        }
        for (String name : List.of("", " ", "A ", "A:", "A\r\nB", "ż", "A\0", "(a)")) {
            assertThrows(IllegalArgumentException.class, () -> Headers.of(name, "1"), name);
        }
        assertThrows(IllegalArgumentException.class, () -> Headers.of("A"));
    }

    @Test
    void theErrorShowsTheValueHarmlessly() {
        var e = assertThrows(IllegalArgumentException.class, () -> Headers.of("A", "x\r\ny"));
        assertTrue(e.getMessage().contains("\"x\\u000d\\u000ay\""), e.getMessage());
    }

    @Test
    void namesIgnoreCaseInEquality() {
        assertEquals(Headers.of("A", "x"), Headers.of("a", "x"));
        assertEquals(Headers.of("A", "x").hashCode(), Headers.of("a", "x").hashCode());
        assertNotEquals(Headers.of("A", "x"), Headers.of("A", "X"));
    }

    @Test
    void builtFromOthersAndNew() {
        var from = Headers.of("A", "1", "Long-Name", "x".repeat(700), "B", "");
        var built =
                Headers.builder().add("C", " 3 ").add(from, 1).add(from, 2).add(from).add("D", "4");
        assertEquals(
                List.of("C", "Long-Name", "B", "A", "Long-Name", "B", "D"), names(built.build()));
        assertEquals("x".repeat(700), built.build().value(4));
        assertEquals("", built.build().value(5));
        assertEquals("3", built.build().value(0));
        assertSame(Headers.none(), Headers.builder().add(Headers.none()).build());
        Headers before = built.build();
        built.add("E", "5");
        assertEquals(7, before.size());
        assertThrows(IllegalArgumentException.class, () -> built.add("F", "\n"));
        assertEquals(8, built.build().size(), "what was refused is not there");
        assertEquals(
                "E: 5\r\n",
                built.build().toString().substring(built.build().toString().length() - 6));
    }

    @Test
    void namesAreComparedWithoutStrings() {
        var headers = Headers.of("X-Forwarded-For", "1", "x", "2", "X-", "3");
        assertTrue(headers.isNamed(0, "x-forwarded-FOR"));
        assertFalse(headers.isNamed(0, "X-Forwarded-Fo"));
        assertFalse(headers.isNamed(0, "X-Forwarded-Foo"));
        assertTrue(headers.startsWith(0, "x-forwarded-"));
        assertFalse(headers.startsWith(1, "x-forwarded-"));
        assertTrue(headers.startsWith(1, "X"));
    }

    private static List<String> names(Headers headers) {
        var names = new ArrayList<String>();
        headers.forEach((name, value) -> names.add(name));
        return names;
    }
}
