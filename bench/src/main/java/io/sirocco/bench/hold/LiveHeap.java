// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Bytes that live on the heaps of other JVMs, asked of the JDK's own tool {@code jcmd}, which has
 * them collect their garbage first. It takes a second or so, and holds them up for as long as the
 * collection takes.
 */
final class LiveHeap {
    private static final long PATIENCE_SECONDS = 30;
    private static final Pattern TOTAL = Pattern.compile("Total\\s+\\d+\\s+(\\d+)");

    private LiveHeap() {}

    /** Of all of {@code processes} that are JVMs; empty when none is, or one does not say. */
    static OptionalLong of(Processes processes) {
        long[] jvms =
                processes.pids().stream().mapToLong(pid -> pid).filter(LiveHeap::isJvm).toArray();
        if (jvms.length == 0) {
            return OptionalLong.empty();
        }
        long bytes = 0;
        for (long pid : jvms) {
            OptionalLong one = of(pid);
            if (one.isEmpty()) {
                return one;
            }
            bytes += one.getAsLong();
        }
        return OptionalLong.of(bytes);
    }

    static boolean isJvm(long pid) {
        try (Stream<String> mapped = Files.lines(Path.of("/proc", Long.toString(pid), "maps"))) {
            return mapped.anyMatch(line -> line.endsWith("/libjvm.so"));
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static OptionalLong of(long pid) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process tool =
                    new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                            .redirectErrorStream(true)
                            .start();
            tool.onExit()
                    .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .whenComplete((ended, late) -> tool.destroyForcibly());
            try (BufferedReader lines = tool.inputReader()) {
                return lines.lines()
                        .map(TOTAL::matcher)
                        .filter(Matcher::lookingAt)
                        .mapToLong(total -> Long.parseLong(total.group(1)))
                        .findFirst();
            }
        } catch (IOException | RuntimeException e) {
            return OptionalLong.empty(); // a JVM without tools, or one that does not answer
        }
    }
}
