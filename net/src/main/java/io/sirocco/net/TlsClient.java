// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.limit.Timeouts;
import io.sirocco.net.tls.JdkEngine;
import io.sirocco.net.tls.JdkEngines;
import io.sirocco.net.tls.Pem;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * The client's side of TLS, with the authorities that it trusts. A server's certificate must lead
 * to one of them, and have the name of the host that was asked for (RFC 9110 4.3.4).
 *
 * <pre>{@code
 * TlsClient tls = TlsClient.system();
 * loop.connect(to, tls.to("example.org", 443, List.of("http/1.1"), connector));
 * }</pre>
 *
 * <p>Any thread.
 */
public final class TlsClient {
    private static final long HANDSHAKE_MILLIS = 10_000;
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private final SSLContext context;
    private final long handshakeMillis;

    private TlsClient(SSLContext context) {
        this(context, HANDSHAKE_MILLIS);
    }

    private TlsClient(SSLContext context, long handshakeMillis) {
        this.context = context;
        this.handshakeMillis = handshakeMillis;
    }

    /** Returns a client that trusts the authorities of this JVM. */
    public static TlsClient system() {
        try {
            return new TlsClient(SSLContext.getDefault());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS: " + e.getMessage(), e);
        }
    }

    /**
     * Returns a client that trusts only the certificates in a PEM file.
     *
     * @throws IllegalArgumentException when the file cannot be used; the message says why
     */
    public static TlsClient trusting(Path pem) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager[] trusted = JdkEngines.trust(Pem.certificates(pem));
            context.init(null, trusted, null);
            return new TlsClient(context);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /**
     * Returns a client with a certificate of its own, for servers that ask for one.
     *
     * @param authorities a PEM file with the only certificates to trust; empty for those of this
     *     JVM
     * @param chain a PEM file with the certificate and its intermediates
     * @param key a PEM file with its private key
     * @throws IllegalArgumentException when a file cannot be used; the message says why
     */
    public static TlsClient presenting(Optional<Path> authorities, Path chain, Path key) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(
                    "client",
                    Pem.key(key, Optional.empty()),
                    new char[0],
                    Pem.certificates(chain).toArray(X509Certificate[]::new));
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager[] trusted =
                    authorities.isPresent()
                            ? JdkEngines.trust(Pem.certificates(authorities.get()))
                            : null; // those of the JVM
            context.init(keys.getKeyManagers(), trusted, null);
            return new TlsClient(context);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /**
     * Returns a client that uses {@code context}: one with a certificate of our own, for example.
     */
    public static TlsClient of(SSLContext context) {
        return new TlsClient(context);
    }

    /**
     * Returns a client that trusts the same certificates, with another limit on the time that a
     * handshake may take; 10 s by default.
     *
     * @throws IllegalArgumentException if the timeout is shorter than 1 ms
     */
    public TlsClient withHandshakeTimeout(Duration timeout) {
        return new TlsClient(
                context, Timeouts.positive("The handshake timeout", timeout).toMillis());
    }

    /**
     * Returns a connector for one {@link Loop#connect}. It passes the connection to {@code
     * connector} when the handshake is done, and reports a failure until then.
     *
     * @param host the host that the certificate must be for: a name, or an address as it stands in
     *     URLs
     * @param port the port of the host, for session resumption
     * @param protocols the protocols to offer (ALPN), the best first; empty offers none
     * @throws IllegalArgumentException when this JVM cannot begin a handshake
     */
    public Connector to(String host, int port, List<String> protocols, Connector connector) {
        String name =
                host.startsWith("[") && host.endsWith("]")
                        ? host.substring(1, host.length() - 1)
                        : host;
        SSLEngine engine = context.createSSLEngine(name, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(VERSIONS);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(protocols.toArray(String[]::new));
        engine.setSSLParameters(parameters);
        try {
            engine.beginHandshake();
        } catch (SSLException e) {
            throw new IllegalArgumentException("TLS cannot be spoken: " + e.getMessage(), e);
        }
        return new Opening(engine, handshakeMillis, host + ":" + port, connector);
    }

    /** A connection of ours on its way through the handshake. Loop-confined. */
    static final class Opening implements Connector, TlsSide {
        private final SSLEngine engine;
        private final long handshakeMillis;
        private final String to;
        private final Connector connector;

        private Opening(SSLEngine engine, long handshakeMillis, String to, Connector connector) {
            this.engine = engine;
            this.handshakeMillis = handshakeMillis;
            this.to = to;
            this.connector = connector;
        }

        @Override
        public Protocol connected(Connection connection) {
            var layer = new TlsLayer(connection, new JdkEngine(engine), null, this);
            connection.secure(layer);
            connection.deadline(connection.loop().now() + handshakeMillis);
            layer.begin();
            return layer;
        }

        @Override
        public void failed(IOException why) {
            connector.failed(why);
        }

        @Override
        public Acceptor acceptor() {
            return connector::connected;
        }

        @Override
        public byte[] plainTextResponse() {
            return new byte[0];
        }

        @Override
        public void failed(String reason) {
            String hint =
                    to.indexOf('_') < 0
                                    || reason == null
                                    || !reason.contains(to.replaceFirst(":[0-9]+$", ""))
                            ? ""
                            : "; Java verifies no certificate for such a name: give a name without an"
                                    + " underscore that the certificate has";
            connector.failed(
                    new SSLHandshakeException(
                            "the TLS handshake with " + to + " failed: " + reason + hint));
        }

        @Override
        public void timedOut() {
            connector.failed(
                    new TlsHandshakeTimeoutException(
                            "the TLS handshake with "
                                    + to
                                    + " took longer than "
                                    + handshakeMillis
                                    + " ms"));
        }

        @Override
        public void stopped() {
            connector.failed(new LoopStoppedException());
        }
    }
}
