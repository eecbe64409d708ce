// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The option {@code script} of a route: a folder of scripts in front of its action. Routes with
 * equal options share the scripts, also over a reload. Sizes are in bytes. Immutable.
 *
 * @param timeout until a response begins, and of each part of a stream
 * @param cpuTime that a request takes without waiting
 * @param maxAllocation that a request allocates; empty: an eighth of the heap, at most 256 MiB
 * @param maxStatements of a request; 0: no limit
 * @param maxBodyBytes of bodies that scripts read as a whole
 * @param contexts 0: four for each core, at least eight
 * @param anyUpstream whether scripts may name any origin
 * @param config what {@code setup} receives
 */
public record Script(
        Path folder,
        Duration timeout,
        Duration cpuTime,
        Duration setupTimeout,
        Optional<Long> maxAllocation,
        long maxStatements,
        int maxBodyBytes,
        int contexts,
        int requestsPerContext,
        int maxWaiting,
        int kvEntries,
        long kvBytes,
        boolean anyUpstream,
        Map<String, String> config) {

    private static final Duration LEAST = Duration.ofMillis(1);

    static Script read(Table table) {
        return new Script(
                table.needed(
                        "folder",
                        Node.of("/"),
                        "folder = \"scripts\"",
                        Values.text(text -> Paths.directory(text, table.folder()))),
                table.time("timeout", "10s", LEAST),
                table.time("cpu-time", "1s", LEAST),
                table.time("setup-timeout", "10s", LEAST),
                table.value("max-allocation", Values.size(1 << 20, Long.MAX_VALUE)),
                table.value("max-statements", Node.of(0), Values.whole(0, Long.MAX_VALUE)),
                (int) table.size("max-body-bytes", "1MiB", 1, 1 << 30),
                table.whole("contexts", 0, 0, 10_000),
                table.whole("requests-per-context", 64, 1, 1_000_000),
                table.whole("max-waiting", 1_000, 1, 1_000_000),
                table.whole("kv-entries", 10_000, 1, 1_000_000_000),
                table.size("kv-bytes", "16MiB", 1, Long.MAX_VALUE),
                table.flag("any-upstream", false),
                table.map("config", true, (name, value) -> {}));
    }
}
