// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Values of Java to JSON and back. Bytes travel beside the text: in it stands an object with the
 * member {@code _placeholder} for them, and their number. Any thread.
 */
record Json(JsonMapper mapper) {
    private static final String PLACEHOLDER = "_placeholder";
    private static final String NUMBER = "num";

    Json {
        mapper =
                mapper.rebuild()
                        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                        .addModule(
                                new SimpleModule("bytes")
                                        .addSerializer(byte[].class, new Attaching()))
                        .build();
    }

    /** JSON, and the bytes that belong to it, in order. */
    record Text(String json, List<byte[]> attachments) {}

    /** Takes bytes out of the text, if somebody waits for them. */
    private static final class Attaching extends ValueSerializer<byte[]> {
        @Override
        public void serialize(byte[] bytes, JsonGenerator out, SerializationContext context) {
            if (context.getAttribute(Attaching.class) instanceof Attachments(List<byte[]> all)) {
                out.writeStartObject();
                out.writeBooleanProperty(PLACEHOLDER, true);
                out.writeNumberProperty(NUMBER, all.size());
                out.writeEndObject();
                all.add(bytes);
            } else {
                out.writeBinary(bytes);
            }
        }
    }

    private record Attachments(List<byte[]> all) {}

    /**
     * As an array.
     *
     * @throws IllegalArgumentException when a value has no form in JSON
     */
    Text array(List<?> values) {
        var attachments = new Attachments(new ArrayList<>(0));
        try {
            String text =
                    mapper.writer()
                            .withAttribute(Attaching.class, attachments)
                            .writeValueAsString(values);
            return new Text(text, attachments.all());
        } catch (JacksonException e) {
            throw unfit(e);
        }
    }

    /** As a tree, bytes in Base64. */
    JsonNode tree(Object value) {
        try {
            return mapper.valueToTree(value);
        } catch (JacksonException e) {
            throw unfit(e);
        }
    }

    private static IllegalArgumentException unfit(JacksonException e) {
        return new IllegalArgumentException(
                "what is to be sent has no form in JSON: " + e.getOriginalMessage(), e);
    }

    /** What {@code text} says. */
    JsonNode parse(String text) throws MalformedException {
        try {
            JsonNode node = mapper.readTree(text);
            if (node == null || node.isMissingNode()) {
                throw new MalformedException("no JSON where there should be some");
            }
            return node;
        } catch (JacksonException e) {
            throw new MalformedException("no JSON: " + e.getOriginalMessage());
        }
    }

    /** Puts the bytes where they belong. */
    JsonNode attach(JsonNode node, List<byte[]> attachments) throws MalformedException {
        if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, attach(array.get(i), attachments));
            }
        } else if (node instanceof ObjectNode object) {
            if (object.path(PLACEHOLDER).asBoolean(false)) {
                return JsonNodeFactory.instance.binaryNode(bytes(object, attachments));
            }
            for (Map.Entry<String, JsonNode> each : object.properties()) {
                each.setValue(attach(each.getValue(), attachments));
            }
        }
        return node;
    }

    private static byte[] bytes(ObjectNode placeholder, List<byte[]> attachments)
            throws MalformedException {
        JsonNode number = placeholder.path(NUMBER);
        if (!number.isInt() || number.intValue() < 0 || number.intValue() >= attachments.size()) {
            throw new MalformedException("a placeholder for bytes that have not come");
        }
        return attachments.get(number.intValue());
    }

    /**
     * As a value of {@code type}.
     *
     * @throws RuntimeException when it is none
     */
    <T> T value(JsonNode node, Class<T> type) {
        if (type == String.class && !node.isString() && !node.isNull()) {
            throw new IllegalArgumentException("it is " + node.getNodeType());
        }
        return node.isNull() && !type.isPrimitive() ? null : mapper.treeToValue(node, type);
    }
}
