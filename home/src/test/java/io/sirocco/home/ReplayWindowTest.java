// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayWindowTest {
    private final ReplayWindow window = new ReplayWindow(null);

    @Test
    void aCopyIsNotNew() {
        assertTrue(window.isNew(datagram(1), 48));
        assertFalse(window.isNew(datagram(1), 48));
        assertTrue(window.isNew(datagram(2), 48));
    }

    /** Compared with a set and a queue over twice as many requests as it remembers. */
    @Test
    void itRemembersTheLastRequestsAndNoOthers() {
        var random = new Random(7);
        var set = new HashSet<Integer>();
        var queue = new ArrayDeque<Integer>();
        for (int i = 0; i < 3 * ReplayWindow.SIZE; i++) {
            int number = random.nextInt(2 * ReplayWindow.SIZE); // many come again
            boolean isNew = set.add(number);
            if (isNew) {
                queue.add(number);
            }
            if (queue.size() > ReplayWindow.SIZE) {
                set.remove(queue.remove());
            }
            assertTrue(window.isNew(datagram(number), 48) == isNew, "request " + i);
        }
    }

    /** The ring has an end: what is written past it is read in the same order. */
    @Test
    void anotherWindowHasTheRequestsOfTheFile(@TempDir Path folder) throws Exception {
        int first = 0;
        for (int count :
                new int[] {1, 3, 1_000, ReplayWindow.SIZE - 500, 7, 2 * ReplayWindow.SIZE}) {
            try (var written = new ReplayWindow(ReplayFile.open(folder))) {
                for (int i = first; i < first + count; i++) {
                    assertTrue(written.isNew(datagram(i), 48, session(i)), "request " + i);
                    if (i % 7 == 0) {
                        written.write();
                    }
                }
                written.write();
            }
            first += count;
            try (var read = new ReplayWindow(ReplayFile.open(folder))) {
                int eldest = Math.max(0, first - ReplayWindow.SIZE);
                for (int i = eldest; i < first; i++) {
                    assertFalse(read.isNew(datagram(i), 48), "request " + i);
                    assertTrue(read.hasSession(session(i)), "session " + i);
                }
                assertFalse(read.hasSession(session(eldest - 1)));
                assertFalse(read.hasSession(session(first)));
            }
        }
    }

    /** As after the end of the process between the writes of the end and of the beginning. */
    @Test
    void aFileWithoutAnEmptyEntryLosesItsEldest(@TempDir Path folder) throws Exception {
        int entries = ReplayWindow.SIZE + 1;
        var content = ByteBuffer.allocate(16 + entries * ReplayFile.ENTRY);
        content.put("Sirocco requests".getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < entries; i++) {
            content.putLong(ByteBuffer.wrap(datagram(i)).getLong(32)).putLong(session(i));
        }
        Files.write(folder.resolve("requests.bin"), content.array());
        try (var window = new ReplayWindow(ReplayFile.open(folder))) {
            assertFalse(window.hasSession(session(0)));
            assertTrue(window.hasSession(session(1)));
            assertTrue(window.isNew(datagram(0), 48), "it has made room");
            assertTrue(window.isNew(datagram(1), 48), "so has this, for the one before");
            for (int i = 3; i < entries; i++) {
                assertFalse(window.isNew(datagram(i), 48), "request " + i);
            }
        }
    }

    @Test
    void onlyItsOwnerMayReadTheFile(@TempDir Path folder) throws Exception {
        try (var written = new ReplayWindow(ReplayFile.open(folder))) {
            assertTrue(written.isNew(datagram(1), 48));
            written.write();
        }
        Path file = folder.resolve("requests.bin");
        assertEquals(
                PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file));
    }

    @Test
    void aDamagedFileBeginsAnew(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("requests.bin");
        for (byte[] content :
                List.of(new byte[3], new byte[100], new byte[17 * (ReplayWindow.SIZE + 1)])) {
            Files.write(file, content);
            try (var window = new ReplayWindow(ReplayFile.open(folder))) {
                assertTrue(window.isNew(datagram(1), 48));
                window.write();
            }
            try (var window = new ReplayWindow(ReplayFile.open(folder))) {
                assertFalse(window.isNew(datagram(1), 48));
            }
        }
    }

    /** As after a power failure: the last page of the file is missing. */
    @Test
    void aFileThatIsCutOffHasTheEntriesBefore(@TempDir Path folder) throws Exception {
        try (var window = new ReplayWindow(ReplayFile.open(folder))) {
            for (int i = 0; i < 100; i++) {
                window.isNew(datagram(i), 48);
            }
            window.write();
        }
        try (FileChannel file =
                FileChannel.open(folder.resolve("requests.bin"), StandardOpenOption.WRITE)) {
            file.truncate(16 + 50 * 16 + 5);
        }
        try (var window = new ReplayWindow(ReplayFile.open(folder))) {
            assertFalse(window.isNew(datagram(0), 48));
            assertFalse(window.isNew(datagram(49), 48));
            assertTrue(window.isNew(datagram(60), 48));
        }
    }

    @Test
    void oneSessionForAllRequestsIsRememberedOnce() {
        for (int i = 0; i < 2 * ReplayWindow.SIZE; i++) {
            assertTrue(window.isNew(datagram(i), 48, 5));
        }
        assertTrue(window.hasSession(5));
        for (int i = 0; i < ReplayWindow.SIZE; i++) {
            assertTrue(window.isNew(datagram(-i - 1), 48));
        }
        assertFalse(window.hasSession(5));
        assertFalse(window.hasSession(0));
    }

    private static long session(int number) {
        return number + 1_000_000_000_000L;
    }

    private static byte[] datagram(int number) {
        byte[] bytes = new byte[48];
        ByteBuffer.wrap(bytes).putLong(32, (number + 1) * 0x5851_F42D_4C95_7F2DL);
        return bytes;
    }
}
