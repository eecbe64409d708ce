// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIMatcher;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** TLS settings, frozen: makes the engine of each connection. Any thread. */
final class TlsContext {
    /** Those that every client has; the JDK's further ones cost more and add nothing. */
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1"};

    private final SSLContext context;
    private final TlsSettings settings; // nobody writes to it any more
    private final ServerKeys keys;

    private TlsContext(SSLContext context, TlsSettings settings, ServerKeys keys) {
        this.context = context;
        this.settings = settings;
        this.keys = keys;
    }

    /**
     * @throws IllegalArgumentException when the engine cannot do what is asked of it
     */
    static TlsContext of(TlsSettings settings) {
        var keys = new ServerKeys(credentials(settings));
        try {
            SSLContext context =
                    settings.provider.isPresent()
                            ? SSLContext.getInstance("TLS", settings.provider.get())
                            : SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, trust(settings.trusted), null);
            var sessions = context.getServerSessionContext();
            sessions.setSessionCacheSize(settings.sessions);
            sessions.setSessionTimeout(Math.toIntExact(settings.sessionLifetime.toSeconds()));
            var made = new TlsContext(context, settings, keys);
            made.engine(List.of()); // says what of it cannot be
            return made;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private static List<Credential> credentials(TlsSettings settings) {
        return settings.provider
                .map(own -> settings.credentials.stream().map(each -> each.adopted(own)).toList())
                .orElse(settings.credentials);
    }

    private static TrustManager[] trust(List<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        if (authorities.isEmpty()) {
            return new TrustManager[0]; // nobody is asked
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (int i = 0; i < authorities.size(); i++) {
            store.setCertificateEntry("authority " + i, authorities.get(i));
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    SSLEngine engine(List<String> protocols) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setSSLParameters(parameters(protocols));
        return engine;
    }

    long handshakeMillis() {
        return settings.handshake.toMillis();
    }

    private SSLParameters parameters(List<String> protocols) {
        var parameters =
                new SSLParameters(
                        settings.cipherSuites.toArray(String[]::new),
                        settings.versions.toArray(String[]::new));
        parameters.setUseCipherSuitesOrder(true);
        parameters.setApplicationProtocols(protocols.toArray(String[]::new));
        if (settings.provider.isEmpty()) { // others have their own
            parameters.setNamedGroups(GROUPS);
        }
        switch (settings.clients) {
            case NONE -> {}
            case WANTED -> parameters.setWantClientAuth(true);
            case NEEDED -> parameters.setNeedClientAuth(true);
        }
        if (settings.refusesUnknownNames) {
            parameters.setSNIMatchers(List.of(new Known(keys)));
        }
        return parameters;
    }

    /** Matches the names that we have a certificate for. */
    private static final class Known extends SNIMatcher {
        private final ServerKeys keys;

        Known(ServerKeys keys) {
            super(StandardConstants.SNI_HOST_NAME);
            this.keys = keys;
        }

        @Override
        public boolean matches(SNIServerName name) {
            try {
                return keys.knows(new SNIHostName(name.getEncoded()).getAsciiName());
            } catch (IllegalArgumentException e) {
                return false; // no host at all
            }
        }
    }
}
