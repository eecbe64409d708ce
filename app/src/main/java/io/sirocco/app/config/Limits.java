// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

/**
 * {@code [limits]}. Immutable.
 *
 * @param maxHeaderBytes of the request line and the headers
 * @param maxTargetBytes of the request target; at most {@code maxHeaderBytes}
 * @param maxBodyBytes 0: no limit
 * @param maxConcurrentRequests requests in progress on one loop
 * @param maxConnectionsPerLoop that one loop serves; 0: no limit
 * @param maxConnectionsPerAddress 0: no limit
 * @param maxOpenConnectionsPerLoop served and waiting; 0: as many as memory allows
 * @param memory bytes held for the connections of all loops together
 */
public record Limits(
        int maxHeaderBytes,
        int maxTargetBytes,
        int maxHeaderFields,
        long maxBodyBytes,
        int maxConcurrentRequests,
        int maxConnectionsPerLoop,
        int maxConnectionsPerAddress,
        int maxOpenConnectionsPerLoop,
        long memory) {

    static Limits read(Table table) {
        var limits =
                new Limits(
                        (int) table.size("max-header-bytes", "16KiB", 256, 1 << 20),
                        (int) table.size("max-target-bytes", "8KiB", 64, 1 << 20),
                        table.whole("max-header-fields", 100, 1, 10_000),
                        table.size("max-body-bytes", "16MiB", 0, Long.MAX_VALUE),
                        table.whole("max-concurrent-requests", 10_000, 1, Integer.MAX_VALUE),
                        table.whole("max-connections-per-loop", 0, 0, Integer.MAX_VALUE),
                        table.whole("max-connections-per-address", 0, 0, Integer.MAX_VALUE),
                        table.whole("max-open-connections-per-loop", 0, 0, Integer.MAX_VALUE),
                        table.value("memory", Node.of("25%"), Quantity::memory));
        if (limits.maxTargetBytes > limits.maxHeaderBytes) {
            table.error(
                    table.sets("max-target-bytes") ? "max-target-bytes" : "max-header-bytes",
                    "max-target-bytes (%d) is larger than max-header-bytes (%d), which includes the target"
                            .formatted(limits.maxTargetBytes, limits.maxHeaderBytes),
                    "");
        }
        return limits;
    }
}
