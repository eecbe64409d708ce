// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the kernel as they are in containers and below services. */
class SystemMemoryTest {
    private static final long MIB = 1 << 20;
    private static final String NO_LIMIT_OF_V1 = "9223372036854771712";
    private static final String V2 =
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";

    @TempDir Path root;

    @BeforeEach
    void machine() throws IOException {
        file("proc/meminfo", "MemTotal:        8388608 kB\nMemFree:         1 kB");
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    private long mib() {
        return SystemMemory.total(root) / MIB;
    }

    @Test
    void withoutControlGroupsItIsThatOfTheMachine() {
        assertEquals(8192, mib());
    }

    @Test
    void aContainerWithANamespaceOfItsOwnSeesItsLimitAtTheTop() throws IOException {
        file("proc/self/mountinfo", V2);
        file("proc/self/cgroup", "0::/");
        file("sys/fs/cgroup/memory.max", "67108864");
        assertEquals(64, mib());
    }

    @Test
    void aServiceIsBoundByItsOwnGroupAndByThoseAboveIt() throws IOException {
        file("proc/self/mountinfo", V2);
        file("proc/self/cgroup", "0::/system.slice/box.slice/sirocco.service");
        file("sys/fs/cgroup/system.slice/memory.max", "max");
        file("sys/fs/cgroup/system.slice/box.slice/memory.max", "536870912");
        file("sys/fs/cgroup/system.slice/box.slice/sirocco.service/memory.max", "1073741824");
        assertEquals(512, mib(), "the group above has less");
        file("sys/fs/cgroup/system.slice/box.slice/sirocco.service/memory.max", "268435456");
        assertEquals(256, mib(), "its own group has less");
    }

    @Test
    void groupsOfOthersDoNotCount() throws IOException {
        file("proc/self/mountinfo", V2);
        file("proc/self/cgroup", "0::/a");
        file("sys/fs/cgroup/a/memory.max", "max");
        file("sys/fs/cgroup/b/memory.max", "67108864");
        file("sys/fs/cgroup/a/c/memory.max", "67108864");
        assertEquals(8192, mib());
    }

    @Test
    void version1BesideAnEmptyVersion2() throws IOException {
        file(
                "proc/self/mountinfo",
                """
                32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
                35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
                41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw""");
        file("proc/self/cgroup", "4:memory:/api/7016\n1:cpu:/\n0::/");
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", NO_LIMIT_OF_V1);
        file("sys/fs/cgroup/memory/api/7016/memory.limit_in_bytes", "134217728");
        assertEquals(128, mib());
        file("sys/fs/cgroup/memory/api/7016/memory.limit_in_bytes", NO_LIMIT_OF_V1);
        assertEquals(8192, mib());
    }

    @Test
    void dockerWithVersion1MountsTheGroupOfTheContainer() throws IOException {
        file(
                "proc/self/mountinfo",
                "35 31 0:32 /docker/4f /sys/fs/cgroup/memory ro master:9 - cgroup cgroup rw,memory");
        file("proc/self/cgroup", "4:memory:/docker/4f");
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864");
        assertEquals(64, mib());
    }

    @Test
    void aPathOfAnotherNamespaceIsThatOfTheMount() throws IOException {
        file("proc/self/mountinfo", V2);
        file("proc/self/cgroup", "0::/../../kubelet/pod");
        file("sys/fs/cgroup/memory.max", "67108864");
        file("kubelet/pod/memory.max", "1048576");
        assertEquals(64, mib());
        file("proc/self/mountinfo", V2.replace(" / ", " /elsewhere "));
        assertEquals(64, mib());
    }

    @Test
    void whatCannotBeReadIsNoLimit() throws IOException {
        file("proc/self/mountinfo", "\n-\n1 2 - cgroup2\n - cgroup2 x y\n" + V2);
        file("proc/self/cgroup", "\n0\n::\n0::/a");
        file("sys/fs/cgroup/a/memory.max", "a lot");
        assertEquals(8192, mib());
    }

    @Test
    void thisProcessHasSome() {
        assertTrue(SystemMemory.total() > 16 * MIB);
    }

    @Test
    void aMountWhoseNameIsNotUtf8DoesNotHideTheLimit() throws IOException {
        file("proc/self/cgroup", "0::/");
        file("sys/fs/cgroup/memory.max", "67108864");
        String mounts = "40 23 0:40 / /mnt/caf\u00e9 rw - ext4 /dev/sda rw\n" + V2 + "\n";
        Files.write(
                root.resolve("proc/self/mountinfo"),
                mounts.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
        assertEquals(64, mib());
    }

    @Test
    void aGroupWithABackslashBelowAMountOfIt() throws IOException {
        file("proc/self/mountinfo", V2.replace(" / ", " /a\\134x2db "));
        file("proc/self/cgroup", "0::/a\\x2db/c");
        file("sys/fs/cgroup/c/memory.max", "67108864");
        assertEquals(64, mib());
    }
}
