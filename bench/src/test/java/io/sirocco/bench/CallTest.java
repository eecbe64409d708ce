// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a request are exactly what was asked for, or it is refused. */
class CallTest {
    private static Call get(Map<String, String> fields) {
        return Call.of("GET", "h:8080", "/a?b=c", fields, new byte[0]);
    }

    private static String text(Call call) {
        return new String(call.bytes(), UTF_8).replace("\r\n", "\n");
    }

    @Test
    void getHasAHostAndNothingElse() {
        Call call = get(Map.of());
        assertEquals("GET /a?b=c HTTP/1.1\nHost: h:8080\n\n", text(call));
        assertEquals("GET /a?b=c", call.label());
        assertEquals(1, call.weight());
        assertFalse(call.head());
    }

    @Test
    void fieldsKeepTheirOrderAndTheirOwnHostWins() {
        var fields = new LinkedHashMap<String, String>();
        fields.put("B", "1");
        fields.put("hOST", "other");
        fields.put("A", "grün");
        fields.put("Empty", "");
        assertEquals(
                "GET /a?b=c HTTP/1.1\nB: 1\nhOST: other\nA: grün\nEmpty: \n\n", text(get(fields)));
    }

    @Test
    void aBodyHasItsLengthInBytes() {
        Call call = Call.of("POST", "h", "/", Map.of("A", "b"), "grün".getBytes(UTF_8));
        assertEquals("POST / HTTP/1.1\nHost: h\nA: b\nContent-Length: 5\n\ngrün", text(call));
    }

    @Test
    void aLengthOfItsOwnIsLeftAlone() {
        Call call = Call.of("PUT", "h", "/", Map.of("content-length", "9"), "x".getBytes(UTF_8));
        assertEquals("PUT / HTTP/1.1\nHost: h\ncontent-length: 9\n\nx", text(call));
        Map<String, String> chunked = Map.of("Transfer-Encoding", "chunked");
        call = Call.of("POST", "h", "/", chunked, "0\r\n\r\n".getBytes(UTF_8));
        assertEquals("POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n0\n\n", text(call));
    }

    /** RFC 9110 8.6: where a body would mean something, that there is none is said. */
    @ParameterizedTest
    @CsvSource({"POST,true", "PUT,true", "GET,false", "DELETE,false", "OPTIONS,false"})
    void anEmptyBodyIsSaidWhereOneIsExpected(String method, boolean said) {
        Call call = Call.of(method, "h", "/", Map.of(), new byte[0]);
        assertEquals(said, text(call).contains("Content-Length: 0\n"));
    }

    @Test
    void onlyHeadIsHead() {
        assertTrue(Call.of("HEAD", "h", "/", Map.of(), new byte[0]).head());
        assertFalse(Call.of("head", "h", "/", Map.of(), new byte[0]).head());
    }

    @Test
    void closingAddsOneFieldAndChangesNothingElse() {
        byte[] body = "\r\n\r\nbody\r\n\r\n".getBytes(UTF_8);
        Call call = Call.of("POST", "h", "/", Map.of("A", ""), body).times(7);
        Call closing = call.closing();
        assertEquals(
                "POST / HTTP/1.1\nHost: h\nA: \nContent-Length: 12\nConnection: close\n\n"
                        + "\n\nbody\n\n",
                text(closing));
        assertEquals(7, closing.weight());
        assertEquals(call.label(), closing.label());
        assertTrue(Call.of("HEAD", "h", "/", Map.of(), body).closing().head());
        assertEquals(
                "GET /a?b=c HTTP/1.1\nHost: h:8080\nConnection: close\n\n",
                text(get(Map.of()).closing()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GE T", "GET\r\nX: y", "GET\t", "G\u0000", "GÉT", "GET:", "a(b)"})
    void aMethodIsAToken(String method) {
        refused("the method", () -> Call.of(method, "h", "/", Map.of(), new byte[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/a b", "/a\r\nX: y", "/\t", "/\u0000", "/\u007f"})
    void aTargetHasNoBlanks(String target) {
        refused("the target", () -> Call.of("GET", "h", target, Map.of(), new byte[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " A", "A ", "A B", "A:", "A\r\nB", "\n", "Ä", "A\u0000"})
    void aNameOfAFieldIsAToken(String name) {
        refused("field", () -> get(Map.of(name, "x")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nB: c", "a\nb", "a\r", "\u0000", "a\u0007b", "\u007f"})
    void aFieldIsOneLine(String value) {
        refused("the field X-Name", () -> get(Map.of("X-Name", value)));
        assertTrue(text(get(Map.of("A", "b\tc"))).contains("A: b\tc\n"), "a tab is no harm");
    }

    @Test
    void aHostIsOneLineToo() {
        refused("the field Host", () -> Call.of("GET", "h\r\nX: y", "/", Map.of(), new byte[0]));
    }

    @Test
    void aWeightIsAtLeast1() {
        assertEquals(3, get(Map.of()).times(3).weight());
        refused("the weight of GET /a?b=c", () -> get(Map.of()).times(0));
    }

    private static void refused(String what, org.junit.jupiter.api.function.Executable make) {
        String message = assertThrows(IllegalArgumentException.class, make).getMessage();
        assertTrue(message.contains(what), message);
        assertTrue(message.chars().noneMatch(c -> c < ' '), () -> "not printable: " + message);
    }
}
