// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.InvalidConfiguration;
import io.sirocco.app.config.Overrides;
import io.sirocco.app.config.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Options that are well-formed but cannot be used: check and serve report them with their position.
 */
class ConfigErrorTest {
    private static final String CERTIFICATE =
            """
            -----BEGIN CERTIFICATE-----
            MIIBbzCCARWgAwIBAgIUF+aM42Qj0PppeZYuX5Lyybclvp4wCgYIKoZIzj0EAwIw
            DDEKMAgGA1UEAwwBYTAgFw0yNjExMjgxMjM5NTZaGA8yMTI2MTEwNDEyMzk1Nlow
            DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIMKLkgNhgsu
            D5uN3Gr5kZ4TNuu7j/4Fmz86xUCySL1z73aBeVAt7rgHfMqMSds3dwTutX0rxo1n
            Kkgs3VMY1/+jUzBRMB0GA1UdDgQWBBTMIu3Fl2XKZbzk7MqtgiRF8lH90TAfBgNV
            HSMEGDAWgBTMIu3Fl2XKZbzk7MqtgiRF8lH90TAPBgNVHRMBAf8EBTADAQH/MAoG
            CCqGSM49BAMCA0gAMEUCIGlWbnND8jcWSsWgY3C6vjWyQzbQ67TLZfTLp2grDpgJ
            AiEAos0BETsCo2VJ6eZxM4S+dJ136tlMk+03jBAYW8is3hY=
            -----END CERTIFICATE-----
            """;

    /** It is not read further without its password. */
    private static final String ENCRYPTED =
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            AAAA
            -----END ENCRYPTED PRIVATE KEY-----
            """;

    /** Its certificate is in line 6, and its key in line 7. */
    private static final String TLS_LISTENER =
            """
            [[listen]]
            address = "127.0.0.1:0"
            tls = true

            [[tls.certificate]]
            chain = "chain.pem"
            key = "key.pem"
            """;

    @TempDir Path folder;

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private String refused(String toml) throws Exception {
        Path file = write("sirocco.toml", toml);
        var byServe =
                assertThrows(InvalidConfiguration.class, () -> Serving.open(Sources.file(file)));
        var byCheck =
                assertThrows(
                        InvalidConfiguration.class,
                        () ->
                                Verification.verify(
                                        Configuration.load(file, Overrides.NONE),
                                        Optional.empty()));
        assertEquals(byServe.getMessage(), byCheck.getMessage());
        return byServe.getMessage();
    }

    @Test
    void anEncryptedKeyWithoutItsPassword() throws Exception {
        write("key.pem", ENCRYPTED);
        write("chain.pem", CERTIFICATE);
        String said = refused(TLS_LISTENER);
        assertTrue(said.contains("sirocco.toml:7:7: error: "), said);
        assertTrue(said.contains("set password-file to a file that contains the password"), said);
        said =
                refused(
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [[upstream]]
                        name = "a"
                        servers = ["https://127.0.0.1:1"]
                        tls = { chain = "chain.pem", key = "key.pem" }
                        [[site]]
                        [[site.route]]
                        path = "/*"
                        proxy = "a"
                        """);
        assertTrue(said.contains("without a password: openssl pkey"), said);
    }

    @Test
    void aCertificateThatIsNone() throws Exception {
        write("chain.pem", "no certificate");
        write("key.pem", "no key");
        String said = refused(TLS_LISTENER);
        assertTrue(said.startsWith(folder + "/sirocco.toml:6:9: error: cannot use "), said);
        assertTrue(said.contains("chain.pem: it has no certificate"), said);
    }

    @Test
    void aPasswordThatIsNotHashed() throws Exception {
        write("users", "# who may\njoe:secret\n");
        String said =
                refused(
                        """
                        [[listen]]
                        address = "127.0.0.1:0"

                        [[site]]
                        root = "."

                        [[site.route]]
                        path = "/a/*"
                        basic-auth = { users-file = "users" }
                        """);
        assertTrue(said.startsWith(folder + "/sirocco.toml:9:29: error: "), said);
        assertTrue(said.contains("users:2: the password of \"joe\" is not hashed"), said);
        assertTrue(said.contains("htpasswd -B"), said);
    }

    @Test
    void mistakesInSeveralFilesAreToldTogether() throws Exception {
        write("chain.pem", "no certificate");
        write("key.pem", "no key");
        write("short", "12345\n");
        String said =
                refused(
                        TLS_LISTENER
                                + """

                        [[tls.certificate]]
                        chain = "chain.pem"
                        key = "chain.pem"

                        [live]
                        path = "/live"
                        jwt-secret-file = "short"
                        """);
        assertEquals(
                List.of("6:9", "10:9", "15:19"),
                Pattern.compile("sirocco.toml:(\\d+:\\d+): error")
                        .matcher(said)
                        .results()
                        .map(found -> found.group(1))
                        .toList(),
                said);
    }

    @Test
    void allWrongItemsOfAListAreTold() throws Exception {
        String said =
                refused(
                        """
                        [[site]]
                        root = "."
                        allow = ["10.0.0.1", "10.0.0", "192.168.0.0/16", "nobody"]
                        """);
        assertTrue(said.contains("sirocco.toml:3:22: error"), said);
        assertTrue(said.contains("sirocco.toml:3:50: error"), said);
    }

    @Test
    void aListWithoutUsersIsAWarning() throws Exception {
        write("users", "# nobody yet\n");
        assertEquals(
                List.of(folder + "/users has no users, so every request gets 401"),
                warnings(
                        """
                        [[site]]
                        root = "."
                        basic-auth = { users-file = "users" }
                        """));
    }

    @Test
    void aSiteThatServesNothingIsAWarning() throws Exception {
        assertEquals(
                List.of("this site responds to every request with 404"),
                warnings("[[site]]\nindex = [\"index.html\"]\n"));
        assertEquals(List.of(), warnings("[[site]]\nroot = \".\"\n"));
        assertEquals(
                List.of(),
                warnings("[[site]]\n[[site.route]]\npath = \"/a\"\nrespond = { text = \"a\" }\n"));
    }

    private List<String> warnings(String toml) throws Exception {
        return Configuration.load(write("sirocco.toml", toml), Overrides.NONE).warnings().stream()
                .map(Problem::message)
                .toList();
    }
}
