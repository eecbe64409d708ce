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
import java.util.function.Function;

/**
 * Reads the options of one table, one after the other, each with the value that it has when it is
 * left out. A value that does not fit goes into the report, and the usual one takes its place, so
 * that one run finds all mistakes. {@link #end} reports the keys that nobody has asked for.
 *
 * <p>A table may have others behind it, which answer for what it does not set: those of a route are
 * the routes that cover it, and its site. Used by one thread.
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

    /** The top level of a file. */
    Table(Fields own, Reading reading) {
        this(List.of(own), reading, new Section("the top level", false));
    }

    /** The same table with others behind it, the nearest first. */
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

    /** Whether this table itself sets an option. */
    boolean sets(String key) {
        return chain.getFirst().all().containsKey(key);
    }

    /** Whether an option that may be a value is given as a table. */
    boolean isTable(String key) {
        return find(key) instanceof Field(_, Fields _);
    }

    /** Where the table begins. */
    Place place() {
        return chain.getFirst().place();
    }

    /** Where the value of an option stands, or the table when it is left out. */
    Place place(String key) {
        Field field = find(key);
        return field == null ? place() : field.value().place();
    }

    /** Where one item of a list stands. */
    Place place(String key, int index) {
        return find(key) instanceof Field(_, Node.Items(List<Node> items, _))
                ? items.get(index).place()
                : place(key);
    }

    /** What an option says, if it is a text, before it is checked. */
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
        reading.report().error(place(key), message, hint);
    }

    void warning(String key, String message, String hint) {
        reading.report().warning(place(key), message, hint);
    }

    private void unfit(String key, Node node, Unfit why) {
        String message = Escapes.quoted(key) + " " + why.getMessage();
        reading.report().error(why.placeOr(node.place()), message, why.hint());
        for (Throwable further : why.getSuppressed()) unfit(key, node, (Unfit) further);
    }

    // --- values

    /** An option that has a value in any case. */
    <T> T value(String key, Node otherwise, Reader<T> reader) {
        Field field = find(key);
        try {
            if (field != null) return shown(key, field.value(), reader.read(field.value()));
        } catch (Unfit why) {
            unfit(key, field.value(), why);
        }
        try {
            T value = reader.read(otherwise);
            return isRoute() ? value : shown(key, otherwise, value);
        } catch (Unfit impossible) {
            throw new AssertionError("the usual value of " + key, impossible);
        }
    }

    /** An option that has a value only if it is set. */
    <T> Optional<T> value(String key, Reader<T> reader) {
        Field field = find(key);
        if (field == null) return Optional.empty();
        try {
            return Optional.of(shown(key, field.value(), reader.read(field.value())));
        } catch (Unfit why) {
            unfit(key, field.value(), why);
            return Optional.empty();
        }
    }

    /**
     * An option that must be set; the value in its place is never used.
     *
     * @param example how it may be set
     */
    <T> T needed(String key, Node instead, String example, Reader<T> reader) {
        if (find(key) != null) return value(key, instead, reader);
        error(key, section.title() + " needs " + Escapes.quoted(key), "for example " + example);
        return value(key, instead, reader);
    }

    private <T> T shown(String key, Node given, T value) {
        if (isRoute() && !sets(key)) return value;
        section.entries().put(key, new Leaf(printed(given, value), value));
        return value;
    }

    /** Files in full, so that what is printed holds in any folder; all else as it was given. */
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

    // --- the usual kinds of them

    boolean flag(String key, boolean otherwise) {
        return value(key, Node.of(otherwise), Values::flag);
    }

    int whole(String key, int otherwise, int least, int most) {
        return value(key, Node.of(otherwise), Values.whole(least, most)).intValue();
    }

    /** Bytes. */
    long size(String key, String otherwise, long least, long most) {
        boolean plain = otherwise.matches("\\d+");
        Node usual = plain ? Node.of(Long.parseLong(otherwise)) : Node.of(otherwise);
        return value(key, usual, Values.size(least, most));
    }

    /** A time that may be zero. */
    Duration time(String key, String otherwise) {
        return time(key, otherwise, Duration.ZERO);
    }

    Duration time(String key, String otherwise, Duration least) {
        return value(key, Node.of(otherwise), Values.time(least));
    }

    String text(String key, String otherwise, Texts.Words<String> check) {
        return value(key, Node.of(otherwise), Values.text(check));
    }

    <E extends Enum<E>> E choice(String key, E otherwise) {
        var type = otherwise.getDeclaringClass();
        return value(key, Node.of(Values.label(otherwise)), Values.oneOf(type));
    }

    /** A list in which nothing stands twice. */
    <T> List<T> list(String key, List<String> otherwise, Reader<T> reader) {
        return value(key, Node.of(otherwise), Values.list(reader));
    }

    // --- files

    /** A file that must be there; it is watched. */
    Optional<Path> file(String key) {
        Optional<Path> file = value(key, Values.text(name -> Paths.file(name, folder())));
        file.ifPresent(reading::watch);
        return file;
    }

    /** A file that the server makes if it is missing; it is watched if it is there. */
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

    /** A directory that must be there. */
    Optional<Path> directory(String key) {
        return value(key, Values.text(name -> Paths.directory(name, folder())));
    }

    // --- tables in it

    /** {@code [key]}; an empty one when it is left out. */
    Table table(String key, String title) {
        Field field = find(key);
        Fields fields = EMPTY;
        if (field != null && field.value() instanceof Fields given) {
            fields = given;
        } else if (field != null) {
            boolean list = field.value() instanceof Node.Items;
            String hint = list ? "there is only one: write " + title : "write " + title;
            error(key, Escapes.quoted(key) + " must be a table, not " + field.value().kind(), hint);
        }
        return child(fields, key, new Section(title, false));
    }

    /** {@code [[key]]}, any number of them. */
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

    /** {@code key = [{...}, {...}]}. */
    <T> List<T> inlines(String key, Function<Table, T> read) {
        var sections = new ArrayList<Section>();
        var values = new ArrayList<T>();
        for (Node node : nodes(key, "a list of tables in braces", "")) {
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
        }
        return List.copyOf(values);
    }

    private List<Node> nodes(String key, String what, String hint) {
        Field field = find(key);
        if (field == null) return List.of();
        if (field.value() instanceof Node.Items(List<Node> items, _)
                && items.stream().allMatch(Fields.class::isInstance)) {
            return items;
        }
        String found = field.value() instanceof Fields ? "one table" : field.value().kind();
        reading.report()
                .error(
                        field.key(),
                        Escapes.quoted(key) + " must be " + what + ", not " + found,
                        hint);
        return List.of();
    }

    /** {@code key = {...}}; {@code false} lifts what the tables behind this one say. */
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
                            "write " + key + " = { ... }, or false for none");
        }
        return Optional.empty();
    }

    private Table child(Fields fields, String key, Section own) {
        section.entries().put(key, new Inner(own));
        return new Table(List.of(fields), reading, own);
    }

    /** A table whose keys are the operator's; those of the tables behind it come first. */
    Map<String, String> map(String key, boolean inline, Entry check) {
        find(key);
        var all = new LinkedHashMap<String, String>();
        for (Fields fields : chain.reversed()) {
            Field field = fields.all().get(key);
            if (field == null) continue;
            if (field.value() instanceof Fields(var given, _)) {
                given.forEach((name, value) -> put(all, name, value, check));
            } else {
                error(key, Escapes.quoted(key) + " must be a table", "write { name = \"value\" }");
            }
        }
        if (sets(key) && chain.getFirst().all().get(key).value() instanceof Fields(var given, _)) {
            var own = new Section(key, inline);
            given.forEach((name, value) -> own.entries().put(name, leaf(value)));
            section.entries().put(key, new Inner(own));
        }
        return Collections.unmodifiableMap(all);
    }

    /** Checks one entry of a map. */
    interface Entry {
        void check(String name, String value) throws Unfit;
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
        } catch (Unfit why) {
            unfit(name, field.value(), why);
        }
    }

    // --- the end

    /** Reports what nobody has asked for. */
    void end() {
        chain.getFirst()
                .all()
                .forEach(
                        (key, field) -> {
                            if (!section.asked().contains(key)) unknown(key, field);
                        });
    }

    private void unknown(String key, Field field) {
        String message = "unknown key " + Escapes.quoted(key) + " in " + section.title();
        reading.report().error(field.key(), message, hint(key));
    }

    private String hint(String key) {
        String renamed = RenamedKeys.hint(key, section.title());
        if (!renamed.isEmpty()) return renamed;
        String elsewhere = reading.report().isFull() ? "" : Options.elsewhere(key);
        return elsewhere.isEmpty() ? Nearest.hint(key, section.asked()) : elsewhere;
    }
}
