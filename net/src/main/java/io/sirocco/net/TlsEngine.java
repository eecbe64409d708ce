// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * One end of a TLS connection: opens and seals records, and owns no socket. It does what {@link
 * javax.net.ssl.SSLEngine} does, in the same terms, and is released when its connection has gone.
 * Loop-confined.
 */
public interface TlsEngine {
    /**
     * Returns what has to happen next: {@code NEED_WRAP} as long as it has a record of its own to
     * send, {@code NEED_TASK} when it has to compute, which a loop defers; {@code FINISHED} only in
     * a result, once, when the handshake is done.
     */
    HandshakeStatus status();

    /** Returns the next task of a computation; null when there is none left. */
    Runnable task();

    /**
     * Opens one complete record.
     *
     * @param plain has room for its content; backed by an array, with offset 0
     * @throws SSLException when it, or its content, is refused; {@link #wrap} then returns the
     *     alert
     */
    SSLEngineResult unwrap(ByteBuffer record, ByteBuffer plain) throws SSLException;

    /**
     * Seals {@code texts[0..count)} as one record, or makes a record that the engine has to send by
     * itself.
     *
     * @param sealed has room for a record of 16 KiB and its overhead; backed by an array, with
     *     offset 0
     */
    SSLEngineResult wrap(ByteBuffer[] texts, int count, ByteBuffer sealed) throws SSLException;

    /**
     * Ends our side: {@link #wrap} then returns the closing alert, if one can be sent. Further
     * calls do nothing.
     */
    void closeOutbound();

    /** Returns whether the peer has ended its side. */
    boolean inboundDone();

    /** Returns whether everything was sealed, the closing alert included. */
    boolean outboundDone();

    /** Returns the outcome of the handshake. Called once, when it is done. */
    TlsSession session();

    /**
     * Releases what the garbage collector does not, since the connection has gone. Called once. A
     * caller further up the stack may still use the engine afterwards, and finds it closed.
     */
    void release();
}
