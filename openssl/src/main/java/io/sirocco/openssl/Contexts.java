// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import io.sirocco.net.Credential;
import io.sirocco.net.Credentials;
import io.sirocco.net.TlsPolicy;
import io.sirocco.net.TlsSettings.ClientCertificates;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.util.HashMap;
import java.util.List;

/**
 * One {@code SSL_CTX} for each certificate, or each few that share a name; the first one begins
 * with every connection and hands it to another when the client has said whom it wants. They are
 * freed when nobody refers to this any more. Any thread.
 */
final class Contexts {
    private final Arena arena = Arena.ofAuto();
    private final boolean asksClients;
    private final long standIn;
    private final long made = System.nanoTime();

    /**
     * @throws IllegalArgumentException when OpenSSL cannot do what is asked of it
     */
    Contexts(TlsPolicy policy, List<String> protocols) {
        asksClients = policy.clients() != ClientCertificates.NONE;
        Credentials credentials = policy.credentials();
        var choice = new Choice(credentials, policy.refusesUnknownNames(), protocols, arena);
        long ofName = choice.ofName(arena);
        long ofProtocol = choice.ofProtocol(arena);
        var all = new HashMap<List<Credential>, Long>();
        List<Credential> first = credentials.standIns();
        standIn = new Context(policy, arena).make(first, ofName, ofProtocol);
        all.put(first, standIn);
        for (Credential each : credentials.all()) {
            for (String name : each.names()) {
                List<Credential> those = credentials.named(name);
                long context =
                        all.computeIfAbsent(
                                those,
                                own -> new Context(policy, arena).make(own, ofName, ofProtocol));
                choice.add(those, context);
            }
        }
    }

    /** The {@code SSL} of a new connection. */
    long ssl() {
        long ssl = Ssl.create(standIn);
        Reference.reachabilityFence(this);
        if (ssl == 0) {
            throw new IllegalStateException("OpenSSL has no connection for us: " + Ssl.reason());
        }
        return ssl;
    }

    boolean asksClients() {
        return asksClients;
    }

    /** Nanoseconds since it was made. */
    long age() {
        return System.nanoTime() - made;
    }
}
