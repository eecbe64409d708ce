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
 * Reads TOML 1.0 into a {@link Node}: Jackson says what the text means, {@link Outline} where each
 * piece of it stands. The only class that knows Jackson, so that a server without a file does not
 * load it. Used by one thread.
 */
final class Toml {
    private static final TomlFactory TOML =
            TomlFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(2 * Outline.DEEPEST)
                                    .build())
                    .build();

    private final Source source;

    private Toml(Source source) {
        this.source = source;
    }

    /** The fields of a file; none, and an error in the report, when it is not TOML. */
    static Node.Fields read(Source source, Report report) {
        var outline = new Outline(source.text());
        if (outline.excess() >= 0) {
            report.error(
                    source.place(outline.excess(), outline.excess() + 1),
                    "this nests deeper, or is a longer number, than any option",
                    "");
            return new Node.Fields(Map.of(), source.nowhere());
        }
        try (JsonParser parser = TOML.createParser(ObjectReadContext.empty(), source.text())) {
            parser.nextToken();
            return new Toml(source).fields(parser, outline.root(), source.nowhere());
        } catch (JacksonException wrong) {
            var location = wrong.getLocation();
            long at = location == null ? 0 : location.getCharOffset();
            new Syntax(source, outline)
                    .explain(
                            wrong.getOriginalMessage(),
                            Math.clamp(at, 0, source.text().length()),
                            report);
            return new Node.Fields(Map.of(), source.nowhere());
        }
    }

    private Node node(JsonParser parser, Spot spot, Place around) {
        Place place = spot == null ? around : source.place(spot.from, spot.to);
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> fields(parser, spot, place);
            case START_ARRAY -> items(parser, spot, place);
            case VALUE_TRUE, VALUE_FALSE -> new Node.Flag(token == JsonToken.VALUE_TRUE, place);
            case VALUE_NUMBER_INT ->
                    parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                            ? new Node.Other("a number of more than 64 bits", place)
                            : new Node.Whole(parser.getLongValue(), place);
            case VALUE_NUMBER_FLOAT -> new Node.Other("a decimal number", place);
            case VALUE_STRING ->
                    isQuoted(place)
                            ? new Node.Text(parser.getString(), place)
                            : new Node.Other("a date", place); // Jackson makes texts of them
            default -> new Node.Other(token.name(), place);
        };
    }

    private boolean isQuoted(Place place) {
        char first = source.text().charAt(place.from());
        return first == '"' || first == '\'';
    }

    private Node.Fields fields(JsonParser parser, Spot spot, Place place) {
        Map<String, Node.Field> fields = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            Spot own = spot == null ? null : spot.fields.get(name);
            Place key = own == null ? place : source.place(own.keyFrom, own.keyTo);
            fields.put(name, new Node.Field(key, node(parser, own, place)));
        }
        return new Node.Fields(fields, place);
    }

    private Node.Items items(JsonParser parser, Spot spot, Place place) {
        List<Node> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            int index = items.size();
            Spot own = spot == null || index >= spot.items.size() ? null : spot.items.get(index);
            items.add(node(parser, own, place));
        }
        return new Node.Items(items, place);
    }
}
