// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.file;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sirocco.net.OpenFile;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxFiles;
import io.sirocco.net.output.ChunkOwner;
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
 * The file behind an {@link OpenFile}: a descriptor of Linux, or a channel of Java, and a count of
 * its users. Any thread.
 */
public final class SharedFile implements OpenFile, ChunkOwner {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final long SEEN_FOR_NANOS = 1_000_000_000;

    /**
     * The part that outlives this object, so that the cleaner can close a file that was not
     * released.
     */
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

        /** Closes a file that nobody can reach any more and somebody has forgotten to release. */
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

        /** Frees the memory, which nobody uses any more. */
        void free() {
            if (arena != null) {
                arena.close();
            } else {
                Linux.free(content.address());
            }
        }
    }

    /** Takes over {@code descriptor} of Linux. */
    public SharedFile(int descriptor, LinuxFiles.Facts facts) {
        this(
                new Handle(descriptor, null),
                Path.of("/proc/self/fd/" + descriptor),
                facts.isDirectory(),
                facts.isRegular(),
                facts.size(),
                facts.modifiedNanos(),
                facts.device() + ":" + facts.inode());
    }

    private SharedFile(
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

    /** Opens what {@code path} names by means of Java alone. */
    public static SharedFile portable(Path path) throws IOException {
        var facts = Files.readAttributes(path, BasicFileAttributes.class);
        FileChannel channel =
                facts.isRegularFile() ? FileChannel.open(path, StandardOpenOption.READ) : null;
        return new SharedFile(
                new Handle(-1, channel),
                path,
                facts.isDirectory(),
                facts.isRegularFile(),
                facts.size(),
                facts.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                facts.fileKey() == null ? path : facts.fileKey());
    }

    @Override
    public boolean isDirectory() {
        return directory;
    }

    @Override
    public boolean isRegular() {
        return regular;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long modifiedNanos() {
        return modifiedNanos;
    }

    @Override
    public Object identity() {
        return identity;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public boolean retain() {
        return handle.retain();
    }

    @Override
    public void release() {
        handle.release();
    }

    @Override
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

    @Override
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

    @Override
    public boolean loaded() {
        return handle.loaded != null;
    }

    // ---- for connections and transports

    /** Returns its content in memory; null unless it was {@linkplain #load loaded}. */
    public MemorySegment content() {
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

    /**
     * Reads up to {@code length} bytes into the caller's memory, and returns how many; 0 at the end
     * of the file.
     */
    public int read(MemorySegment into, int length, long position) throws IOException {
        if (handle.descriptor < 0) {
            ByteBuffer view = into.asByteBuffer().limit(length);
            return Math.max(0, handle.channel.read(view, position));
        }
        try (Arena arena = Arena.ofConfined()) {
            return read(Linux.state(arena), into.address(), length, position);
        }
    }

    /**
     * Returns whether {@code length} bytes from {@code position} on are in memory, so that sending
     * them does not wait for a disk. Looks at the first and the last one; the result for a small
     * file holds for a second.
     */
    public boolean atHand(long position, int length, long nowNanos) {
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

    /** Returns the descriptor of Linux; -1 elsewhere. */
    public int descriptor() {
        return handle.descriptor;
    }

    /** Returns a channel of the same file. */
    public FileChannel channel() throws IOException {
        return handle.channel(path);
    }
}
