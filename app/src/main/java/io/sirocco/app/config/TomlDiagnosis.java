// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Outline.Spot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.dataformat.toml.TomlFactory;

/**
 * Reads a text that {@link Toml} leaves to it, or reports why it is not TOML 1.0: Jackson says what
 * is wrong and nearly where, {@link Syntax} explains it. Nearly all valid files need neither. Used
 * by one thread.
 */
final class TomlDiagnosis {
    private static final TomlFactory TOML =
            TomlFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(2 * Outline.DEEPEST)
                                    .build())
                    .build();

    private static final Node.Fields NOTHING =
            new Node.Fields(Map.of(), Source.commandLine("").nowhere());

    private final Source source;

    private TomlDiagnosis(Source source) {
        this.source = source;
    }

    /**
     * Returns the fields of a file; none, with errors in the report, if it is not TOML. After an
     * error within one line, the other lines are still checked.
     */
    static Node.Fields read(Source source, Report report) {
        var text = new StringBuilder(source.text());
        for (int mistakes = 0; mistakes < Report.MAX; mistakes++) {
            var outline = new Outline(text.toString());
            if (outline.excess() >= 0) {
                SourcePosition position = source.position(outline.excess(), outline.excess() + 1);
                report.error(position, outline.why(), "");
                break;
            }
            try (JsonParser parser =
                    TOML.createParser(ObjectReadContext.empty(), text.toString())) {
                parser.nextToken();
                Node.Fields fields =
                        new TomlDiagnosis(source).fields(parser, outline.root(), source.nowhere());
                return mistakes == 0 ? fields : NOTHING;
            } catch (JacksonException wrong) {
                var syntax = new Syntax(source, text.toString(), outline);
                int at = offset(wrong, text.length());
                boolean isWholeLine = syntax.explain(wrong.getOriginalMessage(), at, report);
                if (!isWholeLine) break;
                blank(text, at);
            }
        }
        return NOTHING;
    }

    private static int offset(JacksonException wrong, int length) {
        var location = wrong.getLocation();
        return location == null ? 0 : Math.clamp(location.getCharOffset(), 0, length);
    }

    /** Blanks the line around an offset, so that all others keep their positions. */
    private static void blank(StringBuilder text, int at) {
        int from = text.lastIndexOf("\n", at - 1) + 1;
        int end = text.indexOf("\n", at);
        for (int i = from; i < (end < 0 ? text.length() : end); i++) text.setCharAt(i, ' ');
    }

    private Node node(JsonParser parser, Spot spot, SourcePosition around) {
        SourcePosition position = spot == null ? around : source.position(spot.from, spot.to);
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> fields(parser, spot, position);
            case START_ARRAY -> items(parser, spot, position);
            case VALUE_TRUE, VALUE_FALSE -> new Node.Flag(token == JsonToken.VALUE_TRUE, position);
            case VALUE_NUMBER_INT ->
                    parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                            ? new Node.Other("a number of more than 64 bits", position)
                            : new Node.Whole(parser.getLongValue(), position);
            case VALUE_NUMBER_FLOAT -> new Node.Other("a decimal number", position);
            case VALUE_STRING ->
                    isQuoted(position)
                            ? new Node.Text(parser.getString(), position)
                            : new Node.Other(
                                    "a date", position); // Jackson returns dates as strings
            default -> new Node.Other(token.name(), position);
        };
    }

    private boolean isQuoted(SourcePosition position) {
        char first = source.text().charAt(position.from());
        return first == '"' || first == '\'';
    }

    private Node.Fields fields(JsonParser parser, Spot spot, SourcePosition position) {
        Map<String, Node.Field> fields = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            Spot own = spot == null ? null : spot.fields.get(name);
            SourcePosition key = own == null ? position : source.position(own.keyFrom, own.keyTo);
            fields.put(name, new Node.Field(key, node(parser, own, position)));
        }
        return new Node.Fields(fields, position);
    }

    private Node.Items items(JsonParser parser, Spot spot, SourcePosition position) {
        List<Node> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            int index = items.size();
            Spot own = spot == null || index >= spot.items.size() ? null : spot.items.get(index);
            items.add(node(parser, own, position));
        }
        return new Node.Items(items, position);
    }
}
