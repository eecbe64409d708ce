// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Node.Field;
import io.sirocco.app.config.Node.Fields;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a configuration was read from, and what it came to. Immutable.
 *
 * @param fields what was given, by the file and the command line
 * @param section what all options came to
 * @param stamps of every file that it was made of, from before it was read
 */
record Document(
        Source source,
        Fields fields,
        Section section,
        Map<Path, Stamp> stamps,
        List<Problem> warnings) {

    /**
     * Where a value stands, or the table that it is not in.
     *
     * @param path keys, and numbers for places in lists
     */
    Place place(Object... path) {
        Node node = fields;
        Place place = fields.place();
        for (Object step : path) {
            node = child(node, step);
            if (node == null) break;
            if (node.place().from() >= 0) place = node.place();
        }
        return place;
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
