// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Request;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The body of a request to the admin server: a JSON object whose keys are known. What is wrong with
 * it is a {@link Refused} with 400. Immutable.
 */
public record JsonBody(JsonNode all) {

    /** Reads the body of a request. */
    public static JsonBody read(Request request, Set<String> keys) throws IOException, Refused {
        JsonNode all;
        try {
            all = JsonMapper.shared().readTree(request.body().bytes());
        } catch (JacksonException e) {
            throw bad("the body is not valid JSON");
        }
        if (!all.isObject()) {
            throw bad("the body is not a JSON object");
        }
        for (String key : all.propertyNames()) {
            if (!keys.contains(key)) {
                List<String> known = keys.stream().sorted().toList();
                throw bad(
                        "unknown key \"%s\"; the keys are %s"
                                .formatted(key, String.join(", ", known)));
            }
        }
        return new JsonBody(all);
    }

    /** Returns whether there is such a key. */
    public boolean has(String key) {
        return all.has(key);
    }

    /** Returns a value; it is missing if the key is. */
    public JsonNode get(String key) {
        return all.path(key);
    }

    /** Returns a string, if the key is there. */
    public Optional<String> text(String key) throws Refused {
        if (!has(key)) {
            return Optional.empty();
        }
        if (!get(key).isString()) {
            throw bad("\"" + key + "\" must be a string");
        }
        return Optional.of(get(key).stringValue());
    }

    /** Returns a boolean, which is false if the key is missing. */
    public boolean flag(String key) throws Refused {
        if (has(key) && !get(key).isBoolean()) {
            throw bad("\"" + key + "\" must be true or false");
        }
        return get(key).asBoolean(false);
    }

    /** Returns a whole number. */
    public int whole(String key, int usual, int least, int most) throws Refused {
        if (!has(key)) {
            return usual;
        }
        JsonNode node = get(key);
        if (!node.isIntegralNumber()
                || !node.canConvertToInt()
                || node.intValue() < least
                || node.intValue() > most) {
            throw bad("\"" + key + "\" must be " + least + " to " + most);
        }
        return node.intValue();
    }

    /** Returns the error of a wrong request. */
    public static Refused bad(String message) {
        return new Refused(400, "bad_arguments", message);
    }
}
