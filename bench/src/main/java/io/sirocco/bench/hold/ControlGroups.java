// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The control groups of server and generator, when each has its own: cgroups(7), version 1 or 2.
 * They separate what the kernel keeps for the server's end of the connections from the client's.
 * Immutable.
 */
final class ControlGroups {
    private static final Pattern V1 =
            Pattern.compile("(?m)^\\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$");
    private static final Pattern V2 = Pattern.compile("(?m)^0::(.*)$");

    private final Group server;
    private final Group generator;

    /** A folder of the file system of control groups. */
    private record Group(Path folder) {
        long bytes() throws IOException {
            Path old = folder.resolve("memory.kmem.usage_in_bytes");
            if (Files.exists(old)) {
                return number(old) + number(folder.resolve("memory.kmem.tcp.usage_in_bytes"));
            }
            String stat = ProcFile.read(folder.resolve("memory.stat")).text();
            return line(stat, "kernel") + line(stat, "sock");
        }

        private static long number(Path file) throws IOException {
            return Long.parseLong(ProcFile.read(file).text().strip());
        }

        private static long line(String stat, String name) throws IOException {
            Matcher line = Pattern.compile("(?m)^" + name + " (\\d+)$").matcher(stat);
            if (!line.find()) {
                throw new IOException("there is no " + name);
            }
            return Long.parseLong(line.group(1));
        }
    }

    private ControlGroups(Group server, Group generator) {
        this.server = server;
        this.generator = generator;
    }

    /** Empty unless both have groups that say what they use, and neither is within the other. */
    static Optional<ControlGroups> of(Processes server, Processes generator) {
        return of(server, generator, Path.of("/proc"), Path.of("/sys/fs/cgroup"));
    }

    static Optional<ControlGroups> of(Processes server, Processes generator, Path proc, Path root) {
        Optional<Path> ours = group(generator, proc, root);
        Optional<Path> theirs = group(server, proc, root);
        if (ours.isEmpty()
                || theirs.isEmpty()
                || ours.get().startsWith(theirs.get())
                || theirs.get().startsWith(ours.get())) {
            return Optional.empty();
        }
        var groups = new ControlGroups(new Group(theirs.get()), new Group(ours.get()));
        return groups.now().isPresent() ? Optional.of(groups) : Optional.empty();
    }

    /** The one folder of all of {@code processes}. */
    private static Optional<Path> group(Processes processes, Path proc, Path root) {
        Set<Path> folders = new HashSet<>();
        try {
            for (long pid : processes.pids()) {
                String text = ProcFile.read(proc.resolve(pid + "/cgroup")).text();
                Matcher v1 = V1.matcher(text);
                Matcher v2 = V2.matcher(text);
                if (v1.find()) {
                    folders.add(root.resolve("memory" + v1.group(1)).normalize());
                } else if (v2.find()) {
                    folders.add(root.resolve("." + v2.group(1)).normalize());
                }
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return folders.size() == 1
                ? folders.stream().filter(folder -> folder.startsWith(root)).findFirst()
                : Optional.empty();
    }

    /** What each of the two is charged. */
    Optional<KernelShares> now() {
        try {
            return Optional.of(new KernelShares(server.bytes(), generator.bytes()));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }
}
