// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.ConnectionInput.Kind;
import io.sirocco.net.file.SharedFile;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.output.Chunks;
import io.sirocco.net.transport.ConnectionOrigin;
import io.sirocco.net.transport.ReceiveBuffer;
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
 *    │  endOutput() ends our side, and input still comes       │
 *    └────────────── abort(), reset by the peer, loop stops ───┴──────────────────────────────────────▶ gone
 * </pre>
 *
 * <p>Input: bytes that the protocol does not use are kept and come first in the next delivery.
 * While input waits, since delivery is suspended or other connections come first, the connection
 * keeps up to {@link #MAX_BUFFERED_INPUT} bytes and then stops reading the socket.
 *
 * <p>Output: the connection gathers what is written during a turn and sends it at the end of the
 * turn, or after half a millisecond of a long turn. That is one send, unless the output is large,
 * rate-limited, or contains a file. Above {@link #HIGH_WATER} unsent bytes, and above fewer while
 * memory is short, the connection is congested: stop writing until {@link Protocol#drained}.
 *
 * <p>Loops create connections, and programs cannot extend this class. Loop-confined.
 */
public abstract class Connection extends ConnectionSocket {
    static {
        LinkedErrors.link(Throwable.class);
    }

    /**
     * Bytes of waiting input at which a connection stops reading the socket; a quarter of it while
     * memory is short. Bytes that the same turn has already received come on top: at most 4 MiB,
     * usually none.
     */
    public static final int MAX_BUFFERED_INPUT = 64 << 10;

    /** Unsent bytes at which a connection becomes congested while there is enough memory. */
    public static final int HIGH_WATER = 128 << 10;

    /** Unsent bytes at which a congested connection has drained. */
    public static final int LOW_WATER = 32 << 10;

    static final int SUSPENDED = 1; // the protocol wants no input
    static final int UNREAD = 1 << 1; // the socket is not read
    static final int ENDED = 1 << 2; // the peer has ended its side
    static final int FINISHING = 1 << 3; // closes when all output has left
    static final int LINGER = 1 << 4; // ... and after the peer has ended, too
    static final int LINGERING = 1 << 5; // our side has ended, the peer's has not
    static final int CLOSING = 1 << 6;
    static final int QUEUED = 1 << 7; // on the loop's list of those to flush
    static final int RESUMING = 1 << 8; // what is kept, or what a delivery leaves, comes soon
    static final int READ_PAUSED = 1 << 9; // by a rate limit
    static final int DELIVERING = 1 << 10; // the protocol is being called with input
    static final int END_WAITS = 1 << 11; // behind input that is kept back
    static final int NOTIFIES_SENT = 1 << 12; // the protocol wants to know of output that leaves
    private static final int GONE = 1 << 13;
    static final int DISCARDS = 1 << 14; // input is discarded
    static final int OUTPUT_ENDS = 1 << 15; // our side ends when all output has left, input goes on
    static final int OUTPUT_ENDED = 1 << 16; // it has
    static final int OVER = CLOSING | FINISHING | LINGERING; // for the protocol
    private static final int CAUSE_SHIFT = 28;

    private static final Protocol DROPS = (_, _, _, to) -> to;

    private final ConnectionOrigin origin;
    private Protocol protocol; // null while parked
    private int flags;
    ConnectionInput input; // null while nothing of it is kept or counted
    ConnectionOutput output; // null while nothing is unsent
    private Layers layers; // null without TLS and rate limits
    private SocketAddress remote; // null until somebody asks
    Connection newer; // in the loop's list of all its connections
    Connection older;

    /** The layers between protocol and socket, in an object of their own, since few have any. */
    private static final class Layers {
        TlsLayer tls; // null without TLS
        RateLimits rateLimits; // null when nothing limits the bandwidth
    }

    /**
     * For transports: no program has an origin.
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

    // ---- addresses

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

    /**
     * Keeps the address of the client in less memory, for a connection that will be idle for long
     * and many others with it. Each later call of {@link #remote()} makes an object.
     */
    public final void compactRemote() {
        if (remote != null) {
            remote = CompactAddress.of(remote);
        }
    }

    private SocketAddress known() {
        if (remote instanceof CompactAddress compact) {
            return compact.whole();
        }
        if (remote == null) {
            if (has(CLOSING)) { // its slot may be another's by now
                return UnixDomainSocketAddress.of("");
            }
            remote = remoteAddress();
        }
        return remote;
    }

    /**
     * Returns the local address: the one that the listener is bound to or, for an outgoing
     * connection, the one that the kernel has chosen.
     */
    public final SocketAddress local() {
        return origin.local(this);
    }

    // ---- TLS and rate limits

    /**
     * Returns what the TLS handshake has negotiated; empty without TLS, or before the handshake is
     * done.
     */
    public final Optional<TlsSession> tls() {
        return tlsLayer() == null ? Optional.empty() : tlsLayer().session();
    }

    /**
     * Returns whether the certificate that secures this connection is for the host {@code
     * bytes[from..to)}, without a port (RFC 9110 4.2.2). Also true where nothing can be said:
     * without TLS, for a certificate without host names, and for a self-signed one when the client
     * has asked for this very host in its handshake.
     */
    public final boolean authoritative(byte[] bytes, int from, int to) {
        return tlsLayer() == null || tlsLayer().authoritative(bytes, from, to);
    }

    /** Returns whether the connection uses TLS. */
    public final boolean secure() {
        return tlsLayer() != null;
    }

    /** Puts {@code layer} between the connection and its socket. */
    final void secure(TlsLayer layer) {
        layers().tls = layer;
    }

    final TlsLayer tlsLayer() {
        return layers == null ? null : layers.tls;
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

    final RateLimits rateLimits() {
        return layers == null ? null : layers.rateLimits;
    }

    private Layers layers() {
        if (layers == null) {
            layers = new Layers();
        }
        return layers;
    }

    // ---- the protocol and its deadline

    /**
     * Replaces the protocol, as an upgrade does. The new protocol receives the input that the old
     * one did not use, soon, never from within this call.
     */
    public final void protocol(Protocol next) {
        protocol = next;
        if (!has(SUSPENDED)) { // else resume() does it
            InputSide.deliverSoon(this);
        }
    }

    final Protocol protocol() {
        return protocol;
    }

    /** Returns whether it waits for a slot, and has no protocol yet. */
    final boolean parked() {
        return protocol == null;
    }

    /** Starts a connection that has a slot; {@code acceptor} returns its protocol. */
    final void start(Acceptor acceptor) {
        startProtocol(acceptor);
        if (!has(UNREAD | CLOSING)) {
            reading(true);
        }
    }

    /** Sets the protocol that {@code acceptor} returns: at the start, or after the handshake. */
    final void startProtocol(Acceptor acceptor) {
        try {
            protocol = Objects.requireNonNull(acceptor.accept(this));
        } catch (Throwable e) {
            failToStart(e);
        }
    }

    /** Aborts a connection that has a slot, and may have no protocol yet. */
    final void failToStart(Throwable thrown) {
        protocol = protocol == null ? DROPS : protocol;
        fail(thrown);
    }

    /** Does the same from within {@link Protocol#received}. */
    final void startNextProtocol(Acceptor acceptor) {
        startProtocol(acceptor);
        InputSide.deliverSoon(this);
    }

    /**
     * Sets the connection's deadline, in milliseconds of {@link Loop#now}, in place of the previous
     * one. When it passes, {@link Protocol#expired} is called. Moving a deadline to a later time
     * only writes a field.
     */
    public final void deadline(long atMillis) {
        if (!has(CLOSING | LINGERING)) {
            loop().timers().arm(this, atMillis);
        }
    }

    /** Clears the deadline. */
    public final void clearDeadline() {
        deadline(NEVER);
    }

    @Override
    final void fire() {
        try {
            if (has(LINGERING)) {
                close(CloseCause.FINISHED);
            } else if (protocol == null) {
                close(CloseCause.ABORTED);
            } else {
                protocol.expired(this);
            }
        } catch (Throwable e) {
            fail(e);
        }
    }

    // ---- input

    /** Stops the delivery of input until {@link #resume}. */
    public final void suspend() {
        set(SUSPENDED);
    }

    /**
     * Resumes the delivery of input, beginning with what was kept; soon, never from within this
     * call.
     */
    public final void resume() {
        if (has(SUSPENDED)) {
            clear(SUSPENDED);
            InputSide.deliverSoon(this);
            if (!has(DELIVERING)) { // a delivery's end decides, by how much input is left
                InputSide.readAgain(this);
            }
        }
    }

    /**
     * Returns whether other connections should be served before this one: it has been served {@code
     * most} requests or messages in a row in this turn of the loop, or at least one and the
     * {@linkplain Loop#isTurnLong turn is long}. Else counts one more. {@link #yieldInput} leaves
     * the rest to a later delivery.
     */
    public final boolean mustYield(int most) {
        return loop().mustYield(this, most);
    }

    /**
     * Leaves the rest of this delivery to a later one, so that other connections are served first.
     * Only within {@link Protocol#received}.
     */
    public final void yieldInput() {
        suspend();
        resume();
    }

    /**
     * Reads and discards all input from now on, the kept bytes included: for a protocol that has
     * refused the peer and only has to send its response. Cannot be undone.
     */
    public final void discardInput() {
        InputSide.discard(this);
    }

    /** Returns whether the peer has ended its side and all of its input was delivered. */
    public final boolean isInputEnded() {
        return (flags & (ENDED | END_WAITS)) == ENDED;
    }

    /** Returns the number of bytes of input that are kept for the next delivery. */
    public final int bufferedInput() {
        return input == null ? 0 : input.length;
    }

    /** Returns a copy of the first bytes of that input, at most {@code most}. Loop-confined. */
    public final byte[] copyBufferedInput(int most) {
        int length = Math.min(most, bufferedInput());
        return length == 0
                ? new byte[0]
                : Arrays.copyOfRange(input.bytes, input.from, input.from + length);
    }

    /**
     * Sets how many bytes the protocol stores for this connection, beyond the input that it has
     * left over: a message in pieces, or a body that no handler has read. They count in the loop's
     * {@link MemoryBudget} until this is called with 0 or the connection is gone.
     *
     * @return false when there is no room, and the protocol must refuse what it was about to store;
     *     the previous amount still counts
     */
    public final boolean reserveMemory(long bytes) {
        return InputSide.reserve(this, Kind.STORED, bytes);
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
        return OutputSide.reserve(this, bytes);
    }

    /** Writes a copy of {@code bytes[from..to)}. */
    public final void write(byte[] bytes, int from, int to) {
        OutputSide.write(this, bytes, from, to);
    }

    /**
     * Writes {@code bytes[from..to)} without a copy where that is cheaper: the array must not
     * change any more. It costs write memory only when its turn to be sent has come.
     */
    public final void writeStable(byte[] bytes, int from, int to) {
        OutputSide.write(this, bytes, from, to, true);
    }

    /**
     * Does the same for an array that the program keeps in any case, such as a constant response or
     * a message to many: it does not count in the loop's {@link MemoryBudget}.
     */
    public final void writeShared(byte[] bytes, int from, int to) {
        OutputSide.write(this, bytes, from, to, false);
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
        OutputSide.write(this, (SharedFile) file, position, length);
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
        if (unsent() < loop().memory().highWater()) {
            return false;
        }
        OutputSide.borrow(this).congest();
        return true;
    }

    /** Calls {@link Protocol#sent} from now on, in each turn in which output was sent. */
    public final void notifySent() {
        set(NOTIFIES_SENT);
    }

    // ---- ends

    /**
     * Returns whether the connection was neither finished nor closed: it can still be written to,
     * unless {@link #endOutput} was called.
     */
    public final boolean isOpen() {
        return !has(OVER);
    }

    /**
     * Returns whether one side of the connection can end and the other continue: always, except
     * with TLS 1.2, where an end of one side ends both (RFC 5246 7.2.1). Such a peer takes no more
     * output once it has ended its side.
     */
    public final boolean canHalfClose() {
        return tlsLayer() == null || tlsLayer().canHalfClose();
    }

    /**
     * Ends our side, and still receives. When everything written has been sent, the connection
     * shuts down its output, over TLS with the closing alert (RFC 8446 6.1), so that the peer reads
     * the end of the stream. What is written from now on is discarded. The connection closes when
     * the peer has ended its side, too; set a {@link #deadline} for that. If the connection {@link
     * #canHalfClose cannot half-close}, this is {@link #finish()}. Does nothing the second time.
     */
    public final void endOutput() {
        if (has(OUTPUT_ENDS | OVER)) {
            return;
        }
        if (isInputEnded() || !canHalfClose()) {
            finish();
        } else {
            set(OUTPUT_ENDS);
            OutputSide.queue(this);
        }
    }

    /**
     * Ends our side and delivers no more input. The connection closes when all output has been sent
     * and, if {@code linger}, the peer has ended its side, too.
     */
    public final void finish(boolean linger) {
        set(linger ? FINISHING | LINGER : FINISHING);
        InputSide.release(this);
        OutputSide.queue(this);
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

    /** Returns whether it finishes when everything written has left. */
    final boolean finishing() {
        return (flags & (FINISHING | LINGERING)) == FINISHING;
    }

    /** Returns whether our side ends when everything written has left. */
    final boolean endsOutput() {
        return finishing() || has(OUTPUT_ENDS);
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
        reset(CloseCause.ABORTED);
    }

    final void reset(CloseCause why) {
        if (!has(CLOSING)) {
            resetOnClose();
            close(why);
        }
    }

    /** Aborts this connection alone: a callback or our own code threw, often for lack of heap. */
    final void fail(Throwable thrown) {
        loop().failed(thrown);
        abort();
    }

    final void close(CloseCause cause) {
        if (!has(CLOSING)) {
            CloseCause why = tlsLayer() == null ? cause : tlsLayer().cause(cause);
            set(CLOSING | why.ordinal() << CAUSE_SHIFT);
            InputSide.release(this);
            loop().timers().cancel(this);
            closeSocket();
        }
    }

    /**
     * Returns whether the connection is closed: nothing more is sent. One that was finished is
     * neither open nor closed until its output has been sent.
     */
    public final boolean isClosed() {
        return has(CLOSING);
    }

    /** Ends it without the transport, since its loop has died. */
    final void lost() {
        if (!has(CLOSING)) {
            set(CLOSING | CloseCause.STOPPED.ordinal() << CAUSE_SHIFT);
        }
        gone();
    }

    // ---- state

    /** Returns whether any of {@code bits} is set. */
    final boolean has(int bits) {
        return (flags & bits) != 0;
    }

    final void set(int bits) {
        flags |= bits;
    }

    final void clear(int bits) {
        flags &= ~bits;
    }

    // ---- for the transport, which implements ConnectionSocket

    /**
     * Reports that {@code length} bytes have come in.
     *
     * @param buffer that holds them; null if the caller reuses the memory when this returns
     * @hidden
     */
    protected final void received(
            MemorySegment memory, long offset, int length, ReceiveBuffer buffer) {
        InputSide.received(this, memory, offset, length, buffer);
    }

    /**
     * Reports the end of the stream.
     *
     * @hidden
     */
    protected final void endOfInput() {
        InputSide.ended(this);
    }

    /**
     * Reports that a send that was under way has ended: the kernel has taken {@code taken} bytes.
     *
     * @hidden
     */
    protected final void sent(int taken) {
        OutputSide.sent(this, taken);
    }

    /**
     * Returns how many bytes to read at a time, up to {@code most}.
     *
     * @hidden
     */
    protected final int readSize(int most) {
        return isRateLimited() ? rateLimits().piece(most) : most;
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
     * Reports that the socket is closed and the kernel uses no memory of the connection.
     *
     * @hidden
     */
    protected final void gone() {
        if (has(GONE)) {
            return; // its loop has died, and has not waited for the transport
        }
        set(GONE);
        if (protocol != null) {
            try {
                protocol.closed(this, CloseCause.values()[flags >>> CAUSE_SHIFT]);
            } catch (Throwable e) {
                loop().failed(e);
            }
        }
        loop().gone(this); // after closed(): code that waits for this then has all reports
        origin.gone(this);
        if (tlsLayer() != null) {
            tlsLayer().gone();
        }
        OutputSide.forget(this); // until now the protocol could ask what is unsent
        InputSide.release(this);
    }
}
