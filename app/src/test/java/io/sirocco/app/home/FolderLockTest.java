// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderLockTest {
    @TempDir Path parent;

    @Test
    void oneControllerRunsFromAFolder() throws Exception {
        Path folder = parent.resolve("clu");
        try (FolderLock _ = FolderLock.of(folder)) {
            var error = assertThrows(IOException.class, () -> FolderLock.of(folder));
            assertTrue(error.getMessage().contains("another controller runs"), error.getMessage());
        }
        FolderLock.of(folder).close();
    }

    @Test
    void onlyTheOwnerMayUseANewFolder() throws Exception {
        Path folder = parent.resolve("new/clu");
        FolderLock.of(folder).close();
        assertEquals("rwx------", permissions(folder));
        assertEquals("rw-------", permissions(folder.resolve(".lock")));
    }

    @Test
    void aFolderKeepsItsPermissions() throws Exception {
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxr-x---"));
        FolderLock.of(parent).close();
        assertEquals("rwxr-x---", permissions(parent));
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
