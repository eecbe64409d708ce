// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
 * RootDirectory#open}, closed when the last of them has {@linkplain #release released} it. What it
 * says of itself is as it was when it was opened. Any thread.
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

    /**
     * A descriptor of Linux, or a channel of Java, or both, and how many users it has: a file that
     * has none is closed, and gets none again. Without locks, since loops use it.
     */
    private static final class Handle implements Runnable {
        private static final VarHandle USERS = field("users", int.class);
        private static final VarHandle LOADED = field("loaded", Loaded.class);
        private static final VarHandle CHANNEL = field("channel", FileChannel.class);

        final int descriptor;
        private volatile FileChannel channel;
        private volatile int users = 1;

        /** Its content in memory, or null. */
        volatile Loaded loaded;

        Handle(int descriptor, FileChannel channel) {
            this.descriptor = descriptor;
            this.channel = channel;
        }

        boolean retain() {
            int seen;
            do {
                seen = users;
                if (seen == 0) {
                    return false;
                }
            } while (!USERS.compareAndSet(this, seen, seen + 1));
            return true;
        }

        void release() {
            int seen;
            do {
                seen = users;
                if (seen == 0) {
                    return; // once too often
                }
            } while (!USERS.compareAndSet(this, seen, seen - 1));
            if (seen == 1) {
                close();
            }
        }

        /** Nobody can reach it any more, and somebody has forgotten to release it. */
        @Override
        public void run() {
            if ((int) USERS.getAndSet(this, 0) > 0) {
                close();
            }
        }

        /**
         * Takes {@code fresh}, unless another thread was faster. The caller is one of the users.
         */
        void keep(Loaded fresh) {
            if (!LOADED.compareAndSet(this, null, fresh)) {
                fresh.free();
            }
        }

        /**
         * The channel, opened at {@code path} at the first call. The caller is one of the users.
         */
        FileChannel channel(Path path) throws IOException {
            FileChannel known = channel;
            if (known != null) {
                return known;
            }
            FileChannel opened = FileChannel.open(path, StandardOpenOption.READ);
            if (CHANNEL.compareAndSet(this, null, opened)) {
                return opened;
            }
            opened.close(); // another thread was faster
            return channel;
        }

        private static VarHandle field(String name, Class<?> type) {
            try {
                return MethodHandles.lookup().findVarHandle(Handle.class, name, type);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        private void close() {
            Loaded content = loaded;
            if (content != null) {
                loaded = null;
                content.free();
            }
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

    /**
     * Content in native memory. The last user of a file is mostly a loop, and closing a shared
     * arena waits for all threads of the JVM: so where there is a malloc, that has it.
     */
    private static final class Loaded {
        final MemorySegment content;
        private final Arena arena; // null when it is of malloc

        Loaded(long size, boolean onLinux) {
            if (onLinux) {
                arena = null;
                content = Linux.MEMORY.asSlice(Linux.malloc(Math.max(1, size)), size);
            } else {
                arena = Arena.ofShared();
                content = arena.allocate(Math.max(1, size)).asSlice(0, size);
            }
        }

        /** Nobody uses it any more. */
        void free() {
            if (arena != null) {
                arena.close();
            } else {
                Linux.free(content.address());
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
     * Opens a file or directory wherever it is; see {@link RootDirectory} for what strangers may
     * name. Blocks while the disk does.
     *
     * @throws java.nio.file.NoSuchFileException when there is none
     */
    public static OpenFile open(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path directory = absolute.getParent();
        return directory == null
                ? RootDirectory.of(absolute, RootDirectory.Links.ALL).open("")
                : RootDirectory.of(directory, RootDirectory.Links.ALL)
                        .open(absolute.getFileName().toString());
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

    /**
     * Returns how many files, sockets included, the process may have open at once; {@link
     * Integer#MAX_VALUE} where the system does not tell. Any thread.
     */
    public static int limit() {
        return JvmOptions.nativeCallsWork() ? Linux.openFilesLimit() : Integer.MAX_VALUE;
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

    /**
     * Reads the content into native memory, from which connections send it in one call with what
     * was written before it. The memory is freed when the file is closed. Blocks while the disk
     * does. A second call changes nothing. The caller is one of the users.
     *
     * @return whether the content is in memory: false when the file was changed since it was opened
     * @throws IOException when it cannot be read
     * @throws OutOfMemoryError when there is no native memory left
     */
    public boolean load() throws IOException {
        if (handle.loaded != null) {
            return true;
        }
        var fresh = new Loaded(size, handle.descriptor >= 0);
        boolean whole = false;
        try {
            whole = fill(fresh.content) && isUnchanged();
        } finally {
            if (!whole) {
                fresh.free();
            }
        }
        if (whole) {
            handle.keep(fresh);
        }
        return whole;
    }

    private boolean fill(MemorySegment content) throws IOException {
        for (long at = 0; at < size; ) {
            int piece = (int) Math.min(size - at, Integer.MAX_VALUE);
            int n = read(content.asSlice(at, piece), piece, at);
            if (n == 0) {
                return false;
            }
            at += n;
        }
        return true;
    }

    private boolean isUnchanged() throws IOException {
        var now = Files.readAttributes(path, BasicFileAttributes.class);
        return now.size() == size
                && now.lastModifiedTime().to(TimeUnit.NANOSECONDS) == modifiedNanos;
    }

    /** Whether its content is in memory. */
    public boolean loaded() {
        return handle.loaded != null;
    }

    // ---- for those who hold it

    /** Its content in memory; null unless it was {@linkplain #load loaded}. */
    MemorySegment content() {
        Loaded content = handle.loaded;
        return content == null ? null : content.content;
    }

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
        int most = Math.min(length, chunk.remaining());
        int n;
        if (handle.descriptor >= 0) {
            try (Arena arena = Arena.ofConfined()) {
                n = read(Linux.state(arena), chunk.address + chunk.end, most, position);
            }
        } else {
            n = Math.max(0, handle.channel.read(chunk.space(most), position));
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
        boolean small = size <= DiskReader.WINDOW;
        if (small && nowNanos - seenNanos < SEEN_FOR_NANOS && seenNanos != 0) {
            return true;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.state(arena);
            MemorySegment scratch = arena.allocate(24, 8);
            long last = position + Math.min(length, DiskReader.WINDOW) - 1;
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
        return handle.channel(path);
    }
}
