// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The memory of this machine, or of the container that the process runs in: the least limit of its
 * control groups (cgroup v2 or v1), from its own group up to the highest that it can see. Any
 * thread.
 */
public final class SystemMemory {
    /** Bytes that the kernel takes for an idle connection. */
    public static final int BYTES_OF_A_CONNECTION = 4 << 10;

    private static final long UNKNOWN = 4L << 30;

    private SystemMemory() {}

    /** Returns the bytes that this process may use; a guess of 4 GiB where nothing tells. */
    public static long total() {
        return OfThisProcess.TOTAL;
    }

    /** Read once, when it is asked for. */
    private static final class OfThisProcess {
        static final long TOTAL = total(Path.of("/"));
    }

    /** The same for the files below {@code root}. */
    static long total(Path root) {
        long machine = UNKNOWN;
        for (String line : lines(root.resolve("proc/meminfo"))) {
            if (line.startsWith("MemTotal:")) {
                machine = number(line.substring("MemTotal:".length()).replace("kB", "")) << 10;
                break;
            }
        }
        long least = machine > 0 ? machine : UNKNOWN;
        List<String> groups = lines(root.resolve("proc/self/cgroup"));
        for (String mount : lines(root.resolve("proc/self/mountinfo"))) {
            least = Math.min(least, limit(root, mount, groups));
        }
        return least;
    }

    /**
     * Returns the limit that applies below one mount, if it is one of a hierarchy with memory.
     *
     * <pre>
     * 35 31 0:32 /root /mount/point rw,relatime optional... - type source options   (proc(5))
     * </pre>
     */
    private static long limit(Path root, String mount, List<String> groups) {
        int end = mount.indexOf(" - ");
        if (end < 0) {
            return Long.MAX_VALUE;
        }
        String[] place = mount.substring(0, end).split(" ");
        String[] kind = mount.substring(end + 3).split(" ");
        boolean second = kind[0].equals("cgroup2");
        boolean first = kind[0].equals("cgroup") && among(kind[kind.length - 1], "memory");
        if (place.length < 5 || !second && !first) {
            return Long.MAX_VALUE;
        }
        Path top = below(root, unescaped(place[4]));
        String file = second ? "memory.max" : "memory.limit_in_bytes";
        Path group = below(top, ownGroup(groups, first, unescaped(place[3])));
        long least = Long.MAX_VALUE;
        for (Path at = group; at != null && at.startsWith(top); at = at.getParent()) {
            for (String line : lines(at.resolve(file))) {
                long bytes = number(line); // "max" is none
                least = bytes > 0 ? Math.min(least, bytes) : least;
            }
        }
        return least;
    }

    /**
     * Returns the path of the process's group below a mount that shows {@code mounted}. The path
     * and the mount may be of different namespaces; then the mount shows the group itself.
     */
    private static String ownGroup(List<String> groups, boolean first, String mounted) {
        for (String line : groups) { // ID:CONTROLLERS:PATH, without controllers for v2
            String[] parts = line.split(":", 3);
            if (parts.length == 3 && (first ? among(parts[1], "memory") : parts[1].isEmpty())) {
                String path = parts[2];
                String prefix = mounted.equals("/") ? "" : mounted;
                boolean inside = path.equals(prefix) || path.startsWith(prefix + "/");
                return inside && !path.contains("/..") ? path.substring(prefix.length()) : "";
            }
        }
        return "";
    }

    /** Blanks, tabs, line feeds and backslashes are three octal digits there (proc(5)). */
    private static String unescaped(String path) {
        return path.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    private static boolean among(String list, String word) {
        return ("," + list + ",").contains("," + word + ",");
    }

    private static Path below(Path root, String path) {
        return root.resolve(path.startsWith("/") ? path.substring(1) : path);
    }

    private static List<String> lines(Path file) {
        try {
            // readAllLines would refuse the whole file for one name that is not UTF-8
            return new String(Files.readAllBytes(file), UTF_8).lines().toList();
        } catch (IOException | RuntimeException e) {
            return List.of(); // not Linux, or not for us: the other files tell, or none does
        }
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
