// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import io.sirocco.net.TlsEngine;
import io.sirocco.net.TlsSession;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * One {@code SSL}. It is freed by {@link #release}, and asked nothing any more then.
 *
 * <pre>
 *   record ─▶ waiting ─ task ─▶ SSL_do_handshake ─▶ said ─▶ wrap     until established
 *   record ─▶ SSL_read  ─▶ plain                                     then
 *   texts  ─▶ SSL_write ─▶ sealed
 * </pre>
 *
 * <p>Confined to the thread that made it.
 */
final class OpenSslEngine implements TlsEngine {
    static final AtomicLong ALIVE = new AtomicLong();

    private static final MethodHandle SET_ACCEPT_STATE = Ssl.function("SSL_set_accept_state");
    private static final MethodHandle SHUTDOWN = Ssl.function("SSL_shutdown");
    private static final MethodHandle SET_SHUTDOWN = Ssl.function("SSL_set_shutdown");
    private static final MethodHandle VERSION = Ssl.function("SSL_version");
    private static final int BOTH_SIDES = 3;

    private static final int HANDSHAKE = 22; // RFC 8446 5.1
    private static final int HEADER = 5;

    private final Contexts contexts;
    private final Wire wire;
    private long ssl; // 0 when released
    private byte[] waiting; // a record that a task will give it
    private byte[] said; // what it has to say by itself; null for nothing
    private int saidFrom;
    private SSLException failure; // not told yet
    private boolean failed;
    private boolean established;
    private boolean told; // that it is
    private boolean version12;
    private boolean inboundDone;
    private boolean closed; // our side

    OpenSslEngine(Contexts contexts, Wire wire) {
        this.contexts = contexts;
        this.wire = wire;
        this.ssl = contexts.ssl();
        ALIVE.incrementAndGet();
        wire.attach(ssl);
        Ssl.call(SET_ACCEPT_STATE, ssl, 0, 0, 0);
    }

    @Override
    public HandshakeStatus status() {
        if (failure != null || said != null) {
            return HandshakeStatus.NEED_WRAP;
        }
        if (waiting != null) {
            return HandshakeStatus.NEED_TASK;
        }
        if (!established) {
            return HandshakeStatus.NEED_UNWRAP;
        }
        return told ? HandshakeStatus.NOT_HANDSHAKING : HandshakeStatus.NEED_WRAP;
    }

    private SSLEngineResult result(Status status, int consumed, int produced) {
        if (established && !told && said == null) {
            told = true;
            return new SSLEngineResult(status, HandshakeStatus.FINISHED, consumed, produced);
        }
        return new SSLEngineResult(status, status(), consumed, produced);
    }

    // ---- input

    @Override
    public SSLEngineResult unwrap(ByteBuffer record, ByteBuffer plain) throws SSLException {
        tellFailure();
        if (ssl == 0 || failed || inboundDone) {
            return result(Status.CLOSED, 0, 0);
        }
        int length = record.remaining();
        int produced = 0;
        if (established) {
            give(record);
            produced = read(plain);
        } else if (reckons(record)) {
            waiting = new byte[length];
            record.get(waiting);
        } else {
            boolean whole = whole(record);
            give(record);
            shakeHands();
            if (!whole && failure == null) {
                fail("a malformed record");
            }
        }
        tellFailure();
        return result(Status.OK, length, produced);
    }

    /**
     * Returns whether it can take long: what is neither encrypted nor a certificate of a client
     * cannot.
     */
    private boolean reckons(ByteBuffer record) {
        return whole(record)
                && (contexts.asksClients() || record.get(record.position()) == HANDSHAKE);
    }

    private static boolean whole(ByteBuffer record) {
        int at = record.position();
        return record.remaining() > HEADER
                && record.get(at) >= 20
                && record.get(at) <= 24
                && record.get(at + 1) == 3
                && record.remaining() == HEADER + (record.getShort(at + 3) & 0xFFFF);
    }

    private void give(ByteBuffer record) {
        wire.give(
                MemorySegment.ofArray(record.array())
                        .asSlice(record.arrayOffset() + record.position(), record.remaining()));
        record.position(record.limit());
    }

    @Override
    public Runnable task() {
        return waiting == null ? null : this::reckon;
    }

    private void reckon() {
        byte[] record = waiting;
        waiting = null;
        if (ssl != 0) {
            wire.give(MemorySegment.ofArray(record));
            shakeHands();
        }
    }

    private void shakeHands() {
        Ssl.clearErrors();
        int result = Ssl.shakeHands(ssl);
        if (result == 1) {
            established = true;
            version12 = (int) Ssl.call(VERSION, ssl, 0, 0, 0) == Ssl.TLS1_2;
        } else if (Ssl.error(ssl, result) != Ssl.ERROR_WANT_READ) {
            fail(Peer.refusal(ssl));
        }
        settle();
    }

    private int read(ByteBuffer plain) {
        Ssl.clearErrors();
        int n = Ssl.read(ssl, plain.array());
        if (n > 0) {
            plain.position(n);
        } else {
            switch (Ssl.error(ssl, n)) {
                case Ssl.ERROR_WANT_READ -> {
                    if (version12 && wire.waiting() > 0) { // it says no to one thing only
                        fail("the client wants to renegotiate");
                    }
                }
                case Ssl.ERROR_ZERO_RETURN -> {
                    inboundDone = true;
                    if (version12) { // has no half-open state (RFC 5246 7.2.1)
                        closeOutbound();
                    }
                }
                default -> fail(Ssl.reason());
            }
        }
        settle();
        return Math.max(n, 0);
    }

    /** Leaves the wire empty for the next connection. */
    private void settle() {
        say(wire.takeAll());
        if (wire.unread() > 0) {
            wire.forget();
            if (!failed && !inboundDone) {
                fail("a record was not read to its end");
            }
        }
    }

    private void say(byte[] bytes) {
        if (bytes == null) {
            return;
        }
        if (said != null) {
            var all = new byte[said.length - saidFrom + bytes.length];
            System.arraycopy(said, saidFrom, all, 0, said.length - saidFrom);
            System.arraycopy(bytes, 0, all, said.length - saidFrom, bytes.length);
            said = all;
        } else {
            said = bytes;
        }
        saidFrom = 0;
    }

    private void fail(String reason) {
        failed = true;
        failure = new SSLException(reason);
    }

    private void tellFailure() throws SSLException {
        if (failure != null) {
            SSLException told = failure;
            failure = null;
            throw told;
        }
    }

    // ---- output

    @Override
    public SSLEngineResult wrap(ByteBuffer[] texts, int count, ByteBuffer sealed)
            throws SSLException {
        tellFailure();
        if (said != null) {
            int n = Math.min(sealed.remaining(), said.length - saidFrom);
            sealed.put(said, saidFrom, n);
            saidFrom += n;
            if (saidFrom == said.length) {
                said = null;
            }
            return result(Status.OK, 0, n);
        }
        if (ssl == 0 || failed || closed) {
            return result(Status.CLOSED, 0, 0);
        }
        if (!established || !told) {
            return result(Status.OK, 0, 0);
        }
        MemorySegment text = gather(texts, count);
        if (text.byteSize() == 0) {
            return result(Status.OK, 0, 0);
        }
        Ssl.clearErrors();
        if (Ssl.write(ssl, text) <= 0) {
            fail(Ssl.reason());
            settle();
            tellFailure();
        }
        for (int i = 0; i < count; i++) {
            texts[i].position(texts[i].limit());
        }
        int n = wire.take(MemorySegment.ofArray(sealed.array()));
        sealed.position(n);
        settle(); // nothing: there was room
        return result(Status.OK, (int) text.byteSize(), n);
    }

    /** All of it in one place. */
    private MemorySegment gather(ByteBuffer[] texts, int count) {
        if (count == 1) {
            return MemorySegment.ofBuffer(texts[0]);
        }
        byte[] all = wire.gathered();
        int length = 0;
        for (int i = 0; i < count; i++) {
            int n = texts[i].remaining();
            texts[i].get(texts[i].position(), all, length, n);
            length += n;
        }
        return MemorySegment.ofArray(all).asSlice(0, length);
    }

    // ---- ends

    @Override
    public void closeOutbound() {
        if (!closed && ssl != 0 && established && !failed) {
            Ssl.clearErrors();
            Ssl.call(SHUTDOWN, ssl, 0, 0, 0);
            settle();
        }
        closed = true;
    }

    @Override
    public boolean inboundDone() {
        return inboundDone;
    }

    @Override
    public boolean outboundDone() {
        return closed && said == null;
    }

    @Override
    public TlsSession session() {
        return Peer.session(ssl);
    }

    @Override
    public void release() {
        if (ssl == 0) {
            return;
        }
        if (established && !failed) { // else it would forget the session (RFC 5246 7.2.1)
            Ssl.call(SET_SHUTDOWN, ssl, BOTH_SIDES, 0, 0);
        }
        Ssl.free(ssl);
        ssl = 0;
        waiting = null;
        said = null;
        ALIVE.decrementAndGet();
    }
}
