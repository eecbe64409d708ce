// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import io.sirocco.net.Loop;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The output of a body whose producer does not flush: the stream below gathers segments, and a
 * segment that is not full is sent {@value #MILLIS} ms after its first byte. A body that ends
 * before is sent as without this class. Any thread.
 */
final class TimelyOutput extends FilterOutputStream {
    private static final long MILLIS = 20;

    private final Loop loop;
    private final ReentrantLock writing = new ReentrantLock();
    private boolean scheduled; // a flush, with the lock held
    private volatile boolean finished;

    TimelyOutput(OutputStream out, Loop loop) {
        super(out);
        this.loop = loop;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        OutputStream below = begin();
        try {
            below.write(bytes, from, length);
        } finally {
            end();
        }
    }

    /**
     * Returns the stream below, for writes in a row between which the producer does not wait, until
     * {@link #end}.
     */
    OutputStream begin() {
        writing.lock();
        if (!scheduled) {
            scheduled = true;
            schedule();
        }
        return out;
    }

    /** Ends the writes that {@link #begin} has begun. */
    void end() {
        writing.unlock();
    }

    /** Called when the producer has ended; from then on another thread may use the stream below. */
    void finish() {
        writing.lock();
        finished = true;
        writing.unlock();
    }

    private void schedule() {
        if (loop.enter()) {
            try {
                loop.schedule(MILLIS, this::due);
            } finally {
                loop.exit();
            }
        } else {
            try {
                loop.execute(() -> loop.schedule(MILLIS, this::due));
            } catch (RejectedExecutionException e) {
                return; // the server has stopped
            }
        }
    }

    /** Called on the loop, which must not wait for the client. */
    private void due() {
        if (!finished) {
            loop.startVirtual(this::flushInTime);
        }
    }

    private void flushInTime() {
        writing.lock();
        try {
            scheduled = false;
            if (!finished) {
                out.flush();
            }
        } catch (IOException e) {
            return; // the next write of the producer fails as well
        } finally {
            writing.unlock();
        }
    }
}
