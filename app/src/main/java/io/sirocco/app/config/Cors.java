// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Origins;
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
                                Values.list(Values.text(Cors::hostOrigin))),
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

    private static String hostOrigin(String text) {
        if (text.equalsIgnoreCase("null") || text.equalsIgnoreCase("file://")) {
            throw new ConfigError(
                    "cannot allow the origin " + text + ", which any sandboxed page or file has",
                    "serve the page from a host, and name that");
        }
        return origin(text);
    }

    static String origin(String text) {
        try {
            if (!text.equals("*")) {
                Origins.of(List.of(text));
            }
            return text;
        } catch (IllegalArgumentException e) {
            throw new ConfigError(
                    "is not an origin: \"" + text + "\"",
                    "write \"https://app.example.org\" without a path, \"https://*.example.org\" for all"
                            + " hosts below one, or \"*\" for all");
        }
    }
}
