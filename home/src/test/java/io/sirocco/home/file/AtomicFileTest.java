// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir Path folder;

    @Test
    void replacesTheContent() throws Exception {
        Path file = folder.resolve("f");
        AtomicFile.write(file, "old".getBytes());
        AtomicFile.write(file, "new".getBytes());
        assertEquals("new", Files.readString(file));
        assertEquals(List.of(file), files());
    }

    @Test
    void aReplacedFileKeepsItsPermissions() throws Exception {
        Path file = Files.writeString(folder.resolve("f"), "old");
        for (String permissions : List.of("rw-------", "rw-rw----")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
            AtomicFile.write(file, "new".getBytes());
            assertEquals(
                    permissions,
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
        AtomicFile.writePrivate(file, "new".getBytes());
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void aFailureKeepsTheOldFileAndLeavesNothing() throws Exception {
        Path file = Files.createDirectories(folder.resolve("a folder/with content")).getParent();
        assertThrows(IOException.class, () -> AtomicFile.write(file, "new".getBytes()));
        assertTrue(Files.isDirectory(file));
        assertEquals(List.of(file), files());
    }

    @Test
    void remainsOfACrashAreDeleted() throws Exception {
        Files.writeString(folder.resolve(".f.123.sirocco-tmp"), "half");
        Path file = Files.writeString(folder.resolve("f"), "whole");
        AtomicFile.deleteRemains(folder);
        assertEquals(List.of(file), files());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
