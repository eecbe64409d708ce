// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.file.DiskReader;
import io.sirocco.net.output.ChunkQueue;
import io.sirocco.net.output.Chunks;
import io.sirocco.net.output.OutputChunk;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;

/**
 * The output of one connection while some of it is unsent: chunks in order, and what they wait for.
 * A connection borrows it from its loop with its first byte and returns it when the last one has
 * left, so an idle connection has none.
 *
 * <pre>
 *   written ── flush ──▶ sending ─────────────── sent ───────▶ written, or empty
 *      │  └── a file that is not in memory ──▶ disk ── sent ──▶ written
 *      └───── a rate limit ──▶ paused ── timer ──▶ written
 * </pre>
 *
 * <p>It is the plain text of a connection that speaks TLS; what TLS has made of it is in {@link
 * TlsLayer}. Loop-confined.
 */
final class ConnectionOutput {
    /**
     * Extra delay in milliseconds, one slot of the wheel, of a connection that has just used its
     * share.
     */
    static final long TURN_MILLIS = 16;

    private final ChunkQueue chunks;
    private Connection connection;
    private boolean sending; // a send is in flight, or the disk reads what comes next
    private boolean disk; // the latter
    private boolean paused; // by a rate limit
    private boolean served; // has had its share of a bucket since its last pause
    private boolean congested; // the protocol waits for Protocol.drained
    private boolean stalled; // nothing has left since the loop looked last
    private boolean watched; // nothing has left since the protocol began to watch

    private ConnectionOutput(Chunks pool) {
        chunks = new ChunkQueue(pool);
    }

    /** Outputs of a loop that no connection needs at the moment. Loop-confined. */
    static final class Pool {
        private static final int MAX = 1024; // few connections have something to send at once

        private final ArrayDeque<ConnectionOutput> free = new ArrayDeque<>();
        private final Chunks chunks;

        Pool(Chunks chunks) {
            this.chunks = chunks;
        }

        ConnectionOutput borrow(Connection connection) {
            ConnectionOutput output = free.pollLast();
            if (output == null) {
                output = new ConnectionOutput(chunks);
            }
            output.connection = connection;
            output.chunks.from(chunks.dropped());
            return output;
        }

        /** Takes back one that is {@linkplain ConnectionOutput#isIdle idle}. */
        void giveBack(ConnectionOutput output) {
            if (free.size() < MAX) {
                output.connection = null;
                output.served = false;
                output.stalled = false;
                output.watched = false;
                free.addLast(output);
            }
        }
    }

    /** Returns whether it holds nothing and waits for nothing. */
    boolean isIdle() {
        return chunks.isEmpty() && !sending && !paused && !congested;
    }

    /** Returns whether nothing can be sent now: {@link OutputSide#queue} is called when it can. */
    boolean isWaiting() {
        return sending || paused;
    }

    ChunkQueue chunks() {
        return chunks;
    }

    /** Notes that the protocol waits for {@link Protocol#drained}. */
    void congest() {
        congested = true;
    }

    /**
     * Returns once whether it was congested and is no more, since {@code unsent} bytes are left.
     */
    boolean hasDrained(long unsent) {
        boolean drained = congested && unsent <= Connection.LOW_WATER;
        congested &= !drained;
        return drained;
    }

    /** Lets {@link #isStalled} measure from now on, or ends that. */
    void watch(boolean on) {
        watched = on;
    }

    /** Returns whether nothing has left since {@link #watch} was called. */
    boolean isStalled() {
        return watched;
    }

    // ---- sending

    /**
     * Sends what the transport takes.
     *
     * @return whether nothing is left to send, and nothing waited for
     */
    boolean flush() {
        Connection owner = connection;
        for (OutputChunk chunk; (chunk = OutputSide.next(owner)) != null; ) {
            int length = owner.isRateLimited() ? allowed(chunk.length()) : chunk.length();
            if (length == 0) {
                return false;
            }
            boolean more = length > chunk.ready();
            int taken = owner.send(chunk, more ? chunk.ready() : length);
            if (taken < 0) {
                sending = true;
                return false;
            }
            taken(taken);
            if (more) { // after all others
                OutputSide.queue(owner);
                return false;
            }
        }
        return !sending;
    }

    /** Notes that the send in flight has ended: the kernel has taken {@code bytes}. */
    void sent(int bytes) {
        sending = false;
        taken(bytes);
    }

    private void taken(int bytes) {
        Loop loop = connection.loop();
        loop.bytesOut += bytes;
        if (bytes > 0) {
            stalled = false;
            watched = false;
        }
        if (connection.isRateLimited()) {
            connection.rateLimits().wrote(bytes, loop.nanos());
            served = true;
        }
        TlsLayer tls = connection.tlsLayer();
        if (tls == null) {
            chunks.drop(bytes);
        } else {
            tls.spent(bytes);
        }
    }

    /** Returns how many of {@code length} bytes may leave now; if none, pauses until some may. */
    private int allowed(int length) {
        Loop loop = connection.loop();
        int allowed = connection.rateLimits().write(length, loop.nanos());
        if (allowed == 0) {
            long pause = connection.rateLimits().writePause(loop.nanos());
            if (served) {
                pause += TURN_MILLIS;
            }
            served = false;
            paused = true;
            Connection owner = connection;
            loop.schedule(pause, () -> OutputSide.pauseEnded(owner));
        }
        return allowed;
    }

    /** Ends a pause. */
    void unpause() {
        paused = false;
    }

    // ---- chunks in the order in which they leave

    /**
     * Returns the next chunk that the kernel can send; null when there is none, or the disk reads
     * it.
     */
    OutputChunk sendable() {
        while (!chunks.isEmpty() && !waitsForDisk() && gather()) {
            OutputChunk first = chunks.first();
            if (first.length() > 0) {
                return first;
            }
            chunks.drop(0); // it was reserved, and left empty
        }
        return null;
    }

    /**
     * Returns the next chunk with bytes that TLS can seal; null when there is none, or the disk
     * reads it.
     */
    OutputChunk readable() {
        while (!chunks.isEmpty()) {
            if (chunks.meetsFile()) {
                chunks.first().compact();
                if (waitsForDisk() || !gather()) {
                    return null;
                }
            }
            OutputChunk first = chunks.first();
            if (first.length() > 0) {
                return first;
            }
            chunks.drop(0);
        }
        return null;
    }

    /** Returns whether a file comes next that is not in memory; a thread then reads it. */
    private boolean waitsForDisk() {
        Connection owner = connection;
        OutputChunk chunk = chunks.fileOrFirst();
        if (chunk.atHand(owner.loop().nanos())) {
            return false;
        }
        sending = true;
        disk = true;
        DiskReader.bring(chunk.file(), chunk.position(), chunk.length(), () -> brought(owner));
        return true;
    }

    private static void brought(Connection owner) {
        try {
            owner.loop().execute(() -> OutputSide.fileIsInMemory(owner));
        } catch (RejectedExecutionException e) {
            // the loop has ended, and the connection with it
        }
    }

    /** Notes that the disk has read what comes next. */
    void diskHasRead() {
        disk = false;
        sent(0);
    }

    /** Makes the first chunk ready to be sent; returns false when that has failed. */
    private boolean gather() {
        Loop loop = connection.loop();
        boolean readsFiles =
                chunks.meetsFile() && (connection.secure() || !connection.sendsFiles());
        try {
            if (chunks.gather(readsFiles)) {
                return true;
            }
            connection.cutShort();
        } catch (IOException e) {
            loop.failed(e);
            connection.reset();
        }
        return false;
    }

    // ---- when memory is short

    /**
     * Returns whether {@code cost} bytes of the loop's memory are used and the peer has taken
     * nothing since the last call. Output that waits for a rate limit or for the disk is no fault
     * of the peer's.
     */
    boolean stalled(long cost) {
        boolean waits = cost > 0 && !paused && !disk;
        boolean before = stalled;
        stalled = waits;
        return waits && before;
    }
}
