// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What is read of processes and of the machine: that it is there, and not how much it is. */
@EnabledOnOs(OS.LINUX)
class CostTest {
    private static final Processes OURS = new Processes(List.of(ProcessHandle.current().pid()));

    @Test
    void aProcessUsesMemoryTimeAndDescriptors() {
        Processes.Use use = OURS.use().orElseThrow();
        assertTrue(use.rss() > 1 << 20, use.toString());
        assertTrue(use.cpuMillis() > 0, use.toString());
        assertTrue(OURS.descriptors() > 2);
    }

    @Test
    @Tag("peers")
    void aJvmHasALiveHeap() {
        long live = LiveHeap.of(OURS).orElseThrow();
        assertTrue(live > 1 << 20 && live < 1L << 30, live + " bytes");
    }

    @Test
    void anotherProgramHasNoneAndOneThatHasEndedUsesNothing() throws Exception {
        Process other = new ProcessBuilder("cat").start();
        var processes = new Processes(List.of(other.pid()));
        assertEquals(OptionalLong.empty(), LiveHeap.of(processes));
        assertTrue(processes.use().isPresent());
        other.getOutputStream().close();
        other.waitFor();
        assertEquals(Optional.empty(), processes.use());
        assertEquals(0, processes.descriptors());
    }

    @Test
    void theKernelSaysWhatItNeeds() {
        KernelMemory now = KernelMemory.now().orElseThrow();
        assertTrue(now.slab() > now.unreclaimable(), now.toString());
        assertTrue(now.unreclaimable() > 1 << 20, now.toString());
        assertEquals(new KernelMemory(0, 0, 0), now.since(now));
    }

    @Test
    void aLineIsFoundByItsWholeName() throws IOException {
        var file = new ProcFile("MemFree: 1 kB\nSlab:            12 kB\nReSlab: 3 kB\n");
        assertEquals(12 << 10, file.bytes("Slab"));
    }
}
