// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.limit.Timeouts;
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
 * Configuration of TLS: set it in the lambda given to {@link Tls#of}. It is frozen when the lambda
 * returns. The defaults are as safe as this JVM allows while they serve any client of the last ten
 * years. Used by one thread.
 */
public final class TlsSettings {
    private static final List<String> VERSIONS = List.of("TLSv1.3", "TLSv1.2");

    /** Suites with forward secrecy and authenticated encryption only; the fastest first. */
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

    /** Whether a server asks clients for a certificate. */
    public enum ClientCertificates {
        /** Clients are not asked. */
        NONE,
        /** Clients are asked and may have none; an untrusted certificate is refused. */
        WANTED,
        /** Clients without a trusted certificate are refused. */
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
     * the ones that lead from it to an authority; {@code key} has its private key, in PKCS#8
     * ({@code PRIVATE KEY}), PKCS#1 ({@code RSA PRIVATE KEY}) or SEC1 ({@code EC PRIVATE KEY}).
     * Both may be the same file.
     *
     * <p>Call it once for each certificate. A client gets the certificate with the name that it
     * asks for (SNI), an exact name before a wildcard; without a match it gets the first one added.
     * Where several have that name, such as an ECDSA and an RSA one, it gets the first that it can
     * check.
     *
     * @throws IllegalArgumentException when a file cannot be used; the message says which and why
     */
    public TlsSettings certificate(Path chain, Path key) {
        credentials.add(CredentialFiles.pem(chain, key, Optional.empty()));
        return this;
    }

    /** Does the same with a key that {@code password} decrypts ({@code ENCRYPTED PRIVATE KEY}). */
    public TlsSettings certificate(Path chain, Path key, String password) {
        credentials.add(CredentialFiles.pem(chain, key, Optional.of(password)));
        return this;
    }

    /**
     * Adds each certificate of a PKCS#12 store that has a private key.
     *
     * @throws IllegalArgumentException when the store cannot be used; the message says why
     */
    public TlsSettings store(Path store, String password) {
        credentials.addAll(CredentialFiles.store(store, password, Optional.empty()));
        return this;
    }

    /**
     * Adds the certificate with this alias from a PKCS#12 store.
     *
     * @throws IllegalArgumentException when the store cannot be used; the message says why
     */
    public TlsSettings store(Path store, String password, String alias) {
        credentials.addAll(CredentialFiles.store(store, password, Optional.of(alias)));
        return this;
    }

    /**
     * Adds a self-signed certificate for {@code localhost}, {@code 127.0.0.1} and {@code ::1}, for
     * development. The JDK's {@code keytool} makes it in {@code folder}, in about a second, unless
     * there is a valid one: {@code localhost.p12}, which only the owner can read, and {@code
     * localhost.pem}, for clients to trust.
     *
     * @throws IllegalArgumentException when it cannot be made; the message says why
     */
    public TlsSettings selfSigned(Path folder) {
        credentials.add(new SelfSigned(folder).credential());
        return this;
    }

    /** Sets the versions, such as {@code TLSv1.3}; 1.3 and 1.2 by default. */
    public TlsSettings versions(String... versions) {
        this.versions = List.of(versions);
        return this;
    }

    /**
     * Sets the cipher suites by their standard names, the best first: the server chooses. By
     * default those of TLS 1.3, and those of 1.2 with forward secrecy and authenticated encryption.
     */
    public TlsSettings cipherSuites(String... suites) {
        this.cipherSuites = List.of(suites);
        return this;
    }

    /**
     * Refuses clients that ask for a name that no certificate has ({@code unrecognized_name}, RFC
     * 6066 3), instead of giving them the first certificate. Clients that ask for no name still get
     * it.
     */
    public TlsSettings refuseUnknownNames() {
        this.refusesUnknownNames = true;
        return this;
    }

    /**
     * Sets whether clients are asked for a certificate; not by default.
     *
     * @param trusted PEM file of the authorities that may have issued it
     * @throws IllegalArgumentException when the file cannot be used; the message says why
     */
    public TlsSettings clientCertificates(ClientCertificates clients, Path trusted) {
        this.trusted = Pem.certificates(trusted);
        this.clients = clients;
        return this;
    }

    /**
     * Sets how many sessions are remembered for clients that cannot keep them in a ticket, and how
     * long a session can be resumed; 20,000 and an hour by default.
     */
    public TlsSettings sessions(int remembered, Duration lifetime) {
        if (remembered < 1 || lifetime.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "sessions must be 1 or more, for a second or longer; not %d for %s"
                            .formatted(remembered, lifetime));
        }
        this.sessions = remembered;
        this.sessionLifetime = Timeouts.positive("sessions", lifetime);
        return this;
    }

    /** Sets how long a handshake may take; 10 s by default. */
    public TlsSettings handshakeTimeout(Duration longest) {
        this.handshake = Timeouts.positive("handshakeTimeout", longest);
        return this;
    }

    /**
     * Sets the kind of engine that makes handshakes and encrypts; the JDK's by default. Others come
     * with modules of their own.
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
