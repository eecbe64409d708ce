// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Which groups tell server and generator apart, over files as the kernel has them. */
class ControlGroupsTest {
    private static final Processes SERVER = new Processes(List.of(11L));
    private static final Processes GENERATOR = new Processes(List.of(21L, 22L));

    @TempDir Path folder;

    private void process(long pid, String groups) throws IOException {
        write(folder.resolve("proc/" + pid + "/cgroup"), groups);
    }

    private void group(String path, String file, String text) throws IOException {
        write(folder.resolve("cgroup/" + path + "/" + file), text);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private Optional<KernelShares> shares() {
        return ControlGroups.of(SERVER, GENERATOR, folder.resolve("proc"), folder.resolve("cgroup"))
                .flatMap(ControlGroups::now);
    }

    @Test
    void groupsOfVersion2() throws IOException {
        process(11, "0::/a/server\n");
        process(21, "0::/a/bench\n");
        process(22, "0::/a/bench\n");
        group("a/server", "memory.stat", "anon 9\nkernel 1000\nkernel_stack 7\nsock 20\n");
        group("a/bench", "memory.stat", "anon 9\nkernel 3000\nkernel_stack 7\nsock 40\n");
        assertEquals(Optional.of(new KernelShares(1_020, 3_040)), shares());
        group("a/server", "memory.stat", "anon 9\n");
        assertEquals(Optional.empty(), shares());
    }

    @Test
    void groupsOfVersion1() throws IOException {
        process(11, "5:cpu:/x\n4:memory:/server\n0::/\n");
        process(21, "4:hugetlb,memory:/bench\n0::/\n");
        process(22, "4:hugetlb,memory:/bench\n0::/\n");
        for (String name : List.of("server", "bench")) {
            group("memory/" + name, "memory.kmem.usage_in_bytes", "5000\n");
            group("memory/" + name, "memory.kmem.tcp.usage_in_bytes", "4\n");
        }
        assertEquals(Optional.of(new KernelShares(5_004, 5_004)), shares());
    }

    @Test
    void oneGroupOfBothTellsNothingApart() throws IOException {
        group("a", "memory.stat", "kernel 1000\nsock 20\n");
        group("a/b", "memory.stat", "kernel 1000\nsock 20\n");
        for (String server : List.of("/a", "/", "/a/b/../../a")) {
            process(11, "0::" + server + "\n");
            for (String bench : List.of("/a", "/a/b")) {
                process(21, "0::" + bench + "\n");
                process(22, "0::" + bench + "\n");
                assertEquals(Optional.empty(), shares(), server + " " + bench);
            }
        }
    }

    @Test
    void childrenInSeveralGroupsOrOutsideTellNothingApart() throws IOException {
        group("a", "memory.stat", "kernel 1000\nsock 20\n");
        group("b", "memory.stat", "kernel 1000\nsock 20\n");
        group("../c", "memory.stat", "kernel 1000\nsock 20\n");
        process(11, "0::/a\n");
        process(21, "0::/b\n");
        assertEquals(Optional.empty(), shares()); // 22 has ended
        process(22, "0::/c\n");
        assertEquals(Optional.empty(), shares());
        process(21, "0::/../c\n");
        process(22, "0::/../c\n");
        assertEquals(Optional.empty(), shares());
    }

    @Test
    @EnabledIf("rootReads")
    void theKernelHasCachesOfSockets() {
        assertTrue(SlabCache.all().containsKey("filp"), SlabCache.all().keySet().toString());
    }

    static boolean rootReads() {
        return Files.isReadable(Path.of("/proc/slabinfo"));
    }

    @Test
    void cachesOfTheKernelAreToldByTheirGrowth() {
        String head = "slabinfo - version: 2.1\n# name            <active_objs> <num_objs>\n";
        String line = "%s %d 99 2432 13 8 : tunables 0 0 0 : slabdata %d %d 0\n";
        var before = SlabCache.parse(head + line.formatted("TCP", 10, 1, 1), 4096);
        var after =
                SlabCache.parse(
                        head
                                + line.formatted("filp", 40, 3, 3)
                                + line.formatted("TCP", 210, 17, 17)
                                + line.formatted("dentry", 0, 0, 0),
                        4096);
        long slab = 8 * 4096;
        assertEquals(
                List.of(new SlabCache("TCP", 200, 16 * slab), new SlabCache("filp", 40, 3 * slab)),
                SlabCache.growth(before, after, 0));
        assertEquals(1, SlabCache.growth(before, after, 4 * slab).size());
    }
}
