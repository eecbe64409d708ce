// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;

/**
 * A file or a directory that is open for reading, shared by all who send it: opened by {@link
 * Root#open}, closed when the last of them has {@linkplain #release released} it. What it says of
 * itself is as it was when it was opened. Any thread.
 */
public final class OpenFile {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final long SEEN_FOR_NANOS = 1_000_000_000;

    /** What is closed, if nobody did so before, when nobody knows the file any more. */
    private final Handle handle;

    private final Path path;
    private final boolean directory;
    private final boolean regular;
    private final long size;
    private final long modifiedNanos;
    private final Object identity;
    private long seenNanos; // when all of it was in memory; loops may race for it

    /** A descriptor of Linux, or a channel of Java, or both, and who counts on them. */
    private static final class Handle implements Runnable {
        final int descriptor;
        FileChannel channel;
        private int users = 1;

        Handle(int descriptor, FileChannel channel) {
            this.descriptor = descriptor;
            this.channel = channel;
        }

        synchronized boolean retain() {
            if (users == 0) {
                return false;
            }
            users++;
            return true;
        }

        synchronized void release() {
            if (users > 0 && --users == 0) {
                close();
            }
        }

        /** Nobody can reach it any more, and somebody has forgotten to release it. */
        @Override
        public synchronized void run() {
            if (users > 0) {
                users = 0;
                close();
            }
        }

        private void close() {
            if (descriptor >= 0) {
                Linux.close(descriptor);
            }
            if (channel != null) {
                try {
                    channel.close();
                } catch (IOException e) {
                    // it was open for reading only
                }
            }
        }
    }

    /** One of Linux. */
    OpenFile(int descriptor, LinuxFiles.Facts facts) {
        this(
                new Handle(descriptor, null),
                Path.of("/proc/self/fd/" + descriptor),
                facts.isDirectory(),
                facts.isRegular(),
                facts.size(),
                facts.modifiedNanos(),
                facts.device() + ":" + facts.inode());
    }

    private OpenFile(
            Handle handle,
            Path path,
            boolean directory,
            boolean regular,
            long size,
            long modifiedNanos,
            Object identity) {
        this.handle = handle;
        this.path = path;
        this.directory = directory;
        this.regular = regular;
        this.size = size;
        this.modifiedNanos = modifiedNanos;
        this.identity = identity;
        CLEANER.register(this, handle);
    }

    /**
     * Opens a file or directory wherever it is; see {@link Root} for what strangers may name.
     * Blocks while the disk does.
     *
     * @throws java.nio.file.NoSuchFileException when there is none
     */
    public static OpenFile open(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path directory = absolute.getParent();
        return directory == null
                ? Root.of(absolute, Root.Links.ALL).open("")
                : Root.of(directory, Root.Links.ALL).open(absolute.getFileName().toString());
    }

    /** One of any system. */
    static OpenFile portable(Path path) throws IOException {
        var facts = Files.readAttributes(path, BasicFileAttributes.class);
        FileChannel channel =
                facts.isRegularFile() ? FileChannel.open(path, StandardOpenOption.READ) : null;
        return new OpenFile(
                new Handle(-1, channel),
                path,
                facts.isDirectory(),
                facts.isRegularFile(),
                facts.size(),
                facts.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                facts.fileKey() == null ? path : facts.fileKey());
    }

    /** Whether it is a directory. */
    public boolean isDirectory() {
        return directory;
    }

    /** Whether it is a file with content, and no directory, pipe, socket or device. */
    public boolean isRegular() {
        return regular;
    }

    /** Bytes. */
    public long size() {
        return size;
    }

    /** When its content was changed last, in nanoseconds since 1970. */
    public long modifiedNanos() {
        return modifiedNanos;
    }

    /** Equal for two that are the same file of the same disk. */
    public Object identity() {
        return identity;
    }

    /**
     * By which Java reaches the same file or directory for as long as this is open, wherever its
     * name leads by then.
     */
    public Path path() {
        return path;
    }

    /** One more who will release it; false when it has been closed already. */
    public boolean retain() {
        return handle.retain();
    }

    /** One fewer; the last one closes it. */
    public void release() {
        handle.release();
    }

    /**
     * Reads from {@code position} on. Blocks while the disk does.
     *
     * @return how many bytes, at most {@code length}; 0 at the end of the file
     */
    public int read(byte[] into, int at, int length, long position) throws IOException {
        if (!retain()) {
            throw new IOException("the file has been closed");
        }
        try {
            if (handle.descriptor < 0) {
                int n = handle.channel.read(ByteBuffer.wrap(into, at, length), position);
                return Math.max(0, n);
            }
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(Math.max(1, length));
                int n = read(Linux.state(arena), memory.address(), length, position);
                MemorySegment.copy(memory, JAVA_BYTE, 0, into, at, n);
                return n;
            }
        } finally {
            release();
        }
    }

    // ---- for those who hold it

    private int read(MemorySegment state, long address, int length, long position)
            throws IOException {
        long n = LinuxFiles.read(state, handle.descriptor, address, length, position);
        if (n < 0) {
            throw Linux.failure("reading a file", n);
        }
        return (int) n;
    }

    /** Fills the room of {@code chunk}, up to {@code length}; 0 at the end of the file. */
    int read(Chunk chunk, int length, long position) throws IOException {
        int most = Math.min(length, chunk.room());
        int n;
        if (handle.descriptor >= 0) {
            try (Arena arena = Arena.ofConfined()) {
                n = read(Linux.state(arena), chunk.address + chunk.end, most, position);
            }
        } else {
            ByteBuffer view = chunk.view.limit(chunk.end + most).position(chunk.end);
            n = Math.max(0, handle.channel.read(view, position));
        }
        chunk.end += n;
        return n;
    }

    /** Reads into memory of the caller's; 0 at the end of the file. */
    int read(MemorySegment into, int length, long position) throws IOException {
        if (handle.descriptor < 0) {
            ByteBuffer view = into.asByteBuffer().limit(length);
            return Math.max(0, handle.channel.read(view, position));
        }
        try (Arena arena = Arena.ofConfined()) {
            return read(Linux.state(arena), into.address(), length, position);
        }
    }

    /**
     * Whether the first {@code length} bytes from {@code position} on can be had without waiting
     * for a disk: their first and their last one say so, for a second if that is all of a file.
     */
    boolean atHand(long position, int length, long nowNanos) {
        if (handle.descriptor < 0 || length == 0) {
            return true;
        }
        boolean small = size <= Disk.WINDOW;
        if (small && nowNanos - seenNanos < SEEN_FOR_NANOS && seenNanos != 0) {
            return true;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.state(arena);
            MemorySegment scratch = arena.allocate(24, 8);
            long last = position + Math.min(length, Disk.WINDOW) - 1;
            boolean here =
                    LinuxFiles.atHand(state, scratch, handle.descriptor, position)
                            && LinuxFiles.atHand(state, scratch, handle.descriptor, last);
            if (here && small) {
                seenNanos = nowNanos;
            }
            return here;
        }
    }

    /** The descriptor of Linux; -1 elsewhere. */
    int descriptor() {
        return handle.descriptor;
    }

    /** The same file as a channel. */
    FileChannel channel() throws IOException {
        synchronized (handle) {
            if (handle.channel == null) {
                handle.channel = FileChannel.open(path, StandardOpenOption.READ);
            }
            return handle.channel;
        }
    }
}
