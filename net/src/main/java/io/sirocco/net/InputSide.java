// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static io.sirocco.net.Connection.CLOSING;
import static io.sirocco.net.Connection.DELIVERING;
import static io.sirocco.net.Connection.DISCARDS;
import static io.sirocco.net.Connection.ENDED;
import static io.sirocco.net.Connection.END_WAITS;
import static io.sirocco.net.Connection.LINGERING;
import static io.sirocco.net.Connection.MAX_BUFFERED_INPUT;
import static io.sirocco.net.Connection.OUTPUT_ENDS;
import static io.sirocco.net.Connection.OVER;
import static io.sirocco.net.Connection.READ_PAUSED;
import static io.sirocco.net.Connection.RESUMING;
import static io.sirocco.net.Connection.SUSPENDED;
import static io.sirocco.net.Connection.UNREAD;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sirocco.net.ConnectionInput.Kind;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.transport.ReceiveBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The input side of a connection: delivers what the socket or TLS brings to the protocol, keeps
 * what it does not use, and stops reading when that is enough. These are functions over the state
 * in the {@link Connection}, so that an idle one needs no second object.
 *
 * <pre>
 *   received ─▶ deliver ─────────▶ Protocol.received ── bytes that it has left ──▶ kept
 *           │                                                                       │
 *           └── suspended, or others come first ──▶ kept ◀── resume(), later ───────┘
 * </pre>
 *
 * Loop-confined.
 */
final class InputSide {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private InputSide() {}

    // ---- from the socket

    /** Takes {@code length} bytes from the socket. */
    static void received(
            Connection c, MemorySegment memory, long offset, int length, ReceiveBuffer buffer) {
        c.loop().bytesIn += length;
        try {
            if (c.isRateLimited()) {
                pace(c, length);
            }
            if (c.has(OVER | DISCARDS)) {
                return; // the protocol takes no more input
            }
            if (c.input != null) {
                c.loop().memory().progress(c.input, length);
            }
            pass(c, memory, offset, length, buffer);
        } catch (Throwable e) { // out of heap, above all: it is the end of this connection alone
            c.fail(e);
        }
    }

    private static void pass(
            Connection c, MemorySegment memory, long offset, int length, ReceiveBuffer buffer) {
        ReceivedBytes input = c.loop().receivedBytes;
        int at = 0;
        while (at < length && !c.has(OVER | DISCARDS)) {
            if (c.tlsLayer() != null) {
                c.tlsLayer().received(memory, offset + at, length - at);
                return;
            }
            at += relay(c, input.of(memory, offset + at, length - at, buffer));
            if (at < length) {
                int n = Math.min(length - at, c.protocol().mostReceived());
                deliver(c, memory, offset + at, n);
                at += n;
            }
        }
    }

    /** Takes the end of the stream from the socket or from TLS. */
    static void ended(Connection c) {
        TlsLayer tls = c.tlsLayer();
        if (c.has(ENDED | CLOSING) || tls != null && tls.postponesEnd()) {
            return;
        }
        c.set(ENDED);
        if (c.has(LINGERING)) {
            c.close(CloseCause.FINISHED);
        } else if (tls != null && tls.cut() && !c.has(OVER)) {
            c.close(CloseCause.TRUNCATED);
        } else {
            notifyEnded(c);
        }
    }

    /** Notifies the protocol of the end, once everything before it is delivered. */
    private static void notifyEnded(Connection c) {
        if (c.bufferedInput() > 0 && c.has(SUSPENDED | RESUMING)) {
            c.set(END_WAITS);
            return;
        }
        c.clear(END_WAITS);
        if (c.has(OVER)) {
            return;
        }
        try {
            c.protocol().ended(c);
        } catch (Throwable e) {
            c.fail(e);
        }
        if (c.has(OUTPUT_ENDS) && !c.has(OVER)) {
            c.finish(); // both sides have ended
        }
    }

    // ---- to the protocol

    /**
     * Offers the input to the protocol for {@link Protocol#relay}; returns the bytes that it took.
     */
    private static int relay(Connection c, ReceivedBytes input) {
        if (c.has(SUSPENDED | RESUMING) || c.bufferedInput() > 0) {
            return 0;
        }
        c.set(DELIVERING);
        int used = c.protocol().relay(c, input);
        boolean resumed = c.has(RESUMING);
        c.clear(DELIVERING | RESUMING);
        if (resumed) {
            readAgain(c);
        }
        return c.has(OVER | DISCARDS) ? input.length() : used;
    }

    /** Delivers received bytes, decrypted by TLS if there is TLS, behind the kept ones. */
    static void deliver(Connection c, MemorySegment memory, long offset, int length) {
        if (c.has(OVER | DISCARDS)) {
            return;
        }
        if (c.has(SUSPENDED | RESUMING)) {
            keep(c, memory, offset, length);
            return;
        }
        int buffered = c.bufferedInput();
        int total = buffered + length;
        byte[] slab = c.loop().slab(total);
        if (buffered > 0) {
            System.arraycopy(c.input.bytes, c.input.from, slab, 0, buffered);
        }
        MemorySegment.copy(memory, JAVA_BYTE, offset, slab, buffered, length);
        deliver(c, slab, 0, total, false);
    }

    /** Delivers what is kept, in a task of its own. */
    static void deliverSoon(Connection c) {
        if (c.has(DELIVERING)) {
            c.set(RESUMING); // deliver() sees it when the protocol returns
        } else if (c.bufferedInput() > 0 && !c.has(RESUMING)) {
            c.loop().execute(() -> deliverKept(c)); // without heap it is not resuming
            c.set(RESUMING);
        }
    }

    private static void deliverKept(Connection c) {
        c.clear(RESUMING);
        try {
            int length = c.bufferedInput();
            if (length > 0 && !c.has(SUSPENDED | OVER)) {
                deliver(c, c.input.bytes, c.input.from, length, true);
            }
            if (c.has(END_WAITS)) {
                notifyEnded(c);
            }
        } catch (Throwable e) { // TLS may have begun with it
            c.fail(e);
        }
    }

    /**
     * Delivers {@code length} bytes, and keeps what the protocol leaves.
     *
     * @param own whether {@code bytes} is the connection's own array, in which the rest may stay,
     *     and not the loop's slab
     */
    private static void deliver(Connection c, byte[] bytes, int from, int length, boolean own) {
        forgetKept(c);
        c.set(DELIVERING);
        boolean plain = c.tlsLayer() == null;
        int to = from + length;
        int next;
        try {
            next = c.protocol().received(c, bytes, from, to);
        } catch (Throwable e) {
            c.fail(e);
            return;
        }
        boolean resumed = c.has(RESUMING);
        if (next == to || c.has(OVER | DISCARDS)) {
            c.clear(DELIVERING | RESUMING);
            reserve(c, Kind.BUFFERED, 0);
        } else if (next < from || next > to) {
            String given = " was given bytes " + from + " to " + to + " and returned ";
            c.fail(new IndexOutOfBoundsException(c.protocol() + given + next));
            return;
        } else {
            if (next > from && c.input != null) {
                c.loop().memory().renew(c.input);
            }
            boolean kept = keepRest(c, bytes, next, to, own);
            resumed = c.has(RESUMING); // perhaps by another connection, which had to give way
            c.clear(DELIVERING);
            if (!kept) {
                c.clear(RESUMING); // nothing is left to deliver
                refuse(c);
                return;
            }
            if (plain && c.tlsLayer() != null) {
                deliverToTls(c);
                return;
            }
            if (resumed) {
                c.loop().execute(() -> deliverKept(c));
            }
            stopReadingWhenFull(c);
        }
        if (own || resumed) {
            readAgain(c);
        }
    }

    /**
     * Keeps the bytes from {@code next} on, and returns whether there is room for them. They stay
     * in place if the array is the connection's own and they fill at least half of it: copying 64
     * KiB after each small portion would be quadratic.
     */
    private static boolean keepRest(Connection c, byte[] bytes, int next, int to, boolean own) {
        int left = to - next;
        boolean stays = own && left >= bytes.length / 2;
        if (!reserve(c, Kind.BUFFERED, stays ? bytes.length : left)) {
            return false;
        }
        c.input.bytes = stays ? bytes : Arrays.copyOfRange(bytes, next, to);
        c.input.from = stays ? next : 0;
        c.input.length = left;
        return true;
    }

    /** Passes to TLS what the protocol before it, the PROXY header, has left. */
    private static void deliverToTls(Connection c) {
        MemorySegment records = MemorySegment.ofArray(c.input.bytes);
        int from = c.input.from;
        int length = c.input.length;
        c.input.forget();
        c.clear(RESUMING);
        reserve(c, Kind.BUFFERED, 0); // TLS counts them from here on
        readAgain(c);
        c.tlsLayer().received(records, from, length);
    }

    /** Discards everything from now on. */
    static void discard(Connection c) {
        c.set(DISCARDS);
        forgetKept(c);
        reserve(c, Kind.BUFFERED, 0);
        c.resume();
        readAgain(c);
        if (c.has(END_WAITS) && !c.has(RESUMING)) {
            c.loop().execute(() -> deliverKept(c)); // nothing is left that the end could wait for
        }
    }

    // ---- what is kept

    private static void keep(Connection c, MemorySegment memory, long offset, int length) {
        if (!makeRoom(c, length)) {
            refuse(c);
            return;
        }
        ConnectionInput kept = c.input;
        if (kept == null) {
            return; // the connection has ended
        }
        MemorySegment.copy(memory, JAVA_BYTE, offset, kept.bytes, kept.from + kept.length, length);
        kept.length += length;
        stopReadingWhenFull(c);
        if (!c.has(SUSPENDED | RESUMING)) { // it was resumed while others gave way
            deliverSoon(c);
        }
    }

    /**
     * Makes room for {@code more} bytes behind the kept ones; returns false if memory is short. To
     * bound the copying, bytes are moved to the front only if that frees half of the array.
     */
    private static boolean makeRoom(Connection c, int more) {
        int total = c.bufferedInput() + more;
        byte[] bytes = c.input == null ? null : c.input.bytes;
        if (bytes == null) {
            return moveKept(c, total);
        }
        if (c.input.from + total <= bytes.length) {
            return true;
        }
        if (total <= bytes.length / 2) {
            System.arraycopy(bytes, c.input.from, bytes, 0, c.input.length);
            c.input.from = 0;
            return true;
        }
        return moveKept(c, Math.max(total, 2 * Math.min(total, bytes.length)));
    }

    /**
     * Moves the kept bytes to a new array of {@code size} bytes; returns false if there is no
     * memory for it.
     */
    private static boolean moveKept(Connection c, int size) {
        if (!reserve(c, Kind.BUFFERED, size)) {
            return false;
        }
        ConnectionInput kept = c.input;
        if (kept != null) {
            byte[] bytes = new byte[size];
            if (kept.bytes != null) {
                System.arraycopy(kept.bytes, kept.from, bytes, 0, kept.length);
            }
            kept.bytes = bytes;
            kept.from = 0;
        }
        return true;
    }

    private static void forgetKept(Connection c) {
        if (c.input != null) {
            c.input.forget();
        }
    }

    /**
     * Counts {@code bytes} of a kind from now on. To make room for more, other connections give up
     * and their protocols are called, which may end this connection or change what it holds: then
     * nothing more is counted.
     *
     * @return whether they count; false also when the connection has ended meanwhile
     */
    static boolean reserve(Connection c, Kind kind, long bytes) {
        if (c.input == null) {
            if (bytes == 0 || c.has(OVER)) {
                return true;
            }
            c.input = c.loop().memory().open(c);
        }
        ConnectionInput mine = c.input;
        long before = mine.count(kind);
        long more = bytes - before;
        if (more > 0) {
            boolean grown = c.loop().memory().grow(mine, more);
            boolean changed = c.input != mine || mine.count(kind) != before;
            if (grown && changed) {
                c.loop().memory().release(more);
            }
            if (!grown || changed) {
                releaseIfEmpty(c);
                return false;
            }
        } else if (more < 0) {
            c.loop().memory().release(-more);
        }
        mine.count(kind, bytes);
        releaseIfEmpty(c);
        return true;
    }

    private static void releaseIfEmpty(Connection c) {
        if (c.input != null && c.input.isEmpty()) {
            release(c);
        }
    }

    /** Releases the kept bytes and their memory. */
    static void release(Connection c) {
        if (c.input != null) {
            c.loop().memory().close(c.input);
            c.input = null;
        }
    }

    // ---- when memory is short

    /** Ends the connection, since there is no room for its own input. */
    private static void refuse(Connection c) {
        if (!c.has(OVER) && !notifyLost(c)) {
            c.close(CloseCause.MEMORY_SHORT);
        }
        if (c.has(OVER)) {
            release(c);
            return;
        }
        forgetKept(c);
        reserve(c, Kind.BUFFERED, 0); // what the protocol stores is still there
        stopReading(c); // it only has to respond
    }

    private static boolean notifyLost(Connection c) {
        try {
            return c.protocol() != null && c.protocol().inputLost(c);
        } catch (Throwable e) {
            c.fail(e);
            return true;
        }
    }

    /** Asks the protocol to give up what it holds, if it waits for its peer. */
    static void giveUp(Connection c) {
        // A delivery is further up in the stack, or others come first, which is not its fault.
        if (!c.has(DELIVERING | RESUMING | OVER) && notifyMemoryShort(c)) {
            c.loop().memory().countRefused();
        }
    }

    private static boolean notifyMemoryShort(Connection c) {
        try {
            return c.protocol() != null && c.protocol().memoryShort(c);
        } catch (Throwable e) {
            c.fail(e);
            return true;
        }
    }

    // ---- reading the socket, or not

    /**
     * Returns whether so much input waits that the socket is not read for now; the limit is lower
     * when memory is tight.
     */
    private static boolean isFull(Connection c) {
        int most = c.loop().memory().tight() ? MAX_BUFFERED_INPUT / 4 : MAX_BUFFERED_INPUT;
        return c.has(SUSPENDED | RESUMING) && c.bufferedInput() >= most;
    }

    private static void stopReadingWhenFull(Connection c) {
        if (isFull(c)) {
            stopReading(c);
        }
    }

    static void stopReading(Connection c) {
        if (!c.has(UNREAD)) {
            c.set(UNREAD);
            c.reading(false);
        }
    }

    /** Reads again, unless something else forbids that. */
    static void readAgain(Connection c) {
        if (c.has(UNREAD) && !isFull(c) && !c.has(READ_PAUSED | CLOSING | ENDED)) {
            c.clear(UNREAD);
            c.reading(true);
        }
    }

    /** Counts {@code length} bytes in the rate limits, and pauses while these are exceeded. */
    private static void pace(Connection c, int length) {
        long pause = c.rateLimits().read(length, c.loop().nanos());
        if (pause > 0 && !c.has(READ_PAUSED)) {
            long delay = length > 0 ? pause + ConnectionOutput.TURN_MILLIS : pause;
            c.loop().schedule(delay, () -> readUnlessPaused(c)); // without heap it is not paused
            c.set(READ_PAUSED);
            stopReading(c);
        }
    }

    private static void readUnlessPaused(Connection c) {
        c.clear(READ_PAUSED);
        if (c.isRateLimited() && !c.has(CLOSING)) {
            pace(c, 0);
        }
        readAgain(c);
    }
}
