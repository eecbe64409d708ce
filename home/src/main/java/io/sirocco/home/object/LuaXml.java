// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/**
 * Values of Lua as XML. The root element is {@code root} when written, any when read; its content
 * is the value.
 *
 * <table>
 * <caption>Conversion</caption>
 * <tr><td>element with text only</td><td>string</td></tr>
 * <tr><td>element with elements</td><td>table by their names; elements of one name become an array
 *     </td></tr>
 * <tr><td>attribute {@code a}</td><td>member {@code @a}; text beside attributes is the member
 *     {@code #text}</td></tr>
 * <tr><td>empty element</td><td>empty string; written for {@link LuaJson#NULL}</td></tr>
 * <tr><td>array at the top</td><td>elements {@code item}</td></tr>
 * </table>
 *
 * <p>Documents with a DOCTYPE are refused, so there are no entities of their own. A document may
 * have 100,000 elements, nested 64 deep, and names as {@link KeyLimits} allows. Any thread.
 */
final class LuaXml {
    private static final int MAX_ELEMENTS = 100_000;
    private static final XMLInputFactory IN = XMLInputFactory.newDefaultFactory();
    private static final XMLOutputFactory OUT = XMLOutputFactory.newDefaultFactory();

    static {
        IN.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        IN.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        IN.setProperty(XMLInputFactory.IS_COALESCING, true);
    }

    private LuaXml() {}

    /**
     * Parses a document; its own declaration tells the encoding.
     *
     * @throws XMLStreamException if it is none, has a DOCTYPE, or exceeds a limit
     */
    static LuaValue parse(byte[] document) throws XMLStreamException {
        XMLStreamReader in = IN.createXMLStreamReader(new ByteArrayInputStream(document));
        try {
            while (in.next() != XMLStreamReader.START_ELEMENT) {
                if (in.getEventType() == XMLStreamReader.DTD) {
                    throw new XMLStreamException("a DOCTYPE is not accepted");
                }
            }
            LuaValue value = new Reader(in).element(1);
            while (in.hasNext()) {
                in.next();
            }
            return value;
        } finally {
            in.close();
        }
    }

    /** Reads elements, and counts them. */
    private static final class Reader {
        private final XMLStreamReader in;
        private int elements;

        Reader(XMLStreamReader in) {
            this.in = in;
        }

        LuaValue element(int depth) throws XMLStreamException {
            if (depth > LuaJson.MAX_DEPTH) {
                throw new XMLStreamException("elements are nested too deep");
            }
            if (++elements > MAX_ELEMENTS) {
                throw new XMLStreamException("it has more than 100,000 elements");
            }
            Map<String, List<LuaValue>> members = new LinkedHashMap<>();
            var text = new StringBuilder();
            for (int i = 0; i < in.getAttributeCount(); i++) {
                add(
                        members,
                        "@" + in.getAttributeLocalName(i),
                        LuaText.of(in.getAttributeValue(i)));
            }
            while (in.next() != XMLStreamReader.END_ELEMENT) {
                if (in.getEventType() == XMLStreamReader.START_ELEMENT) {
                    String name = in.getLocalName();
                    add(members, name, element(depth + 1));
                } else if (in.isCharacters()) {
                    text.append(in.getText());
                }
            }
            if (members.isEmpty()) {
                return LuaText.of(text.toString());
            }
            if (!text.toString().isBlank()) {
                add(members, "#text", LuaText.of(text.toString().strip()));
            }
            return table(members);
        }

        private static void add(Map<String, List<LuaValue>> members, String name, LuaValue value) {
            members.computeIfAbsent(name, key -> new ArrayList<>(1)).add(value);
        }

        private static LuaTable table(Map<String, List<LuaValue>> members)
                throws XMLStreamException {
            Optional<String> problem = KeyLimits.problem(members.keySet());
            if (problem.isPresent()) {
                throw new XMLStreamException(problem.get());
            }
            var table = new LuaTable(0, members.size());
            members.forEach(
                    (name, values) ->
                            table.rawset(
                                    LuaText.of(name),
                                    values.size() == 1
                                            ? values.getFirst()
                                            : LuaValue.listOf(values.toArray(LuaValue[]::new))));
            return table;
        }
    }

    /**
     * Returns a document.
     *
     * @throws LuaError if a value has no form in XML, or a key is no name of an element
     */
    static byte[] write(LuaValue value) {
        LuaJson.allow(value);
        var text = new StringWriter();
        try {
            XMLStreamWriter out = OUT.createXMLStreamWriter(text);
            out.writeStartDocument("UTF-8", "1.0");
            write(out, "root", value, 0);
            out.writeEndDocument();
            out.close();
        } catch (XMLStreamException e) {
            throw new LuaError("no XML: " + e.getMessage());
        }
        return text.toString().getBytes(UTF_8);
    }

    private static void write(XMLStreamWriter out, String name, LuaValue value, int depth)
            throws XMLStreamException {
        if (depth > LuaJson.MAX_DEPTH) {
            throw new LuaError("a table that is nested too deep, or contains itself");
        }
        if (value instanceof LuaTable array && LuaJson.isArray(array) && depth > 0) {
            for (int i = 1; i <= array.rawlen(); i++) {
                write(out, name, array.rawget(i), depth + 1);
            }
            return;
        }
        out.writeStartElement(name(name));
        if (value instanceof LuaTable table) {
            members(out, table, depth);
        } else if (value != LuaJson.NULL && !value.isnil()) {
            out.writeCharacters(text(value));
        }
        out.writeEndElement();
    }

    private static void members(XMLStreamWriter out, LuaTable table, int depth)
            throws XMLStreamException {
        if (LuaJson.isArray(table)) {
            for (int i = 1; i <= table.rawlen(); i++) {
                write(out, "item", table.rawget(i), depth + 1);
            }
            return;
        }
        for (LuaValue key : LuaJson.keys(table)) {
            String name = LuaText.text(key);
            if (name.startsWith("@")) {
                out.writeAttribute(name(name.substring(1)), text(table.rawget(key)));
            }
        }
        for (LuaValue key : LuaJson.keys(table)) {
            String name = LuaText.text(key);
            if (name.equals("#text")) {
                out.writeCharacters(text(table.rawget(key)));
            } else if (!name.startsWith("@")) {
                write(out, name, table.rawget(key), depth + 1);
            }
        }
    }

    private static String text(LuaValue value) {
        if (!value.isstring() && !value.isboolean()) {
            throw new LuaError("a " + value.typename() + " has no form in XML");
        }
        String text = LuaText.text(value);
        if (!text.codePoints().allMatch(LuaXml::isChar)) {
            throw new LuaError("a string with a control character has no form in XML");
        }
        return text;
    }

    /** XML 1.0, 2.2. */
    private static boolean isChar(int c) {
        return c >= 0x20 && c != 0xfffe && c != 0xffff && (c < 0xd800 || c > 0xdfff)
                || c == '\t'
                || c == '\n'
                || c == '\r';
    }

    /** Returns a name without a colon, a subset of XML 1.0, 2.3. */
    private static String name(String name) {
        boolean valid =
                !name.isEmpty()
                        && (Character.isLetter(name.codePointAt(0)) || name.charAt(0) == '_')
                        && name.codePoints()
                                .allMatch(
                                        c -> Character.isLetterOrDigit(c) || "_-.".indexOf(c) >= 0);
        if (!valid) {
            throw new LuaError("\"" + name + "\" is no name of an element of XML");
        }
        return name;
    }
}
