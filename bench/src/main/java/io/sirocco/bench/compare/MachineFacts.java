// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where a race is run, from /proc and /etc/os-release. */
final class MachineFacts {
    private static final Path CONGESTION_CONTROL =
            Path.of("/proc/sys/net/ipv4/tcp_congestion_control");

    private MachineFacts() {}

    /** Before this process is pinned, that is: cores count as those that it may use. */
    static Race.Machine now() {
        return new Race.Machine(
                first("/proc/cpuinfo", "model name", System.getProperty("os.arch")),
                Runtime.getRuntime().availableProcessors(),
                kibibytes(first("/proc/meminfo", "MemTotal", "0")) << 10,
                first("/etc/os-release", "PRETTY_NAME", System.getProperty("os.name")),
                System.getProperty("os.name")
                        + " "
                        + System.getProperty("os.version")
                        + ", TCP "
                        + congestionControl(),
                System.getProperty("java.vm.name") + " " + Runtime.version());
    }

    /**
     * Returns the algorithm by which new connections control congestion, {@code cubic} for one;
     * "unknown" if the system does not say.
     */
    static String congestionControl() {
        try {
            return Files.readString(CONGESTION_CONTROL).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static long kibibytes(String words) {
        return Long.parseLong(words.replaceAll("[^0-9]", ""));
    }

    /** The value of the first line {@code name: value} or {@code name="value"} of a file. */
    private static String first(String file, String name, String otherwise) {
        List<String> lines;
        try {
            lines = Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            return otherwise;
        }
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(
                        line ->
                                line.substring(name.length())
                                        .replaceAll("^\\s*[:=]\\s*|\"", "")
                                        .strip())
                .findFirst()
                .orElse(otherwise);
    }
}
