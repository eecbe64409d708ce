// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * One end of a TLS connection: opens records and makes them, and owns no socket. What is asked of
 * it is what {@link javax.net.ssl.SSLEngine} does, in the same words; and it is told when its
 * connection has gone. Loop-confined.
 */
public interface TlsEngine {
    /**
     * What it has to do next. {@code NEED_WRAP} as long as it has something to say by itself;
     * {@code NEED_TASK} when it has to reckon, which a loop puts off; {@code FINISHED} only in a
     * result, once, when the handshake is done.
     */
    HandshakeStatus status();

    /** What to run before anything else when it has to reckon; null when there is no more of it. */
    Runnable task();

    /**
     * Opens one record, all of which is there.
     *
     * @param plain has room for what is in it; an array, with offset 0
     * @throws SSLException when it, or what it brings, is refused; {@link #wrap} then has the alert
     */
    SSLEngineResult unwrap(ByteBuffer record, ByteBuffer plain) throws SSLException;

    /**
     * Makes one record of {@code texts[0..count)}, or says what it has to say by itself.
     *
     * @param sealed has room for a record of 16 KiB and what surrounds it; an array, with offset 0
     */
    SSLEngineResult wrap(ByteBuffer[] texts, int count, ByteBuffer sealed) throws SSLException;

    /** Our side ends: {@link #wrap} has the closing alert, if one can be sent. Once is enough. */
    void closeOutbound();

    /** Whether the peer has said that it sends no more. */
    boolean inboundDone();

    /** Whether all was said, the closing alert included. */
    boolean outboundDone();

    /** What was agreed on. Asked once, when the handshake is done. */
    TlsSession session();

    /**
     * Its connection has gone, for whatever reason: what the garbage collector would not give back
     * is given back here. It is called once; a call above it on the stack may ask more of the
     * engine, and is answered that it is closed.
     */
    void release();
}
