// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

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

    /** Returns an inner table. */
    Section inner(String key) {
        return ((Inner) entries.get(key)).section();
    }

    /** Returns a copy with some inner tables of another section. */
    Section with(Section other, List<String> keys) {
        var all = new LinkedHashMap<>(entries);
        keys.forEach(key -> all.put(key, other.entries.get(key)));
        return new Section(title, inline, all, asked, changed);
    }

    /** Returns the keys that have another value, or are set on one side only, in order. */
    Set<String> differing(Section other) {
        var keys = new LinkedHashSet<>(entries.keySet());
        keys.addAll(other.entries.keySet());
        keys.removeIf(key -> same(entries.get(key), other.entries.get(key)));
        return keys;
    }

    private static boolean same(Entry a, Entry b) {
        return switch (a) {
            case Leaf(_, Object value) -> b instanceof Leaf(_, Object other) && value.equals(other);
            case Inner(Section one) ->
                    b instanceof Inner(Section other) && one.differing(other).isEmpty();
            case Inners(List<Section> all) ->
                    b instanceof Inners(List<Section> others)
                            && all.size() == others.size()
                            && IntStream.range(0, all.size())
                                    .allMatch(i -> all.get(i).differing(others.get(i)).isEmpty());
            case null -> b == null;
        };
    }

    /** Returns a copy whose secrets are hidden as in errors. */
    Section withoutSecrets() {
        var all = new LinkedHashMap<String, Entry>();
        entries.forEach((key, entry) -> all.put(key, withoutSecrets(key, entry)));
        return new Section(title, inline, all, asked, changed);
    }

    private static Entry withoutSecrets(String key, Entry entry) {
        return switch (entry) {
            case Leaf(Node.Text(String text, _), _) when !Secrets.ofValue(key, text).equals(text) ->
                    text(Secrets.ofValue(key, text));
            case Leaf(Node.Items(var items, _), _) -> withoutSecrets(key, items, entry);
            case Leaf leaf -> leaf;
            case Inner(Section section) -> new Inner(section.withoutSecrets());
            case Inners(List<Section> all) ->
                    new Inners(all.stream().map(Section::withoutSecrets).toList());
        };
    }

    private static Entry withoutSecrets(String key, List<Node> items, Entry entry) {
        List<String> shown = new ArrayList<>();
        boolean hidden = false;
        for (Node item : items) {
            if (!(item instanceof Node.Text(String text, _))) return entry;
            shown.add(Secrets.ofValue(key, text));
            hidden |= !shown.getLast().equals(text);
        }
        return hidden ? new Leaf(Node.of(shown), shown) : entry;
    }

    private static Leaf text(String text) {
        return new Leaf(Node.of(text), text);
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
