// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.tls;

import io.sirocco.net.TlsEngine;
import io.sirocco.net.TlsSession;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** The JDK's, as it is. Loop-confined. */
public record JdkEngine(SSLEngine engine) implements TlsEngine {
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
        return session(engine);
    }

    @Override
    public void release() {
        // it is memory of the heap
    }

    private static TlsSession session(SSLEngine engine) {
        SSLSession session = engine.getSession();
        return new TlsSession(
                session.getProtocol(),
                session.getCipherSuite(),
                serverName(session),
                Optional.ofNullable(engine.getApplicationProtocol()).filter(p -> !p.isEmpty()),
                asksForCertificates(engine) ? peerCertificates(session) : List.of());
    }

    private static boolean asksForCertificates(SSLEngine engine) {
        return engine.getUseClientMode()
                || engine.getNeedClientAuth()
                || engine.getWantClientAuth();
    }

    private static Optional<String> serverName(SSLSession session) {
        return session instanceof ExtendedSSLSession extended
                ? extended.getRequestedServerNames().stream()
                        .filter(SNIHostName.class::isInstance)
                        .map(name -> ((SNIHostName) name).getAsciiName())
                        .findFirst()
                : Optional.empty();
    }

    private static List<X509Certificate> peerCertificates(SSLSession session) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            return Arrays.stream(chain).map(X509Certificate.class::cast).toList();
        } catch (SSLPeerUnverifiedException e) {
            return List.of(); // it has none
        }
    }
}
