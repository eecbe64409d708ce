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
    /** How much later a connection that has just had its share resumes: a slot of the wheel. */
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

    /** Those of a loop that no connection needs at the moment. Loop-confined. */
    static final class Pool {
        private static final int MOST = 1024; // few connections have something to send at once

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
            if (free.size() < MOST) {
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

    /** The protocol is to be notified when little is left. */
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

    /** Has {@link #isStalled} look from now on, or not at all. */
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
        Loop loop = owner.loop();
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

    /** The send in flight has ended: the kernel has taken {@code bytes}. */
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

    /** How many of {@code length} bytes may leave now; if none, it is paused until some may. */
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

    /** A pause has ended. */
    void unpause() {
        paused = false;
    }

    // ---- chunks in the order in which they leave

    /** The next chunk that the kernel can send; null when there is none, or the disk brings it. */
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

    /** The next chunk with bytes that TLS can seal; null when there is none, or as above. */
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

    /** Whether a file comes next that is not in memory: then a thread brings it. */
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

    /** The disk has read what comes next. */
    void diskHasRead() {
        disk = false;
        sent(0);
    }

    /** Has the first chunk made ready to be sent. False when that has failed. */
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
