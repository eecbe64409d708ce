// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sirocco.http.Headers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Headers that are copied from parsed fields, however these were laid out. */
class CheckedHeadersTest {
    private static Fields fields(String text) {
        var fields = new Fields();
        fields.bytes = ("?" + text).getBytes(ISO_8859_1);
        fields.base = 1;
        String[] lines = text.split("(?<=\n)");
        fields.offsets = new int[4 * lines.length];
        int at = 0;
        for (String line : lines) {
            int colon = line.indexOf(':');
            String value = line.substring(colon + 1).strip();
            int valueFrom = at + (value.isEmpty() ? colon + 1 : line.indexOf(value, colon));
            int[] offsets = {at, at + colon, valueFrom, valueFrom + value.length()};
            System.arraycopy(offsets, 0, fields.offsets, 4 * fields.count++, 4);
            at += line.length();
        }
        return fields;
    }

    private static void are(String expected, String text) {
        Headers headers = CheckedHeaders.of(fields(text));
        assertEquals(expected, headers.toString());
        assertEquals(expected, new String(CheckedHeaders.lines(headers), ISO_8859_1));
        assertEquals(expected, Headers.builder().add(headers).build().toString());
    }

    @Test
    void asTheyAreSent() {
        are("A: 1\r\nB: two words\r\n", "A: 1\r\nB: two words\r\n");
    }

    @Test
    void inAnyOtherForm() {
        for (String text :
                List.of(
                        "A:1\r\nB: 2\r\n",
                        "A: 1\r\nB:2\r\n",
                        "A:  1\r\nB: 2\r\n",
                        "A:\t1\r\nB: 2\r\n",
                        "A: 1 \r\nB: 2\r\n",
                        "A: 1\t\nB: 2\r\n",
                        "A: 1 \nB: 2\n",
                        "A: 1\nB: 2\n")) {
            are("A: 1\r\nB: 2\r\n", text);
        }
        are("A: \r\nB: 2\r\n", "A:\r\nB: 2\r\n");
        are("A: 1\r\nB: \r\n", "A: 1\r\nB: \r\n");
    }

    @Test
    void withoutSomeInBetween() {
        Fields fields = fields("A: 1\r\nB: 2\r\nC: 3\r\n");
        fields.dropIf("B"::equals);
        assertEquals("A: 1\r\nC: 3\r\n", CheckedHeaders.of(fields).toString());
        fields.dropIf(name -> true);
        assertSame(Headers.none(), CheckedHeaders.of(fields));
    }

    @Test
    void textOfAnyCharset() {
        Headers headers = CheckedHeaders.ofText(List.of("A", "zażółć", "B", ""));
        assertEquals("zażółć", headers.value(0));
        assertEquals("A: zażółć\r\nB: \r\n", headers.toString());
        assertEquals("zażółć", headers.with("C", "3").value(0));
        assertEquals(
                "A: zażółć\r\n", new String(CheckedHeaders.lines(headers.without("B")), UTF_8));
    }
}
