// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

/**
 * Replaces files as a whole: after a crash or a power failure a file has its old content or its new
 * one. The content is written to a temporary file in the same folder, synced, and renamed; then the
 * folder is synced. Any thread; the last of two concurrent calls for one path wins.
 */
public final class AtomicFile {
    private static final String SUFFIX = ".sirocco-tmp";

    private AtomicFile() {}

    /** Replaces a file, which keeps its permissions, or creates one that everyone may read. */
    public static void write(Path file, byte[] content) throws IOException {
        replace(file, content, false);
    }

    /** Replaces or creates a file that only its owner may read. */
    public static void writePrivate(Path file, byte[] content) throws IOException {
        replace(file, content, true);
    }

    /**
     * Gives {@code temporary}, which is about to replace {@code file}, the permissions of that;
     * does nothing if there is no such file, or if the system has none.
     */
    public static void keepPermissions(Path file, Path temporary) throws IOException {
        if (hasPermissions(file) && Files.exists(file)) {
            Files.setPosixFilePermissions(temporary, Files.getPosixFilePermissions(file));
        }
    }

    /** Returns the attributes of a new file that only its owner may read. */
    public static FileAttribute<?>[] ownerOnly(Path file) {
        return hasPermissions(file)
                ? new FileAttribute<?>[] {permissions("rw-------")}
                : new FileAttribute<?>[0];
    }

    /**
     * Creates a folder that only its owner may enter, whatever the umask of the process is, and
     * those above it that are missing. A folder that exists keeps its permissions.
     */
    public static Path createFolder(Path folder) throws IOException {
        return hasPermissions(folder)
                ? Files.createDirectories(folder, permissions("rwx------"))
                : Files.createDirectories(folder);
    }

    private static FileAttribute<?> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }

    private static boolean hasPermissions(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Deletes the temporary files in {@code folder} that a crash has left. */
    public static void deleteRemains(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(AtomicFile::isRemains).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static boolean isRemains(Path file) {
        return file.getFileName().toString().endsWith(SUFFIX);
    }

    private static void replace(Path file, byte[] content, boolean ownerOnly) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path temporary = temporary(folder, "." + file.getFileName() + ".", ownerOnly);
        try {
            if (!ownerOnly) {
                keepPermissions(file, temporary);
            }
            try (var channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer rest = ByteBuffer.wrap(content);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
                channel.force(true);
            } catch (IOException e) {
                throw new IOException(file + " cannot be written: " + e.getMessage(), e);
            }
            Files.move(
                    temporary,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
        sync(folder);
    }

    private static Path temporary(Path folder, String prefix, boolean ownerOnly)
            throws IOException {
        if (!hasPermissions(folder)) {
            return Files.createTempFile(folder, prefix, SUFFIX);
        }
        return Files.createTempFile(
                folder, prefix, SUFFIX, permissions(ownerOnly ? "rw-------" : "rw-r--r--"));
    }

    /** Makes the rename durable, where the system can open folders. */
    private static void sync(Path folder) throws IOException {
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
