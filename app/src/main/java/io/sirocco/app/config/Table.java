// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Node.Field;
import io.sirocco.app.config.Node.Fields;
import io.sirocco.app.config.Section.Inner;
import io.sirocco.app.config.Section.Inners;
import io.sirocco.app.config.Section.Leaf;
import io.sirocco.app.config.Values.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Reads the options of one table of the configuration, each with its default. A wrong value is
 * reported and replaced by the default, so that one run finds all mistakes. {@link #end} reports
 * the keys that were not read.
 *
 * <p>A table can inherit from others: a route inherits the options that it does not set from the
 * routes that cover it, and from its site. Used by one thread.
 */
final class Table {
    private static final Fields EMPTY = Fields.of(Source.commandLine("").nowhere(), Map.of());

    private final List<Fields> chain;
    private final Reading reading;
    private final Section section;

    private Table(List<Fields> chain, Reading reading, Section section) {
        this.chain = chain;
        this.reading = reading;
        this.section = section;
    }

    /** Creates the table for the top level of a file. */
    Table(Fields own, Reading reading) {
        this(List.of(own), reading, new Section(Section.TOP, false));
    }

    /** Returns this table, inheriting from others, the nearest first. */
    Table before(List<Table> others) {
        var all = new ArrayList<Fields>(chain);
        others.forEach(other -> all.addAll(other.chain));
        return new Table(List.copyOf(all), reading, section);
    }

    Section section() {
        return section;
    }

    Path folder() {
        return reading.folder();
    }

    // --- what is set

    /** Returns whether this table sets an option itself. */
    boolean sets(String key) {
        return chain.getFirst().all().containsKey(key);
    }

    /** Returns whether an option that can be a value or a table is a table. */
    boolean isTable(String key) {
        return find(key) instanceof Field(_, Fields _);
    }

    /** Returns where the table begins. */
    SourcePosition position() {
        return chain.getFirst().position();
    }

    /** Returns the position of the value of an option, or of the table if it is not set. */
    SourcePosition position(String key) {
        Field field = find(key);
        return field == null ? position() : field.value().position();
    }

    /** Returns the position of an item of a list. */
    SourcePosition position(String key, int index) {
        return find(key) instanceof Field(_, Node.Items(List<Node> items, _))
                ? items.get(index).position()
                : position(key);
    }

    /** Returns whether an option is a list without items. */
    boolean isEmptyList(String key) {
        return find(key) instanceof Field(_, Node.Items(List<Node> items, _)) && items.isEmpty();
    }

    /** Returns the value of an option before it is checked, if it is a string. */
    Optional<String> peek(String key) {
        return chain.getFirst().all().get(key) instanceof Field(_, Node.Text(String text, _))
                ? Optional.of(text)
                : Optional.empty();
    }

    private Field find(String key) {
        section.asked().add(key);
        for (Fields fields : chain) {
            Field field = fields.all().get(key);
            if (field != null) return field;
        }
        return null;
    }

    // --- problems

    void error(String key, String message, String hint) {
        reading.report().error(position(key), message, hint);
    }

    /** Reports an error of an item of a list. */
    void error(String key, int index, String message, String hint) {
        reading.report().error(position(key, index), message, hint);
    }

    void warning(String key, String message, String hint) {
        reading.report().warning(position(key), message, hint);
    }

    /**
     * Warns of options that have no effect, if they are set to something else than their default.
     *
     * @param hint what they need
     */
    void idle(String hint, String... keys) {
        for (String key : keys) {
            if (section.changed().contains(key)) {
                warning(key, Escapes.quoted(key) + " has no effect", hint);
            }
        }
    }

    private void invalid(String key, Node node, ConfigError why) {
        reading.report().error(why.positionOr(node.position()), why.about(key), why.hint());
        for (Throwable further : why.getSuppressed()) invalid(key, node, (ConfigError) further);
    }

    // --- values

    /** Reads an option that has a default. */
    <T> T value(String key, Node otherwise, Reader<T> reader) {
        Field field = find(key);
        try {
            if (field != null) {
                T value = reader.read(field.value());
                if (sets(key) && !value.equals(usual(otherwise, reader))) {
                    section.changed().add(key);
                }
                return shown(key, field.value(), value);
            }
        } catch (ConfigError why) {
            invalid(key, field.value(), why);
        }
        try {
            T value = reader.read(otherwise);
            return isRoute() ? value : shown(key, otherwise, value);
        } catch (ConfigError impossible) {
            throw new AssertionError("the default of " + key, impossible);
        }
    }

    /** Returns a default, or null if it only stands for a value that must be set. */
    private static <T> T usual(Node otherwise, Reader<T> reader) {
        try {
            return reader.read(otherwise);
        } catch (ConfigError none) {
            return null;
        }
    }

    /** Reads an option that has no value unless it is set. */
    <T> Optional<T> value(String key, Reader<T> reader) {
        Field field = find(key);
        if (field == null) return Optional.empty();
        if (sets(key)) section.changed().add(key);
        try {
            return Optional.of(shown(key, field.value(), reader.read(field.value())));
        } catch (ConfigError why) {
            invalid(key, field.value(), why);
            return Optional.empty();
        }
    }

    /**
     * Reads an option that must be set.
     *
     * @param instead a valid value to go on with after the error
     * @param example shown in the error
     */
    <T> T needed(String key, Node instead, String example, Reader<T> reader) {
        if (find(key) != null) return value(key, instead, reader);
        error(key, section.title() + " needs " + Escapes.quoted(key), "for example: " + example);
        return value(key, instead, reader);
    }

    private <T> T shown(String key, Node given, T value) {
        if (isRoute() && !sets(key)) return value;
        section.entries().put(key, new Leaf(printed(given, value), value));
        return value;
    }

    /** Prints paths as absolute ones, so that the result is valid in any folder. */
    private static Node printed(Node given, Object value) {
        if (value instanceof Optional<?> perhaps && perhaps.isPresent()) {
            return printed(given, perhaps.get());
        }
        boolean isFile =
                value instanceof Path
                        || value instanceof Address.Unix
                        || value instanceof LogFile.Named;
        return isFile ? Node.of(value.toString()) : given;
    }

    private boolean isRoute() {
        return chain.size() > 1;
    }

    // --- by type

    boolean flag(String key, boolean otherwise) {
        return value(key, Node.of(otherwise), Values::flag);
    }

    int whole(String key, int otherwise, int least, int most) {
        return value(key, Node.of(otherwise), Values.whole(least, most)).intValue();
    }

    /** Reads a size in bytes. */
    long size(String key, String otherwise, long least, long most) {
        boolean plain = Character.isDigit(otherwise.charAt(otherwise.length() - 1));
        Node usual = plain ? Node.of(Long.parseLong(otherwise)) : Node.of(otherwise);
        return value(key, usual, Values.size(least, most));
    }

    /** Reads a duration, which may be zero. */
    Duration time(String key, String otherwise) {
        return time(key, otherwise, Duration.ZERO);
    }

    Duration time(String key, String otherwise, Duration least) {
        return value(key, Node.of(otherwise), Values.time(least));
    }

    Duration timeOrNone(String key, String otherwise, Duration least) {
        return value(key, Node.of(otherwise), Values.timeOrNone(least));
    }

    String text(String key, String otherwise, Texts.Words<String> check) {
        return value(key, Node.of(otherwise), Values.text(check));
    }

    <E extends Enum<E>> E choice(String key, E otherwise) {
        var type = otherwise.getDeclaringClass();
        return value(key, Node.of(Values.label(otherwise)), Values.oneOf(type));
    }

    /** Reads a list without duplicates. */
    <T> List<T> list(String key, List<String> otherwise, Reader<T> reader) {
        return value(key, Node.of(otherwise), Values.list(reader));
    }

    // --- files

    /** Reads the path of a file that must exist; the file is watched. */
    Optional<Path> file(String key) {
        Optional<Path> file = value(key, Values.text(name -> Paths.file(key, name, folder())));
        file.ifPresent(reading::watch);
        return file;
    }

    /**
     * Reads the path of a file that the server creates if it is missing; a file that exists is
     * watched.
     */
    Optional<Path> newFile(String key) {
        Optional<Path> file =
                value(
                        key,
                        Values.text(
                                name ->
                                        Files.exists(Paths.resolved(name, folder()))
                                                ? Paths.file(name, folder())
                                                : Paths.output(name, folder())));
        file.filter(Files::exists).ifPresent(reading::watch);
        return file;
    }

    /** Reads the path of a directory that must exist. */
    Optional<Path> directory(String key) {
        return value(key, Values.text(name -> Paths.directory(name, folder())));
    }

    // --- inner tables

    /** Reads {@code [key]}; it is empty if the file does not have it. */
    Table table(String key, String title) {
        Field field = find(key);
        Fields fields = EMPTY;
        if (field != null && field.value() instanceof Fields given) {
            fields = given;
        } else if (field != null) {
            boolean list = field.value() instanceof Node.Items;
            String hint = list ? "only one is allowed: write " + title : "write " + title;
            error(key, Escapes.quoted(key) + " must be a table, not " + field.value().kind(), hint);
        }
        return child(fields, key, new Section(title, false));
    }

    /** Reads any number of {@code [[key]]}. */
    List<Table> tables(String key, String title) {
        var tables = new ArrayList<Table>();
        for (Node node : nodes(key, "a list of tables", "write " + title)) {
            if (node instanceof Fields fields) {
                var one = new Section(title, false);
                tables.add(new Table(List.of(fields), reading, one));
            }
        }
        List<Section> sections = tables.stream().map(Table::section).toList();
        section.entries().put(key, new Inners(sections));
        return tables;
    }

    /** Reads {@code key = [{...}, {...}]}. */
    <T> List<T> inlines(String key, Function<Table, T> read) {
        var sections = new ArrayList<Section>();
        var values = new ArrayList<T>();
        for (Node node : nodes(key, "a list of inline tables", "write " + key + " = [{ ... }]")) {
            if (node instanceof Fields fields) {
                var table = new Table(List.of(fields), reading, new Section(key, true));
                values.add(read.apply(table));
                table.end();
                sections.add(table.section);
            }
        }
        if (sets(key)) {
            section.entries()
                    .put(
                            key,
                            sections.isEmpty()
                                    ? new Leaf(Node.of(List.of()), List.of())
                                    : new Inners(sections));
            if (!values.isEmpty()) section.changed().add(key);
        }
        return List.copyOf(values);
    }

    /**
     * Reads {@code key = ["a", {...}]}; a string stands for a table with only the key {@code text}.
     */
    <T> List<T> inlinesOrTexts(String key, String text, Function<Table, T> read) {
        Field field = find(key);
        if (field == null) return List.of();
        if (!(field.value() instanceof Node.Items(List<Node> items, _))) {
            boolean plain = field.value() instanceof Node.Text;
            error(
                    key,
                    Escapes.quoted(key) + " must be a list, not " + field.value().kind(),
                    plain ? "write [" + TomlText.value(field.value()) + "]" : "");
            return List.of();
        }
        var sections = new ArrayList<Section>();
        var values = new ArrayList<T>();
        for (Node item : items) {
            Fields fields = item instanceof Fields given ? given : only(text, item);
            var table = new Table(List.of(fields), reading, new Section(key, true));
            values.add(read.apply(table));
            table.end();
            sections.add(table.section);
        }
        section.entries()
                .put(
                        key,
                        sections.isEmpty()
                                ? new Leaf(Node.of(List.of()), List.of())
                                : new Inners(sections));
        return List.copyOf(values);
    }

    private static Fields only(String key, Node value) {
        return Fields.of(value.position(), Map.of(key, value));
    }

    private List<Node> nodes(String key, String what, String write) {
        String hint = write;
        Field field = find(key);
        if (field == null) return List.of();
        if (field.value() instanceof Node.Items(List<Node> items, _)
                && items.stream().allMatch(Fields.class::isInstance)) {
            return items;
        }
        String found = field.value() instanceof Fields ? "one table" : field.value().kind();
        if (field.value() instanceof Fields) {
            if (field.key().isParentInHeader()) hint += " above it"; // [[site.route]], for one
        } else if (section.title().equals(Section.TOP)) {
            String other = Options.elsewhere(key, section);
            if (!other.isEmpty()) hint = other + "; as a table of its own, " + write;
        }
        reading.report()
                .error(
                        field.key(),
                        Escapes.quoted(key) + " must be " + what + ", not " + found,
                        hint);
        return List.of();
    }

    /** Reads {@code key = {...}}; {@code false} cancels an inherited one. */
    <T> Optional<T> inline(String key, Function<Table, T> read) {
        Field field = find(key);
        if (field == null) return Optional.empty();
        switch (field.value()) {
            case Fields fields -> {
                var own = new Section(key, true);
                Table table =
                        isRoute() && !sets(key)
                                ? new Table(List.of(fields), reading, own)
                                : child(fields, key, own);
                T value = read.apply(table);
                table.end();
                return Optional.of(value);
            }
            case Node.Flag(boolean on, _) when !on -> shown(key, field.value(), false);
            case Node other ->
                    error(
                            key,
                            Escapes.quoted(key) + " must be a table, not " + other.kind(),
                            "write " + key + " = { ... }, or false to disable it");
        }
        return Optional.empty();
    }

    /**
     * Reads {@code key = "a"} as {@code key = { text = "a" }}, and otherwise as {@link #inline}.
     */
    <T> Optional<T> inlineOrText(String key, String text, Function<Table, T> read) {
        if (!(find(key) instanceof Field(_, Node.Text value))) return inline(key, read);
        Table table = child(only(text, value), key, new Section(key, true));
        T all = read.apply(table);
        table.end();
        return Optional.of(all);
    }

    /** Reads {@code key = true} as {@code key = {}}, and otherwise as {@link #inlineOrText}. */
    <T> Optional<T> inlineTextOrTrue(String key, String text, Function<Table, T> read) {
        if (!(find(key) instanceof Field(_, Node.Flag(boolean on, _))) || !on) {
            return inlineOrText(key, text, read);
        }
        Table table = child(Fields.of(position(key), Map.of()), key, new Section(key, true));
        T all = read.apply(table);
        table.end();
        return Optional.of(all);
    }

    private Table child(Fields fields, String key, Section own) {
        section.entries().put(key, new Inner(own));
        return new Table(List.of(fields), reading, own);
    }

    /** Reads a table with arbitrary keys; inherited entries come first. */
    Map<String, String> map(String key, boolean inline, Entry check) {
        find(key);
        var all = new LinkedHashMap<String, String>();
        for (Fields fields : chain.reversed()) {
            Field field = fields.all().get(key);
            if (field == null) continue;
            if (field.value() instanceof Fields(var given, _)) {
                given.forEach((name, value) -> put(all, name, value, check));
            } else {
                error(
                        key,
                        Escapes.quoted(key) + " must be a table",
                        "write " + key + " = { name = \"value\" }");
            }
        }
        if (sets(key) && chain.getFirst().all().get(key).value() instanceof Fields(var given, _)) {
            var own = new Section(key, inline);
            given.forEach((name, value) -> own.entries().put(name, leaf(value)));
            if (!given.isEmpty()) section.changed().add(key);
            section.entries().put(key, new Inner(own));
        }
        return Collections.unmodifiableMap(all);
    }

    /** Reads a table with arbitrary keys, written in braces, which is not inherited. */
    <T> Map<String, T> entries(String key, BiFunction<String, Node, T> read) {
        Field field = find(key);
        if (field == null) return Map.of();
        if (!(field.value() instanceof Fields(var given, _))) {
            error(
                    key,
                    Escapes.quoted(key) + " must be a table, not " + field.value().kind(),
                    "write " + key + " = { name = \"value\" }");
            return Map.of();
        }
        var all = new LinkedHashMap<String, T>();
        var own = new Section(key, true);
        given.forEach(
                (name, value) -> {
                    try {
                        all.put(name, read.apply(name, value.value()));
                        own.entries().put(name, new Leaf(value.value(), all.get(name)));
                    } catch (ConfigError why) {
                        invalid(name, value.value(), why);
                    }
                });
        section.entries().put(key, new Inner(own));
        return Collections.unmodifiableMap(all);
    }

    /** Checks one entry of a map. */
    interface Entry {
        void check(String name, String value);
    }

    private static Leaf leaf(Field field) {
        return new Leaf(field.value(), field.value() instanceof Node.Text(var text, _) ? text : "");
    }

    private void put(Map<String, String> all, String name, Field field, Entry check) {
        try {
            String value = Values.text(field.value());
            check.check(name, value);
            all.keySet().removeIf(name::equalsIgnoreCase);
            all.put(name, value);
        } catch (ConfigError why) {
            invalid(name, field.value(), why);
        }
    }

    // --- the end

    /** Reports the keys that were not read. */
    void end() {
        chain.getFirst()
                .all()
                .forEach(
                        (key, field) -> {
                            if (!section.asked().contains(key)) unknown(key, field);
                        });
    }

    private void unknown(String key, Field field) {
        String message = "unknown key " + Escapes.quoted(key) + " " + section.where();
        String hint = reading.report().isFull() ? "" : hint(key); // one that nobody would see
        reading.report().error(field.key(), message, hint);
    }

    private String hint(String key) {
        String renamed = RenamedKeys.hint(key, section.title());
        if (!renamed.isEmpty()) return renamed;
        String elsewhere = Options.elsewhere(key, section);
        return elsewhere.isEmpty() ? Nearest.hint(key, section.asked()) : elsewhere;
    }
}
