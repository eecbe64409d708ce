// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.tls.CredentialFiles;
import io.sirocco.net.tls.JdkEngines;
import io.sirocco.net.tls.Pem;
import io.sirocco.net.tls.SelfSigned;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How TLS is to be spoken: set in the lambda given to {@link Tls#of}, frozen when it returns. What
 * is not set is as safe as this JVM can be, for any client of the last ten years. Used by one
 * thread.
 */
public final class TlsSettings {
    private static final List<String> VERSIONS = List.of("TLSv1.3", "TLSv1.2");

    /** Forward secret and authenticated ones only; the fastest first. */
    private static final List<String> CIPHER_SUITES =
            List.of(
                    "TLS_AES_128_GCM_SHA256",
                    "TLS_AES_256_GCM_SHA384",
                    "TLS_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** Whether clients are asked for a certificate. */
    public enum ClientCertificates {
        /** They are not asked. */
        NONE,
        /** They are asked, and may have none; one that is not trusted is refused. */
        WANTED,
        /** Without one that is trusted there is no connection. */
        NEEDED
    }

    final List<Credential> credentials = new ArrayList<>();
    List<String> versions = VERSIONS;
    List<String> cipherSuites = CIPHER_SUITES;
    boolean refusesUnknownNames;
    ClientCertificates clients = ClientCertificates.NONE;
    List<X509Certificate> trusted = List.of();
    int sessions = 20_000;
    Duration sessionLifetime = Duration.ofHours(1);
    Duration handshake = Duration.ofSeconds(10);
    Optional<TlsEngines.Kind> engines = Optional.empty();

    TlsSettings() {}

    /**
     * Adds a certificate from PEM files: {@code chain} has the server's own certificate first, then
     * those that lead from it to an authority; {@code key} has its private key, in PKCS#8 ({@code
     * PRIVATE KEY}), PKCS#1 ({@code RSA PRIVATE KEY}) or SEC1 ({@code EC PRIVATE KEY}). Both may be
     * the same file.
     *
     * <p>May be called several times. A client is given the certificate that has the name that it
     * asks for (SNI), an exact name before one with {@code *}; the first one added where there is
     * none. Of several with that name, an ECDSA and an RSA one for example, the first that the
     * client can check.
     *
     * @throws IllegalArgumentException when a file cannot be used; it says which and why
     */
    public TlsSettings certificate(Path chain, Path key) {
        credentials.add(CredentialFiles.pem(chain, key, Optional.empty()));
        return this;
    }

    /** The same; {@code password} opens a key that is encrypted ({@code ENCRYPTED PRIVATE KEY}). */
    public TlsSettings certificate(Path chain, Path key, String password) {
        credentials.add(CredentialFiles.pem(chain, key, Optional.of(password)));
        return this;
    }

    /** Adds each certificate that has a private key in a PKCS#12 store. */
    public TlsSettings store(Path store, String password) {
        credentials.addAll(CredentialFiles.store(store, password, Optional.empty()));
        return this;
    }

    /** Adds the certificate of this alias from a PKCS#12 store. */
    public TlsSettings store(Path store, String password, String alias) {
        credentials.addAll(CredentialFiles.store(store, password, Optional.of(alias)));
        return this;
    }

    /**
     * Adds a certificate for {@code localhost}, {@code 127.0.0.1} and {@code ::1}, for trying
     * things out. It is made in {@code folder} when there is none that is still valid: {@code
     * localhost.p12}, readable by the owner only, and {@code localhost.pem}, which clients may be
     * told to trust. It is made by the JDK's {@code keytool}, which takes about a second.
     *
     * @throws IllegalArgumentException when it cannot be made; it says why
     */
    public TlsSettings selfSigned(Path folder) {
        credentials.add(new SelfSigned(folder).credential());
        return this;
    }

    /** Versions, as {@code TLSv1.3}; 1.3 and 1.2 unless set. */
    public TlsSettings versions(String... versions) {
        this.versions = List.of(versions);
        return this;
    }

    /**
     * Cipher suites by their standard names, the best one first: it is the server that chooses.
     * Unless set, those of TLS 1.3, and those of 1.2 with forward secrecy and authenticated
     * encryption.
     */
    public TlsSettings cipherSuites(String... suites) {
        this.cipherSuites = List.of(suites);
        return this;
    }

    /**
     * Refuses clients that ask for a name that no certificate has ({@code unrecognized_name}, RFC
     * 6066 3), instead of giving them the first one. Those that ask for no name still get it.
     */
    public TlsSettings refuseUnknownNames() {
        this.refusesUnknownNames = true;
        return this;
    }

    /**
     * Asks clients for a certificate.
     *
     * @param trusted PEM file of the authorities that may have issued it
     */
    public TlsSettings clientCertificates(ClientCertificates clients, Path trusted) {
        this.trusted = Pem.certificates(trusted);
        this.clients = clients;
        return this;
    }

    /**
     * How many sessions are remembered for clients that cannot keep them in a ticket, and how long
     * one can be resumed; 20,000 and an hour unless set.
     */
    public TlsSettings sessions(int remembered, Duration lifetime) {
        if (remembered < 1 || lifetime.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "sessions must be 1 or more, for a second or longer; not %d for %s"
                            .formatted(remembered, lifetime));
        }
        this.sessions = remembered;
        this.sessionLifetime = lifetime;
        return this;
    }

    /** How long a handshake may take; 10 s unless set. */
    public TlsSettings handshakeTimeout(Duration longest) {
        if (longest.toMillis() < 1) {
            throw new IllegalArgumentException("a handshake deadline of " + longest);
        }
        this.handshake = longest;
        return this;
    }

    /**
     * Whose engines shake hands and encrypt; the JDK's unless set. Others come with modules of
     * their own.
     */
    public TlsSettings engines(TlsEngines.Kind kind) {
        this.engines = Optional.of(kind);
        return this;
    }

    TlsContext freeze() {
        if (credentials.isEmpty()) {
            throw new IllegalArgumentException(
                    "TLS has no certificate: call certificate(), store() or selfSigned()");
        }
        var policy =
                new TlsPolicy(
                        new Credentials(credentials),
                        versions,
                        cipherSuites,
                        refusesUnknownNames,
                        clients,
                        trusted,
                        sessions,
                        sessionLifetime);
        TlsEngines made =
                engines.isPresent() ? engines.get().engines(policy) : JdkEngines.of(policy);
        return new TlsContext(made, policy.credentials(), handshake.toMillis());
    }
}
