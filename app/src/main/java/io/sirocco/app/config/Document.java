// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Node.Field;
import io.sirocco.app.config.Node.Fields;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The source of a configuration, and the values of all options. Immutable.
 *
 * @param fields the options of the file and the command line
 * @param section all options with their values
 * @param stamps of every file that was read, taken before reading it
 */
record Document(
        Source source,
        Fields fields,
        Section section,
        Map<Path, Stamp> stamps,
        List<Problem> warnings) {

    /** Returns the same with other values of the options, to be printed or compared. */
    Document with(Section section) {
        return new Document(source, fields, section, stamps, warnings);
    }

    /**
     * Returns the position of a value, or of its table if it is not set.
     *
     * @param path keys, and indexes of lists
     */
    SourcePosition position(Object... path) {
        Node node = fields;
        SourcePosition position = fields.position();
        for (Object step : path) {
            node = child(node, step);
            if (node == null) break;
            if (node.position().from() >= 0) position = node.position();
        }
        return position;
    }

    /**
     * Returns the value of an option of the file or the command line, or null if it is not set.
     *
     * @param path keys, and indexes of lists
     */
    Node node(Object... path) {
        Node node = fields;
        for (Object step : path) {
            node = child(node, step);
            if (node == null) return null;
        }
        return node;
    }

    private static Node child(Node node, Object step) {
        if (node instanceof Fields(var all, _)) {
            return all.get(step) instanceof Field(_, Node value) ? value : null;
        }
        boolean isItem =
                node instanceof Node.Items(var all, _)
                        && step instanceof Integer i
                        && i < all.size();
        return isItem ? ((Node.Items) node).all().get((Integer) step) : null;
    }
}
