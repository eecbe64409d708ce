// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.HeaderNames;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What is to become of the header fields of a response. Immutable.
 *
 * @param defaults are added where none of the name is there
 * @param names of the defaults
 * @param set go in the place of any
 * @param replaced the names that are removed before: those of {@code set}, and others
 */
record FieldChange(Headers defaults, HeaderNames names, Headers set, List<String> replaced)
        implements UnaryOperator<Response> {

    /**
     * A change that leaves alone what it does not name.
     *
     * @param chosen fields by name; an empty value removes the field, and the default too
     * @throws IllegalArgumentException for a field that cannot be sent, or is the server's own
     */
    static FieldChange of(Headers defaults, Map<String, String> chosen) {
        Headers others = defaults;
        Headers set = Headers.none();
        for (var field : chosen.entrySet()) {
            String name = field.getKey();
            others = others.without(name);
            if (!field.getValue().isEmpty()) {
                set = set.set(name, field.getValue());
            } else if (name.equalsIgnoreCase("Server") || name.equalsIgnoreCase("Date")) {
                throw new IllegalArgumentException(
                        "The server adds "
                                + name
                                + " itself, so it cannot be removed here; name = \"\" in [server]"
                                + " leaves out Server.");
            } else {
                Headers.of(name, ""); // throws for what is no name
            }
        }
        Response.empty(200).headers(set); // throws for what is the server's own
        return new FieldChange(others, HeaderNames.of(others), set, List.copyOf(chosen.keySet()));
    }

    @Override
    public Response apply(Response response) {
        Headers kept = response.headers();
        for (String name : replaced) {
            kept = kept.without(name);
        }
        return response.headers(kept.with(missing(kept)).with(set));
    }

    /** Those of the defaults that are not there: mostly all. */
    private Headers missing(Headers there) {
        Headers missing = defaults;
        for (int i = 0, n = there.size(); i < n; i++) {
            if (names.contains(there, i)) {
                missing = missing.without(there.name(i));
            }
        }
        return missing;
    }
}
