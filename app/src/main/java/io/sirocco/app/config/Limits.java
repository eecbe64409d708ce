// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * {@code [limits]}: sizes in bytes. Immutable.
 *
 * @param target of the first line of a request; at most {@code head}
 * @param body 0 for any number
 * @param requests in progress on one loop
 * @param connections that one loop serves; 0 for any number
 * @param connectionsPerAddress 0 for any number
 * @param maxConnections that one loop may have at all; 0: as many as memory allows
 * @param memory bytes that the connections of all loops may hold together
 */
public record Limits(
        int head,
        int target,
        int fields,
        long body,
        int requests,
        int connections,
        int connectionsPerAddress,
        int maxConnections,
        long memory) {

    static Limits read(Table table) {
        var limits =
                new Limits(
                        (int) table.size("head", "16KiB", 256, 1 << 20),
                        (int) table.size("target", "8KiB", 64, 1 << 20),
                        table.whole("fields", 100, 1, 10_000),
                        table.size("body", "16MiB", 0, Long.MAX_VALUE),
                        table.whole("requests", 10_000, 1, Integer.MAX_VALUE),
                        table.whole("connections", 0, 0, Integer.MAX_VALUE),
                        table.whole("connections-per-address", 0, 0, Integer.MAX_VALUE),
                        table.whole("max-connections", 0, 0, Integer.MAX_VALUE),
                        table.value("memory", Node.of("25%"), Quantity::memory));
        if (limits.target > limits.head) {
            table.error(
                    table.sets("target") ? "target" : "head",
                    "the target of a request is a part of its head: %d bytes do not fit into %d"
                            .formatted(limits.target, limits.head),
                    "");
        }
        return limits;
    }
}
