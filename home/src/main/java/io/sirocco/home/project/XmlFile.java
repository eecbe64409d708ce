// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads a file that XStream has written. It refuses a document type, and thereby all entities that
 * a file declares, more than 1,000,000 elements and a depth of more than 2,000. Used by one thread.
 */
final class XmlFile {
    private static final int MAX_ELEMENTS = 1_000_000;
    private static final int MAX_DEPTH = 2_000;

    private final String place;
    private final Deque<XmlElement> open = new ArrayDeque<>();
    private final Map<String, XmlElement> byId = new HashMap<>();
    private final List<XmlElement> references = new ArrayList<>();
    private int elements;
    private XmlElement root;

    private XmlFile(String place) {
        this.place = place;
    }

    /** Returns the root of the document, with its references resolved. */
    static XmlElement read(ProjectArchive archive, String entry) throws ProjectException {
        var file = new XmlFile(archive.place(entry));
        try (InputStream in = archive.read(entry)) {
            file.read(in);
            return file.root;
        } catch (XMLStreamException e) {
            if (e.getNestedException() instanceof ProjectException refused) {
                throw refused;
            }
            throw file.refused("it is no XML: " + e.getMessage().replace('\n', ' '));
        } catch (ProjectException e) {
            throw e;
        } catch (IOException e) {
            throw file.refused("it is damaged: " + e.getMessage());
        }
    }

    private ProjectException refused(String what) {
        return new ProjectException(
                place + ": " + what + "; save the project in Object Manager again");
    }

    private void read(InputStream in) throws XMLStreamException, ProjectException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty("jdk.xml.maxElementDepth", "0"); // its 100 are too few for XStream
        XMLStreamReader reader = factory.createXMLStreamReader(in);
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> begin(reader);
                case XMLStreamConstants.END_ELEMENT -> open.pop();
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> text(reader);
                case XMLStreamConstants.DTD -> throw refused("it has a document type");
                default -> {} // comments, blanks
            }
        }
        for (XmlElement reference : references) {
            XmlElement target = byId.get(reference.reference.orElseThrow());
            if (target == null) {
                throw reference.wrong("no element has the id that its reference names");
            }
            reference.refersTo(target);
        }
    }

    private void begin(XMLStreamReader reader) throws ProjectException {
        var element =
                new XmlElement(
                        reader.getLocalName(),
                        place,
                        reader.getLocation().getLineNumber(),
                        Optional.ofNullable(reader.getAttributeValue(null, "reference")));
        if (++elements > MAX_ELEMENTS || open.size() == MAX_DEPTH) {
            throw refused("it has more than 1,000,000 elements, or more than 2,000 in each other");
        }
        String id = reader.getAttributeValue(null, "id");
        if (element.reference.isPresent()) {
            references.add(element);
        } else if (id != null && byId.putIfAbsent(id, element) != null) {
            throw element.wrong("its id " + id + " is that of another element");
        }
        if (open.isEmpty()) {
            root = element;
        } else {
            open.peek().children.add(element);
        }
        open.push(element);
    }

    /** The text between the children of an element is layout. */
    private void text(XMLStreamReader reader) {
        if (!open.isEmpty() && open.peek().children.isEmpty() && !reader.isWhiteSpace()) {
            open.peek().append(reader.getText());
        }
    }
}
