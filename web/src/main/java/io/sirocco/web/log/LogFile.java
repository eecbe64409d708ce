// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A file that is only appended to, and that somebody else may move away or delete while it is open:
 * then it is opened anew. A new one has the mode 0640, less what the process's umask takes from it.
 * Its directory must be there. Used by one thread at a time.
 */
public final class LogFile implements AutoCloseable {
    private static final Set<OpenOption> APPEND =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);

    private final Optional<Path> path; // empty: standard output
    private FileChannel channel;
    private Object key; // device and inode; null where there is no such thing

    private LogFile(Optional<Path> path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
        this.key = path.map(LogFile::key).orElse(null);
    }

    /**
     * Opens a file, or creates it.
     *
     * @throws IOException with a message for the operator
     */
    public static LogFile open(Path path) throws IOException {
        return new LogFile(Optional.of(path), append(path));
    }

    /** The standard output of the process, which is never closed. */
    public static LogFile standardOutput() {
        return new LogFile(Optional.empty(), new FileOutputStream(FileDescriptor.out).getChannel());
    }

    private static FileChannel append(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        try {
            boolean posix =
                    absolute.getFileSystem().supportedFileAttributeViews().contains("posix");
            FileAttribute<?>[] mode = {
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"))
            };
            return FileChannel.open(absolute, APPEND, posix ? mode : new FileAttribute<?>[0]);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "cannot open the log %s: there is no directory %s"
                            .formatted(path, absolute.getParent()),
                    e);
        } catch (AccessDeniedException e) {
            throw new IOException("cannot open the log " + path + ": no permission", e);
        } catch (FileSystemException e) {
            String why = e.getReason() == null ? e.getMessage() : e.getReason();
            throw new IOException("cannot open the log " + path + ": " + why, e);
        }
    }

    private static Object key(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (IOException gone) {
            return null;
        }
    }

    /** Returns whether another file, or none, has its name now. */
    public boolean moved() {
        return path.isPresent() && key != null && !Objects.equals(key, key(path.get()));
    }

    /**
     * Goes on with the file that has its name now, or a new one.
     *
     * @throws IOException with a message for the operator; the one that is open stays so
     */
    public void reopen() throws IOException {
        if (path.isEmpty()) {
            return;
        }
        FileChannel now = append(path.get());
        FileChannel before = channel;
        channel = now;
        key = key(path.get());
        before.close();
    }

    /** Writes all of {@code bytes}, or throws with as many left as could not be written. */
    public void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        if (path.isPresent()) {
            channel.close();
        }
    }

    @Override
    public String toString() {
        return path.map(Path::toString).orElse("standard output");
    }
}
