// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.tls;

import io.sirocco.net.Credential;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A certificate for this machine that nobody has signed but itself, kept in a folder and made when
 * it is missing, or has less than a day left. Any thread.
 */
public final class SelfSigned {
    /** What guards the store is who may read it: a password beside it would add nothing. */
    private static final String PASSWORD = "sirocco";

    private static final String ALIAS = "localhost";
    private static final int DAYS = 365;
    private static final int SECONDS = 60; // that keytool may take
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rw-------");
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private final Path folder;
    private final Path store;

    public SelfSigned(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("localhost.p12");
    }

    public Credential credential() {
        return kept().orElseGet(this::make);
    }

    private Optional<Credential> kept() {
        if (!Files.exists(store)) {
            return Optional.empty();
        }
        Credential kept = load();
        Date tomorrow = Date.from(Instant.now().plus(Duration.ofDays(1)));
        return kept.chain().getFirst().getNotAfter().after(tomorrow)
                ? Optional.of(kept)
                : Optional.empty();
    }

    private Credential load() {
        return CredentialFiles.store(store, PASSWORD, Optional.of(ALIAS)).getFirst();
    }

    private Credential make() {
        try {
            Files.createDirectories(folder);
            Path workshop = Files.createTempDirectory(folder, ".localhost", ownersFolder());
            Path made = workshop.resolve("localhost.p12");
            try {
                keytool(made);
                if (POSIX) {
                    Files.setPosixFilePermissions(made, OWNER_ONLY);
                }
                Files.move(made, store, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(made);
                Files.delete(workshop);
            }
            Credential credential = load();
            show(credential.chain().getFirst());
            return credential;
        } catch (IOException | CertificateException e) {
            throw failed(e.toString());
        }
    }

    /** Where nobody else can look while it is being made. */
    private static FileAttribute<?>[] ownersFolder() {
        return POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
    }

    private void show(X509Certificate certificate) throws IOException, CertificateException {
        Files.writeString(
                folder.resolve("localhost.pem"), Pem.text(certificate), StandardCharsets.US_ASCII);
    }

    private void keytool(Path made) throws IOException {
        var command =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-sigalg",
                        "SHA256withECDSA",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1,ip:0:0:0:0:0:0:0:1",
                        "-ext",
                        "KU=digitalSignature",
                        "-ext",
                        "EKU=serverAuth",
                        "-validity",
                        Integer.toString(DAYS),
                        "-storetype",
                        "PKCS12",
                        "-storepass:env",
                        "STORE_PASSWORD",
                        "-keystore",
                        made.toString());
        command.environment().put("STORE_PASSWORD", PASSWORD);
        command.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        Path said = made.resolveSibling("said");
        Process keytool = command.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try {
            if (!keytool.waitFor(SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("keytool has not ended within " + SECONDS + " s");
            }
            if (keytool.exitValue() != 0) {
                throw new IOException("keytool: " + Files.readString(said).strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool ran");
        } finally {
            keytool.destroyForcibly();
            Files.deleteIfExists(said);
        }
    }

    private IllegalArgumentException failed(String why) {
        return new IllegalArgumentException(
                "cannot make a self-signed certificate in " + folder + ": " + why);
    }
}
