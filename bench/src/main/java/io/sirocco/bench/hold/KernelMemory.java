// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Memory of the whole machine's kernel, or how much more of it there is than before, in bytes.
 * Immutable.
 *
 * @param slab all objects of the kernel: {@code Slab} of /proc/meminfo
 * @param unreclaimable those of them that it needs: sockets are among them
 * @param tcp buffers of TCP: {@code mem} of /proc/net/sockstat
 */
public record KernelMemory(long slab, long unreclaimable, long tcp) {
    private static final Pattern TCP = Pattern.compile("TCP: .*\\bmem (\\d+)");
    private static final long PAGE_SIZE_KEY = 6; // AT_PAGESZ of getauxval(3)

    /** As it is now; empty where the kernel does not say. */
    static Optional<KernelMemory> now() {
        try {
            var memory = ProcFile.read(Path.of("/proc/meminfo"));
            Matcher tcp = TCP.matcher(ProcFile.read(Path.of("/proc/net/sockstat")).text());
            return Optional.of(
                    new KernelMemory(
                            memory.bytes("Slab"),
                            memory.bytes("SUnreclaim"),
                            tcp.find() ? Long.parseLong(tcp.group(1)) * pageSize() : 0));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Slab and TCP together. */
    public long bytes() {
        return slab + tcp;
    }

    KernelMemory since(KernelMemory before) {
        return new KernelMemory(
                slab - before.slab, unreclaimable - before.unreclaimable, tcp - before.tcp);
    }

    /** Returns the size of a memory page, from the auxiliary vector: pairs of words. */
    static long pageSize() throws IOException {
        var words =
                ByteBuffer.wrap(Files.readAllBytes(Path.of("/proc/self/auxv")))
                        .order(ByteOrder.nativeOrder());
        while (words.remaining() >= 16) {
            long key = words.getLong();
            long value = words.getLong();
            if (key == PAGE_SIZE_KEY) {
                return value;
            }
        }
        return 4096;
    }
}
