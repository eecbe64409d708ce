// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    private final List<Credential> credentials;
    private final Map<String, List<Integer>> byName = new HashMap<>();

    ServerKeys(List<Credential> credentials) {
        this.credentials = List.copyOf(credentials);
        for (int i = 0; i < credentials.size(); i++) {
            for (String name : credentials.get(i).names()) {
                byName.computeIfAbsent(name, n -> new ArrayList<>()).add(i);
            }
        }
    }

    /** Whether a certificate was made for {@code host}. */
    boolean knows(String host) {
        return !named(host).isEmpty();
    }

    /** Those for {@code host}: by its exact name, else by a wildcard (RFC 9525 6.3). */
    private List<Integer> named(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        List<Integer> exact = byName.get(name);
        if (exact != null) {
            return exact;
        }
        int dot = name.indexOf('.');
        return dot < 0 ? List.of() : byName.getOrDefault("*" + name.substring(dot), List.of());
    }

    @Override
    public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        List<Integer> fitting = List.of();
        if (engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
            for (SNIServerName name : session.getRequestedServerNames()) {
                if (name instanceof SNIHostName host && fitting.isEmpty()) {
                    fitting = named(host.getAsciiName());
                }
            }
        }
        for (int i : fitting.isEmpty() ? standIns() : fitting) {
            if (credentials.get(i).keyType().equals(keyType)) {
                return Integer.toString(i);
            }
        }
        return null; // another kind of key will be asked for
    }

    /** For a name that none has: the first one, and those that bear the same names. */
    private List<Integer> standIns() {
        Credential first = credentials.getFirst();
        return first.names().isEmpty() ? List.of(0) : byName.get(first.names().getFirst());
    }

    private Credential credential(String alias) {
        return credentials.get(Integer.parseInt(alias));
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
        return standIns().stream().map(String::valueOf).toArray(String[]::new);
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
