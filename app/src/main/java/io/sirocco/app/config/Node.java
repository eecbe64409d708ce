// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A value of a TOML file with its position. Immutable. */
sealed interface Node {
    SourcePosition NOWHERE = Source.commandLine("").nowhere();

    SourcePosition position();

    /** Returns its type for a message. */
    String kind();

    /** Returns a value without a position: the default of an option. */
    static Node of(String text) {
        return new Text(text, NOWHERE);
    }

    static Node of(long number) {
        return new Whole(number, NOWHERE);
    }

    static Node of(boolean flag) {
        return new Flag(flag, NOWHERE);
    }

    static Node of(List<String> texts) {
        return new Items(texts.stream().map(Node::of).toList(), NOWHERE);
    }

    record Text(String value, SourcePosition position) implements Node {
        @Override
        public String kind() {
            return "a string";
        }
    }

    record Whole(long value, SourcePosition position) implements Node {
        @Override
        public String kind() {
            return "a number";
        }
    }

    record Flag(boolean value, SourcePosition position) implements Node {
        @Override
        public String kind() {
            return Boolean.toString(value);
        }
    }

    record Items(List<Node> all, SourcePosition position) implements Node {
        @Override
        public String kind() {
            return "a list";
        }
    }

    record Fields(Map<String, Field> all, SourcePosition position) implements Node {
        /** Creates fields whose keys have the position of the whole. */
        static Fields of(SourcePosition position, Map<String, ? extends Node> values) {
            var fields = new LinkedHashMap<String, Field>();
            values.forEach((key, value) -> fields.put(key, new Field(position, value)));
            return new Fields(fields, position);
        }

        /** Returns the value of a key, or null. */
        Node value(String key) {
            Field field = all.get(key);
            return field == null ? null : field.value();
        }

        /** Returns a copy in which a key has another value; the key keeps its position. */
        Fields with(String key, Node value) {
            var fields = new LinkedHashMap<>(all);
            Field old = all.get(key);
            fields.put(key, new Field(old == null ? value.position() : old.key(), value));
            return new Fields(fields, position);
        }

        @Override
        public String kind() {
            return "a table";
        }
    }

    /** A value that no option can have: a date, a decimal number, a number of more than 64 bits. */
    record Other(String kind, SourcePosition position) implements Node {}

    /** A key and its value. */
    record Field(SourcePosition key, Node value) {}
}
