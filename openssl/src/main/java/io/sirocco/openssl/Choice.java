// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.sirocco.net.Credential;
import io.sirocco.net.Credentials;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * What OpenSSL asks us in the middle of a handshake: which certificate, which protocol. The JVM
 * keeps this as long as the arena of its callbacks lives; so it must not refer to that arena, or
 * neither would ever go. Any thread, once all contexts were added.
 */
final class Choice {
    private static final System.Logger LOG = System.getLogger(Choice.class.getName());
    private static final int UNRECOGNIZED_NAME = 112; // RFC 6066 9
    private static final MethodHandle GET_SERVERNAME = Ssl.function("SSL_get_servername");
    private static final MethodHandle SET_SSL_CTX = Ssl.function("SSL_set_SSL_CTX");

    private final Credentials credentials;
    private final boolean refusesUnknownNames;
    private final List<Name> protocols;
    private final Map<List<Credential>, Long> byCredentials = new IdentityHashMap<>();

    /** A protocol, and where OpenSSL finds it. */
    private record Name(MemorySegment own, long address) {}

    Choice(
            Credentials credentials,
            boolean refusesUnknownNames,
            List<String> protocols,
            Arena arena) {
        this.credentials = credentials;
        this.refusesUnknownNames = refusesUnknownNames;
        this.protocols = protocols.stream().map(each -> encoded(each, arena)).toList();
    }

    private static Name encoded(String protocol, Arena arena) {
        var bytes = MemorySegment.ofArray(protocol.getBytes(StandardCharsets.ISO_8859_1));
        return new Name(bytes, arena.allocate(bytes.byteSize()).copyFrom(bytes).address());
    }

    /** For SSL_CTX_set_tlsext_servername_callback. */
    long ofName(Arena arena) {
        return Ssl.callback(MethodHandles.lookup(), this, "named", 3, arena);
    }

    /** For SSL_CTX_set_alpn_select_cb; 0 for none. */
    long ofProtocol(Arena arena) {
        return protocols.isEmpty()
                ? 0
                : Ssl.callback(MethodHandles.lookup(), this, "spoken", 6, arena);
    }

    void add(List<Credential> those, long context) {
        byCredentials.put(those, context);
    }

    /** The client's hello was read. */
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

    /** The client names what it can speak. */
    private int spoken(long ssl, long out, long outLength, long in, long length, long nothing) {
        try {
            MemorySegment offered = Ssl.memory(in, length & 0xFFFF_FFFFL);
            for (Name each : protocols) {
                if (offers(offered, each.own)) {
                    Ssl.memory(out, Long.BYTES).set(JAVA_LONG_UNALIGNED, 0, each.address);
                    Ssl.memory(outLength, 1).set(JAVA_BYTE, 0, (byte) each.own.byteSize());
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
