// SPDX-License-Identifier: Apache-2.0
package io.sirocco.openssl;

import io.sirocco.net.Credential;
import io.sirocco.net.TlsPolicy;
import io.sirocco.net.TlsSettings.ClientCertificates;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Makes an {@code SSL_CTX} by a policy. Used by one thread. */
final class Context {
    private static final long NO_RENEGOTIATION = 1L << 30;
    private static final long SERVER_CHOOSES_CIPHER = 1L << 22;
    private static final long NO_COMPRESSION = 1L << 17;
    private static final long RELEASE_BUFFERS = 0x10;
    private static final int MODE = 33;
    private static final int CACHE_SIZE = 42;
    private static final int CACHE_MODE = 44;
    private static final int SERVER_CACHE = 2;
    private static final int SERVERNAME_CALLBACK = 53;
    private static final int CHAIN_CERTIFICATE = 89;
    private static final int GROUPS = 92;
    private static final int LOWEST_VERSION = 123;
    private static final int HIGHEST_VERSION = 124;
    private static final int VERIFY_PEER = 1;
    private static final int VERIFY_FAIL_IF_NONE = 2;
    private static final long PARTIAL_CHAIN = 0x8_0000;

    private final TlsPolicy policy;
    private final Arena arena;
    private long context;

    /**
     * @param arena whoever owns what is made; its end frees it
     */
    Context(TlsPolicy policy, Arena arena) {
        this.policy = policy;
        this.arena = arena;
    }

    /**
     * @param ofName the callback that chooses a certificate
     * @param ofProtocol the one that chooses a protocol; 0 for none
     * @throws IllegalArgumentException when OpenSSL cannot do what is asked of it
     */
    long make(List<Credential> credentials, long ofName, long ofProtocol) {
        context = Ssl.call("SSL_CTX_new", Ssl.call("TLS_server_method", 0, 0, 0, 0), 0, 0, 0);
        must(context != 0, "a context cannot be made");
        MemorySegment.ofAddress(context)
                .reinterpret(arena, own -> Ssl.call("SSL_CTX_free", own.address(), 0, 0, 0));
        ctx("set_options", NO_RENEGOTIATION | SERVER_CHOOSES_CIPHER | NO_COMPRESSION, 0);
        ctrl(MODE, RELEASE_BUFFERS, 0);
        ciphersAndVersions();
        must(ctrl(GROUPS, 0, text("X25519:P-256:P-384")) == 1, "the groups cannot be set");
        sessions();
        clients();
        var kinds = new HashSet<String>();
        for (Credential each : credentials) {
            if (kinds.add(each.keyType())) { // it holds one of each kind
                credential(each);
            }
        }
        Ssl.call("SSL_CTX_callback_ctrl", context, SERVERNAME_CALLBACK, ofName, 0);
        if (ofProtocol != 0) {
            ctx("set_alpn_select_cb", ofProtocol, 0);
        }
        return context;
    }

    // ---- versions and ciphers

    private void ciphersAndVersions() {
        var recent = new HashSet<>(policy.versions());
        boolean has12 = recent.remove("TLSv1.2");
        boolean has13 = recent.remove("TLSv1.3");
        if (!recent.isEmpty() || !has12 && !has13) {
            throw new IllegalArgumentException(
                    "OpenSSL is asked for TLSv1.2 and TLSv1.3 only, not for " + policy.versions());
        }
        String suites13 = ownNames(Context::is13);
        String suites12 = ownNames(suite -> !is13(suite));
        has12 &= !suites12.isEmpty();
        has13 &= !suites13.isEmpty();
        if (!has12 && !has13) {
            throw new IllegalArgumentException("no cipher suite is for " + policy.versions());
        }
        must(ctx("set_ciphersuites", text(suites13), 0) == 1, "cipher suites " + suites13);
        if (has12) {
            must(ctx("set_cipher_list", text(suites12), 0) == 1, "cipher suites " + suites12);
        }
        ctrl(LOWEST_VERSION, has12 ? Ssl.TLS1_2 : Ssl.TLS1_3, 0);
        ctrl(HIGHEST_VERSION, has13 ? Ssl.TLS1_3 : Ssl.TLS1_2, 0);
    }

    /** Their names tell no key exchange (RFC 8446 B.4). */
    private static boolean is13(String suite) {
        return !suite.contains("_WITH_");
    }

    private String ownNames(Predicate<String> which) {
        return policy.cipherSuites().stream()
                .filter(which)
                .map(this::ownName)
                .collect(Collectors.joining(":"));
    }

    private String ownName(String suite) {
        String name = Ssl.text(Ssl.call("OPENSSL_cipher_name", text(suite), 0, 0, 0));
        if (name.equals("(NONE)")) {
            throw new IllegalArgumentException("OpenSSL knows no cipher suite " + suite);
        }
        return name;
    }

    // ---- sessions and clients

    private void sessions() {
        ctrl(CACHE_MODE, SERVER_CACHE, 0);
        ctrl(CACHE_SIZE, policy.sessions(), 0);
        ctx("set_timeout", policy.sessionLifetime().toSeconds(), 0);
        ctx("set_session_id_context", text("sirocco"), "sirocco".length());
    }

    private void clients() {
        ctx("set_verify", mode(policy.clients()), 0);
        if (policy.trusted().isEmpty()) {
            return;
        }
        long store = ctx("get_cert_store", 0, 0);
        Ssl.call("X509_STORE_set_flags", store, PARTIAL_CHAIN, 0, 0); // whom we trust is the end
        for (X509Certificate each : policy.trusted()) {
            long authority = certificate(each);
            Ssl.call("X509_STORE_add_cert", store, authority, 0, 0);
            ctx("add_client_CA", authority, 0);
            Ssl.call("X509_free", authority, 0, 0, 0);
        }
    }

    private static int mode(ClientCertificates clients) {
        return switch (clients) {
            case NONE -> 0;
            case WANTED -> VERIFY_PEER;
            case NEEDED -> VERIFY_PEER | VERIFY_FAIL_IF_NONE;
        };
    }

    // ---- certificates

    private void credential(Credential credential) {
        X509Certificate own = credential.chain().getFirst();
        String whose = "the certificate of " + own.getSubjectX500Principal();
        long certificate = certificate(own);
        boolean taken = ctx("use_certificate", certificate, 0) == 1;
        Ssl.call("X509_free", certificate, 0, 0, 0);
        must(taken, whose);
        for (X509Certificate each : credential.chain().subList(1, credential.chain().size())) {
            long between = certificate(each);
            boolean added = ctrl(CHAIN_CERTIFICATE, 1, between) == 1; // has its own reference
            Ssl.call("X509_free", between, 0, 0, 0);
            must(added, "the chain of " + own.getSubjectX500Principal());
        }
        byte[] encoded = credential.key().getEncoded();
        must(encoded != null, "the key cannot be had for " + whose);
        try (Arena brief = Arena.ofConfined()) {
            MemorySegment key = brief.allocate(encoded.length).copyFrom(array(encoded));
            MemorySegment cursor = brief.allocateFrom(java.lang.foreign.ValueLayout.ADDRESS, key);
            long own0 = Ssl.call("d2i_AutoPrivateKey", 0, cursor.address(), encoded.length, 0);
            key.fill((byte) 0);
            must(own0 != 0, "the key for " + whose);
            boolean fits = ctx("use_PrivateKey", own0, 0) == 1;
            Ssl.call("EVP_PKEY_free", own0, 0, 0, 0);
            must(fits, "the key for " + whose);
        }
    }

    private long certificate(X509Certificate certificate) {
        try (Arena brief = Arena.ofConfined()) {
            byte[] encoded = certificate.getEncoded();
            MemorySegment bytes = brief.allocate(encoded.length).copyFrom(array(encoded));
            MemorySegment cursor = brief.allocateFrom(java.lang.foreign.ValueLayout.ADDRESS, bytes);
            long made = Ssl.call("d2i_X509", 0, cursor.address(), encoded.length, 0);
            must(made != 0, "the certificate of " + certificate.getSubjectX500Principal());
            return made;
        } catch (CertificateEncodingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    // ---- small words

    private static MemorySegment array(byte[] bytes) {
        return MemorySegment.ofArray(bytes);
    }

    private long ctx(String function, long a, long b) {
        return Ssl.call("SSL_CTX_" + function, context, a, b, 0);
    }

    private long ctrl(int command, long number, long address) {
        return Ssl.call("SSL_CTX_ctrl", context, command, number, address);
    }

    private long text(String text) {
        return arena.allocateFrom(text).address();
    }

    private static void must(boolean done, String what) {
        if (!done) {
            throw new IllegalArgumentException("OpenSSL refuses: " + what + ": " + Ssl.reason());
        }
    }
}
