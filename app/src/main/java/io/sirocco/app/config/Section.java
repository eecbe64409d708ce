// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The options of one table with their values, in the order in which they were read, which is the
 * order of the manual. {@code sirocco check} prints it. Written by one thread, then not changed.
 *
 * @param title the name of the table in messages
 * @param inline whether it is written in braces
 * @param asked every option that the table can have
 * @param changed the options that the table itself sets to something else than their default
 */
record Section(
        String title,
        boolean inline,
        Map<String, Entry> entries,
        Set<String> asked,
        Set<String> changed) {

    /** The title of the table that has no header. */
    static final String TOP = "the top level";

    sealed interface Entry {}

    /** An option: as it is in TOML, and its value. */
    record Leaf(Node toml, Object value) implements Entry {}

    record Inner(Section section) implements Entry {}

    record Inners(List<Section> all) implements Entry {}

    Section(String title, boolean inline) {
        this(title, inline, new LinkedHashMap<>(), new LinkedHashSet<>(), new HashSet<>());
    }

    /** Returns the table in a phrase: {@code in [server]}, or {@code at the top level}. */
    String where() {
        return (title.equals(TOP) ? "at " : "in ") + title;
    }

    /**
     * Returns whether an option is set to something else than its default.
     *
     * @param path keys, and indexes of lists
     */
    boolean changes(Object... path) {
        Section table = this;
        for (int i = 0; i < path.length - 1; i++) {
            Entry entry = table.entries.get(path[i]);
            if (entry instanceof Inner(Section inner)) {
                table = inner;
            } else if (entry instanceof Inners(var all)) {
                table = all.get((Integer) path[++i]);
            } else {
                return false;
            }
        }
        return table.changed.contains(path[path.length - 1]);
    }
}
