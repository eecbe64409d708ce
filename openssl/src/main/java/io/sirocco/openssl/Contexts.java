// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.sirocco.net.Credential;
import io.sirocco.net.Credentials;
import io.sirocco.net.TlsPolicy;
import io.sirocco.net.TlsSettings.ClientCertificates;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * One {@code SSL_CTX} for each certificate, or each few that share a name; the first one begins
 * with every connection and hands it to another when the client has said whom it wants. They are
 * freed when nobody refers to this any more. Any thread.
 */
final class Contexts {
    private static final System.Logger LOG = System.getLogger(Contexts.class.getName());
    private static final int UNRECOGNIZED_NAME = 112; // RFC 6066 9
    private static final MethodHandle GET_SERVERNAME = Ssl.function("SSL_get_servername");
    private static final MethodHandle SET_SSL_CTX = Ssl.function("SSL_set_SSL_CTX");

    private final Arena arena = Arena.ofAuto();
    private final Credentials credentials;
    private final boolean refusesUnknownNames;
    private final boolean asksClients;
    private final List<MemorySegment> protocols;
    private final long standIn;
    private final Map<List<Credential>, Long> byCredentials = new IdentityHashMap<>();
    private final long made = System.nanoTime();

    /**
     * @throws IllegalArgumentException when OpenSSL cannot do what is asked of it
     */
    Contexts(TlsPolicy policy, List<String> protocols) {
        credentials = policy.credentials();
        refusesUnknownNames = policy.refusesUnknownNames();
        asksClients = policy.clients() != ClientCertificates.NONE;
        this.protocols = protocols.stream().map(this::encoded).toList();
        long ofName = Ssl.callback(MethodHandles.lookup(), this, "named", 3, arena);
        long ofProtocol =
                protocols.isEmpty()
                        ? 0
                        : Ssl.callback(MethodHandles.lookup(), this, "spoken", 6, arena);
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
                byCredentials.put(those, context);
            }
        }
    }

    private MemorySegment encoded(String protocol) {
        byte[] bytes = protocol.getBytes(StandardCharsets.ISO_8859_1);
        return arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
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

    // ---- called by OpenSSL, in the middle of a handshake

    /** The client's hello was read: SSL_CTX_set_tlsext_servername_callback. */
    private int named(long ssl, long alert, long nothing) {
        try {
            String name = Ssl.text(Ssl.call(GET_SERVERNAME, ssl, 0, 0, 0));
            if (name.isEmpty()) {
                return Ssl.EXT_OK;
            }
            Long context = byCredentials.get(credentials.named(name));
            if (context != null) {
                Ssl.call(SET_SSL_CTX, ssl, context, 0, 0);
            } else if (refusesUnknownNames) {
                Ssl.memory(alert, Integer.BYTES).set(JAVA_INT_UNALIGNED, 0, UNRECOGNIZED_NAME);
                return Ssl.EXT_FATAL;
            }
            return Ssl.EXT_OK;
        } catch (Throwable e) { // it must not come out below
            LOG.log(System.Logger.Level.ERROR, "no certificate could be chosen", e);
            return Ssl.EXT_FATAL;
        }
    }

    /** The client names what it can speak: SSL_CTX_set_alpn_select_cb. */
    private int spoken(long ssl, long out, long outLength, long in, long length, long nothing) {
        try {
            MemorySegment offered = Ssl.memory(in, length & 0xFFFF_FFFFL);
            for (MemorySegment own : protocols) {
                if (offers(offered, own)) {
                    Ssl.memory(out, Long.BYTES).set(JAVA_LONG_UNALIGNED, 0, own.address());
                    Ssl.memory(outLength, 1).set(JAVA_BYTE, 0, (byte) own.byteSize());
                    return Ssl.EXT_OK;
                }
            }
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "no protocol could be chosen", e);
        }
        return Ssl.EXT_FATAL; // no_application_protocol (RFC 7301 3.2)
    }

    private static boolean offers(MemorySegment offered, MemorySegment own) {
        for (long at = 0; at < offered.byteSize(); ) {
            int length = offered.get(JAVA_BYTE, at) & 0xFF;
            if (offered.asSlice(at + 1, length).mismatch(own) < 0) {
                return true;
            }
            at += 1 + length;
        }
        return false;
    }
}
