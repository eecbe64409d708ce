// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sirocco.net.ConnectionInput.Kind;
import io.sirocco.net.file.SharedFile;
import io.sirocco.net.output.Chunks;
import io.sirocco.net.output.OutputChunk;
import io.sirocco.net.transport.ConnectionOrigin;
import io.sirocco.net.transport.TransportAcceptor;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One connection of a loop: input, output and one deadline. An idle connection owns no buffer.
 *
 * <pre>
 *                 received                      finish()             output has left, peer has ended or lingered
 *   open ───────────────────────────▶ open ───────────────▶ finishing ───────────────────────────────▶ gone
 *    │  suspend() keeps input back, resume() delivers it       │
 *    └────────────── abort(), reset by the peer, loop stops ───┴──────────────────────────────────────▶ gone
 * </pre>
 *
 * <p>Input: bytes that the protocol does not use are kept and come first in the next delivery.
 * While delivery is suspended, the connection keeps up to {@link #MAX_BUFFERED_INPUT} bytes and
 * then stops reading the socket.
 *
 * <p>Output: the connection gathers what is written during a turn and sends it at the end of the
 * turn, or after half a millisecond of a long turn. That is one send, unless the output is large,
 * rate-limited, or contains a file. Above {@link #HIGH_WATER} unsent bytes the connection is
 * congested: stop writing until {@link Protocol#drained}. Loop-confined.
 */
public abstract class Connection extends Timer {
    /**
     * Bytes of input that a suspended connection keeps before it stops reading the socket. Bytes
     * that the same turn has already received come on top: at most 4 MiB, usually none.
     */
    public static final int MAX_BUFFERED_INPUT = 64 << 10;

    /** Unsent bytes at which a connection becomes congested. */
    public static final int HIGH_WATER = 128 << 10;

    /** Unsent bytes at which a congested connection has drained. */
    public static final int LOW_WATER = 32 << 10;

    private static final long LINGER_MILLIS = 2_000;

    private static final int SUSPENDED = 1; // the protocol wants no input
    private static final int UNREAD = 1 << 1; // the transport was told not to read
    private static final int ENDED = 1 << 2; // the peer has ended its side
    private static final int FINISHING = 1 << 3; // to be closed when all output has left
    private static final int LINGER = 1 << 4; // ... and after the peer has ended, too
    private static final int LINGERING = 1 << 5; // our side has ended, we wait for the peer's
    private static final int CLOSING = 1 << 6;
    private static final int QUEUED = 1 << 7; // on the loop's list of those to flush
    private static final int RESUMING = 1 << 8; // buffered input will be delivered soon
    private static final int READ_PAUSED = 1 << 9; // by a rate limit
    private static final int DELIVERING = 1 << 10; // the protocol is being called with input
    private static final int END_WAITS = 1 << 11; // behind input that is kept back
    private static final int NOTIFIES_SENT =
            1 << 12; // the protocol wants to know of all that leaves
    private static final int GONE = 1 << 13;
    private static final int DISCARDS = 1 << 14; // what comes is for nobody
    private static final int OVER = CLOSING | FINISHING | LINGERING; // to the protocol it is
    private static final int CAUSE_SHIFT = 28;

    private final ConnectionOrigin origin;
    private Protocol protocol; // null while parked

    private int flags;
    private ConnectionInput input; // null while all of it is used up
    private ConnectionOutput output; // null while nothing is unsent
    private Layers layers; // null when what is written is what leaves, as fast as it can
    private SocketAddress remote;
    Connection newer; // the loop's list of all its connections
    Connection older;

    /** What stands between a connection and its transport; apart, since few have either. */
    private static final class Layers {
        TlsLayer tls; // null without TLS
        RateLimits rateLimits; // null when nothing limits the bandwidth
    }

    /**
     * Called by transports alone: an origin is nothing that a program has.
     *
     * @hidden
     */
    protected Connection(ConnectionOrigin origin) {
        this.origin = Objects.requireNonNull(origin);
    }

    /** Returns the loop that owns the connection. Any thread. */
    public final Loop loop() {
        return origin.loop();
    }

    /**
     * Returns the address of the client: the peer's, or the one that a trusted proxy has named. The
     * first call asks the kernel for the peer's address. It is an unnamed Unix-domain address if
     * the peer has no name, or if the connection was closed before the first call.
     */
    public final SocketAddress remote() {
        SocketAddress known = known();
        return known instanceof ProxiedAddress both ? both.client : known;
    }

    /** Returns the address that the connection came from: the proxy's, if there is one. */
    public final SocketAddress peer() {
        SocketAddress known = known();
        return known instanceof ProxiedAddress both ? both.peer : known;
    }

    /** Sets the address of the client, for {@link #remote()}, when the peer is a trusted proxy. */
    public final void remote(SocketAddress client) {
        remote = new ProxiedAddress(client, peer());
    }

    private SocketAddress known() {
        if (remote == null) {
            if ((flags & CLOSING) != 0) { // its place may be another's by now
                return UnixDomainSocketAddress.of("");
            }
            remote = remoteAddress();
        }
        return remote;
    }

    /**
     * Returns the local address: the one that the listener is bound to, or that of an outgoing
     * connection, as the kernel says.
     */
    public final SocketAddress local() {
        return origin.local(this);
    }

    /**
     * Returns what the TLS handshake has negotiated; empty without TLS, or before the handshake is
     * done.
     */
    public final Optional<TlsSession> tls() {
        return tlsLayer() == null ? Optional.empty() : tlsLayer().session();
    }

    /**
     * Whether the certificate that this connection was secured with is for the host {@code
     * bytes[from..to)}, without a port (RFC 9110 4.2.2). Also true where that cannot be said:
     * without TLS, of a certificate without names of hosts, and of a self-signed one when the
     * client has asked for this very host in its handshake, so that it knows what it does.
     */
    public final boolean authoritative(byte[] bytes, int from, int to) {
        return tlsLayer() == null || tlsLayer().authoritative(bytes, from, to);
    }

    /** Returns whether the connection uses TLS. */
    public final boolean secure() {
        return tlsLayer() != null;
    }

    /**
     * Replaces the protocol, as an upgrade does. The new protocol receives the input that the old
     * one did not use, soon, never from within this call.
     */
    public final void protocol(Protocol next) {
        protocol = next;
        if ((flags & SUSPENDED) == 0) { // else resume() does it
            deliverSoon();
        }
    }

    /**
     * Limits the rates of input and output from now on: a byte passes when each of the limiters
     * lets it pass.
     */
    public final void limitRates(List<RateLimiter> reads, List<RateLimiter> writes) {
        if (!reads.isEmpty() || !writes.isEmpty()) {
            layers().rateLimits = new RateLimits(reads, writes);
        } else if (layers != null) {
            layers.rateLimits = null;
        }
    }

    /**
     * Adds the limits of a route to those of {@link #limitRates}, and replaces the limits of the
     * previous route.
     */
    public final void limitRouteRates(List<RateLimiter> reads, List<RateLimiter> writes) {
        limitRouteRates(reads, writes, List.of(), List.of());
    }

    /**
     * Does the same, and gives the connection limiters of its own that follow the rates of {@code
     * eachRead} and {@code eachWrite}, also when those change.
     */
    public final void limitRouteRates(
            List<RateLimiter> reads,
            List<RateLimiter> writes,
            List<RateLimiter> eachRead,
            List<RateLimiter> eachWrite) {
        RateLimits own = isRateLimited() ? rateLimits() : new RateLimits(List.of(), List.of());
        layers().rateLimits = own.with(reads, writes, eachRead, eachWrite);
    }

    /**
     * Sets the connection's deadline, in milliseconds of {@link Loop#now}, in place of the previous
     * one. When it passes, {@link Protocol#expired} is called. Moving a deadline to a later time
     * only writes a field.
     */
    public final void deadline(long atMillis) {
        if ((flags & (CLOSING | LINGERING)) == 0) {
            loop().timers().arm(this, atMillis);
        }
    }

    /** Clears the deadline. */
    public final void clearDeadline() {
        deadline(NEVER);
    }

    /**
     * Ends our side and delivers no more input. The connection closes when all output has been sent
     * and, if {@code linger}, the peer has ended its side, too.
     */
    public final void finish(boolean linger) {
        flags |= FINISHING | (linger ? LINGER : 0);
        releaseInput();
        queue();
    }

    /**
     * Ends our side. When all output has been sent, the connection shuts down its output and
     * discards input until the peer ends its side, for two seconds at most. A socket that closes at
     * once is reset by bytes that are still on their way to it, and the peer could lose the last
     * bytes of our output (RFC 9112 9.6).
     */
    public final void finish() {
        finish(true);
    }

    /** Closes the connection at once; output that was not sent is lost. */
    public final void abort() {
        close(CloseCause.ABORTED);
    }

    /** Does the same, with the cause that {@link Protocol#closed} receives. */
    public final void abort(CloseCause why) {
        close(why);
    }

    /**
     * Does the same with a reset (RFC 9293 3.10.5): the peer reads an error behind the output, so
     * that it cannot take a part for the whole where only the end of the stream marks the end.
     */
    public final void reset() {
        if ((flags & CLOSING) == 0) {
            resetOnClose();
            abort();
        }
    }

    /** Returns whether the connection can still be written to. */
    public final boolean isOpen() {
        return (flags & OVER) == 0;
    }

    // ---- input

    /** Stops the delivery of input until {@link #resume}. */
    public final void suspend() {
        flags |= SUSPENDED;
    }

    /**
     * Resumes the delivery of input, beginning with what was kept; soon, never from within this
     * call.
     */
    public final void resume() {
        if ((flags & SUSPENDED) == 0) {
            return;
        }
        flags &= ~SUSPENDED;
        deliverSoon();
        readAgain();
    }

    /**
     * Reads and discards all input from now on, the kept bytes included: for a protocol that has
     * refused the peer and has only to send its response. Cannot be undone.
     */
    public final void discardInput() {
        flags |= DISCARDS;
        forgetBuffered();
        reserveInput(Kind.BUFFERED, 0);
        resume();
        if ((flags & (END_WAITS | RESUMING)) == END_WAITS) {
            loop().execute(this::deliverBuffered); // nothing is left that it could wait for
        }
    }

    private void deliverSoon() {
        if ((flags & DELIVERING) != 0) {
            flags |= RESUMING; // deliver() sees it when the protocol returns
        } else if (bufferedInput() > 0 && (flags & RESUMING) == 0) {
            flags |= RESUMING;
            loop().execute(this::deliverBuffered);
        }
    }

    /** Returns whether the peer has ended its side and all of its input was delivered. */
    public final boolean isInputEnded() {
        return (flags & (ENDED | END_WAITS)) == ENDED;
    }

    /** Returns the number of bytes of input that are kept for the next delivery. */
    public final int bufferedInput() {
        return input == null ? 0 : input.length;
    }

    /** Input for the protocol: what was received, or what TLS has made of it. */
    void deliverInput(MemorySegment memory, long offset, int length) {
        if ((flags & (SUSPENDED | RESUMING)) != 0) {
            keep(memory, offset, length);
            return;
        }
        int buffered = bufferedInput();
        int total = buffered + length;
        byte[] slab = loop().slab(total);
        if (buffered > 0) {
            System.arraycopy(input.bytes, 0, slab, 0, buffered);
        }
        MemorySegment.copy(memory, JAVA_BYTE, offset, slab, buffered, length);
        deliver(slab, total);
    }

    private void deliverBuffered() {
        flags &= ~RESUMING;
        try {
            deliverBufferedInput();
        } catch (Throwable e) { // TLS may have begun with it
            fail(e);
        }
    }

    private void deliverBufferedInput() {
        int total = bufferedInput();
        if (total > 0 && (flags & (SUSPENDED | OVER)) == 0) {
            byte[] slab = loop().slab(total);
            System.arraycopy(input.bytes, 0, slab, 0, total);
            deliver(slab, total);
        }
        if ((flags & END_WAITS) != 0) {
            notifyEnded();
        }
    }

    private void deliver(byte[] slab, int total) {
        forgetBuffered();
        flags |= DELIVERING;
        boolean plain = tlsLayer() == null;
        int used;
        try {
            used = protocol.received(this, slab, 0, total);
        } catch (Throwable e) {
            loop().failed(e);
            abort();
            return;
        }
        flags &= ~DELIVERING;
        if (used == total || (flags & (OVER | DISCARDS)) != 0) {
            flags &= ~RESUMING;
            reserveInput(Kind.BUFFERED, 0);
            return;
        }
        if (used < 0 || used > total) {
            loop().failed(
                            new IndexOutOfBoundsException(
                                    protocol + " was given " + total + " bytes and used " + used));
            abort();
            return;
        }
        if (used > 0 && input != null) {
            loop().memory().renew(input);
        }
        if (!reserveInput(Kind.BUFFERED, total - used)) {
            flags &= ~RESUMING; // nothing is left to deliver
            refuse();
            return;
        }
        input.bytes = Arrays.copyOfRange(slab, used, total);
        input.length = total - used;
        if (plain && tlsLayer() != null) {
            deliverToTls();
        } else if ((flags & RESUMING) != 0) {
            loop().execute(this::deliverBuffered);
        } else {
            stopReadingWhenFull();
        }
    }

    /** TLS has begun behind what the protocol before it has used. */
    private void deliverToTls() {
        MemorySegment records = MemorySegment.ofArray(input.bytes);
        int length = input.length;
        input.forget();
        flags &= ~RESUMING;
        reserveInput(Kind.BUFFERED, 0); // TLS counts them from here on
        tlsLayer().received(records, 0, length);
    }

    private void keep(MemorySegment memory, long offset, int length) {
        int total = bufferedInput() + length;
        byte[] bytes = input == null ? null : input.bytes;
        if (bytes == null || total > bytes.length) {
            int size = bytes == null ? total : Math.max(total, bytes.length * 2);
            if (!reserveInput(Kind.BUFFERED, size)) {
                refuse();
                return;
            }
            if (input == null) {
                return; // it has ended
            }
            input.bytes = bytes == null ? new byte[size] : Arrays.copyOf(bytes, size);
        }
        MemorySegment.copy(memory, JAVA_BYTE, offset, input.bytes, input.length, length);
        input.length = total;
        stopReadingWhenFull();
    }

    private void forgetBuffered() {
        if (input != null) {
            input.forget();
        }
    }

    private void stopReadingWhenFull() {
        if ((flags & SUSPENDED) != 0 && bufferedInput() >= maxBufferedInput()) {
            stopReading();
        }
    }

    /** Bytes of input to keep while the protocol wants none: fewer when memory is tight. */
    private int maxBufferedInput() {
        return loop().memory().tight() ? MAX_BUFFERED_INPUT / 4 : MAX_BUFFERED_INPUT;
    }

    // ---- memory

    /**
     * Sets how many bytes the protocol stores for this connection, beyond the input that it has
     * left over: a message in pieces, or a body that no handler has read. They count in the loop's
     * {@link MemoryBudget} until this is called with 0 or the connection is gone.
     *
     * @return false when there is no room, and the protocol must refuse what it was about to store;
     *     the previous amount still counts
     */
    public final boolean reserveMemory(long bytes) {
        return reserveInput(Kind.STORED, bytes);
    }

    /** The same for what TLS keeps of records and for a handshake. */
    boolean reserveRecords(int bytes) {
        return reserveInput(Kind.RECORDS, bytes);
    }

    /**
     * Counts {@code bytes} of a kind from now on. To make room for more, other connections give up
     * and their protocols are called, which may end this connection or change what it holds: then
     * nothing more is counted.
     *
     * @return whether they count; false also when it has ended meanwhile
     */
    private boolean reserveInput(Kind kind, long bytes) {
        if (input == null) {
            if (bytes == 0 || (flags & OVER) != 0) {
                return true;
            }
            input = loop().memory().open(this);
        }
        ConnectionInput mine = input;
        long before = mine.count(kind);
        long more = bytes - before;
        if (more > 0) {
            boolean grown = loop().memory().grow(mine, more);
            boolean changed = input != mine || mine.count(kind) != before;
            if (grown && changed) {
                loop().memory().release(more);
            }
            if (!grown || changed) {
                closeIfEmpty();
                return false;
            }
        } else if (more < 0) {
            loop().memory().release(-more);
        }
        mine.count(kind, bytes);
        closeIfEmpty();
        return true;
    }

    private void closeIfEmpty() {
        if (input != null && input.isEmpty()) {
            releaseInput();
        }
    }

    /** Forgets the input that it keeps, and counts nothing any more. */
    private void releaseInput() {
        if (input != null) {
            loop().memory().close(input);
            input = null;
        }
    }

    /** There is no room for its own input: nothing else than to give up is left. */
    private void refuse() {
        if ((flags & OVER) == 0 && !notifyInputLost()) {
            close(CloseCause.MEMORY_SHORT);
        }
        if ((flags & OVER) != 0) {
            releaseInput();
            return;
        }
        forgetBuffered();
        reserveInput(Kind.BUFFERED, 0); // what the protocol stores is still there
        stopReading(); // it only has to respond
    }

    private boolean notifyInputLost() {
        try {
            return protocol != null && protocol.inputLost(this);
        } catch (Throwable e) {
            fail(e);
            return true;
        }
    }

    /** Gives up what it holds, if it is its peer that it waits for: memory is short. */
    void giveUp() {
        if ((flags & (DELIVERING | OVER)) == 0
                && notifyMemoryShort()) { // else it is at work, further up
            loop().memory().countRefused();
        }
    }

    private boolean notifyMemoryShort() {
        try {
            return protocol != null && protocol.memoryShort(this);
        } catch (Throwable e) {
            fail(e);
            return true;
        }
    }

    /** Returns the bytes of the loop's memory that its output takes. */
    long outputCost() {
        long bytes = output == null ? 0 : output.chunks().cost();
        return tlsLayer() == null ? bytes : bytes + tlsLayer().outputCost();
    }

    /**
     * Returns whether its output takes memory of the loop and its peer has taken none of it since
     * the last call.
     */
    boolean stalled() {
        return output != null && (flags & CLOSING) == 0 && output.stalled(outputCost());
    }

    /** Closes it because of its output: the memory of the loop is short. */
    void giveUpOutput() {
        if ((flags & CLOSING) == 0) {
            loop().memory().countRefused();
            resetOnClose();
            close(CloseCause.MEMORY_SHORT);
        }
    }

    /** Code of ours has thrown, for want of heap above all: this connection alone ends. */
    void fail(Throwable thrown) {
        loop().failed(thrown);
        abort();
    }

    void stopReading() {
        if ((flags & UNREAD) == 0) {
            flags |= UNREAD;
            reading(false);
        }
    }

    void readAgain() {
        boolean full = (flags & SUSPENDED) != 0 && bufferedInput() >= maxBufferedInput();
        if ((flags & UNREAD) != 0 && !full && (flags & (READ_PAUSED | CLOSING | ENDED)) == 0) {
            flags &= ~UNREAD;
            reading(true);
        }
    }

    private void paceRead(int length) {
        long pause = rateLimits().read(length, loop().nanos());
        if (pause > 0 && (flags & READ_PAUSED) == 0) {
            flags |= READ_PAUSED;
            stopReading();
            loop().schedule(
                            length > 0 ? pause + ConnectionOutput.TURN_MILLIS : pause,
                            this::readUnlessPaused);
        }
    }

    private void readUnlessPaused() {
        flags &= ~READ_PAUSED;
        if (isRateLimited() && (flags & CLOSING) == 0) {
            paceRead(0);
        }
        readAgain();
    }

    /** What the peer has sent is delivered before its end is told. */
    private void notifyEnded() {
        if (bufferedInput() > 0 && (flags & (SUSPENDED | RESUMING)) != 0) {
            flags |= END_WAITS;
            return;
        }
        flags &= ~END_WAITS;
        if ((flags & OVER) != 0) {
            return;
        }
        try {
            protocol.ended(this);
        } catch (Throwable e) {
            loop().failed(e);
            abort();
        }
    }

    // ---- output

    /**
     * Returns a chunk with room for {@code bytes} more, to which the caller appends at once.
     *
     * @throws IllegalArgumentException when {@code bytes} is more than 16 KiB
     */
    public final Chunk reserve(int bytes) {
        if (bytes > Chunks.SIZE) {
            throw new IllegalArgumentException(
                    "room for " + bytes + " bytes: at most " + Chunks.SIZE + " at a time");
        }
        return room(bytes);
    }

    private OutputChunk room(int bytes) {
        if ((flags & (CLOSING | LINGERING)) != 0) {
            return loop().chunks.discard();
        }
        queue();
        return output().chunks().reserve(bytes);
    }

    /** Writes a copy of {@code bytes[from..to)}. */
    public final void write(byte[] bytes, int from, int to) {
        while (from < to) {
            OutputChunk chunk = room(1);
            int n = Math.min(chunk.remaining(), to - from);
            chunk.put(bytes, from, from + n);
            from += n;
        }
    }

    /**
     * Writes {@code bytes[from..to)} without a copy where that is cheaper: the array must not
     * change any more. It costs write memory only when its turn to be sent has come.
     */
    public final void writeStable(byte[] bytes, int from, int to) {
        if (to - from <= Chunks.SIZE / 4) {
            write(bytes, from, to);
        } else if ((flags & (CLOSING | LINGERING)) == 0) {
            queue();
            output().chunks().append(loop().chunks.of(bytes, from, to, true));
        }
    }

    /**
     * The same for an array that lives on anyhow, as that of a constant response or of a message to
     * many: it does not count in the loop's {@link MemoryBudget}.
     */
    public final void writeShared(byte[] bytes, int from, int to) {
        if (to - from <= Chunks.SIZE / 4) {
            write(bytes, from, to);
        } else if ((flags & (CLOSING | LINGERING)) == 0) {
            queue();
            output().chunks().append(loop().chunks.of(bytes, from, to, false));
        }
    }

    /**
     * Writes {@code length} bytes of {@code file} from {@code position} on. Content that is
     * {@linkplain OpenFile#load loaded} is sent from there. Otherwise the kernel sends the file
     * where it can, and no byte of it waits in memory; the loop does not wait for the disk. A file
     * that turns out to be shorter resets the connection, since the peer was promised more.
     *
     * <p>The caller has {@linkplain OpenFile#retain retained} the file for this; it is released
     * when its last byte has left, or the connection has gone.
     */
    public final void write(OpenFile file, long position, long length) {
        if ((flags & (CLOSING | LINGERING)) != 0 || length == 0) {
            file.release();
        } else {
            queue();
            var shared = (SharedFile) file;
            MemorySegment content = shared.content();
            output().chunks()
                    .append(
                            content != null && position + length <= content.byteSize()
                                    ? new OutputChunk(shared, content.asSlice(position, length))
                                    : new OutputChunk(shared, position, length));
        }
    }

    RateLimits rateLimits() {
        return layers == null ? null : layers.rateLimits;
    }

    TlsLayer tlsLayer() {
        return layers == null ? null : layers.tls;
    }

    private Layers layers() {
        if (layers == null) {
            layers = new Layers();
        }
        return layers;
    }

    /** Returns the number of bytes that were written and not sent yet. */
    public final long unsent() {
        long bytes = output == null ? 0 : output.chunks().unsent();
        return tlsLayer() == null ? bytes : bytes + tlsLayer().unsent();
    }

    /**
     * Begins to watch whether the peer reads the output that is unsent now, for {@link
     * #isOutputStalled}; or ends that, if {@code on} is false.
     */
    public final void watchOutput(boolean on) {
        if (output != null) {
            output.watch(on);
        }
    }

    /**
     * Returns whether output is unsent and the kernel has taken none of it since {@link
     * #watchOutput}, because the peer does not read.
     */
    public final boolean isOutputStalled() {
        return output != null && output.isStalled() && unsent() > 0;
    }

    /** Returns the position behind everything written so far, for {@link #unsentBefore}. */
    public final long outputEnd() {
        return output == null ? 0 : output.chunks().end();
    }

    /**
     * Returns how many bytes before {@code position}, a value of {@link #outputEnd}, the kernel has
     * not taken yet. Over TLS the number may be up to one record too large, and is 0 at the end all
     * the same.
     */
    public final long unsentBefore(long position) {
        long bytes = output == null ? 0 : output.chunks().before(position);
        return tlsLayer() == null ? bytes : bytes + tlsLayer().unsent();
    }

    /** Returns whether so much is unsent that a writer should wait for {@link Protocol#drained}. */
    public final boolean isCongested() {
        if (unsent() < (loop().memory().tight() ? LOW_WATER : HIGH_WATER)) {
            return false;
        }
        output().congest();
        return true;
    }

    /** Calls {@link Protocol#sent} from now on, in each turn in which output was sent. */
    public final void notifySent() {
        flags |= NOTIFIES_SENT;
    }

    /** Has it flushed at the end of the turn. */
    void queue() {
        if ((flags & QUEUED) == 0) {
            flags |= QUEUED;
            loop().written(this);
        }
    }

    /** Sends what the turn has gathered. Called by the loop at the end of the turn. */
    void flush() {
        flags &= ~QUEUED;
        if ((flags & CLOSING) != 0 || output().isWaiting()) {
            return;
        }
        if (output.flush() && (flags & CLOSING) == 0) {
            releaseOutput();
            if (finishing()) {
                outputSent();
            }
            notifyProtocol();
        }
    }

    /** The disk has read what is to be sent next. */
    void fileIsInMemory() {
        if (output != null) { // else it is gone
            output.diskHasRead();
            outputProceeds();
        }
    }

    private void outputProceeds() {
        if ((flags & CLOSING) != 0) {
            return;
        }
        boolean more = written() != null || tlsLayer() != null && tlsLayer().unsent() > 0;
        if (more || (flags & FINISHING) != 0) {
            queue();
        }
        notifyProtocol();
    }

    /** A rate limit lets more output pass. */
    void outputMayLeave() {
        if (output != null) { // else it is gone
            output.unpause();
            queue();
        }
    }

    /** The next chunk for the transport; null when there is none, or it is not in memory yet. */
    OutputChunk nextChunk() {
        return tlsLayer() != null ? tlsLayer().next() : output == null ? null : output.sendable();
    }

    /** The next chunk with bytes that TLS can seal; null as above. */
    OutputChunk readable() {
        return output == null ? null : output.readable();
    }

    /** Output has left: tells the protocol, if it wants to know. */
    private void notifyProtocol() {
        if ((flags & (NOTIFIES_SENT | CLOSING)) == NOTIFIES_SENT) {
            try {
                protocol.sent(this);
            } catch (Throwable e) {
                loop().failed(e);
                abort();
            }
        }
        if (output != null && (flags & CLOSING) == 0 && output.hasDrained(unsent())) {
            try {
                protocol.drained(this);
            } catch (Throwable e) {
                loop().failed(e);
                abort();
            }
        }
        releaseOutput();
    }

    private void outputSent() {
        if ((flags & LINGER) == 0 || (flags & ENDED) != 0) {
            close(CloseCause.FINISHED);
            return;
        }
        deadline(loop().now() + LINGER_MILLIS);
        flags |= LINGERING;
        releaseInput();
        flags &= ~SUSPENDED;
        shutdownOutput();
        readAgain();
    }

    // ---- life and death

    /** It has a slot: {@code acceptor} says what is spoken on it from now on. */
    void start(Acceptor acceptor) {
        startProtocol(acceptor);
        if ((flags & (UNREAD | CLOSING)) == 0) {
            reading(true);
        }
    }

    /** Has {@code acceptor} say what is spoken: at the start, or once TLS has shaken hands. */
    void startProtocol(Acceptor acceptor) {
        try {
            protocol = Objects.requireNonNull(acceptor.accept(this));
        } catch (Throwable e) {
            loop().failed(e);
            protocol = (c, bytes, from, to) -> to;
            abort();
        }
    }

    /** The same for an acceptor that takes over within {@link Protocol#received}. */
    void startNextProtocol(Acceptor acceptor) {
        startProtocol(acceptor);
        deliverSoon();
    }

    /** From now on {@code layer} stands between it and the transport. */
    void secure(TlsLayer layer) {
        layers().tls = layer;
    }

    private ConnectionOutput output() {
        if (output == null) {
            output = loop().outputs.borrow(this);
        }
        return output;
    }

    /** Returns what was borrowed for output, if nothing is unsent. */
    private void releaseOutput() {
        if (output != null && output.isIdle()) {
            loop().outputs.giveBack(output);
            output = null;
        }
    }

    /** The oldest chunk that TLS has not sealed yet, or the kernel not sent; null for none. */
    OutputChunk written() {
        return output == null ? null : output.chunks().first();
    }

    /** Forgets the first {@code bytes} of what was written: they have left, or are sealed. */
    void drop(int bytes) {
        if (output != null) {
            output.chunks().drop(bytes);
        }
    }

    /** Whether our side ends when all that was written has left. */
    boolean finishing() {
        return (flags & (FINISHING | LINGERING)) == FINISHING;
    }

    Protocol protocol() {
        return protocol;
    }

    boolean parked() {
        return protocol == null;
    }

    @Override
    void fire() {
        if (protocol == null || (flags & LINGERING) != 0) {
            close((flags & LINGERING) != 0 ? CloseCause.FINISHED : CloseCause.ABORTED);
            return;
        }
        try {
            protocol.expired(this);
        } catch (Throwable e) {
            loop().failed(e);
            abort();
        }
    }

    void close(CloseCause cause) {
        if ((flags & CLOSING) == 0) {
            CloseCause why = tlsLayer() == null ? cause : tlsLayer().cause(cause);
            flags |= CLOSING | why.ordinal() << CAUSE_SHIFT;
            releaseInput();
            loop().timers().cancel(this);
            closeSocket();
        }
    }

    /** Its loop has died: nothing can be sent, and nobody will tell when the transport is done. */
    void lost() {
        if ((flags & CLOSING) == 0) {
            flags |= CLOSING | CloseCause.STOPPED.ordinal() << CAUSE_SHIFT;
        }
        gone();
    }

    // ---- the socket, which the transport implements

    /**
     * Reads from the socket, or stops to; bytes that are already on their way still arrive.
     *
     * @hidden
     */
    protected abstract void reading(boolean on);

    /**
     * Returns whether the kernel can send files on this socket; if not, their content is read and
     * sent.
     *
     * @hidden
     */
    protected abstract boolean sendsFiles();

    /**
     * Sends {@code length} bytes of {@code chunk} from its start; of a file it may be fewer.
     *
     * @return how many bytes were taken at once, or -1 when {@link #sent} follows; until then
     *     nothing else is sent
     * @hidden
     */
    protected abstract int send(OutputChunk chunk, int length);

    /**
     * Ends our side of the stream: the peer reads end of file behind the last byte.
     *
     * @hidden
     */
    protected abstract void shutdownOutput();

    /**
     * Has a later {@link #closeSocket} reset the connection (RFC 9293 3.10.5) instead of ending it.
     *
     * @hidden
     */
    protected abstract void resetOnClose();

    /**
     * Closes the socket; {@link #gone} follows, not from within this call, when the kernel uses no
     * memory of it.
     *
     * @hidden
     */
    protected abstract void closeSocket();

    /**
     * Hands the socket, from which nothing was read and to which nothing was written, over to the
     * loop of {@code target}, which has a slot for it.
     *
     * @hidden
     */
    protected abstract void handOver(TransportAcceptor target);

    /**
     * Asks the kernel for the peer's address.
     *
     * @hidden
     */
    protected abstract SocketAddress remoteAddress();

    /**
     * Asks the kernel for our end's address.
     *
     * @hidden
     */
    protected abstract SocketAddress localAddress();

    // ---- what the transport reports and asks

    /**
     * Returns how many bytes to read at a time, up to {@code most}.
     *
     * @hidden
     */
    protected final int readSize(int most) {
        return isRateLimited() ? rateLimits().piece(most) : most;
    }

    /**
     * Reports that {@code length} bytes have come in.
     *
     * @hidden
     */
    protected final void received(MemorySegment memory, long offset, int length) {
        loop().bytesIn += length;
        if (isRateLimited()) {
            paceRead(length);
        }
        if ((flags & (OVER | DISCARDS)) != 0) {
            return; // it came after our last word
        }
        if (input != null) {
            loop().memory().progress(input, length);
        }
        try {
            if (tlsLayer() == null) {
                deliverInput(memory, offset, length);
            } else {
                tlsLayer().received(memory, offset, length);
            }
        } catch (Throwable e) { // out of heap, above all: it is the end of this connection alone
            fail(e);
        }
    }

    /**
     * Reports the end of the stream.
     *
     * @hidden
     */
    protected final void endOfInput() {
        if ((flags & (ENDED | CLOSING)) != 0 || tlsLayer() != null && tlsLayer().postponesEnd()) {
            return;
        }
        flags |= ENDED;
        if ((flags & LINGERING) != 0) {
            close(CloseCause.FINISHED);
            return;
        }
        if (tlsLayer() != null && tlsLayer().cut() && (flags & OVER) == 0) {
            close(CloseCause.TRUNCATED);
            return;
        }
        notifyEnded();
    }

    /**
     * Returns whether a rate limits its input or output.
     *
     * @hidden
     */
    protected final boolean isRateLimited() {
        return layers != null && layers.rateLimits != null;
    }

    /**
     * Returns whether it closes as soon as its output has left, whatever the peer still sends.
     *
     * @hidden
     */
    protected final boolean closesWhenSent() {
        return tlsLayer() == null && (flags & (FINISHING | LINGER)) == FINISHING;
    }

    /**
     * Reports that a send that was under way has ended: the kernel has taken {@code taken} bytes.
     *
     * @hidden
     */
    protected final void sent(int taken) {
        if (output == null) {
            return; // its loop has died, and has not waited for the transport
        }
        output.sent(taken);
        outputProceeds();
    }

    /**
     * Resets the connection, since the file that it sends has become shorter.
     *
     * @hidden
     */
    protected final void cutShort() {
        reset();
    }

    /**
     * Closes the connection, since the socket has failed or the peer has reset it.
     *
     * @hidden
     */
    protected final void socketFailed() {
        close(CloseCause.RESET);
    }

    /**
     * Reports that the socket is closed and the kernel uses no memory of it.
     *
     * @hidden
     */
    protected final void gone() {
        if ((flags & GONE) != 0) {
            return; // its loop has died, and did not wait for the transport
        }
        flags |= GONE;
        loop().gone(this);
        origin.gone(this);
        if (protocol != null) {
            try {
                protocol.closed(this, CloseCause.values()[flags >>> CAUSE_SHIFT]);
            } catch (Throwable e) {
                loop().failed(e);
            }
        }
        if (tlsLayer() != null) {
            tlsLayer().gone();
        }
        if (output != null) { // until now it could be told what is unsent
            output.chunks().clear();
            releaseOutput();
            output = null; // something of it may still be under way: it is not used again
        }
        releaseInput();
    }
}
