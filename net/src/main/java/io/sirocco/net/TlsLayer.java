// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.ConnectionInput.Kind;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.output.ChunkQueue;
import io.sirocco.net.output.Chunks;
import io.sirocco.net.output.OutputChunk;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * TLS between a connection and the transport: opens the records that come in, seals what the
 * connection wants to send. Until the handshake is done it is the connection's protocol, too.
 *
 * <pre>
 *   transport ─ bytes ─▶ received ─ records ─▶ engine ─ plain text ─▶ InputSide.deliver ─▶ Protocol
 *   transport ◀─ chunks ─ next    ◀─ records ─ engine ◀─ plain text ─ OutputSide.first  ◀─ Protocol
 * </pre>
 *
 * <p>Plain text stays as it is until the transport can take more, and is then sealed in records of
 * one chunk each; so only what is about to leave exists twice. While the connection is idle the
 * layer owns nothing but its engine. Loop-confined.
 */
final class TlsLayer implements Protocol {
    private static final LazyLogger LOG = LazyLogger.of(TlsLayer.class);

    /** Bytes that a handshake may bring at most: certificates of a client, mostly. */
    private static final int MAX_OF_HANDSHAKE = 64 << 10;

    /** Bytes that an engine takes during a handshake, roughly. */
    private static final int HANDSHAKE = 16 << 10;

    /** Records in a row without a byte for the protocol: key updates, empty ones. */
    private static final int MAX_USELESS = 32;

    /** Bytes that surround the plain text of a record; 29 is the most that we have seen. */
    private static final int AROUND = 64;

    /** Bytes of plain text in a record: sealed, it fills a chunk and no more. */
    private static final int RECORD = Chunks.SIZE - AROUND;

    /** Fatal, in a record that is not encrypted: RFC 8446 6. */
    private static final byte[] DECODE_ERROR = {21, 3, 3, 0, 2, 2, 50};

    private static final byte[] RECORD_OVERFLOW = {21, 3, 3, 0, 2, 2, 22};

    /**
     * A record that no key has sealed. Engines wait for the rest of a record that is only a little
     * too long, and say nothing to the peer of one that is more so; this one they answer with a
     * fatal alert.
     */
    private static final byte[] FORGED = new byte[5 + 32];

    static {
        System.arraycopy(new byte[] {23, 3, 3, 0, 32}, 0, FORGED, 0, 5);
    }

    private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};

    private final Connection connection;
    private final TlsEngine engine;
    private final TlsSide origin;
    private final TlsLoopContext context;

    private final TlsInput input = new TlsInput();
    private final ChunkQueue sealed;
    private int handshakeBytes;
    private int useless;
    private boolean tasksPending; // the engine has tasks, and waits in the loop's queue
    private boolean streamEnded; // meanwhile
    private boolean established;
    private boolean ended; // the peer has said that it sends no more
    private boolean failed;
    private boolean counted; // among the loop's handshakes
    private boolean expired; // the handshake's deadline passed
    private boolean spoken; // a record of ours is on its way, or has left
    private String why = "the peer has ended the connection"; // without a handshake
    private TlsSession session;
    private final Credentials credentials; // null where we are the client
    private List<Credential> given = List.of(); // the one that it was secured with is among them

    TlsLayer(Connection connection, TlsEngine engine, Credentials credentials, TlsSide origin) {
        this.credentials = credentials;
        this.connection = connection;
        this.engine = engine;
        this.origin = origin;
        this.context = connection.loop().tlsContext();
        this.sealed = new ChunkQueue(connection.loop().chunks);
        this.counted = credentials != null;
        if (counted) {
            connection.loop().handshakes(1);
        }
    }

    private void discount() {
        if (counted) {
            counted = false;
            connection.loop().handshakes(-1);
        }
    }

    /** Closes the connection unless its handshake has begun. */
    void drain() {
        if (handshakeBytes == 0 && input.held() == 0) {
            connection.close(CloseCause.FINISHED);
        }
    }

    /** Returns the outcome of the handshake, once it is done. Any thread. */
    Optional<TlsSession> session() {
        return Optional.ofNullable(session);
    }

    /** See {@link Connection#authoritative}. */
    boolean authoritative(byte[] host, int from, int to) {
        boolean named = false;
        for (int i = 0, n = given.size(); i < n; i++) {
            Credential each = given.get(i);
            named |= !each.names().isEmpty();
            if (each.covers(host, from, to)) {
                return true;
            }
        }
        return !named || given.getFirst().selfSigned() && isAskedFor(host, from, to);
    }

    private boolean isAskedFor(byte[] host, int from, int to) {
        return session.serverName()
                .filter(name -> Credential.is(name.toLowerCase(Locale.ROOT), 0, host, from, to))
                .isPresent();
    }

    /** Begins the handshake, as clients do. */
    void begin() {
        proceed();
    }

    // ---- input

    /** The transport has received {@code length} bytes. */
    void received(MemorySegment memory, long offset, int length) {
        if (ended) {
            return; // behind the closing alert
        }
        boolean whole = established && input.held() == 0; // mostly: what is left of it counts below
        if (!whole && !reserveRecords(length)) {
            memoryIsShort();
            return;
        }
        input.add(memory, offset, length);
        if (handshakeBytes == 0 && input.isText()) {
            answerPlainText();
            return;
        }
        proceed();
        if (!reserveRecords(0)) {
            memoryIsShort();
        }
        if (tasksPending && input.held() >= Connection.MAX_BUFFERED_INPUT) {
            InputSide.stopReading(connection);
        }
    }

    private void memoryIsShort() {
        if (!connection.isOpen()) {
            return; // it has ended while others made room for it
        }
        failed = true;
        why = "the memory of the loop is short";
        input.clear();
        connection.close(CloseCause.MEMORY_SHORT);
    }

    /** Reserves memory for {@code more} bytes of records; returns false if there is no room. */
    private boolean reserveRecords(int more) {
        return InputSide.reserve(connection, Kind.RECORDS, cost(more));
    }

    /**
     * Returns the memory that it takes with {@code more} bytes: none while an open connection is
     * idle.
     */
    private int cost(int more) {
        int handshake = established || ended || failed ? 0 : HANDSHAKE;
        return handshake + Math.max(input.size(), more == 0 ? 0 : input.held() + more);
    }

    /** Proceeds as far as possible without waiting for the peer or for the loop's queue. */
    private void proceed() {
        try {
            while (connection.isOpen() && !tasksPending && !failed) {
                switch (engine.status()) {
                    case NEED_TASK -> {
                        if (established) {
                            fail("the peer wants to renegotiate");
                        } else {
                            tasksPending = true;
                            context.later(this);
                        }
                    }
                    case NEED_WRAP -> wrap();
                    default -> {
                        if (!open()) {
                            return;
                        }
                    }
                }
            }
        } catch (SSLException e) {
            failed(e);
        }
    }

    /** Runs the engine's tasks, when the loop has time for them. */
    void runTasks() {
        if (!connection.isOpen()) {
            return;
        }
        for (Runnable task; (task = engine.task()) != null; ) {
            task.run();
        }
        tasksPending = false;
        proceed();
        if (!reserveRecords(0)) {
            memoryIsShort();
            return;
        }
        if (streamEnded) {
            connection.endOfInput();
        }
        if (!tasksPending) {
            InputSide.readAgain(connection);
        }
    }

    /** Opens the next record; returns whether there was one. */
    private boolean open() throws SSLException {
        ByteBuffer record = input.next();
        if (record == null || ended) {
            return false;
        }
        ByteBuffer opened = context.opened.clear();
        if (TlsInput.tooLong(record)) {
            if (spoken) {
                engine.unwrap(ByteBuffer.wrap(FORGED.clone()), opened); // throws
            }
            fail("a record that is too long", RECORD_OVERFLOW);
            return false;
        }
        SSLEngineResult result = engine.unwrap(record, opened);
        if (result.getStatus() == Status.BUFFER_UNDERFLOW
                || result.bytesConsumed() == 0 && result.getStatus() == Status.OK) {
            return isProgress(result); // it has something to say or to do first
        }
        input.consumed();
        if (!established) {
            handshakeBytes += result.bytesConsumed();
            if (handshakeBytes > MAX_OF_HANDSHAKE) {
                fail("a handshake of more than " + MAX_OF_HANDSHAKE + " bytes");
                return false;
            }
        }
        handshaken(result);
        if (opened.position() > 0) {
            useless = 0;
            InputSide.deliver(connection, context.openedMemory, 0, opened.position());
        } else if (established && ++useless > MAX_USELESS) {
            fail("more than " + MAX_USELESS + " records without data");
        }
        if (engine.inboundDone() && !ended && !failed) {
            ended = true;
            input.clear();
            flushEngine();
            connection.endOfInput();
        }
        return true;
    }

    /** An engine that can neither go on nor say why would be asked for ever. */
    private boolean isProgress(SSLEngineResult result) {
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP
                || result.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING) {
            fail("a malformed record");
            return false;
        }
        return true;
    }

    private void handshaken(SSLEngineResult result) {
        if (!established && result.getHandshakeStatus() == HandshakeStatus.FINISHED) {
            established = true;
            session = engine.session();
            if (credentials != null) {
                given = credentials.given(session.serverName());
            }
            connection.clearDeadline();
            connection.startProtocol(origin.acceptor());
            discount(); // it is counted as what it is now
        }
    }

    /**
     * Returns whether the end of the stream lies behind records that wait for the engine's tasks.
     */
    boolean postponesEnd() {
        streamEnded = tasksPending && connection.isOpen();
        return streamEnded;
    }

    /**
     * Returns whether the stream has ended without a closing alert, so that bytes may be missing.
     */
    boolean cut() {
        return !ended;
    }

    /** See {@link Connection#canHalfClose}. */
    boolean canHalfClose() {
        return session != null && session.version().equals("TLSv1.3");
    }

    // ---- output

    /**
     * Returns the next chunk for the socket, sealed now if none is left; null when there is
     * nothing.
     */
    OutputChunk next() {
        try {
            while (established && !failed && wantsSealing()) {
                seal();
            }
            if (established
                    && !failed
                    && connection.endsOutput()
                    && OutputSide.first(connection) == null) {
                engine.closeOutbound();
                flushEngine();
            }
        } catch (SSLException e) {
            failed(e);
        }
        return sealed.isEmpty() || sealed.first().length() == 0 ? null : sealed.first();
    }

    /** Returns whether there is something to seal, and nothing sealed yet or room behind it. */
    private boolean wantsSealing() {
        if (sealed.isEmpty()) {
            return connection.output != null && connection.output.readable() != null;
        }
        OutputChunk first = sealed.first();
        OutputChunk text = OutputSide.first(connection);
        return text != null
                && text.file() == null
                && first.next() == null
                && first.remaining() >= Math.min(text.length(), RECORD) + AROUND;
    }

    /** Encrypts unsent output as one record. */
    private void seal() throws SSLException {
        OutputChunk text = OutputSide.first(connection);
        if (sealed.isEmpty()) {
            sealed.append(connection.loop().chunks.take(connection.unsent() + AROUND));
        }
        int most = Math.min(RECORD, sealed.first().remaining() - AROUND);
        int count = 0;
        int total = 0;
        ByteBuffer[] sources = context.sources;
        while (text != null && text.file() == null && total < most && count < sources.length) {
            int n = Math.min(text.length(), most - total);
            sources[count++] = text.text(n);
            total += n;
            text = text.next();
        }
        if (total == 0) {
            drop(0); // room was asked for, and left empty
            return;
        }
        SSLEngineResult result = engine.wrap(sources, count, context.sealed.clear());
        Arrays.fill(sources, 0, count, null);
        append();
        drop(result.bytesConsumed());
        if (result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
            stuck(result);
        }
    }

    /** Forgets the first {@code bytes} of what the connection has written: they are sealed. */
    private void drop(int bytes) {
        if (connection.output != null) {
            connection.output.chunks().drop(bytes);
        }
    }

    /** TLS 1.2 has no half-open state: a peer that has ended gets no more (RFC 5246 7.2.1). */
    private void stuck(SSLEngineResult result) {
        if (result.getStatus() == Status.CLOSED) {
            failed = true;
            connection.finish(false);
        } else {
            fail("the engine would not seal: " + result);
        }
    }

    private void wrap() throws SSLException {
        SSLEngineResult result = engine.wrap(NOTHING, 1, context.sealed.clear());
        append();
        handshaken(result);
        if (established && unsent() > 2 * Connection.HIGH_WATER) {
            connection.abort(); // it has us answer, and does not read
        } else if (result.bytesProduced() == 0 && result.getStatus() == Status.CLOSED) {
            failed = true;
            connection.finish();
        }
    }

    /** Appends what the engine has to send by itself: alerts, mostly. */
    private void flushEngine() throws SSLException {
        while (engine.status() == HandshakeStatus.NEED_WRAP && !engine.outboundDone()) {
            engine.wrap(NOTHING, 1, context.sealed.clear());
            if (context.sealed.position() == 0) {
                return;
            }
            append();
        }
    }

    /** Puts the record in {@link TlsLoopContext#sealed} behind the others. */
    private void append() {
        ByteBuffer record = context.sealed.flip();
        if (record.hasRemaining()) {
            spoken = true;
            append(record.array(), record.limit());
            OutputSide.queue(connection);
        }
    }

    private void append(byte[] bytes, int length) {
        for (int from = 0; from < length; ) {
            OutputChunk chunk = sealed.reserve(from == 0 ? Math.min(length, Chunks.SIZE) : 1);
            int n = Math.min(chunk.remaining(), length - from);
            chunk.put(bytes, from, from + n);
            from += n;
        }
    }

    /** Notes that the socket has taken {@code bytes}. */
    void spent(int bytes) {
        sealed.drop(bytes);
    }

    /** Returns the number of sealed bytes that have not left yet. */
    long unsent() {
        return sealed.unsent();
    }

    /** Returns the bytes of the loop's memory that the sealed records take. */
    long outputCost() {
        return sealed.cost();
    }

    // ---- ends

    /** Aborts this connection alone: its engine, or our own code, threw what no engine should. */
    void broken(Throwable thrown) {
        connection.fail(thrown);
    }

    /** Handles an exception of the engine, whose alert is the last output to the peer. */
    private void failed(SSLException e) {
        String reason = e.getMessage();
        boolean named = reason != null && reason.startsWith("Illegal server name"); // of the JDK
        fail(named ? reason + "; the OpenSSL engine serves names with an underscore" : reason);
    }

    private void fail(String reason) {
        fail(reason, DECODE_ERROR);
    }

    /** The engine's alert goes out, or else {@code alert} while nothing can be encrypted yet. */
    private void fail(String reason, byte[] alert) {
        if (failed) {
            return;
        }
        failed = true;
        why = reason;
        input.clear();
        LOG.get().log(Level.DEBUG, "TLS with {0}: {1}", connection.remote(), reason);
        try {
            connection.loop().settings.observer.tlsFailed(connection, reason);
        } catch (Throwable e) {
            Loop.observerThrew(e);
        }
        try {
            if (!spoken) { // to close an engine that has nothing to say would be a harmless alert
                flushEngine();
            }
            if (!spoken) {
                append(alert, alert.length);
            }
            engine.closeOutbound();
            if (spoken) {
                flushEngine();
            }
        } catch (SSLException e) {
            // it had nothing to say
        }
        connection.finish();
    }

    private void answerPlainText() {
        failed = true;
        why = "the peer does not speak TLS";
        input.clear();
        byte[] answer = origin.plainTextResponse();
        append(answer, answer.length);
        connection.finish();
    }

    /** Returns the cause of a close, as far as the layer knows better. */
    CloseCause cause(CloseCause cause) {
        return failed && cause == CloseCause.FINISHED ? CloseCause.TLS_FAILED : cause;
    }

    /** Releases everything, since the connection is gone. */
    void gone() {
        discount();
        sealed.clear();
        input.clear();
        engine.release();
    }

    // ---- as a protocol, during the handshake

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        throw new AssertionError("plain text before the end of the handshake");
    }

    @Override
    public void ended(Connection connection) {
        connection.abort();
    }

    @Override
    public void expired(Connection connection) {
        expired = true;
        connection.abort();
    }

    @Override
    public boolean replaced(Connection connection) {
        connection.abort(CloseCause.TOO_MANY);
        return true;
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        if (cause == CloseCause.STOPPED) {
            origin.stopped();
        } else if (expired) {
            origin.timedOut();
        } else {
            origin.failed(why);
        }
    }
}
