// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.tls.CredentialFiles;
import io.sirocco.net.tls.Pem;
import io.sirocco.testkit.Certificates;
import io.sirocco.testkit.Certificates.Pair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Keys and certificates for tests, in a folder that is gone with the JVM. One authority has signed
 * all of them but those of another one.
 */
final class TlsFiles {
    private static TlsFiles only;

    final Path folder;
    private final Certificates authority;
    private final Certificates stranger;

    private TlsFiles(Path folder) throws IOException {
        this.folder = folder;
        authority = Certificates.authority(folder, "authority");
        stranger = Certificates.authority(folder, "stranger");
    }

    /** Made at the first call. */
    static synchronized TlsFiles get() {
        if (only == null) {
            try {
                Path folder = Files.createTempDirectory("sirocco-tls");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
                only = new TlsFiles(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return only;
    }

    private static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.toList().reversed()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            // what is left is in the folder for temporary files
        }
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /** A certificate for these names, in {@code NAME.pem} and {@code NAME.key}; made once. */
    Pair pair(String name, String type, String... hosts) {
        return signed(authority, name, type, hosts);
    }

    /** For a client. */
    Pair client(String name) {
        return pair(name, "EC", name);
    }

    /** One that the authority has not signed. */
    Pair stranger(String name) {
        return signed(stranger, name, "EC", name);
    }

    private synchronized Pair signed(Certificates by, String name, String type, String... hosts) {
        var pair = new Pair(file(name + ".pem"), file(name + ".key"));
        try {
            return Files.exists(pair.chain()) ? pair : by.sign(name, type, hosts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path write(String name, String text) {
        try {
            return Files.writeString(file(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs openssl in the folder; the test is skipped where there is none. */
    String openssl(String... arguments) {
        assumeTrue(Command.installed("openssl"), "openssl is not installed");
        var command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        return Command.run(folder, command);
    }

    Path authority() {
        return authority.authority();
    }

    /** A client's context: trusts the authority, and has a certificate if {@code own} is one. */
    SSLContext clientContext(Optional<Pair> own) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry("a", Pem.certificates(authority()).getFirst());
            var trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own.map(TlsFiles::keys).orElse(null), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyManager[] keys(Pair pair) {
        try {
            Credential own = CredentialFiles.pem(pair.chain(), pair.key(), Optional.empty());
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            var chain = own.chain().toArray(java.security.cert.Certificate[]::new);
            store.setKeyEntry("own", own.key(), new char[0], chain);
            var factory = javax.net.ssl.KeyManagerFactory.getInstance("PKIX");
            factory.init(store, new char[0]);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A program of this machine. */
    static final class Command {
        private Command() {}

        static boolean installed(String name) {
            return Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                    .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
        }

        static String run(Path folder, List<String> command) {
            Result result = result(folder, "", command);
            if (result.exit != 0) {
                throw new AssertionError(command + ": " + result.output);
            }
            return result.output;
        }

        /** Output and errors of a program that is given {@code input}, and a minute. */
        static Result result(Path folder, String input, List<String> command) {
            try {
                Process process =
                        new ProcessBuilder(command)
                                .directory(folder.toFile())
                                .redirectErrorStream(true)
                                .start();
                try {
                    Thread.ofVirtual().start(() -> feed(process, input));
                    String output =
                            new String(
                                    process.getInputStream().readAllBytes(),
                                    StandardCharsets.ISO_8859_1);
                    if (!process.waitFor(60, TimeUnit.SECONDS)) {
                        throw new AssertionError(command + " does not end");
                    }
                    return new Result(process.exitValue(), output);
                } finally {
                    process.destroyForcibly();
                }
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private static void feed(Process process, String input) {
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                // it does not want it
            }
        }

        record Result(int exit, String output) {}
    }
}
