// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.tls;

import io.sirocco.net.Credentials;
import io.sirocco.net.TlsEngine;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsPolicy;
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

/** Those of the JDK. Any thread. */
public final class JdkEngines implements TlsEngines {
    /** Those that every client has; the JDK's further ones cost more and add nothing. */
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1"};

    private final SSLContext context;
    private final TlsPolicy policy;

    private JdkEngines(SSLContext context, TlsPolicy policy) {
        this.context = context;
        this.policy = policy;
    }

    /**
     * @throws IllegalArgumentException when the engine cannot do what is asked of it
     */
    public static JdkEngines of(TlsPolicy policy) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            var keys = new ServerKeys(policy.credentials());
            context.init(new KeyManager[] {keys}, trust(policy.trusted()), null);
            var sessions = context.getServerSessionContext();
            sessions.setSessionCacheSize(policy.sessions());
            sessions.setSessionTimeout(Math.toIntExact(policy.sessionLifetime().toSeconds()));
            var made = new JdkEngines(context, policy);
            made.engine(List.of()); // says what of it cannot be
            return made;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /** Trusts these; nobody where there are none. */
    public static TrustManager[] trust(List<X509Certificate> authorities)
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

    @Override
    public TlsEngine engine(List<String> protocols) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setSSLParameters(parameters(protocols));
        return new JdkEngine(engine);
    }

    private SSLParameters parameters(List<String> protocols) {
        var parameters =
                new SSLParameters(
                        policy.cipherSuites().toArray(String[]::new),
                        policy.versions().toArray(String[]::new));
        parameters.setUseCipherSuitesOrder(true);
        parameters.setApplicationProtocols(protocols.toArray(String[]::new));
        parameters.setNamedGroups(GROUPS);
        switch (policy.clients()) {
            case NONE -> {}
            case WANTED -> parameters.setWantClientAuth(true);
            case NEEDED -> parameters.setNeedClientAuth(true);
        }
        if (policy.refusesUnknownNames()) {
            parameters.setSNIMatchers(List.of(new Known(policy.credentials())));
        }
        return parameters;
    }

    /** Matches the names that we have a certificate for. */
    private static final class Known extends SNIMatcher {
        private final Credentials credentials;

        Known(Credentials credentials) {
            super(StandardConstants.SNI_HOST_NAME);
            this.credentials = credentials;
        }

        @Override
        public boolean matches(SNIServerName name) {
            try {
                String host = new SNIHostName(name.getEncoded()).getAsciiName();
                return !credentials.named(host).isEmpty();
            } catch (IllegalArgumentException e) {
                return false; // no host at all
            }
        }
    }
}
