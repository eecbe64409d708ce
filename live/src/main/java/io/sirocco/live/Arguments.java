// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * What came with an event, by place from 0. An argument that is not there or of another kind is a
 * {@link RequestException} with the code {@code bad_arguments}. Immutable.
 */
public final class Arguments {
    private static final Arguments NONE =
            new Arguments(null, JsonNodeFactory.instance.arrayNode(), 0);

    private final Json json;
    private final JsonNode array;
    private final int from;

    Arguments(Json json, JsonNode array, int from) {
        this.json = json;
        this.array = array;
        this.from = from;
    }

    /** None at all: who answers a request with them answers without an argument. */
    public static Arguments none() {
        return NONE;
    }

    /** How many there are. */
    public int size() {
        return array.size() - from;
    }

    JsonNode node(int at) {
        JsonNode node = at < 0 ? null : array.get(from + at);
        if (node == null) {
            throw bad("there are " + size() + " arguments, and none at " + at);
        }
        return node;
    }

    private static RequestException bad(String message) {
        return RequestException.refused("bad_arguments", message);
    }

    /** Whether the one at {@code at} is there and not null. */
    public boolean has(int at) {
        return at >= 0 && at < size() && !node(at).isNull();
    }

    /** A text. */
    public String string(int at) {
        JsonNode node = node(at);
        if (!node.isString()) {
            throw bad("argument " + at + " is no text");
        }
        return node.stringValue();
    }

    /** A whole number of 32 bits. */
    public int integer(int at) {
        JsonNode node = node(at);
        if (!node.isNumber() || !node.canConvertToExactIntegral() || !node.canConvertToInt()) {
            throw bad("argument " + at + " is no whole number of 32 bits");
        }
        return node.asInt();
    }

    /** A whole number of 64 bits. */
    public long whole(int at) {
        JsonNode node = node(at);
        if (!node.isNumber() || !node.canConvertToExactIntegral() || !node.canConvertToLong()) {
            throw bad("argument " + at + " is no whole number of 64 bits");
        }
        return node.asLong();
    }

    /** A number. */
    public double number(int at) {
        JsonNode node = node(at);
        if (!node.isNumber()) {
            throw bad("argument " + at + " is no number");
        }
        return node.asDouble();
    }

    /** True or false. */
    public boolean bool(int at) {
        JsonNode node = node(at);
        if (!node.isBoolean()) {
            throw bad("argument " + at + " is neither true nor false");
        }
        return node.booleanValue();
    }

    /** Bytes. */
    public byte[] bytes(int at) {
        JsonNode node = node(at);
        if (!node.isBinary()) {
            throw bad("argument " + at + " has no bytes");
        }
        return node.binaryValue();
    }

    /** Anything that Jackson makes of JSON. */
    public <T> T as(int at, Class<T> type) {
        return json.as(node(at), type);
    }

    /** Those from {@code first} on, as {@code send} takes them: to be handed on. */
    public Object[] values(int first) {
        var values = new Object[Math.max(0, size() - first)];
        for (int i = 0; i < values.length; i++) {
            JsonNode node = node(first + i);
            values[i] = hasBytes(node) ? json.as(node, Object.class) : node;
        }
        return values;
    }

    private static boolean hasBytes(JsonNode node) {
        if (!node.isContainer()) {
            return node.isBinary();
        }
        for (JsonNode each : node) {
            if (hasBytes(each)) {
                return true;
            }
        }
        return false;
    }

    /** As JSON. */
    @Override
    public String toString() {
        return array.toString();
    }
}
