// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Some processes of this machine, and what they use together: proc(5). Immutable. */
public record Processes(List<Long> pids) {
    /** A tick of USER_HZ, which is 100 Hz wherever a JVM runs. */
    private static final long TICK_MILLIS = 10;

    /**
     * What they used until a moment.
     *
     * @param rss resident bytes
     * @param userMillis CPU time in their own code
     * @param systemMillis CPU time in the kernel
     */
    public record Use(long rss, long userMillis, long systemMillis) {
        static final Use NONE = new Use(0, 0, 0);

        /** Returns the CPU time in both. */
        public long cpuMillis() {
            return userMillis + systemMillis;
        }

        Use plus(Use other) {
            return new Use(
                    rss + other.rss,
                    userMillis + other.userMillis,
                    systemMillis + other.systemMillis);
        }
    }

    /** Returns the processes that receive what is sent to a UDP address of this machine. */
    public static Optional<Processes> onUdp(InetSocketAddress address) {
        return Listening.onUdp(address);
    }

    /** Returns what they have used until now; empty when none of them can be asked. */
    public Optional<Use> use() {
        return pids.stream().map(Processes::use).flatMap(Optional::stream).reduce(Use::plus);
    }

    private static Optional<Use> use(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        try {
            String stat = ProcFile.read(process.resolve("stat")).text();
            // behind the program's name, which stands in brackets and may hold some itself
            String[] rest = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Optional.of(
                    new Use(
                            ProcFile.read(process.resolve("status")).bytes("VmRSS"),
                            Long.parseLong(rest[11]) * TICK_MILLIS,
                            Long.parseLong(rest[12]) * TICK_MILLIS));
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or this is not Linux
        }
    }

    /**
     * Returns the number of open descriptors by one {@code stat} per process (Linux 6.2 and later);
     * empty elsewhere.
     */
    OptionalInt descriptorsAtOnce() {
        int count = 0;
        for (long pid : pids) {
            try {
                count += (int) Files.size(Path.of("/proc", "" + pid, "fd"));
            } catch (IOException e) {
                // it has ended, or is another user's
            }
        }
        return count == 0 ? OptionalInt.empty() : OptionalInt.of(count);
    }

    /** Counts the open descriptors one by one. */
    int descriptors() {
        int count = 0;
        for (long pid : pids) {
            try (var open = Files.newDirectoryStream(Path.of("/proc", "" + pid, "fd"))) {
                for (Path ignored : open) {
                    count++;
                }
            } catch (IOException | DirectoryIteratorException e) {
                // it has ended, or is another user's
            }
        }
        return count;
    }
}
