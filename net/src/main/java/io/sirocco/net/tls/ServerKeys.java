// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.tls;

import io.sirocco.net.Credential;
import io.sirocco.net.Credentials;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Chooses the certificate by the name that a client asks for. An alias here is a number: the place
 * of the credential in the order in which they were added. Immutable.
 */
final class ServerKeys extends X509ExtendedKeyManager {
    private final Credentials credentials;

    public ServerKeys(Credentials credentials) {
        this.credentials = credentials;
    }

    @Override
    public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        List<Credential> fitting = List.of();
        if (engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
            for (SNIServerName name : session.getRequestedServerNames()) {
                if (name instanceof SNIHostName host && fitting.isEmpty()) {
                    fitting = credentials.named(host.getAsciiName());
                }
            }
        }
        for (Credential each : fitting.isEmpty() ? credentials.standIns() : fitting) {
            if (each.keyType().equals(keyType)) {
                return alias(each);
            }
        }
        return null; // another kind of key will be asked for
    }

    private String alias(Credential credential) {
        return Integer.toString(credentials.all().indexOf(credential));
    }

    private Credential credential(String alias) {
        return credentials.all().get(Integer.parseInt(alias));
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return credential(alias).chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return credential(alias).key();
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
        return credentials.standIns().stream().map(this::alias).toArray(String[]::new);
    }

    @Override
    public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
        return null; // there are no sockets here
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
        return new String[0]; // nor are we a client
    }

    @Override
    public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
        return null;
    }
}
