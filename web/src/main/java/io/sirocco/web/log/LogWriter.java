// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes lines off the queue and writes them, many with one call. It looks every {@link #PAUSE}, or
 * when the queue is filling; so loops need not wake it for each line. What cannot be written is
 * tried again each second, while the queue fills behind it. Its thread runs it; other methods say
 * who may call them.
 */
final class LogWriter implements Runnable {
    private static final LazyLogger LOG = LazyLogger.of(AccessLog.class);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int BATCH = 256 << 10; // holds two lines at least

    private final LineQueue queue;
    private final LogFile file;
    private final LineFormat format;
    private final LongAdder dropped;

    private final ByteBuffer batch = ByteBuffer.allocateDirect(BATCH).limit(0); // to be written
    private boolean withinLine; // the last byte that was written ends no line
    private boolean failing;
    private boolean broken; // the last turn ended with an exception
    private long reported; // of the dropped lines
    private long looked = System.nanoTime();

    private volatile boolean awake;
    private volatile boolean reopen;
    private volatile boolean stop;
    private volatile long written; // lines

    LogWriter(LineQueue queue, LogFile file, LineFormat format, LongAdder dropped) {
        this.queue = queue;
        this.file = file;
        this.format = format;
        this.dropped = dropped;
    }

    /** Any thread. */
    void wake(Thread writer) {
        if (!awake) {
            awake = true; // one of many is enough
            LockSupport.unpark(writer);
        }
    }

    /** Any thread. */
    void reopen(Thread writer) {
        reopen = true;
        LockSupport.unpark(writer);
    }

    /** It ends when all that was put before is written, or cannot be. Any thread. */
    void stop(Thread writer) {
        stop = true;
        LockSupport.unpark(writer);
    }

    /** Any thread. */
    long written() {
        return written;
    }

    @Override
    public void run() {
        boolean last;
        do {
            last = stop;
            writeAll();
            if (!last) {
                awake = failing; // then a full queue is no reason to hurry
                LockSupport.parkNanos(failing ? SECOND : PAUSE);
                awake = true;
            }
        } while (!last);
        end();
    }

    /** Whatever is thrown, out of heap for one: this thread must not end. */
    private void writeAll() {
        try {
            do {
                reopenIfMoved();
            } while (pass());
            broken = false;
        } catch (Throwable e) {
            if (!broken) {
                broken = true;
                try {
                    LOG.get().log(Level.ERROR, "the access log has missed a turn", e);
                } catch (Throwable again) {
                    // there is no heap for that either
                }
            }
        }
    }

    /** Writes one batch; returns whether more lines wait. */
    private boolean pass() {
        if (!flush()) {
            return false;
        }
        fill();
        boolean full = batch.remaining() >= BATCH / 2;
        return flush() && full;
    }

    private void end() {
        boolean complete = !batch.hasRemaining() && queue.empty();
        try {
            file.close();
        } catch (IOException e) {
            complete = false;
        }
        if (!complete) {
            LOG.get().log(Level.WARNING, "the last lines of the access log {0} are lost", file);
        }
    }

    /** Takes as many lines as there is room for. */
    private void fill() {
        batch.clear();
        reportDrops();
        int lines = 0;
        for (Line line; batch.remaining() > BATCH / 2 && (line = queue.take()) != null; lines++) {
            batch.put(line.bytes(), 0, line.length());
        }
        batch.flip();
        written += lines;
    }

    private void reportDrops() {
        long now = dropped.sum();
        if (now > reported) {
            var line = new Line();
            format.dropped(now - reported, System.currentTimeMillis(), line);
            batch.put(line.bytes(), 0, line.length());
            reported = now;
        }
    }

    /** Writes the batch; returns whether all of it is written. */
    private boolean flush() {
        if (!batch.hasRemaining()) {
            return true;
        }
        int from = batch.position();
        try {
            file.write(batch);
            withinLine = false;
            if (failing) {
                failing = false;
                LOG.get().log(Level.INFO, "the access log {0} can be written again", file);
            }
            return true;
        } catch (IOException e) {
            withinLine = batch.position() > from ? !atLineStart() : withinLine;
            if (!failing) {
                failing = true;
                LOG.get()
                        .log(
                                Level.ERROR,
                                "the access log {0} cannot be written: {1}; trying again each second",
                                file,
                                e.getMessage());
            }
            return false;
        }
    }

    private boolean atLineStart() {
        return batch.get(batch.position() - 1) == '\n';
    }

    private void reopenIfMoved() {
        long now = System.nanoTime();
        boolean asked = reopen;
        boolean look = now - looked > SECOND;
        if (look) {
            looked = now;
        }
        if (!asked && !(look && file.moved())) {
            return;
        }
        reopen = false;
        try {
            file.reopen();
            skipRestOfLine();
        } catch (IOException e) {
            LOG.get().log(Level.ERROR, "{0}; going on with the one before", e.getMessage());
        }
    }

    /** A new file does not begin with the end of a line. */
    private void skipRestOfLine() {
        if (withinLine) {
            while (batch.hasRemaining() && batch.get() != '\n') {}
            withinLine = false;
            dropped.increment();
        }
    }
}
