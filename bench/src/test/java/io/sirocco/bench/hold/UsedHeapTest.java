// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What is read of a heap without a collection. */
class UsedHeapTest {
    private static final Processes OURS = new Processes(List.of(ProcessHandle.current().pid()));

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(collector -> Math.max(0, collector.getCollectionCount()))
                .sum();
    }

    @Test
    @Tag("peers")
    @EnabledOnOs(OS.LINUX)
    void aJvmSaysWhatItUsesAndCollectsNothing() {
        LiveHeap.of(OURS).orElseThrow(); // opens the socket
        UsedHeap heap = UsedHeap.of(OURS);
        long before = collections();
        Waiting.until("it says", () -> heap.now().isPresent());
        assertEquals(before, collections());
        assertTrue(heap.now().isEmpty() || heap.now().getAsLong() > 1 << 20);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void anotherProgramHasNone() throws Exception {
        Process other = new ProcessBuilder("cat").start();
        try {
            var heap = UsedHeap.of(new Processes(List.of(other.pid())));
            assertEquals(OptionalLong.empty(), heap.now());
        } finally {
            other.destroy();
        }
    }

    @Test
    void theGenerationsOfSerialAddUp() throws IOException {
        assertEquals(
                (100 + 2048) << 10,
                UsedHeap.used(
                        """
                        0
                         def new generation   total 9216K, used 100K [0x0, 0x1, 0x2)
                          eden space 8192K,   1% used [0x0, 0x1, 0x2)
                         tenured generation   total 10240K, used 2048K [0x0, 0x1, 0x2)
                           the space 10240K,  20% used [0x0, 0x1, 0x2)
                         Metaspace       used 5000K, committed 5100K, reserved 1114112K
                          class space    used 500K, committed 600K, reserved 1048576K
                        """));
    }

    @Test
    void otherCollectorsSayItInOneLine() throws IOException {
        assertEquals(
                3072 << 10,
                UsedHeap.used(
                        """
                        0
                         garbage-first heap   total reserved 524288K, committed 524288K, used 3072K [0x0, 0x1)
                          region size 1024K, 3 young (3072K), 0 survivors (0K)
                         Metaspace       used 5000K, committed 5100K, reserved 1114112K
                        """));
        assertEquals(
                24 << 20,
                UsedHeap.used(
                        """
                        0
                         ZHeap           used 24M, capacity 256M, max capacity 4096M
                         Metaspace       used 5000K, committed 5100K, reserved 1114112K
                        """));
        assertThrows(IOException.class, () -> UsedHeap.used("1\nwhat?\n"));
    }
}
