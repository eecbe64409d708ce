// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;
import java.util.List;

/**
 * {@code cors}: cross-origin requests as the Fetch standard defines them. Immutable.
 *
 * @param origins "*" alone for all
 * @param maxAge how long a browser may remember a preflight
 */
public record Cors(
        List<String> origins,
        List<String> methods,
        List<String> headers,
        List<String> expose,
        boolean credentials,
        Duration maxAge) {

    static Cors read(Table table) {
        var cors =
                new Cors(
                        table.needed(
                                "origins",
                                Node.of(List.of()),
                                "origins = [\"https://app.example.org\"]",
                                Values.list(Values.text(Cors::origin))),
                        table.list("methods", List.of("GET"), Values.text(Texts::token)),
                        table.list("headers", List.of(), Values.text(Texts::token)),
                        table.list("expose", List.of(), Values.text(Texts::token)),
                        table.flag("credentials", false),
                        table.time("max-age", "10m"));
        if (cors.credentials && cors.origins.contains("*")) {
            table.error(
                    "credentials",
                    "credentials for every origin would let any site read the data of a user",
                    "list the origins in place of \"*\"");
        }
        return cors;
    }

    static String origin(String text) {
        if (text.matches("\\*|null|[a-z][a-z0-9+.-]*://[^/?#@\\s]+")) return text;
        throw new ConfigError(
                "is not an origin: \"" + text + "\"",
                "write \"https://app.example.org\", without a path, or \"*\" for all");
    }
}
