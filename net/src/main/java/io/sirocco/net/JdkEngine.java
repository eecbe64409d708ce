// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** The JDK's, as it is. Loop-confined. */
record JdkEngine(SSLEngine engine) implements TlsEngine {
    @Override
    public HandshakeStatus status() {
        return engine.getHandshakeStatus();
    }

    @Override
    public Runnable task() {
        return engine.getDelegatedTask();
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer record, ByteBuffer plain) throws SSLException {
        return engine.unwrap(record, plain);
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] texts, int count, ByteBuffer sealed)
            throws SSLException {
        return engine.wrap(texts, 0, count, sealed);
    }

    @Override
    public void closeOutbound() {
        engine.closeOutbound(); // does nothing the second time
    }

    @Override
    public boolean inboundDone() {
        return engine.isInboundDone();
    }

    @Override
    public boolean outboundDone() {
        return engine.isOutboundDone();
    }

    @Override
    public TlsSession session() {
        return TlsSession.of(engine);
    }

    @Override
    public void release() {
        // it is memory of the heap
    }
}
