// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.ArrayList;
import java.util.Arrays;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * What came with an event, or in an answer, by place from 0; on a server and in a client. An
 * argument that is not there or of another kind is a {@link RequestException} with the code {@code
 * bad_arguments}. Immutable.
 */
public final class Arguments {
    private static final Arguments NONE =
            new Arguments(new JsonMapper(), JsonNodeFactory.instance.arrayNode(), 0);

    private final JsonMapper mapper;
    private final JsonNode array;
    private final int from;

    /**
     * Those of an array of JSON. Programs are given theirs; this is for tests of handlers.
     *
     * @param mapper makes values of Java of them
     * @param array an array; bytes in it are binary nodes
     * @param from where the first one is: behind the name of an event, for example
     */
    public Arguments(JsonMapper mapper, JsonNode array, int from) {
        this.mapper = mapper;
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
            throw bad("there are " + size() + " arguments, and none at " + at, null);
        }
        return node;
    }

    private static RequestException bad(String message, Throwable cause) {
        return RequestException.refused("bad_arguments", message, cause);
    }

    private JsonNode need(int at, boolean fits, String what) {
        if (!fits) {
            throw bad("argument " + at + " is " + what, null);
        }
        return node(at);
    }

    /** Whether the one at {@code at} is there and not null. */
    public boolean has(int at) {
        return at >= 0 && at < size() && !node(at).isNull();
    }

    /** A text. */
    public String asString(int at) {
        return need(at, node(at).isString(), "no text").stringValue();
    }

    /** A whole number of 32 bits; 7.0 is one, 7.5 is none. */
    public int asInt(int at) {
        JsonNode node = node(at);
        boolean fits =
                node.isNumber() && node.canConvertToExactIntegral() && node.canConvertToInt();
        return need(at, fits, "no whole number of 32 bits").asInt();
    }

    /** A whole number of 64 bits. */
    public long asLong(int at) {
        JsonNode node = node(at);
        boolean fits =
                node.isNumber() && node.canConvertToExactIntegral() && node.canConvertToLong();
        return need(at, fits, "no whole number of 64 bits").asLong();
    }

    /** A number. */
    public double asDouble(int at) {
        return need(at, node(at).isNumber(), "no number").asDouble();
    }

    /** True or false. */
    public boolean asBoolean(int at) {
        return need(at, node(at).isBoolean(), "neither true nor false").booleanValue();
    }

    /** Bytes, which are not copied: those of one event belong to all its listeners. */
    public byte[] asBytes(int at) {
        return need(at, node(at).isBinary(), "no bytes").binaryValue();
    }

    /**
     * Anything that Jackson makes of JSON: a record, an array, a {@code Map}, bytes, a text, a
     * number. Null for JSON's null, unless {@code type} is primitive. Bytes alone have to be bytes:
     * a text in Base64 is none.
     */
    public <T> T as(int at, Class<T> type) {
        JsonNode node = node(at);
        if (type == byte[].class && !node.isNull()) {
            return type.cast(asBytes(at));
        }
        return convert(mapper, node, type);
    }

    /**
     * As the answer to a request: the first one, as {@link #as} has it; null, whatever there is,
     * for {@code Void}; all of them for {@code Arguments}.
     *
     * @throws RequestException {@link RequestException.Kind#REFUSED} when the other side has
     *     answered with an error; {@link RequestException.Kind#MALFORMED} when it is no such value
     */
    public <T> T answer(Class<T> type) {
        JsonNode error = size() == 0 ? null : node(0).get("error");
        if (error != null && error.isObject()) {
            throw RequestException.refused(
                    error.path("code").asString("failed"), error.path("message").asString(""));
        }
        if (type == Void.class) {
            return null;
        }
        if (type == Arguments.class) {
            return type.cast(this);
        }
        try {
            return as(0, type);
        } catch (RequestException e) {
            throw RequestException.malformed("the answer is no " + type.getSimpleName(), e);
        }
    }

    /**
     * A value of Java from one of JSON.
     *
     * @throws RequestException when it does not fit
     */
    static <T> T convert(JsonMapper mapper, JsonNode node, Class<T> type) {
        if (type == String.class && !node.isString() && !node.isNull()) {
            throw bad("no String: it is " + node.getNodeType(), null);
        }
        try {
            return mapper.treeToValue(node, type);
        } catch (JacksonException | IllegalArgumentException e) {
            throw bad("no " + type.getSimpleName() + ": it does not fit", e);
        }
    }

    /** Those from {@code first} on, as {@code send} takes them: to be handed on. */
    public Object[] values(int first) {
        var values = new Object[Math.max(0, size() - first)];
        for (int i = 0; i < values.length; i++) {
            JsonNode node = node(first + i);
            values[i] = byteArrays(node) > 0 ? convert(mapper, node, Object.class) : node;
        }
        return values;
    }

    /**
     * Returns values with the arguments of each {@link Arguments} among them in its place: what
     * {@code send}, {@code request} and answers make of theirs.
     */
    public static Object[] spread(Object... values) {
        boolean any = false;
        for (Object value : values) {
            any |= value instanceof Arguments;
        }
        if (!any) {
            return values;
        }
        var all = new ArrayList<Object>();
        for (Object value : values) {
            if (value instanceof Arguments several) {
                all.addAll(Arrays.asList(several.values(0)));
            } else {
                all.add(value);
            }
        }
        return all.toArray();
    }

    /** Returns how many byte arrays there are, in all of them and at any depth. */
    public int byteArrays() {
        int count = 0;
        for (int i = 0; i < size(); i++) {
            count += byteArrays(node(i));
        }
        return count;
    }

    private static int byteArrays(JsonNode node) {
        int count = node.isBinary() ? 1 : 0;
        if (node.isContainer()) {
            for (JsonNode each : node) {
                count += byteArrays(each);
            }
        }
        return count;
    }

    /** As JSON, the name of the event included. */
    @Override
    public String toString() {
        return array.toString();
    }
}
