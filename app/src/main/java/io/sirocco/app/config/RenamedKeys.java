// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.Map;

/**
 * Keys of earlier versions of {@code sirocco.toml} and their present names, and keys that users of
 * other servers write. Immutable.
 */
final class RenamedKeys {
    private static final Map<String, Map<String, String>> BY_TABLE =
            Map.of(
                    Section.TOP,
                    Map.of("deadlines", "timeouts"),
                    "[server]",
                    Map.of("drain", "drain-timeout"),
                    "[tls]",
                    Map.of("handshake", "handshake-timeout"),
                    "[listen.tls]",
                    Map.of("handshake", "handshake-timeout"),
                    "[limits]",
                    Map.of(
                            "head", "max-header-bytes",
                            "target", "max-target-bytes",
                            "fields", "max-header-fields",
                            "body", "max-body-bytes",
                            "requests", "max-concurrent-requests",
                            "connections", "max-connections-per-loop",
                            "connections-per-address", "max-connections-per-address",
                            "max-connections", "max-open-connections-per-loop"),
                    "[timeouts]",
                    Map.of("head", "header", "body-rate", "min-body-rate"),
                    "[live]",
                    Map.of(
                            "ping", "ping-interval",
                            "pong", "ping-timeout",
                            "connect-deadline", "connect-timeout",
                            "handler-deadline", "handler-timeout"),
                    "[[site.route]]",
                    Map.of("idle", "idle-timeout"));

    private static final Map<String, Map<String, String>> OF_OTHERS =
            Map.of(
                    "[[listen]]",
                    Map.of(
                            "port", "the port is part of the address: address = \":8080\"",
                            "host", "the host is part of the address: address = \"127.0.0.1:8080\"",
                            "ssl", "write tls = true",
                            "https", "write tls = true"));

    private RenamedKeys() {}

    /** Returns a hint with the new name of a key, or an empty string if it has none. */
    static String hint(String key, String table) {
        String name = BY_TABLE.getOrDefault(table, Map.of()).get(key);
        String other = OF_OTHERS.getOrDefault(table, Map.of()).getOrDefault(key, "");
        return name == null ? other : "it was renamed to " + Escapes.quoted(name);
    }
}
