// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.file.SharedFile;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.NativeCalls;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A file or a directory that is open for reading, shared by all its users: {@link
 * RootDirectory#open} opens it for a first user, each further one {@linkplain #retain retains} it,
 * and when the last one has {@linkplain #release released} it, it is closed. Its properties are
 * those of the moment at which it was opened. Any thread.
 */
public sealed interface OpenFile permits SharedFile {
    /**
     * Opens a file or directory, wherever it is and following all symbolic links. Use a {@link
     * RootDirectory} for a path that comes from a client. Blocks while the disk does.
     *
     * @throws java.nio.file.NoSuchFileException when there is none
     * @throws TooManyOpenFilesException when the process or the system is out of descriptors
     */
    static OpenFile open(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path directory = absolute.getParent();
        return directory == null
                ? RootDirectory.of(absolute, RootDirectory.Links.ALL).open("")
                : RootDirectory.of(directory, RootDirectory.Links.ALL)
                        .open(absolute.getFileName().toString());
    }

    /**
     * Returns how many files, sockets included, the process may have open at once; {@link
     * Integer#MAX_VALUE} where the system does not tell. Any thread.
     */
    static int limit() {
        return NativeCalls.work() ? Linux.openFilesLimit() : Integer.MAX_VALUE;
    }

    /** Returns whether it is a directory. */
    boolean isDirectory();

    /** Returns whether it is a regular file: no directory, pipe, socket or device. */
    boolean isRegular();

    /** Returns its size in bytes. */
    long size();

    /** Returns when its content was last changed, in nanoseconds since 1970. */
    long modifiedNanos();

    /** Returns an object that is equal for two that are the same file of the same disk. */
    Object identity();

    /**
     * Returns a path by which Java reaches the same file or directory as long as this is open,
     * wherever its name leads by then.
     */
    Path path();

    /** Adds a user, who will release it; returns false when it has been closed already. */
    boolean retain();

    /** Removes a user; closes the file when it was the last one. */
    void release();

    /**
     * Reads from {@code position} on. Blocks while the disk does.
     *
     * @return how many bytes, at most {@code length}; 0 at the end of the file
     */
    int read(byte[] into, int at, int length, long position) throws IOException;

    /**
     * Reads the content into native memory, from which connections send it in one call with what
     * was written before it. The memory is freed when the file is closed. Blocks while the disk
     * does. A second call does nothing. The caller must be one of the users.
     *
     * @return whether the content is in memory: false when the file was changed since it was opened
     * @throws IOException when it cannot be read
     * @throws OutOfMemoryError when there is no native memory left
     */
    boolean load() throws IOException;

    /** Returns whether its content is in memory. */
    boolean loaded();
}
