// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import io.sirocco.http.Monitor;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * The access log: one line for each request, refused ones included. Loops only make the line and
 * put it onto a bounded queue; a thread writes it within a second. Where the queue is full, because
 * the disk is or nobody reads the pipe, lines are dropped and counted, and the log says how many as
 * soon as it can be written again.
 *
 * <p>The queue has slots of 1 KiB, one or more for each line. A file that was moved away or deleted
 * is opened anew within a second; {@link #reopen} does it at once. Any thread.
 */
public final class AccessLog implements Monitor, AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(AccessLog.class);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

    private final LineFormat format;
    private final LineQueue queue;
    private final LongAdder dropped = new LongAdder();
    private final LogWriter writer;
    private final Thread thread;
    private final LogFile file;
    private volatile boolean closed;

    /** Writes to {@code file} from now on, which it will close. */
    public AccessLog(LogFile file, LogFormat format, int queue) {
        this.format = format.lines;
        this.queue = new LineQueue(queue);
        this.file = file;
        writer = new LogWriter(this.queue, file, this.format, dropped);
        thread = Thread.ofPlatform().daemon().name("sirocco-access-log").start(writer);
    }

    /**
     * Logs to a file, which is appended to; {@code queue} lines may wait for the disk.
     *
     * @throws IOException with a message for the operator
     */
    public static AccessLog open(Path file, LogFormat format, int queue) throws IOException {
        return new AccessLog(LogFile.open(file), format, queue);
    }

    @Override
    public void completed(CompletedRequest answered) {
        var line = new Line();
        format.answered(answered, line);
        put(line);
    }

    /** Of other refusals {@link #completed} tells, with their rule. */
    @Override
    public void rejected(RejectedRequest rejected) {
        if (rejected.alone()) {
            var line = new Line();
            format.rejected(rejected, line);
            put(line);
        }
    }

    private void put(Line line) {
        if (closed || !queue.put(line)) {
            dropped.increment();
        }
        if (queue.filling()) {
            writer.wake(thread);
        }
    }

    /** Goes on with the file that has the name now, or a new one: what logrotate asks for. */
    public void reopen() {
        writer.reopen(thread);
    }

    /** Lines that were not written, for want of room in the queue. */
    public long dropped() {
        return dropped.sum();
    }

    /** Lines that were taken off the queue to be written. */
    public long written() {
        return writer.written();
    }

    /** Writes what waits, for five seconds at most. */
    @Override
    public void close() {
        closed = true;
        writer.stop(thread);
        try {
            if (!thread.join(LONGEST_CLOSE)) {
                LOG.get()
                        .log(
                                Level.WARNING,
                                "the access log {0} takes no more: its last lines are lost",
                                file);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
