// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.project;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An element of a file that XStream has written. An element {@code <clu reference="7"/>} stands for
 * the one that has {@code id="7"}: {@link #resolved} returns that one. Immutable once it is read.
 */
final class XmlElement {
    final String name;
    final String place;
    final int line;
    final Optional<String> reference;
    final List<XmlElement> children = new ArrayList<>(0);
    private final StringBuilder text = new StringBuilder(0);
    private XmlElement target = this;

    XmlElement(String name, String place, int line, Optional<String> reference) {
        this.name = name;
        this.place = place;
        this.line = line;
        this.reference = reference;
    }

    void append(String more) {
        text.append(more);
    }

    void refersTo(XmlElement other) {
        target = other;
    }

    XmlElement resolved() {
        return target;
    }

    String text() {
        return text.toString().strip();
    }

    /** Returns the first child of this name, resolved. */
    Optional<XmlElement> child(String wanted) {
        for (XmlElement child : children) {
            if (child.name.equals(wanted)) {
                return Optional.of(child.resolved());
            }
        }
        return Optional.empty();
    }

    /** Returns the text of the first child of this name, unless it is empty. */
    Optional<String> textOf(String wanted) {
        return child(wanted).map(XmlElement::text).filter(found -> !found.isEmpty());
    }

    XmlElement require(String wanted) throws ProjectException {
        return child(wanted).orElseThrow(() -> wrong("it has no <" + wanted + ">"));
    }

    String requireText(String wanted) throws ProjectException {
        return textOf(wanted).orElseThrow(() -> wrong("it has no <" + wanted + "> with text"));
    }

    ProjectException wrong(String what) {
        return new ProjectException(
                "%s, line %d, <%s>: %s; save the project in Object Manager again"
                        .formatted(place, line, name, what));
    }
}
