// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.MediaType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;

class HttpBodyTest {
    private static final String XML = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    private final Scripts scripts = new Scripts("2026-11-27T12:00:00Z");

    private static LuaValue parse(HttpBody type, String body) throws IOException {
        return type.parse(body.getBytes(UTF_8), Optional.empty());
    }

    private String write(HttpBody type, String script) {
        return new String(type.write(scripts.lua(script)), UTF_8);
    }

    private String lua(LuaValue value, String expression) {
        scripts.globals.set("v", value);
        return LuaText.text(scripts.lua("return " + expression));
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, JSON",
        "application/ld+json; charset=utf-8, JSON",
        "text/xml, XML",
        "application/soap+xml, XML",
        "application/x-www-form-urlencoded, FORM",
        "text/plain, TEXT",
        "image/png, OTHER",
    })
    void typeByContentType(String header, HttpBody type) {
        assertEquals(type, HttpBody.of(MediaType.parse(header), 1));
        assertEquals(HttpBody.NONE, HttpBody.of(MediaType.parse(header), 0));
    }

    @Test
    void xmlAsATable() throws Exception {
        LuaValue value =
                parse(
                        HttpBody.XML,
                        XML
                                + "<root><a>1</a><b c='d'>text</b><list>x</list><list>y</list>"
                                + "<list>z</list><e/><f><g>zażółć 🏠 &amp; <![CDATA[<x>]]></g></f></root>");
        assertEquals(
                "1|d|text|x|y|z|3||zażółć 🏠 & <x>",
                lua(
                        value,
                        "table.concat({v.a, v.b['@c'], v.b['#text'], v.list[1], v.list[2],"
                                + " v.list[3], #v.list, v.e, v.f.g}, '|')"));
        assertEquals("only", parse(HttpBody.XML, "<x>only</x>").tojstring());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
            return {a = 1, b = {c = 'x & <y>'}}        | <root><a>1</a><b><c>x &amp; &lt;y&gt;</c></b></root>
            return {1, 2}                              | <root><item>1</item><item>2</item></root>
            return {l = {1, {m = 2}}}                  | <root><l>1</l><l><m>2</m></l></root>
            return {a = {['@id'] = 7, ['#text'] = 't'}} | <root><a id="7">t</a></root>
            return 'text'                              | <root>text</root>
            return {t = true}                          | <root><t>true</t></root>
            """)
    void aTableAsXml(String script, String document) {
        assertEquals(XML + document, write(HttpBody.XML, script));
    }

    @Test
    void xmlAndBack() throws Exception {
        String document = XML + "<root><a id=\"7\">t</a><l>1</l><l>2</l><m><n>x</n></m></root>";
        LuaValue value = parse(HttpBody.XML, document);
        assertEquals(document, new String(HttpBody.XML.write(value), UTF_8));
    }

    @Test
    void arraysOfTablesInXml() throws Exception {
        LuaValue value =
                parse(HttpBody.XML, "<r><l><a>1</a></l><l><a>2</a></l><l><a>3</a></l></r>");
        assertEquals("1 2 3", lua(value, "v.l[1].a .. ' ' .. v.l[2].a .. ' ' .. v.l[3].a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE r SYSTEM 'file:///etc/passwd'><r/>",
                "<!DOCTYPE r [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><r>&e;</r>",
                "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><r>&b;</r>",
                "<r>&undeclared;</r>",
                "<r><a></r>",
                "<r/><r/>",
                "text",
            })
    void documentsThatAreRefused(String document) {
        assertThrows(IOException.class, () -> parse(HttpBody.XML, document));
    }

    @Test
    void deepDocumentsAreRefused() {
        assertThrows(IOException.class, () -> parse(HttpBody.XML, "<a>".repeat(100_000)));
        assertThrows(IOException.class, () -> parse(HttpBody.JSON, "[".repeat(100_000)));
    }

    @Test
    void valuesWithoutAFormInXml() {
        assertThrows(LuaError.class, () -> write(HttpBody.XML, "return {[1] = 1, [3] = 3}"));
        assertThrows(LuaError.class, () -> write(HttpBody.XML, "return {['a b'] = 1}"));
        assertThrows(LuaError.class, () -> write(HttpBody.XML, "return {a = '\\1'}"));
        assertThrows(LuaError.class, () -> write(HttpBody.XML, "return {a = print}"));
        assertThrows(LuaError.class, () -> write(HttpBody.XML, "local t = {} t.t = t return t"));
    }

    @Test
    void forms() throws Exception {
        LuaValue value = parse(HttpBody.FORM, "a=1&b=x+y%21&l=1&l=2");
        assertEquals(
                "1 x y! 1 2", lua(value, "v.a .. ' ' .. v.b .. ' ' .. table.concat(v.l, ' ')"));
        assertEquals(
                "a=1&b=x%20%26&l=1&l=2",
                write(HttpBody.FORM, "return {b = 'x &', a = 1, l = {1, 2}}"));
        assertThrows(IOException.class, () -> parse(HttpBody.FORM, "a=%x"));
        assertThrows(LuaError.class, () -> write(HttpBody.FORM, "return {a = {b = 1}}"));
    }

    @Test
    void textAndBytes() throws Exception {
        byte[] bytes = {0, (byte) 0xff, 'a'};
        assertArrayEquals(
                bytes, HttpBody.OTHER.write(HttpBody.OTHER.parse(bytes, Optional.empty())));
        assertEquals("5", write(HttpBody.TEXT, "return 5"));
        assertEquals("", write(HttpBody.TEXT, "return nil"));
        assertThrows(LuaError.class, () -> write(HttpBody.TEXT, "return {}"));
        LuaValue latin =
                HttpBody.TEXT.parse(
                        new byte[] {(byte) 0xe9}, MediaType.parse("text/plain;charset=iso-8859-1"));
        assertEquals("é", LuaText.text(latin));
        assertTrue(LuaText.isText((LuaString) latin));
    }

    @Test
    void json() throws Exception {
        LuaValue value = parse(HttpBody.JSON, "{\"a\":[10,null]}");
        assertEquals("10 null", lua(value, "v.a[1] .. ' ' .. tostring(v.a[2])"));
        assertThrows(IOException.class, () -> parse(HttpBody.JSON, "{"));
        assertEquals("[1]", write(HttpBody.JSON, "return {1}"));
    }

    /** Took minutes: each element of a name looked at all before it. */
    @Test
    void manyElementsOfOneName() throws Exception {
        LuaValue value = parse(HttpBody.XML, "<r>" + "<a/>".repeat(99_999) + "</r>");
        assertEquals(99_999, value.get("a").length());
    }

    @Test
    void bodiesOfTooManyValuesAreRefused() {
        refused(HttpBody.XML, "<r>" + "<a/>".repeat(100_000) + "</r>", "100,000 elements");
        refused(HttpBody.JSON, "[" + "[],".repeat(150_000) + "1]", "maximum allowed");
        refused(HttpBody.JSON, json(names(10_001, "%d")), "10,000 members");
        refused(HttpBody.XML, xml(names(10_001, "a%d")), "10,000 members");
    }

    @Test
    void manyMembersAreAccepted() throws Exception {
        for (String format : List.of("%d", "a%d", "sensor_of_the_house_%d", "%040d")) {
            List<String> names = names(format.equals("%040d") ? 1_000 : 10_000, format);
            LuaValue value = parse(HttpBody.JSON, json(names));
            assertEquals(7, value.get(names.getLast()).toint());
        }
    }

    /** The hash of a long string leaves out every second byte. */
    @Test
    void namesOfOneHashAreRefused() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            String digits = "%016d".formatted(i);
            names.add("a" + digits.replaceAll("(.)", "$1a"));
        }
        assertEquals(LuaText.of(names.get(0)).hashCode(), LuaText.of(names.get(999)).hashCode());
        refused(HttpBody.JSON, json(names), "alike");
        refused(HttpBody.XML, xml(names), "alike");
        refused(HttpBody.FORM, String.join("&", names), "alike");
    }

    private static List<String> names(int count, String format) {
        return IntStream.range(0, count).mapToObj(format::formatted).toList();
    }

    private static String json(List<String> names) {
        return names.stream().collect(Collectors.joining("\":7,\"", "{\"", "\":7}"));
    }

    private static String xml(List<String> names) {
        return names.stream().collect(Collectors.joining("/><", "<r><", "/></r>"));
    }

    private static void refused(HttpBody type, String body, String message) {
        var error = assertThrows(IOException.class, () -> parse(type, body));
        assertTrue(error.getMessage().contains(message), error.getMessage());
    }
}
