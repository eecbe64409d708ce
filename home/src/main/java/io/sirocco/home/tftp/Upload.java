// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import io.sirocco.home.file.AtomicFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A file that is being received: it is written beside its target, and {@link #commit} moves it
 * there in one step, when it is safe on the disk. So the target has its old content or its new one
 * at any moment, also after a crash. A file that is replaced keeps its permissions; a new one can
 * be read by its owner only, since scripts contain passwords. Used by one thread.
 */
final class Upload implements AutoCloseable {
    private static final String PREFIX = ".tftp-";
    private static final String SUFFIX = ".tmp";

    private final Path folder;
    private final Path target;
    private final Path temporary;
    private final UploadQuota.Share share;
    private final FileChannel channel;

    /**
     * Creates the temporary file in the folder of {@code target}.
     *
     * @param share counts what is written; the upload closes it
     * @throws TftpException when there is no room for it
     */
    Upload(Path target, UploadQuota.Share share) throws IOException {
        this.share = share;
        this.folder = target.getParent();
        this.target = target;
        long number = ThreadLocalRandom.current().nextLong();
        this.temporary = folder.resolve(PREFIX + Long.toHexString(number) + SUFFIX);
        this.channel = open(temporary);
    }

    private static FileChannel open(Path file) throws IOException {
        try {
            return FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    AtomicFile.ownerOnly(file));
        } catch (AccessDeniedException | NoSuchFileException e) {
            throw e;
        } catch (FileSystemException e) {
            throw noRoom(e);
        }
    }

    /** The texts of the system do not tell a full disk from others: they depend on the language. */
    private static TftpException noRoom(IOException cause) {
        return new TftpException(TftpError.DISK_FULL, "Disk is full, or cannot be written", cause);
    }

    /** Returns whether {@code file} has the name of a temporary file. */
    static boolean isTemporary(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
    }

    /**
     * Returns the stream to write to; closing it commits. It throws a {@link TftpException} when
     * the disk is full.
     */
    OutputStream stream() {
        return new OutputStream() {
            private final byte[] buffer = new byte[8192];
            private int buffered;
            private boolean closed;

            @Override
            public void write(int b) throws IOException {
                if (buffered == buffer.length) {
                    flush();
                }
                buffer[buffered++] = (byte) b;
            }

            @Override
            public void flush() throws IOException {
                share.take(buffered);
                var bytes = ByteBuffer.wrap(buffer, 0, buffered);
                try {
                    while (bytes.hasRemaining()) {
                        channel.write(bytes);
                    }
                } catch (IOException e) {
                    throw noRoom(e);
                }
                buffered = 0;
            }

            @Override
            public void close() throws IOException {
                if (!closed) {
                    closed = true;
                    flush();
                    commit();
                }
            }
        };
    }

    private void commit() throws IOException {
        try {
            channel.force(true);
            channel.close(); // some systems write only now
        } catch (IOException e) {
            throw noRoom(e);
        }
        AtomicFile.keepPermissions(target, temporary);
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        share.committed();
        try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
            entries.force(true);
        }
    }

    /** Deletes the temporary file unless it was committed. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            try {
                Files.deleteIfExists(temporary);
            } finally {
                share.close();
            }
        }
    }
}
