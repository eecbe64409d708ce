// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.util.JsonGeneratorDelegate;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Between Java and the JSON of packets. Bytes leave it as attachments; in the text an object with
 * the member {@code _placeholder} stands for them, and their number. Any thread.
 */
public final class Json {
    /**
     * A value of two characters costs some 90 bytes as a tree, so what bounds a message does not
     * bound its tree.
     */
    static final int MAX_VALUES =
            Math.clamp(Runtime.getRuntime().maxMemory() / 4096, 10_000, 100_000);

    /**
     * Attachments of one packet: the official clients end the connection at more (socket.io-parser,
     * {@code maxAttachments}), come back, and would be sent the same again.
     */
    public static final int MAX_ATTACHMENTS = 10;

    private static final Object ATTACHMENTS = new Object();
    private static final String PLACEHOLDER = "_placeholder";
    private static final String MEMBER = "\"" + PLACEHOLDER + "\":";
    private static final String NUM = "num";
    private static final String TYPE = "type";

    private final JsonMapper mapper;
    private final Map<String, Class<?>> types;
    private final Map<Class<?>, String> names = new HashMap<>();

    /** What is sent: a JSON array, and the bytes that it refers to. */
    public record Encoded(String data, List<byte[]> attachments) {}

    /**
     * Makes one.
     *
     * @param given how values become JSON, but for bytes
     * @param types whose values say so in their member {@code type}
     */
    public Json(JsonMapper given, Map<String, Class<?>> types) {
        this.types = Map.copyOf(types);
        types.forEach((name, type) -> names.put(type, name));
        this.mapper =
                given.rebuild()
                        .addModule(
                                new SimpleModule("bytes")
                                        .addSerializer(byte[].class, new ToAttachment()))
                        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                        .build();
    }

    private static final class ToAttachment extends ValueSerializer<byte[]> {
        @Override
        public void serialize(byte[] bytes, JsonGenerator out, SerializationContext context) {
            @SuppressWarnings("unchecked")
            var all = (List<byte[]>) context.getAttribute(ATTACHMENTS);
            if (all == null) {
                out.writeBinary(bytes);
                return;
            }
            out.writeStartObject();
            out.writeBooleanProperty(PLACEHOLDER, true);
            out.writeNumberProperty(NUM, all.size());
            out.writeEndObject();
            all.add(bytes);
        }
    }

    /** What does the work; bytes are Base64 to it, unless they are on their way out. */
    public JsonMapper mapper() {
        return mapper;
    }

    /**
     * The name of an event and its arguments.
     *
     * @throws IllegalArgumentException when one has no form in JSON or has a member {@code
     *     _placeholder}, when there are more than {@link #MAX_ATTACHMENTS} byte arrays in all, or
     *     when the clients have a meaning of their own for the name
     */
    public Encoded event(String name, Object... arguments) {
        if (Packet.RESERVED.contains(name)) {
            throw new IllegalArgumentException(
                    "'" + name + "' is reserved by the protocol: choose another name.");
        }
        var data = new StringBuilder(64).append('[').append(mapper.writeValueAsString(name));
        var attachments = new ArrayList<byte[]>(0);
        for (Object argument : arguments) {
            append(argument, data.append(','), attachments, Long.MAX_VALUE);
        }
        return encoded(data, attachments);
    }

    /** An answer as {@link #answer(long, Object...)}, of any length. */
    public Encoded answer(Object... values) {
        return answer(Long.MAX_VALUE, values);
    }

    /**
     * An answer. One that is too long is not written to its end.
     *
     * @param most characters of its text and bytes of its attachments
     * @throws TooLongException when it has more
     * @throws IllegalArgumentException as {@link #event}
     */
    public Encoded answer(long most, Object... values) {
        var data = new StringBuilder(64).append('[');
        var attachments = new ArrayList<byte[]>(0);
        for (Object value : values) {
            data.append(data.length() == 1 ? "" : ",");
            append(value, data, attachments, most - data.length());
        }
        long all = data.length();
        for (byte[] each : attachments) {
            all += each.length;
        }
        if (all > most) {
            throw new TooLongException();
        }
        return encoded(data, attachments);
    }

    /** What is to be sent has more characters or bytes than it may. */
    public static final class TooLongException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooLongException() {
            super("it is too long", null, false, false);
        }
    }

    /** Text that ends the writing when there is too much of it. */
    private static final class Bounded extends StringWriter {
        private final long most;
        private boolean exceeded;

        Bounded(long most) {
            this.most = most;
        }

        private void check(int more) {
            exceeded |= getBuffer().length() + (long) more > most;
            if (exceeded) {
                throw new TooLongException();
            }
        }

        @Override
        public void write(int c) {
            check(1);
            super.write(c);
        }

        @Override
        public void write(char[] chars, int from, int length) {
            check(length);
            super.write(chars, from, length);
        }

        @Override
        public void write(String text) {
            check(text.length());
            super.write(text);
        }

        @Override
        public void write(String text, int from, int length) {
            check(length);
            super.write(text, from, length);
        }
    }

    private static Encoded encoded(StringBuilder data, List<byte[]> attachments) {
        String text = data.append(']').toString();
        if (attachments.size() > MAX_ATTACHMENTS) {
            throw new IllegalArgumentException(
                    attachments.size()
                            + " byte arrays in one event or answer, where clients take "
                            + MAX_ATTACHMENTS
                            + " at most: send several events, or one array.");
        }
        if (placeholders(text) > attachments.size()) {
            throw new IllegalArgumentException(
                    "An object has the member _placeholder, by which the protocol refers to byte"
                            + " arrays: choose another name.");
        }
        return new Encoded(escaped(text), attachments);
    }

    /** Returns JSON in which half of a surrogate pair is escaped: in UTF-8 it would be lost. */
    private static String escaped(String json) {
        StringBuilder escaped = null; // unless there is one
        int copied = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            if (i + 1 < json.length() && Character.isSurrogatePair(c, json.charAt(i + 1))) {
                i++;
                continue;
            }
            escaped = escaped == null ? new StringBuilder(json.length() + 16) : escaped;
            escaped.append(json, copied, i).append("\\u").append(Integer.toHexString(c));
            copied = i + 1;
        }
        return escaped == null ? json : escaped.append(json, copied, json.length()).toString();
    }

    /** Returns how many members have the name; within a string, its quotes would be escaped. */
    private static int placeholders(String text) {
        int count = 0;
        for (int at = text.indexOf(MEMBER); at >= 0; at = text.indexOf(MEMBER, at + 1)) {
            count++;
        }
        return count;
    }

    private void append(Object value, StringBuilder data, List<byte[]> attachments, long most) {
        switch (value) {
            case null -> data.append("null");
            case Integer i -> data.append(i.intValue());
            case Boolean b -> data.append(b.booleanValue());
            default -> {
                String text = written(value, attachments, most);
                String name = names.get(value.getClass());
                if (name == null || !text.startsWith("{")) {
                    data.append(text);
                } else {
                    data.append("{\"type\":").append(mapper.writeValueAsString(name));
                    data.append(text.equals("{}") ? "" : ",").append(text, 1, text.length());
                }
            }
        }
    }

    private String written(Object value, List<byte[]> attachments, long most) {
        try {
            return text(mapper.writer().withAttribute(ATTACHMENTS, attachments), value, most);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "what is to be sent has no form in JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** One value as JSON, its bytes in Base64. */
    public String text(Object value) {
        return text(mapper.writer(), value, Long.MAX_VALUE);
    }

    private static String text(ObjectWriter writer, Object value, long most) {
        var text = new Bounded(most);
        try (JsonGenerator out = new JavaScriptNumbers(writer.createGenerator(text))) {
            writer.writeValue(out, value);
        } catch (JacksonException e) {
            throw text.exceeded ? new TooLongException() : e;
        }
        return text.toString();
    }

    /**
     * Writes NaN and the infinities as {@code JSON.stringify} does (ECMA-262 25.5.2): {@code null}.
     */
    private static final class JavaScriptNumbers extends JsonGeneratorDelegate {
        JavaScriptNumbers(JsonGenerator out) {
            super(out, false);
        }

        @Override
        public JsonGenerator writeNumber(double value) {
            return Double.isFinite(value) ? super.writeNumber(value) : writeNull();
        }

        @Override
        public JsonGenerator writeNumber(float value) {
            return Float.isFinite(value) ? super.writeNumber(value) : writeNull();
        }

        @Override
        public JsonGenerator writeArray(double[] array, int offset, int length) {
            writeStartArray(array, length);
            for (int i = offset; i < offset + length; i++) {
                writeNumber(array[i]);
            }
            return writeEndArray();
        }
    }

    /**
     * Reads the data of a packet, with its attachments where they belong.
     *
     * @throws WireException when it is no JSON, has more than {@link #MAX_VALUES}, or refers to an
     *     attachment that is not there, or twice to one
     */
    public JsonNode parse(String data, List<byte[]> attachments) throws WireException {
        if (data.length() > MAX_VALUES && values(data) > MAX_VALUES) {
            throw new WireException("more than " + MAX_VALUES + " values in a message");
        }
        try {
            JsonNode node = mapper.readTree(data);
            return attachments.isEmpty() ? node : put(node, new ArrayList<>(attachments));
        } catch (JacksonException e) {
            throw new WireException("no JSON, or deeper or with longer numbers than are taken");
        }
    }

    /** Returns how many values there are at most, names of members included. */
    private static int values(String data) {
        int count = 1;
        boolean quoted = false;
        for (int i = 0; i < data.length(); i++) {
            char c = data.charAt(i);
            if (quoted) {
                if (c == '\\') {
                    i++;
                } else {
                    quoted = c != '"';
                }
            } else {
                switch (c) {
                    case '"' -> quoted = true;
                    case ',', '[', '{', ':' -> count++;
                    default -> {}
                }
            }
        }
        return count;
    }

    /**
     * Puts attachments where their placeholders are. Each one is taken from the list, so that none
     * stands in a message twice: named a thousand times, it would be sent on as often.
     */
    private JsonNode put(JsonNode node, List<byte[]> attachments) throws WireException {
        switch (node) {
            case ArrayNode array -> {
                for (int i = 0; i < array.size(); i++) {
                    array.set(i, put(array.get(i), attachments));
                }
            }
            case ObjectNode object -> {
                if (object.path(PLACEHOLDER).asBoolean(false)) {
                    JsonNode num = object.path(NUM);
                    if (!num.isInt()
                            || num.intValue() < 0
                            || num.intValue() >= attachments.size()) {
                        throw new WireException("a placeholder refers to no attachment");
                    }
                    byte[] bytes = attachments.set(num.intValue(), null);
                    if (bytes == null) {
                        throw new WireException("two placeholders refer to one attachment");
                    }
                    return mapper.getNodeFactory().binaryNode(bytes);
                }
                for (String name : List.copyOf(object.propertyNames())) {
                    object.set(name, put(object.get(name), attachments));
                }
            }
            default -> {}
        }
        return node;
    }

    /** Whether values of this class say so in their member {@code type}. */
    public boolean named(Class<?> type) {
        return names.containsKey(type);
    }

    /** Whether {@code node} names this class, which is {@link #named}. */
    public boolean names(JsonNode node, Class<?> type) {
        return types.get(node.path(TYPE).asString("")) == type;
    }
}
