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
import javax.xml.stream.Location;
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
 * <tr><td>prefix of a name, declaration of a namespace</td><td>left out; a prefix need not be
 *     declared</td></tr>
 * <tr><td>empty element</td><td>empty string; written for {@link LuaJson#NULL}</td></tr>
 * <tr><td>array at the top</td><td>elements {@code item}</td></tr>
 * </table>
 *
 * <p>Documents with a DOCTYPE are refused, so there are no entities of their own. A document may
 * have 100,000 elements, nested 64 deep, 200 attributes of an element, declarations of namespaces
 * among them, and names as {@link KeyLimits} allows. Any thread.
 */
final class LuaXml {
    private static final int MAX_ELEMENTS = 100_000;
    private static final XMLInputFactory IN = XMLInputFactory.newDefaultFactory();
    private static final XMLOutputFactory OUT = XMLOutputFactory.newDefaultFactory();

    static {
        IN.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        IN.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        IN.setProperty(XMLInputFactory.IS_COALESCING, true);
        // The parser would look up each prefix in the list of all declarations, and it limits the
        // attributes of an element, but not these.
        IN.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
    }

    /** A document that is XML, but is not accepted; the message is for its sender. */
    private static final class Refused extends XMLStreamException {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

    private LuaXml() {}

    /** Returns what is wrong with a document, for its sender: without the words of the parser. */
    static String problem(XMLStreamException e) {
        if (e instanceof Refused) {
            return e.getMessage();
        }
        Location at = e.getLocation();
        return at == null || at.getLineNumber() < 1
                ? "it is not well-formed, or not in the encoding that it declares"
                : "it is not well-formed, or exceeds a limit, at line "
                        + at.getLineNumber()
                        + ", column "
                        + at.getColumnNumber();
    }

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
                    throw new Refused("a DOCTYPE is not accepted");
                }
            }
            Reader.local(in.getLocalName());
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
                throw new Refused("elements are nested too deep");
            }
            if (++elements > MAX_ELEMENTS) {
                throw new Refused("it has more than 100,000 elements");
            }
            Map<String, List<LuaValue>> members = new LinkedHashMap<>();
            var text = new StringBuilder();
            for (int i = 0; i < in.getAttributeCount(); i++) {
                String prefix = in.getAttributePrefix(i);
                boolean prefixed = prefix != null && !prefix.isEmpty();
                String name = (prefixed ? prefix + ":" : "") + in.getAttributeLocalName(i);
                if (!name.equals("xmlns") && !name.startsWith("xmlns:")) {
                    add(members, "@" + local(name), LuaText.of(in.getAttributeValue(i)));
                }
            }
            while (in.next() != XMLStreamReader.END_ELEMENT) {
                if (in.getEventType() == XMLStreamReader.START_ELEMENT) {
                    String name = local(in.getLocalName());
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

        /** Returns a name without its prefix (Namespaces in XML 1.0, 4). */
        private static String local(String name) throws XMLStreamException {
            int colon = name.indexOf(':');
            if (colon >= 0
                    && (colon == 0
                            || colon == name.length() - 1
                            || name.indexOf(':', colon + 1) >= 0)) {
                throw new Refused("a name has a colon that does not end a prefix");
            }
            return name.substring(colon + 1);
        }

        private static void add(Map<String, List<LuaValue>> members, String name, LuaValue value) {
            members.computeIfAbsent(name, key -> new ArrayList<>(1)).add(value);
        }

        private static LuaTable table(Map<String, List<LuaValue>> members)
                throws XMLStreamException {
            Optional<String> problem = KeyLimits.problem(members.keySet());
            if (problem.isPresent()) {
                throw new Refused(problem.get());
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
            throw new LuaError("the value has no form in XML");
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
