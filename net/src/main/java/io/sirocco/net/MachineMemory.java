// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory this machine, or the container that the process runs in, has. Any thread. */
final class MachineMemory {
    /** Bytes of heap that an idle connection on io_uring or epoll may take; it takes some 125. */
    private static final int HEAP_EACH = 256;

    /** A channel of the JDK and its key are larger. */
    private static final int HEAP_EACH_NIO = 1 << 10;

    /** Bytes that the kernel takes for an idle connection. */
    private static final int KERNEL_EACH = 4 << 10;

    private static final long UNKNOWN = 4L << 30;

    private MachineMemory() {}

    /** Returns how many idle connections there may be at once. */
    static int connections(TransportKind transport) {
        return connections(transport, Runtime.getRuntime().maxMemory(), total());
    }

    static int connections(TransportKind transport, long heap, long machine) {
        int each = transport == TransportKind.NIO ? HEAP_EACH_NIO : HEAP_EACH;
        long rest = Math.max(machine - heap, machine / 8);
        long most = Math.min(heap / 2 / each, rest / 2 / KERNEL_EACH);
        return Math.clamp(most, 1, Integer.MAX_VALUE);
    }

    /** Bytes; of a container as many as it may use. */
    static long total() {
        long machine = UNKNOWN;
        try {
            for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
                if (line.startsWith("MemTotal:")) {
                    machine = Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
                    break;
                }
            }
        } catch (IOException | RuntimeException e) {
            // not Linux: a guess will do
        }
        return Math.min(machine, limitOfContainer());
    }

    private static long limitOfContainer() {
        try {
            String text = Files.readString(Path.of("/sys/fs/cgroup/memory.max")).strip();
            return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
        } catch (IOException | RuntimeException e) {
            return Long.MAX_VALUE;
        }
    }
}
