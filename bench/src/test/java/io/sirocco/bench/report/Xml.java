// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Reads pages and plots as XML, which fails when they are not well-formed. */
final class Xml {
    private Xml() {}

    static Document parse(String text) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(text)));
    }

    static List<Element> elements(Document document, String tag) {
        var nodes = document.getElementsByTagName(tag);
        var elements = new ArrayList<Element>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    /** What a browser would fetch: attributes with addresses, and style sheets that name some. */
    static List<String> loads(Document document) {
        var loads = new ArrayList<String>();
        for (Element element : elements(document, "*")) {
            String tag = element.getTagName().toLowerCase(Locale.ROOT);
            for (String name :
                    new String[] {"src", "srcset", "href", "xlink:href", "data", "style"}) {
                String value = element.getAttribute(name);
                if (!value.isEmpty() && !(tag.equals("a") && value.startsWith("#"))) {
                    loads.add(tag + " " + name + "=" + value);
                }
            }
            if (tag.equals("style")) {
                String css = element.getTextContent();
                if (css.contains("url(") || css.contains("@import")) {
                    loads.add(css);
                }
            }
            if (List.of("script", "link", "iframe", "object").contains(tag)) {
                loads.add(tag);
            }
        }
        return loads;
    }
}
