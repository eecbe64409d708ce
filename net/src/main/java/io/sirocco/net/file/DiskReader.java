// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that read what a loop is about to send of a file and is not in memory yet, so that loops
 * never wait for a disk. Each connection has one piece under way at most, which bounds the queue.
 * Any thread.
 */
public final class DiskReader {
    /** Bytes that are looked at, read and sent at a time. */
    public static final int WINDOW = 4 << 20;

    private static final int THREADS = 16;
    private static final int PIECE = 64 << 10;

    private static final ThreadPoolExecutor READERS =
            new ThreadPoolExecutor(
                    THREADS,
                    THREADS,
                    10,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().daemon().name("sirocco-disk-", 0).factory());

    static {
        READERS.allowCoreThreadTimeOut(true);
    }

    private DiskReader() {}

    /** Reads this part of {@code file} into the page cache, then runs {@code then}. */
    public static void bring(SharedFile file, long position, int length, Runnable then) {
        boolean held = file.retain();
        try {
            READERS.execute(task(file, position, length, then, held));
        } catch (Throwable e) { // no thread can be had
            if (held) {
                file.release();
            }
            throw e;
        }
    }

    private static Runnable task(
            SharedFile file, long position, int length, Runnable then, boolean held) {
        return () -> {
            try {
                if (held) {
                    read(file, position, Math.min(length, WINDOW));
                }
            } catch (IOException e) {
                // the send meets the same
            } finally {
                if (held) {
                    file.release();
                }
                then.run();
            }
        };
    }

    private static void read(SharedFile file, long position, int length) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(PIECE);
            long end = position + length;
            for (long at = position; at < end; ) {
                int n = file.read(piece, (int) Math.min(PIECE, end - at), at);
                if (n == 0) {
                    return;
                }
                at += n;
            }
        }
    }
}
