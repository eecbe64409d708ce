// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Certificate;
import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.Listen;
import io.sirocco.app.config.Tls.ClientCertificates;
import io.sirocco.app.config.Tls.UnknownName;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsEngines;
import io.sirocco.net.TlsSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Applies the options of {@code [tls]} or {@code [listen.tls]}. Any thread. */
final class TlsOptions {
    private TlsOptions() {}

    /**
     * Reads the certificates and creates the TLS contexts.
     *
     * @param table the path of the table, as {@link ConfigError} takes it
     * @throws ConfigError if an option cannot be used
     */
    static Tls tls(io.sirocco.app.config.Tls wanted, Object... table) {
        try {
            return Tls.of(settings -> configure(wanted, settings, table));
        } catch (IllegalArgumentException e) {
            throw new ConfigError(e, table);
        }
    }

    /**
     * Returns the TLS engine; empty for the JDK itself.
     *
     * @throws ConfigError if it is not present
     */
    static Optional<TlsEngines.Kind> engine(io.sirocco.app.config.Tls wanted) {
        return Engines.chosen(wanted.engine(), TlsOptions.class.getClassLoader());
    }

    private static void configure(
            io.sirocco.app.config.Tls wanted, TlsSettings settings, Object... table) {
        engine(wanted).ifPresent(settings::engines);
        for (int i = 0; i < wanted.certificates().size(); i++) {
            add(settings, wanted.certificates().get(i), i, table);
        }
        if (wanted.certificates().isEmpty() && wanted.selfSigned()) {
            settings.selfSigned(stateFolder());
        }
        settings.versions(
                wanted.versions().stream().map(version -> "TLSv" + version).toArray(String[]::new));
        if (!wanted.ciphers().isEmpty()) {
            settings.cipherSuites(wanted.ciphers().toArray(String[]::new));
        }
        if (wanted.clientCertificates() != ClientCertificates.NONE) {
            settings.clientCertificates(
                    TlsSettings.ClientCertificates.valueOf(wanted.clientCertificates().name()),
                    wanted.clientAuthorities().orElseThrow());
        }
        if (wanted.unknownName() == UnknownName.REFUSE) settings.refuseUnknownNames();
        settings.handshakeTimeout(wanted.handshake());
        settings.sessions(wanted.sessions(), Duration.ofHours(1));
    }

    /**
     * Reads the files of one certificate and adds it.
     *
     * @param index its index in the table
     * @throws ConfigError if it cannot be used, with the option that names the file
     */
    static void add(TlsSettings settings, Certificate certificate, int index, Object... table) {
        try {
            add(settings, certificate);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw error(e, certificate, index, table);
        }
    }

    /** Returns an error about a certificate, at the option that names its file. */
    static ConfigError error(String why, Certificate certificate, int index, Object... table) {
        return error(new IllegalArgumentException(why), certificate, index, table);
    }

    private static ConfigError error(
            RuntimeException e, Certificate certificate, int index, Object... table) {
        Stream<Object> option =
                Stream.of("certificate", index, option(certificate, e.getMessage()));
        var error = new ConfigError(e, Stream.concat(Stream.of(table), option).toArray());
        boolean closed =
                certificate instanceof Certificate.Pem(_, _, var password)
                        && password.isEmpty()
                        && isEncrypted(e);
        return closed
                ? error.withHint("set password-file to a file that contains the password")
                : error;
    }

    /** Returns whether a key needs a password. */
    static boolean isEncrypted(RuntimeException e) {
        return e.getMessage().contains("its key is encrypted");
    }

    private static void add(TlsSettings settings, Certificate certificate) {
        switch (certificate) {
            case Certificate.Pem(Path chain, Path key, Optional<Path> password) -> {
                if (password.isPresent()) {
                    settings.certificate(chain, key, secret(password.get()));
                } else {
                    settings.certificate(chain, key);
                }
            }
            case Certificate.Store(Path store, String alias, Optional<Path> password) -> {
                String secret = password.map(TlsOptions::secret).orElse("");
                if (alias.isEmpty()) {
                    settings.store(store, secret);
                } else {
                    settings.store(store, secret, alias);
                }
            }
        }
    }

    /** Returns the option that names the file in a message. */
    private static String option(Certificate certificate, String message) {
        return switch (certificate) {
            case Certificate.Pem(Path chain, Path key, _) ->
                    message.contains(key.toString()) && !message.contains(chain.toString())
                            ? "key"
                            : "chain";
            case Certificate.Store _ -> "store";
        };
    }

    /** Returns the first line of a file. */
    private static String secret(Path file) {
        try {
            return Files.readString(file).lines().findFirst().orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException("the password file " + file + " cannot be read", e);
        }
    }

    /**
     * Returns a message with the path of the self-signed certificate and, if a plain request works,
     * a command that uses it; empty if no address has such a certificate.
     *
     * @param bound the addresses of the server, in the order of the configuration
     */
    static Optional<String> selfSigned(Configuration configuration, List<SocketAddress> bound) {
        List<Listen> all = configuration.listen();
        Path file = stateFolder().resolve("localhost.pem");
        Optional<String> message = Optional.empty();
        for (int i = 0; i < all.size(); i++) {
            io.sirocco.app.config.Tls tls = all.get(i).tls(configuration.tls());
            if (!all.get(i).tls() || !tls.selfSigned() || !tls.certificates().isEmpty()) continue;
            message = message.or(() -> Optional.of("the self-signed certificate is " + file));
            boolean plain =
                    tls.clientCertificates() == ClientCertificates.NONE
                            && !all.get(i).proxyProtocol();
            if (plain && bound.get(i) instanceof InetSocketAddress inet && isLocal(inet)) {
                String curl = "; try: curl --cacert %s https://localhost:%d/";
                return message.map(it -> it + curl.formatted(quoted(file), inet.getPort()));
            }
        }
        return message;
    }

    /** Returns whether connections to localhost reach an address. */
    private static boolean isLocal(InetSocketAddress address) {
        return address.getAddress().isLoopbackAddress() || address.getAddress().isAnyLocalAddress();
    }

    /** Returns a path as a word of a shell. */
    private static String quoted(Path path) {
        String text = path.toString();
        return text.matches("[\\w./+:@-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /**
     * Returns the folder of the self-signed certificate: the state directory that systemd sets, or
     * else that of the XDG conventions.
     */
    private static Path stateFolder() {
        String service = System.getenv("STATE_DIRECTORY");
        if (service != null && !service.isEmpty()) return Path.of(service);
        String user = System.getenv("XDG_STATE_HOME"); // the conventions treat empty as unset
        Path state =
                user == null || user.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".local", "state")
                        : Path.of(user);
        return state.resolve("sirocco");
    }
}
