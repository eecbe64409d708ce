// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Keeps loops from waiting for a disk: what a loop is about to send of a file is asked for first,
 * and what is not in memory yet is read by a thread from here. Each connection has one piece under
 * way at most, which bounds the queue. Any thread.
 */
final class DiskReader {
    /** Bytes that are looked at, brought, and sent at a time. */
    static final int WINDOW = 4 << 20;

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

    /** Reads this part of {@code file}, so that it is in memory, then runs {@code then}. */
    static void bring(OpenFile file, long position, int length, Runnable then) {
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
            OpenFile file, long position, int length, Runnable then, boolean held) {
        return () -> {
            try {
                if (held) {
                    read(file, position, Math.min(length, WINDOW));
                }
            } catch (IOException e) {
                // whoever sends it meets the same
            } finally {
                if (held) {
                    file.release();
                }
                then.run();
            }
        };
    }

    private static void read(OpenFile file, long position, int length) throws IOException {
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
