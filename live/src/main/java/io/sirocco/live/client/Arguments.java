// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * What came with an event, or in an answer. Each method that reads one throws a {@link
 * RequestException} with the code {@code bad_arguments} when it is missing or of another kind.
 * Immutable.
 */
public final class Arguments {
    static final String BAD = "bad_arguments";

    private final Json json;
    private final List<JsonNode> values;

    Arguments(Json json, List<JsonNode> values) {
        this.json = json;
        this.values = values;
    }

    /** How many there are. */
    public int size() {
        return values.size();
    }

    /** Whether the one at {@code index} is there and not null. */
    public boolean has(int index) {
        return index >= 0 && index < values.size() && !values.get(index).isNull();
    }

    /** The one at {@code index} as a string. */
    public String string(int index) {
        return need(index, at(index).isString(), "a string").stringValue();
    }

    /** As an integer of 32 bits. */
    public int integer(int index) {
        JsonNode value = at(index);
        return need(index, value.isIntegralNumber() && value.canConvertToInt(), "an int")
                .intValue();
    }

    /** As an integer of 64 bits. */
    public long whole(int index) {
        JsonNode value = at(index);
        return need(index, value.isIntegralNumber() && value.canConvertToLong(), "a long")
                .longValue();
    }

    /** As a number. */
    public double number(int index) {
        return need(index, at(index).isNumber(), "a number").doubleValue();
    }

    /** As true or false. */
    public boolean bool(int index) {
        return need(index, at(index).isBoolean(), "true or false").booleanValue();
    }

    /** As bytes, which are the caller's own. */
    public byte[] bytes(int index) {
        return need(index, at(index).isBinary(), "bytes").binaryValue();
    }

    /**
     * As a value of {@code type}: a record, an array, a {@code Map}, {@code byte[]}, a string, a
     * number. Null for JSON's null.
     */
    public <T> T as(int index, Class<T> type) {
        JsonNode value = at(index);
        try {
            return json.value(value, type);
        } catch (RuntimeException e) {
            throw bad(index, "no " + type.getSimpleName() + ": " + firstLine(e.getMessage()));
        }
    }

    private static String firstLine(String message) {
        return message == null ? "" : message.lines().findFirst().orElse("");
    }

    private JsonNode at(int index) {
        if (index < 0 || index >= values.size()) {
            throw bad(index, "not there: there are " + values.size());
        }
        return values.get(index);
    }

    private JsonNode need(int index, boolean fits, String what) {
        if (!fits) {
            throw bad(index, "not " + what);
        }
        return values.get(index);
    }

    private static RequestException bad(int index, String why) {
        return RequestException.refused(BAD, "argument " + index + " is " + why);
    }

    /** The error that stands in the place of an answer; null when there is none. */
    RequestException error() {
        if (values.size() != 1 || !values.getFirst().isObject() || values.getFirst().size() != 1) {
            return null;
        }
        JsonNode error = values.getFirst().get("error");
        if (error == null || !error.isObject() || !error.path("code").isString()) {
            return null;
        }
        return RequestException.refused(
                error.get("code").stringValue(), error.path("message").asString(""));
    }

    /** Whether the last one is a string: what an offset looks like. Then that, else null. */
    String lastText() {
        return !values.isEmpty() && values.getLast().isString()
                ? values.getLast().stringValue()
                : null;
    }

    /** As JSON. */
    @Override
    public String toString() {
        return values.toString();
    }
}
