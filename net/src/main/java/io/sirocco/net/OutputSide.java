// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static io.sirocco.net.Connection.CLOSING;
import static io.sirocco.net.Connection.ENDED;
import static io.sirocco.net.Connection.FINISHING;
import static io.sirocco.net.Connection.LINGER;
import static io.sirocco.net.Connection.LINGERING;
import static io.sirocco.net.Connection.NOTIFIES_SENT;
import static io.sirocco.net.Connection.OUTPUT_ENDED;
import static io.sirocco.net.Connection.OUTPUT_ENDS;
import static io.sirocco.net.Connection.QUEUED;
import static io.sirocco.net.Connection.SUSPENDED;

import io.sirocco.net.file.SharedFile;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.output.ChunkQueue;
import io.sirocco.net.output.Chunks;
import io.sirocco.net.output.OutputChunk;
import java.lang.foreign.MemorySegment;

/**
 * The output side of a connection: gathers what is written, has it sent at the end of the turn,
 * notifies the protocol of what has left, and ends our side behind the last byte. These are
 * functions over the state in the {@link Connection}; what is unsent is in a {@link
 * ConnectionOutput}. Loop-confined.
 */
final class OutputSide {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private static final long LINGER_MILLIS = 2_000;

    /** Nothing can be written any more. */
    private static final int ENDED_OUTPUT = CLOSING | LINGERING | OUTPUT_ENDS;

    private OutputSide() {}

    // ---- what is written

    /** Returns a chunk with room for {@code bytes} more, to which the caller appends at once. */
    static OutputChunk reserve(Connection c, int bytes) {
        return c.has(ENDED_OUTPUT) ? c.loop().chunks.discard() : written(c).reserve(bytes);
    }

    /** Writes a copy of {@code bytes[from..to)}. */
    static void write(Connection c, byte[] bytes, int from, int to) {
        while (from < to) {
            OutputChunk chunk = reserve(c, 1);
            int n = Math.min(chunk.remaining(), to - from);
            chunk.put(bytes, from, from + n);
            from += n;
        }
    }

    /** Writes {@code bytes[from..to)} without a copy where that is cheaper. */
    static void write(Connection c, byte[] bytes, int from, int to, boolean counts) {
        if (to - from <= Chunks.SIZE / 4) {
            write(c, bytes, from, to);
        } else if (!c.has(ENDED_OUTPUT)) {
            written(c).append(c.loop().chunks.of(bytes, from, to, counts));
        }
    }

    /** Writes a copy of {@code bytes}. */
    static void write(Connection c, MemorySegment bytes) {
        long end = bytes.byteSize();
        for (long from = 0; from < end; ) {
            OutputChunk chunk = reserve(c, 1);
            long n = Math.min(chunk.remaining(), end - from);
            chunk.put(bytes.asSlice(from, n));
            from += n;
        }
    }

    /** Writes {@code chunk}, which refers to memory of its owner. */
    static void write(Connection c, OutputChunk chunk) {
        if (c.has(ENDED_OUTPUT)) {
            c.loop().chunks.give(chunk);
        } else {
            written(c).append(chunk);
        }
    }

    static void write(Connection c, SharedFile file, long position, long length) {
        if (c.has(ENDED_OUTPUT) || length == 0) {
            file.release();
            return;
        }
        MemorySegment content = file.content();
        boolean loaded = content != null && position + length <= content.byteSize();
        written(c)
                .append(
                        loaded
                                ? new OutputChunk(file, content.asSlice(position, length))
                                : new OutputChunk(file, position, length));
    }

    /** Returns the queue of what is written, which leaves at the end of the turn. */
    private static ChunkQueue written(Connection c) {
        queue(c);
        return borrow(c).chunks();
    }

    /** Returns what holds unsent output, until {@link #release}. */
    static ConnectionOutput borrow(Connection c) {
        if (c.output == null) {
            c.output = c.loop().outputs.borrow(c);
        }
        return c.output;
    }

    /** Returns what was borrowed to the loop, if nothing is unsent. */
    private static void release(Connection c) {
        if (c.output != null && c.output.isIdle()) {
            c.loop().outputs.giveBack(c.output);
            c.output = null;
        }
    }

    /** Forgets what is unsent: the connection is gone. */
    static void forget(Connection c) {
        if (c.output != null) {
            c.output.chunks().clear();
            release(c);
            c.output = null; // a part of it may still be under way: it is not used again
        }
    }

    // ---- sending

    /** Queues the connection to be flushed at the end of the turn. */
    static void queue(Connection c) {
        if (!c.has(QUEUED)) {
            c.set(QUEUED);
            c.loop().flushLater(c);
        }
    }

    /** Sends what the turn has gathered. */
    static void flush(Connection c) {
        c.clear(QUEUED);
        if (c.has(CLOSING) || borrow(c).isWaiting()) {
            return;
        }
        if (c.output.flush() && !c.has(CLOSING)) {
            release(c);
            if (c.finishing()) {
                end(c);
            } else if (c.has(OUTPUT_ENDS)) {
                shutDown(c);
            }
            notifyProtocol(c);
        }
    }

    /** Takes the outcome of a send: the kernel has taken {@code taken} bytes. */
    static void sent(Connection c, int taken) {
        if (c.output != null) { // else its loop has died, and has not waited for the transport
            c.output.sent(taken);
            proceed(c);
        }
    }

    /** Called when the disk has read what is to be sent next. */
    static void fileIsInMemory(Connection c) {
        if (c.output != null) { // else it is gone
            c.output.diskHasRead();
            proceed(c);
        }
    }

    /** Called when the rate limits let more pass. */
    static void pauseEnded(Connection c) {
        if (c.output != null) { // else it is gone
            c.output.unpause();
            queue(c);
        }
    }

    /** Returns the next chunk for the socket; null when there is none, or the disk reads it. */
    static OutputChunk next(Connection c) {
        return c.tlsLayer() != null
                ? c.tlsLayer().next()
                : c.output == null ? null : c.output.sendable();
    }

    /** Returns the oldest chunk that TLS has not sealed or the kernel not sent; null for none. */
    static OutputChunk first(Connection c) {
        return c.output == null ? null : c.output.chunks().first();
    }

    private static void proceed(Connection c) {
        if (c.has(CLOSING)) {
            return;
        }
        boolean more = first(c) != null || c.tlsLayer() != null && c.tlsLayer().unsent() > 0;
        if (more || c.has(FINISHING | OUTPUT_ENDS)) {
            queue(c);
        }
        notifyProtocol(c);
    }

    /** Notifies the protocol that output has left, if it wants to know. */
    private static void notifyProtocol(Connection c) {
        if (c.has(NOTIFIES_SENT) && !c.has(CLOSING)) {
            try {
                c.protocol().sent(c);
            } catch (Throwable e) {
                c.fail(e);
            }
        }
        if (c.output != null && !c.has(CLOSING) && c.output.hasDrained(c.unsent())) {
            try {
                c.protocol().drained(c);
            } catch (Throwable e) {
                c.fail(e);
            }
        }
        release(c);
    }

    /** Ends our side, since all output of a connection that finishes has left. */
    private static void end(Connection c) {
        if (!c.has(LINGER) || c.has(ENDED)) {
            c.close(CloseCause.FINISHED);
            return;
        }
        c.deadline(c.loop().now() + LINGER_MILLIS);
        c.set(LINGERING);
        InputSide.release(c);
        c.clear(SUSPENDED);
        shutDown(c);
        InputSide.readAgain(c);
    }

    /** Shuts down the socket's output; does nothing the second time. */
    private static void shutDown(Connection c) {
        if (!c.has(OUTPUT_ENDED)) {
            c.set(OUTPUT_ENDED);
            c.shutdownOutput();
        }
    }

    // ---- when memory is short

    /** Returns the bytes of the loop's memory that the output takes. */
    static long cost(Connection c) {
        long bytes = c.output == null ? 0 : c.output.chunks().cost();
        return c.tlsLayer() == null ? bytes : bytes + c.tlsLayer().outputCost();
    }

    /**
     * Returns whether the output takes memory of the loop and the peer has taken none of it since
     * the last call.
     */
    static boolean isStalled(Connection c) {
        return c.output != null && !c.has(CLOSING) && c.output.stalled(cost(c));
    }

    /** Closes the connection because its output takes memory that the loop is short of. */
    static void giveUp(Connection c) {
        if (!c.has(CLOSING)) {
            c.loop().memory().countRefused();
            c.reset(CloseCause.MEMORY_SHORT);
        }
    }
}
