// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.github.wasabithumb.jtoml.io.TableReader;
import io.github.wasabithumb.jtoml.io.source.BufferedCharSource;
import io.github.wasabithumb.jtoml.io.source.StringCharSource;
import io.github.wasabithumb.jtoml.key.TomlKey;
import io.github.wasabithumb.jtoml.option.JTomlOption;
import io.github.wasabithumb.jtoml.option.JTomlOptions;
import io.github.wasabithumb.jtoml.option.prop.SpecVersion;
import io.github.wasabithumb.jtoml.value.TomlValue;
import io.github.wasabithumb.jtoml.value.array.TomlArray;
import io.github.wasabithumb.jtoml.value.primitive.TomlPrimitive;
import io.github.wasabithumb.jtoml.value.table.TomlTable;
import io.sirocco.app.config.Outline.Spot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads TOML 1.0 into a {@link Node}: jtoml parses the values, {@link Outline} adds their positions
 * and their order. What jtoml rejects, or may misread, is read by {@link TomlDiagnosis}, whose
 * library is stricter and knows the place of an error, but takes 20 ms of CPU time more to load.
 * Used by one thread.
 */
final class Toml {
    private static final JTomlOptions OPTIONS =
            JTomlOptions.builder().set(JTomlOption.COMPLIANCE, SpecVersion.V1_0_0).build();

    /** Most keys of a file: the time that jtoml takes is quadratic in the keys of a table. */
    private static final int MAX_KEYS = 500;

    /** Most characters of a file. */
    private static final int LONGEST = 1 << 16;

    private final Source source;

    private Toml(Source source) {
        this.source = source;
    }

    /**
     * Returns the fields of a file; none, with errors in the report, if it is not TOML. After an
     * error within one line, the other lines are still checked.
     */
    static Node.Fields read(Source source, Report report) {
        return parse(source).orElseGet(() -> TomlDiagnosis.read(source, report));
    }

    /**
     * Returns nothing if the text is not plain, if jtoml rejects it, or if its reading does not fit
     * the outline.
     */
    static Optional<Node.Fields> parse(Source source) {
        if (!isPlain(source.text())) return Optional.empty();
        var outline = new Outline(source.text());
        if (outline.excess() >= 0 || outline.hasRepeatedKey() || outline.keys() > MAX_KEYS) {
            return Optional.empty();
        }
        try {
            TomlTable table = table(source.text());
            return Optional.of(new Toml(source).fields(table, outline.root(), source.nowhere()));
        } catch (RuntimeException e) { // jtoml throws not only TomlException
            return Optional.empty();
        }
    }

    /**
     * Returns whether jtoml can be trusted with a text. Version 1.5.1 misreads control characters,
     * numeric escapes and lines joined by a backslash. The values that it misreads are rejected
     * later, by their type.
     */
    private static boolean isPlain(String text) {
        if (text.length() > LONGEST) return false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' && c != '\n' && c != '\t' || c == 0x7F) return false;
            if (c == '\\' && i + 1 < text.length() && "uU \t\n".indexOf(text.charAt(i + 1)) >= 0) {
                return false;
            }
        }
        return true;
    }

    /** Does without {@code JToml}, whose first use looks for extensions in every jar. */
    private static TomlTable table(String text) {
        var characters = new BufferedCharSource(new StringCharSource(text));
        return new TableReader(characters, OPTIONS).readTable();
    }

    private Node node(TomlValue value, Spot spot) {
        SourcePosition position = source.position(spot.from, spot.to);
        if (value.isTable()) return fields(value.asTable(), spot, position);
        if (value.isArray()) return items(value.asArray(), spot, position);
        TomlPrimitive primitive = value.asPrimitive();
        return switch (primitive.type()) {
            case STRING -> new Node.Text(primitive.asString(), position);
            case BOOLEAN -> new Node.Flag(primitive.asBoolean(), position);
            case INTEGER -> new Node.Whole(decimal(primitive, spot), position);
            default -> throw unlike(spot); // no option takes these, and Jackson is stricter
        };
    }

    /** Leaves 0x, 0o and 0b to Jackson: of these, jtoml takes 64 bits as a negative number. */
    private long decimal(TomlPrimitive primitive, Spot spot) {
        for (int i = spot.from; i < spot.to; i++) {
            if ("+-_0123456789".indexOf(source.text().charAt(i)) < 0) throw unlike(spot);
        }
        return primitive.asLong();
    }

    private Node.Fields fields(TomlTable table, Spot spot, SourcePosition position) {
        Map<String, Node.Field> fields = new LinkedHashMap<>();
        spot.fields.forEach(
                (name, own) -> {
                    TomlValue value = table.get(TomlKey.literal(name));
                    if (value == null) throw unlike(spot);
                    SourcePosition key = source.position(own.keyFrom, own.keyTo);
                    fields.put(name, new Node.Field(key, node(value, own)));
                });
        if (fields.size() != table.keys(false).size()) throw unlike(spot);
        return new Node.Fields(fields, position);
    }

    private Node.Items items(TomlArray array, Spot spot, SourcePosition position) {
        if (array.size() != spot.items.size()) throw unlike(spot);
        List<Node> items = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) items.add(node(array.get(i), spot.items.get(i)));
        return new Node.Items(items, position);
    }

    private static IllegalStateException unlike(Spot spot) {
        return new IllegalStateException("jtoml and Outline differ at offset " + spot.from);
    }
}
