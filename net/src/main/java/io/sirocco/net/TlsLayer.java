// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
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
 *   transport ─ bytes ─▶ received ─ records ─▶ engine ─ plain text ─▶ Connection.arrived ─▶ Protocol
 *   transport ◀─ chunks ─ next    ◀─ records ─ engine ◀─ plain text ─ Connection.written  ◀─ Protocol
 * </pre>
 *
 * <p>Plain text stays as it is until the transport can take more, and is then sealed in records of
 * one chunk each; so only what is about to leave exists twice. While the connection is idle the
 * layer owns nothing but its engine. Loop-confined.
 */
final class TlsLayer implements Protocol {
    private static final LazyLogger LOG = LazyLogger.of(TlsLayer.class);

    /** The most that a handshake may bring: certificates of a client, mostly. */
    private static final int MOST_OF_HANDSHAKE = 64 << 10;

    /** Records in a row without a byte for the protocol: key updates, empty ones. */
    private static final int MOST_USELESS = 32;

    /** What surrounds the plain text of a record; 29 bytes are the most that we have seen. */
    private static final int AROUND = 64;

    /** Bytes of plain text in a record: sealed, it fills a chunk and no more. */
    private static final int RECORD = Chunks.SIZE - AROUND;

    private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};

    private final Connection connection;
    private final TlsEngine engine;
    private final TlsOrigin origin;
    private final TlsWork work;

    private final TlsInput input = new TlsInput();
    private final ChunkQueue sealed;
    private int handshakeBytes;
    private int useless;
    private boolean reckoning; // the engine has tasks, and waits in the loop's queue
    private boolean streamEnded; // meanwhile
    private boolean established;
    private boolean ended; // the peer has said that it sends no more
    private boolean failed;
    private String why = "the peer has ended the connection"; // without a handshake
    private TlsSession session;

    TlsLayer(Connection connection, TlsEngine engine, TlsOrigin origin) {
        this.connection = connection;
        this.engine = engine;
        this.origin = origin;
        this.work = connection.loop().tlsWork();
        this.sealed = new ChunkQueue(connection.loop().chunks);
    }

    /** What was agreed on, once it is. Any thread. */
    Optional<TlsSession> session() {
        return Optional.ofNullable(session);
    }

    /** Says the first word, as clients do. */
    void begin() {
        proceed();
    }

    // ---- input

    /** The transport has received {@code length} bytes. */
    void received(MemorySegment memory, long offset, int length) {
        if (ended) {
            return; // behind its last word
        }
        input.add(memory, offset, length);
        if (handshakeBytes == 0 && input.isText()) {
            answerPlainText();
            return;
        }
        proceed();
        if (reckoning && input.held() >= Connection.INPUT_HELD) {
            connection.stopReading();
        }
    }

    /** Does what can be done without waiting: for the peer, or for the loop's queue. */
    private void proceed() {
        try {
            while (connection.open() && !reckoning && !failed) {
                switch (engine.status()) {
                    case NEED_TASK -> {
                        if (established) {
                            fail("the peer wants to renegotiate");
                        } else {
                            reckoning = true;
                            work.later(this);
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
            broken(e);
        }
    }

    /** The engine's tasks, when the loop has time for them. */
    void reckon() {
        if (!connection.open()) {
            return;
        }
        for (Runnable task; (task = engine.task()) != null; ) {
            task.run();
        }
        reckoning = false;
        proceed();
        if (streamEnded) {
            connection.endOfInput();
        }
        if (!reckoning) {
            connection.readAgain();
        }
    }

    /** Opens the next record; answers whether there was one. */
    private boolean open() throws SSLException {
        ByteBuffer record = input.next();
        if (record == null || ended) {
            return false;
        }
        ByteBuffer opened = work.opened.clear();
        SSLEngineResult result = engine.unwrap(record, opened);
        if (result.getStatus() == Status.BUFFER_UNDERFLOW
                || result.bytesConsumed() == 0 && result.getStatus() == Status.OK) {
            return made(result); // it has something to say or to do first
        }
        input.consumed();
        if (!established) {
            handshakeBytes += result.bytesConsumed();
            if (handshakeBytes > MOST_OF_HANDSHAKE) {
                fail("a handshake of more than " + MOST_OF_HANDSHAKE + " bytes");
                return false;
            }
        }
        handshaken(result);
        if (opened.position() > 0) {
            useless = 0;
            connection.arrived(work.openedMemory, 0, opened.position());
        } else if (established && ++useless > MOST_USELESS) {
            fail("more than " + MOST_USELESS + " records without data");
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
    private boolean made(SSLEngineResult result) {
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
            connection.noDeadline();
            connection.speak(origin.acceptor());
        }
    }

    /** Whether the end of the stream lies behind records that wait for the engine's tasks. */
    boolean postponesEnd() {
        streamEnded = reckoning && connection.open();
        return streamEnded;
    }

    /** Whether the stream ended without the peer's saying so: bytes may be missing. */
    boolean cut() {
        return !ended;
    }

    // ---- output

    /** The next chunk for the transport, sealed now if none is left; null when there is nothing. */
    Chunk next() {
        try {
            while (established && !failed && wantsSealing()) {
                seal();
            }
            if (established && !failed && connection.finishing() && connection.written() == null) {
                engine.closeOutbound();
                flushEngine();
            }
        } catch (SSLException e) {
            broken(e);
        }
        return sealed.isEmpty() || sealed.first().length() == 0 ? null : sealed.first();
    }

    /** Whether there is something to seal, and nothing sealed yet or room behind it. */
    private boolean wantsSealing() {
        if (sealed.isEmpty()) {
            return connection.readable() != null;
        }
        Chunk first = sealed.first();
        Chunk text = connection.written();
        return text != null
                && text.file == null
                && first.next == null
                && first.room() >= Math.min(text.length(), RECORD) + AROUND;
    }

    /** Makes a record of what is at hand. */
    private void seal() throws SSLException {
        Chunk text = connection.written();
        if (sealed.isEmpty()) {
            sealed.append(connection.loop().chunks.take(connection.unsent() + AROUND));
        }
        int most = Math.min(RECORD, sealed.first().room() - AROUND);
        int count = 0;
        int total = 0;
        ByteBuffer[] sources = work.sources;
        while (text != null && text.file == null && total < most && count < sources.length) {
            int n = Math.min(text.length(), most - total);
            sources[count++] = text.text(n);
            total += n;
            text = text.next;
        }
        if (total == 0) {
            connection.drop(0); // room was asked for, and left empty
            return;
        }
        SSLEngineResult result = engine.wrap(sources, count, work.sealed.clear());
        Arrays.fill(sources, 0, count, null);
        append();
        connection.drop(result.bytesConsumed());
        if (result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
            stuck(result);
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
        SSLEngineResult result = engine.wrap(NOTHING, 1, work.sealed.clear());
        append();
        handshaken(result);
        if (established && unsent() > 2 * Connection.HIGH_WATER) {
            connection.abort(); // it has us answer, and does not read
        } else if (result.bytesProduced() == 0 && result.getStatus() == Status.CLOSED) {
            failed = true;
            connection.finish();
        }
    }

    /** All that the engine has to say by itself: alerts, mostly. */
    private void flushEngine() throws SSLException {
        while (engine.status() == HandshakeStatus.NEED_WRAP && !engine.outboundDone()) {
            engine.wrap(NOTHING, 1, work.sealed.clear());
            if (work.sealed.position() == 0) {
                return;
            }
            append();
        }
    }

    /** Puts the record in {@link TlsWork#sealed} behind the others. */
    private void append() {
        ByteBuffer record = work.sealed.flip();
        if (record.hasRemaining()) {
            append(record.array(), record.limit());
            connection.queue();
        }
    }

    private void append(byte[] bytes, int length) {
        for (int from = 0; from < length; ) {
            Chunk chunk = sealed.room(from == 0 ? Math.min(length, Chunks.SIZE) : 1);
            int n = Math.min(chunk.room(), length - from);
            chunk.put(bytes, from, from + n);
            from += n;
        }
    }

    /** The transport has taken {@code bytes}. */
    void spent(int bytes) {
        sealed.drop(bytes);
    }

    /** Sealed bytes that have not left yet. */
    long unsent() {
        return sealed.unsent();
    }

    // ---- ends

    /** The engine threw; its alert is the last that the peer is told. */
    private void broken(SSLException e) {
        fail(e.getMessage());
    }

    private void fail(String reason) {
        if (failed) {
            return;
        }
        failed = true;
        why = reason;
        input.clear();
        LOG.get().log(Level.DEBUG, "TLS with {0}: {1}", connection.remote(), reason);
        connection.loop().settings.observer.tlsFailed(connection, reason);
        try {
            engine.closeOutbound();
            flushEngine();
        } catch (SSLException e) {
            // it had nothing to say
        }
        connection.finish();
    }

    private void answerPlainText() {
        failed = true;
        why = "it speaks no TLS";
        input.clear();
        byte[] answer = origin.toPlainText();
        append(answer, answer.length);
        connection.finish();
    }

    /** Why the connection has closed, as far as the layer knows better. */
    CloseCause cause(CloseCause cause) {
        return failed && cause == CloseCause.FINISHED ? CloseCause.TLS_FAILED : cause;
    }

    /** The connection is gone. */
    void gone() {
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
        why = "the handshake has taken too long";
        connection.abort();
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        origin.failed(cause == CloseCause.STOPPED ? "the loop is stopping" : why);
    }
}
