// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import io.sirocco.home.file.AtomicFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The lock on the folder of a controller: two that run from one folder would overwrite each other's
 * files. It ends with the process. Any thread.
 */
final class FolderLock implements AutoCloseable {
    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Locks a folder. If it is missing it is created, and only its owner may enter it.
     *
     * @throws IOException if another controller runs from it
     */
    static FolderLock of(Path folder) throws IOException {
        Path file = AtomicFile.createFolder(folder).resolve(".lock");
        FileChannel channel =
                FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                        AtomicFile.ownerOnly(file));
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        if (lock == null) {
            channel.close();
            throw new IOException(
                    "another controller runs from the folder "
                            + folder
                            + "; end it, or choose another folder by --dir");
        }
        return new FolderLock(channel);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
