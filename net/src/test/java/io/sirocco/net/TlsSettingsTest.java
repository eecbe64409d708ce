// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TlsSettings.ClientCertificates;
import io.sirocco.net.tls.Pem;
import io.sirocco.testkit.Certificates.Pair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every form of certificate and key that there is, and what is said of one that cannot be used. */
class TlsSettingsTest {
    private final TlsFiles files = TlsFiles.get();
    private final Pair ec = files.pair("a", "EC", "a.test", "localhost");
    private final Pair rsa = files.pair("rsa", "RSA", "rsa.test");
    @TempDir Path folder;

    private static String refused(Consumer<TlsSettings> configure) {
        return assertThrows(IllegalArgumentException.class, () -> Tls.of(configure)).getMessage();
    }

    private static void refused(Path file, String why, Consumer<TlsSettings> configure) {
        assertEquals("cannot use " + file + ": " + why, refused(configure));
    }

    private Path convert(String name, String command) {
        files.openssl((command + " -out " + name).split(" "));
        return files.file(name);
    }

    // ---- keys

    @Test
    void pkcs8() {
        Pair ed = files.pair("ed", "ED25519", "ed.test");
        for (Pair pair : List.of(ec, rsa, ed)) {
            Tls.of(s -> s.certificate(pair.chain(), pair.key()));
        }
    }

    @Tag("peers")
    @Test
    void encryptedPkcs8() {
        for (Pair pair : List.of(ec, rsa)) {
            for (String cipher : List.of("aes-256-cbc", "aes-128-cbc -v2prf hmacWithSHA512")) {
                Path key =
                        convert(
                                "encrypted.key",
                                "pkcs8 -topk8 -passout pass:secret -v2 "
                                        + cipher
                                        + " -in "
                                        + pair.key());
                Tls.of(s -> s.certificate(pair.chain(), key, "secret"));
                refused(
                        key,
                        "its key is encrypted: give the password",
                        s -> s.certificate(pair.chain(), key));
                assertTrue(
                        refused(s -> s.certificate(pair.chain(), key, "wrong"))
                                .startsWith(
                                        "cannot use " + key + ": the password does not open its"));
            }
        }
    }

    @Tag("peers")
    @Test
    void pkcs1() {
        Path key = convert("pkcs1.key", "rsa -traditional -in " + rsa.key());
        Tls.of(s -> s.certificate(rsa.chain(), key));
    }

    @Tag("peers")
    @Test
    void sec1() throws IOException {
        Path key = convert("sec1.key", "ec -in " + ec.key());
        assertTrue(Files.readString(key).contains("BEGIN EC PRIVATE KEY"));
        Tls.of(s -> s.certificate(ec.chain(), key));
        String parameters = files.openssl("ecparam", "-name", "prime256v1");
        Path both = files.write("parameters.key", parameters + Files.readString(key));
        Tls.of(s -> s.certificate(ec.chain(), both));
    }

    @Test
    void chainAndKeyInOneFile() throws IOException {
        Path both =
                files.write(
                        "both.pem",
                        "a comment\n"
                                + Files.readString(ec.key()).replace("\n", "\r\n")
                                + Files.readString(ec.chain())
                                + Files.readString(files.authority()));
        Tls.of(s -> s.certificate(both, both));
        assertEquals(2, Pem.certificates(both).size());
    }

    @Tag("peers")
    @Test
    void oldEncryptedKeys() {
        Path key =
                convert(
                        "old.key",
                        "rsa -traditional -aes128 -passout pass:secret -in " + rsa.key());
        assertTrue(
                refused(s -> s.certificate(rsa.chain(), key, "secret"))
                        .contains("convert it with: openssl pkcs8 -topk8"));
    }

    // ---- stores

    private Path store(String name, Pair pair) {
        return convert(
                name,
                "pkcs12 -export -passout pass:secret -name %s -in %s -inkey %s"
                        .formatted(name, pair.chain(), pair.key()));
    }

    @Tag("peers")
    @Test
    void stores() {
        Path store = store("ec.p12", ec);
        Tls.of(s -> s.store(store, "secret"));
        Tls.of(s -> s.store(store, "secret", "ec.p12"));
        refused(store, "the password does not open it", s -> s.store(store, "wrong"));
        refused(store, "it needs a password, and none was given", s -> s.store(store, ""));
        refused(store, "it has no private key by the alias b", s -> s.store(store, "secret", "b"));
        assertTrue(
                refused(s -> s.store(ec.chain(), "secret"))
                        .startsWith(
                                "cannot use "
                                        + ec.chain()
                                        + ": it is no PKCS#12 store, but looks like PEM"));
        refused(
                folder.resolve("none.p12"),
                "there is no such file",
                s -> s.store(folder.resolve("none.p12"), "secret"));
    }

    // ---- mistakes

    @Test
    void mistakesAreNamed() throws IOException {
        Path none = folder.resolve("none.pem");
        refused(none, "there is no such file", s -> s.certificate(none, ec.key()));
        refused(none, "there is no such file", s -> s.certificate(ec.chain(), none));
        refused(
                ec.key(),
                "it has no certificate: no line -----BEGIN CERTIFICATE-----",
                s -> s.certificate(ec.key(), ec.key()));
        refused(
                ec.chain(),
                "it has no private key: no line -----BEGIN PRIVATE KEY-----",
                s -> s.certificate(ec.chain(), ec.chain()));
        refused(
                rsa.key(),
                "it is not the key of the first certificate in " + ec.chain(),
                s -> s.certificate(ec.chain(), rsa.key()));
        Pair other = files.pair("other", "EC", "other.test");
        refused(
                other.key(),
                "it is not the key of the first certificate in " + ec.chain(),
                s -> s.certificate(ec.chain(), other.key()));
        Path broken =
                Files.writeString(
                        folder.resolve("broken.pem"),
                        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertTrue(
                refused(s -> s.certificate(broken, ec.key()))
                        .startsWith("cannot use " + broken + ": a certificate in it is malformed"));
        for (String label :
                List.of(
                        "PRIVATE KEY",
                        "EC PRIVATE KEY",
                        "RSA PRIVATE KEY",
                        "ENCRYPTED PRIVATE KEY")) {
            for (String text : List.of("", "AAAA", "MIIBAA==", "MAUCAQEEAA==", "MP9/f39/")) {
                Path key =
                        Files.writeString(
                                folder.resolve("broken.key"),
                                "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
                                        .formatted(label, text));
                assertTrue(
                        refused(s -> s.certificate(ec.chain(), key, "x"))
                                .startsWith("cannot use " + key + ": "));
            }
        }
        refused(
                folder,
                "it cannot be read: java.io.IOException: Is a directory",
                s -> s.certificate(folder, folder));
    }

    @Test
    void settingsThatCannotBe() {
        assertEquals(
                "TLS has no certificate: call certificate(), store() or selfSigned()",
                refused(s -> {}));
        refused(s -> s.certificate(ec.chain(), ec.key()).versions("TLSv1.7"));
        refused(s -> s.certificate(ec.chain(), ec.key()).cipherSuites("TLS_NONE"));
        refused(s -> s.certificate(ec.chain(), ec.key()).sessions(0, Duration.ofHours(1)));
        refused(s -> s.certificate(ec.chain(), ec.key()).handshakeTimeout(Duration.ZERO));
        refused(
                ec.key(),
                "it has no certificate: no line -----BEGIN CERTIFICATE-----",
                s -> s.clientCertificates(ClientCertificates.NEEDED, ec.key()));
    }

    @Test
    void aReloadThatFailsChangesNothing() throws IOException {
        Path chain = Files.copy(ec.chain(), folder.resolve("chain.pem"));
        Path key = Files.copy(ec.key(), folder.resolve("key.pem"));
        Tls tls = Tls.of(s -> s.certificate(chain, key));
        TlsContext before = tls.context();
        Files.writeString(chain, "");
        assertThrows(IllegalArgumentException.class, tls::reload);
        assertThrows(IllegalArgumentException.class, () -> tls.replace(s -> {}));
        assertSame(before, tls.context());
        Files.writeString(chain, Files.readString(ec.chain()));
        tls.reload();
        assertNotEquals(before, tls.context());
    }

    // ---- self-signed

    @Test
    void selfSigned() throws Exception {
        Path own = folder.resolve("a/b");
        Tls.of(s -> s.selfSigned(own));
        Path store = own.resolve("localhost.p12");
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(store)));
        byte[] first = Files.readAllBytes(store);
        var certificate = Pem.certificates(own.resolve("localhost.pem")).getFirst();
        assertEquals(
                "[[2, localhost], [7, 127.0.0.1], [7, 0:0:0:0:0:0:0:1]]",
                certificate.getSubjectAlternativeNames().stream().toList().toString());
        assertEquals("EC", certificate.getPublicKey().getAlgorithm());
        Tls.of(s -> s.selfSigned(own));
        assertEquals(
                java.util.Arrays.hashCode(first),
                java.util.Arrays.hashCode(Files.readAllBytes(store)));
        try (var list = Files.list(own)) {
            assertEquals(2, list.count(), "nothing else is left there");
        }
    }

    @Test
    void selfSignedWhereItCannotBe() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertTrue(
                refused(s -> s.selfSigned(file))
                        .startsWith("cannot make a self-signed certificate in " + file + ": "));
    }
}
