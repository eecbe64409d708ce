// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sirocco.app.Browser;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTPS as Chromium sees it, which trusts nobody but whom a test tells it to. */
@Tag("peers")
class ChromiumTlsTest {
    private static final String TWO =
            """
            [[listen]]
            address = "127.0.0.1:0"
            tls = true
            [[site]]
            root = "site"
            [[tls.certificate]]
            chain = "one.test.pem"
            key = "one.test.key"
            [[tls.certificate]]
            chain = "two.test.pem"
            key = "two.test.key"
            """;

    @TempDir static Path folder;

    @BeforeAll
    static void make() throws Exception {
        Files.createDirectory(folder.resolve("site"));
        Files.writeString(
                folder.resolve("site/index.html"),
                "<!doctype html><link rel=icon href=data:,><title>A page</title><p>served");
        Authority authority = Authority.in(folder);
        authority.signs("one.test");
        authority.signs("two.test");
    }

    private static Browser browser(String... options) throws Exception {
        var all = new String[options.length + 1];
        all[0] = "--host-resolver-rules=MAP *.test 127.0.0.1";
        System.arraycopy(options, 0, all, 1, options.length);
        return new Browser(all);
    }

    /** Chromium takes certificates that it does not know by the hashes of their keys. */
    private static String trust() throws IOException, GeneralSecurityException {
        return "--ignore-certificate-errors-spki-list=" + hash("one.test") + "," + hash("two.test");
    }

    private static String hash(String name) throws IOException, GeneralSecurityException {
        try (var in = Files.newInputStream(folder.resolve(name + ".pem"))) {
            var key =
                    CertificateFactory.getInstance("X.509").generateCertificate(in).getPublicKey();
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
            return Base64.getEncoder().encodeToString(hash);
        }
    }

    private static String url(Running running, String name) {
        return "https://%s:%d/".formatted(name, running.port());
    }

    @Test
    void theNameChoosesTheCertificate() throws Exception {
        try (var running = Running.of(folder, TransportKind.AUTO, TWO);
                var browser = browser(trust())) {
            for (String name : new String[] {"one.test", "two.test"}) {
                assertEquals("", browser.open(url(running, name)));
                browser.until("location.host.startsWith('%s')".formatted(name));
                browser.until("document.body.innerText == 'served'");
                assertEquals(name, browser.certificate());
            }
        }
    }

    @Test
    void whomItDoesNotKnowItDoesNotTrust() throws Exception {
        try (var running = Running.of(folder, TransportKind.AUTO, TWO);
                var browser = browser()) {
            assertEquals("net::ERR_CERT_AUTHORITY_INVALID", browser.open(url(running, "one.test")));
        }
    }

    @Test
    void whoHasNoClientCertificateIsRefused() throws Exception {
        String asked =
                """
                [tls]
                client-certificates = "needed"
                client-authorities = "authority.pem"
                """;
        try (var running = Running.of(folder, TransportKind.AUTO, asked + TWO);
                var browser = browser(trust())) {
            assertNotEquals("", browser.open(url(running, "one.test")));
            assertNotEquals("A page", browser.value("document.title").asString());
        }
    }
}
