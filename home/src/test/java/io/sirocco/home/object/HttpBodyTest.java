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

    @Test
    void prefixesAreLeftOut() throws Exception {
        LuaValue value =
                parse(
                        HttpBody.XML,
                        "<p:r xmlns='d' xmlns:p='u'><p:a p:x='1' y='2'/><b xmlns:q='v' q:x='3'"
                                + " xml:lang='pl'><q:c>4</q:c></b><p:d xmlns:p='w'>5</p:d></p:r>");
        assertEquals(
                "1 2 3 pl 4 5 nil",
                lua(
                        value,
                        "table.concat({v.a['@x'], v.a['@y'], v.b['@x'], v.b['@lang'], v.b.c, v.d,"
                                + " tostring(v['@xmlns'] or v['@p'] or v.b['@q'])}, ' ')"));
    }

    /** Took half a minute: the parser looks a prefix up among all that are declared. */
    @Test
    void manyNamespacesAreRefused() {
        String declarations =
                IntStream.range(0, 201)
                        .mapToObj("xmlns:a%d='u'"::formatted)
                        .collect(Collectors.joining(" "));
        refused(HttpBody.XML, "<r " + declarations + "/>", "exceeds a limit");
    }

    /** A client learns what is wrong and where, in words that do not depend on the parsers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
            JSON | {"a":~  x}        | its syntax is wrong, at line 2, column 3
            JSON | {"a":1            | its syntax is wrong, at line 1, column 7
            JSON | {"a" 1}           | its syntax is wrong, at line 1, column 6
            XML  | <r>~ <a></r>      | it is not well-formed, or exceeds a limit, at line 2, column 7
            XML  | <r>&undeclared;</r> | it is not well-formed, or exceeds a limit, at line 1, column 16
            XML  | <a:b:c/>          | a name has a colon that does not end a prefix
            XML  | <r><:a/></r>      | a name has a colon that does not end a prefix
            XML  | <r><a:/></r>      | a name has a colon that does not end a prefix
            XML  | <r a:b:c='1'/>    | it is not well-formed, or exceeds a limit, at line 1, column 7
            XML  | <r a:='1'/>       | it is not well-formed, or exceeds a limit, at line 1, column 6
            XML  | <!DOCTYPE r><r/>  | a DOCTYPE is not accepted
            """)
    void problemsHaveOurOwnWords(HttpBody type, String body, String problem) {
        var error = assertThrows(IOException.class, () -> parse(type, body.replace("~", "\n")));
        assertEquals(
                "the body is not " + type + " that is accepted: " + problem, error.getMessage());
    }

    @Test
    void limitsOfTheParsersHaveOurOwnWords() {
        for (String body :
                List.of(
                        "[".repeat(100_000),
                        "9".repeat(1_001),
                        "{\"" + "x".repeat(60_000) + "\":1}")) {
            refused(HttpBody.JSON, body, "accepted: it exceeds a limit: 64 levels");
        }
        String attributes =
                IntStream.range(0, 300)
                        .mapToObj("a%d=''"::formatted)
                        .collect(Collectors.joining(" "));
        refused(HttpBody.XML, "<r " + attributes + "/>", "or exceeds a limit, at line 1");
        for (byte[] bytes : new byte[][] {{'<', (byte) 0xff, '>'}, {0, 0, 0}}) {
            var error =
                    assertThrows(
                            IOException.class, () -> HttpBody.XML.parse(bytes, Optional.empty()));
            assertTrue(error.getMessage().contains("it is not well-formed"), error.getMessage());
        }
    }

    /** Infinity would be a value that no JSON can carry on. */
    @ParameterizedTest
    @ValueSource(strings = {"1e400", "-1e400", "[{\"a\":1e400}]", "9", "[-9]"})
    void numbersBeyondADoubleAreRefused(String json) {
        refused(HttpBody.JSON, json.replace("9", "9".repeat(400)), "a number beyond 1.7e308");
    }

    @Test
    void largeIntegersBecomeDoubles() throws Exception {
        LuaValue value = parse(HttpBody.JSON, "1" + "0".repeat(300));
        assertEquals(1e300, value.todouble());
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
        refused(HttpBody.JSON, "[" + "[],".repeat(150_000) + "1]", "200,000 tokens");
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
