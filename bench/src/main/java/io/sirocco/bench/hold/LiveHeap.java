// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
 * collection takes. Any thread.
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
        try {
            Path answer = Files.createTempFile("sirocco-heap", ".txt");
            try {
                return ask(pid, answer) ? total(answer) : OptionalLong.empty();
            } finally {
                Files.delete(answer);
            }
        } catch (IOException e) {
            return OptionalLong.empty(); // a JVM without tools
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalLong.empty();
        }
    }

    /**
     * The JVM stands still until all of the answer is written, so that goes to a file: were it a
     * pipe, the JVM would wait for its reader, and for ever if it is this one.
     */
    private static boolean ask(long pid, Path answer) throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process tool =
                new ProcessBuilder(jcmd, Long.toString(pid), "GC.class_histogram")
                        .redirectErrorStream(true)
                        .redirectOutput(answer.toFile())
                        .start();
        boolean ended = tool.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        tool.destroyForcibly();
        return ended;
    }

    private static OptionalLong total(Path answer) throws IOException {
        try (Stream<String> lines = Files.lines(answer, StandardCharsets.ISO_8859_1)) {
            return lines.map(TOTAL::matcher)
                    .filter(Matcher::lookingAt)
                    .mapToLong(total -> Long.parseLong(total.group(1)))
                    .findFirst();
        }
    }
}
