// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An output stream that several threads may use: the bytes of one call stay together, and a
 * thread's calls keep their order. A call waits for one that waits for the client; if its thread is
 * interrupted meanwhile, it throws an {@link InterruptedIOException} and writes nothing. Any
 * thread.
 */
public final class SharedOutput extends OutputStream {
    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();

    public SharedOutput(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
        lock();
        try {
            out.write(b);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(byte[] bytes, int from, int size) throws IOException {
        lock();
        try {
            out.write(bytes, from, size);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void flush() throws IOException {
        lock();
        try {
            out.flush();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for calls of other threads, even if the calling one is interrupted. */
    @Override
    public void close() throws IOException {
        alone(out::close);
    }

    /** Something that is done with the stream below. */
    public interface Call {
        void run() throws IOException;
    }

    /** Runs {@code last} when no other thread is in a call. */
    public void alone(Call last) throws IOException {
        lock.lock();
        try {
            last.run();
        } finally {
            lock.unlock();
        }
    }

    private void lock() throws IOException {
        if (lock.tryLock()) { // also by an interrupted thread, as without a lock
            return;
        }
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while another thread wrote");
        }
    }
}
