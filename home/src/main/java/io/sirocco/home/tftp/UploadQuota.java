// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Bounds what uploads make of a folder: its files have up to so many bytes together, and there are
 * up to so many. The folder is measured when an upload begins and no other is under way; from then
 * on uploads are counted. A file may always be replaced by one that is not longer. Any thread.
 */
final class UploadQuota {
    private final Path root;
    private final long mostBytes;
    private final int mostFiles;
    private int active;
    private long bytes; // after all uploads that are under way
    private int files;

    UploadQuota(Path root, long mostBytes, int mostFiles) {
        this.root = root;
        this.mostBytes = mostBytes;
        this.mostFiles = mostFiles;
    }

    /**
     * Begins an upload.
     *
     * @param target what it replaces or creates
     * @throws TftpException if there are too many files
     */
    synchronized Share begin(Path target) throws IOException {
        if (active == 0) {
            measure();
        }
        boolean replaces = Files.exists(target);
        if (!replaces && files >= mostFiles) {
            throw exceeded("up to " + mostFiles + " files");
        }
        var share = new Share(replaces ? Files.size(target) : 0, !replaces);
        active++;
        if (!replaces) {
            files++;
        }
        return share;
    }

    private void measure() throws IOException {
        bytes = 0;
        files = 0;
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        bytes += attributes.size();
                        files++;
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e) {
                        return FileVisitResult.CONTINUE; // it has gone meanwhile, or is not ours
                    }
                });
    }

    private TftpException exceeded(String limit) {
        return new TftpException(
                TftpError.DISK_FULL,
                "Allocation exceeded: the controller keeps " + limit,
                new IOException(root + " has " + bytes + " bytes in " + files + " files"));
    }

    /** The part of one upload. */
    final class Share implements AutoCloseable {
        private final long replaced; // bytes that the target has
        private final boolean isNew;
        private long written;
        private long counted; // what it adds to the folder
        private boolean committed;
        private boolean closed;

        private Share(long replaced, boolean isNew) {
            this.replaced = replaced;
            this.isNew = isNew;
        }

        /**
         * Counts bytes before they are written.
         *
         * @throws TftpException if the files of the folder would have too many bytes
         */
        void take(int count) throws TftpException {
            synchronized (UploadQuota.this) {
                long more = Math.max(0, written + count - replaced) - counted;
                if (more > 0 && bytes + more > mostBytes) {
                    throw exceeded("up to " + mostBytes + " bytes of files");
                }
                written += count;
                counted += more;
                bytes += more;
            }
        }

        /** The target has its new content. */
        void committed() {
            synchronized (UploadQuota.this) {
                committed = true;
            }
        }

        /** Ends the upload; one that is not committed leaves nothing. */
        @Override
        public void close() {
            synchronized (UploadQuota.this) {
                if (closed) {
                    return;
                }
                closed = true;
                active--;
                if (!committed) {
                    bytes -= counted;
                    files -= isNew ? 1 : 0;
                }
            }
        }
    }
}
