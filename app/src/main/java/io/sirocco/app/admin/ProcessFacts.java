// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/** Figures of this process from the system and the JVM. Any thread. */
final class ProcessFacts {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Instant STARTED =
            ProcessHandle.current().info().startInstant().orElseGet(Instant::now);

    private ProcessFacts() {}

    static Instant started() {
        return STARTED;
    }

    static Duration up() {
        return Duration.between(STARTED, Instant.now());
    }

    static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Returns the bytes of the heap that are in use or not yet collected. */
    static long heap() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Returns the resident memory of the process in bytes; empty on systems other than Linux. */
    static OptionalLong resident() {
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** Returns the version as {@code sirocco version} prints it. */
    static String version() {
        String own = ProcessFacts.class.getPackage().getImplementationVersion();
        return own == null ? "development" : own;
    }
}
