// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.tls.CredentialFiles;
import io.sirocco.net.tls.Pem;
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
 * Keys and certificates for tests, made by openssl in a folder that is gone with the JVM. One
 * authority has signed all of them but those of another one.
 */
final class TlsFiles {
    private static TlsFiles only;

    final Path folder;

    private TlsFiles(Path folder) {
        this.folder = folder;
        authority("authority");
        authority("stranger");
    }

    /** Made at the first call; the test is skipped where there is no openssl. */
    static synchronized TlsFiles get() {
        assumeTrue(Command.installed("openssl"), "openssl is not installed");
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

    private void authority(String name) {
        key(name, "EC");
        openssl(
                "req -x509 -new -key %1$s.key -out %1$s.pem -days 30 -subj /CN=%1$s"
                        .formatted(name)
                        .split(" "));
    }

    private void key(String name, String type) {
        String options =
                type.equals("EC")
                        ? "EC -pkeyopt ec_paramgen_curve:P-256"
                        : type.equals("RSA") ? "RSA -pkeyopt rsa_keygen_bits:2048" : type;
        openssl("genpkey -algorithm %s -out %s.key".formatted(options, name).split(" "));
    }

    /** A certificate for these names, in {@code NAME.pem} and {@code NAME.key}; made once. */
    synchronized Pair pair(String name, String type, String... hosts) {
        var pair = new Pair(file(name + ".pem"), file(name + ".key"));
        if (!Files.exists(pair.chain)) {
            signed(name, type, "authority", hosts);
        }
        return pair;
    }

    /** For a client. */
    Pair client(String name) {
        return pair(name, "EC", name);
    }

    /** One that the authority has not signed. */
    synchronized Pair stranger(String name) {
        var pair = new Pair(file(name + ".pem"), file(name + ".key"));
        if (!Files.exists(pair.chain)) {
            signed(name, "EC", "stranger", name);
        }
        return pair;
    }

    private void signed(String name, String type, String by, String... hosts) {
        key(name, type);
        var names = new ArrayList<String>();
        for (String host : hosts) {
            names.add((host.matches("[0-9.]+") ? "IP:" : "DNS:") + host);
        }
        write(name + ".ext", "subjectAltName=" + String.join(",", names) + "\n");
        openssl("req -new -key %1$s.key -out %1$s.csr -subj /CN=%1$s".formatted(name).split(" "));
        openssl(
                "x509 -req -in %1$s.csr -CA %2$s.pem -CAkey %2$s.key -CAcreateserial -days 30 -extfile %1$s.ext -out %1$s.pem"
                        .formatted(name, by)
                        .split(" "));
    }

    Path write(String name, String text) {
        try {
            return Files.writeString(file(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs openssl in the folder. */
    String openssl(String... arguments) {
        var command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        return Command.run(folder, command);
    }

    Path authority() {
        return file("authority.pem");
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
            Credential own = CredentialFiles.pem(pair.chain, pair.key, Optional.empty());
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

    record Pair(Path chain, Path key) {}

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
