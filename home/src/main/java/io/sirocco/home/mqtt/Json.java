// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import java.util.Optional;
import java.util.OptionalDouble;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** JSON of payloads. Any thread. */
final class Json {
    private static final int MAX_PAYLOAD = 8 << 10;
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Returns the object, or empty if the payload is another thing. */
    static Optional<JsonNode> parse(String payload) {
        if (payload.length() > MAX_PAYLOAD) {
            return Optional.empty();
        }
        try {
            return Optional.of(MAPPER.readTree(payload)).filter(JsonNode::isObject);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns a number of an object, or empty if it has none.
     *
     * @throws IllegalArgumentException if it is no number from 0 to {@code most}
     */
    static OptionalDouble number(JsonNode object, String name, double most) {
        JsonNode value = object.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return OptionalDouble.empty();
        }
        double number = value.isNumber() ? value.doubleValue() : -1;
        if (!(number >= 0 && number <= most)) {
            throw new IllegalArgumentException(name + " is no number from 0 to " + (int) most);
        }
        return OptionalDouble.of(number);
    }
}
