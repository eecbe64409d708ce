// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Aliases, names and client certificates, as curl and openssl see them. */
@Tag("peers")
@OnEachTransport
class TlsSitesTest {
    private static final String LISTEN =
            """
            [[listen]]
            address = "127.0.0.1:0"
            tls = true
            [[site]]
            root = "site"
            """;
    private static final String TWO =
            LISTEN
                    + """
                    [[tls.certificate]]
                    chain = "one.test.pem"
                    key = "one.test.key"
                    [[tls.certificate]]
                    chain = "two.test.pem"
                    key = "two.test.key"
                    """;

    @TempDir static Path folder;
    @Parameter TransportKind transport;

    @BeforeAll
    static void make() throws Exception {
        if (Files.exists(folder.resolve("site"))) return; // once for both transports
        Files.createDirectory(folder.resolve("site"));
        Files.writeString(folder.resolve("site/page"), "page");
        Authority authority = Authority.in(folder);
        for (String name : new String[] {"one.test", "two.test", "client"}) {
            authority.signs(name);
        }
        for (String alias : new String[] {"one.test", "two.test"}) {
            authority.openssl(
                    "pkcs12 -export -in %1$s.pem -inkey %1$s.key -name %1$s -out %1$s.p12 -passout pass:secret"
                            .formatted(alias));
        }
        Files.writeString(folder.resolve("password"), "secret\n");
    }

    /** What openssl says of the server, asked for {@code name}. */
    private static String shown(int port, String name) throws Exception {
        return Tool.OPENSSL
                .run(
                        folder,
                        "s_client",
                        "-connect",
                        "127.0.0.1:" + port,
                        "-servername",
                        name,
                        "-CAfile",
                        "authority.pem",
                        "-verify_return_error")
                .out();
    }

    private static Tool.Result curl(int port, String... more) throws Exception {
        var arguments = new ArrayList<>(List.of("-sS", "--max-time", "20"));
        arguments.addAll(List.of("--cacert", "authority.pem"));
        arguments.addAll(List.of(more));
        arguments.add("https://localhost:%d/page".formatted(port));
        return Tool.CURL.run(folder, arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "default, one.test, one.test",
        "default, two.test, two.test",
        "default, none.test, one.test",
        "refuse, two.test, two.test",
        "refuse, none.test, ''",
    })
    void theNameChoosesTheCertificate(String unknown, String name, String shown) throws Exception {
        String toml = "[tls]\nunknown-name = \"%s\"\n".formatted(unknown) + TWO;
        try (var running = Running.of(folder, transport, toml)) {
            String said = shown(running.port(), name);
            if (shown.isEmpty()) {
                assertTrue(said.contains("unrecognized name"), said);
            } else {
                assertTrue(said.matches("(?s).*subject=CN ?= ?" + shown + "\n.*"), said);
                assertTrue(said.contains("Verify return code: 0 (ok)"), said);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"one.test", "two.test"})
    void theAliasChoosesTheKeyOfAStore(String alias) throws Exception {
        String toml =
                LISTEN
                        + """
                        [[tls.certificate]]
                        store = "%1$s.p12"
                        alias = "%1$s"
                        password-file = "password"
                        """
                                .formatted(alias);
        try (var running = Running.of(folder, transport, toml)) {
            String said = shown(running.port(), "else.test");
            assertTrue(said.matches("(?s).*subject=CN ?= ?" + alias + "\n.*"), said);
            assertEquals("page", curl(running.port()).out());
        }
    }

    @ParameterizedTest
    @CsvSource({"none, true, true", "wanted, true, true", "needed, false, true"})
    void aClientCertificateIsAskedForAsConfigured(String option, boolean without, boolean with)
            throws Exception {
        String toml =
                "[tls]\nclient-certificates = \"%s\"\n".formatted(option)
                        + (option.equals("none") ? "" : "client-authorities = \"authority.pem\"\n")
                        + TWO;
        try (var running = Running.of(folder, transport, toml)) {
            assertEquals(without, curl(running.port()).exit() == 0);
            Tool.Result own = curl(running.port(), "--cert", "client.pem", "--key", "client.key");
            assertEquals(with, own.out().equals("page"), own.out());
        }
    }

    @ParameterizedTest
    @CsvSource({"1.1, false", "1.2, true", "1.3, true"})
    void oldVersionsAreRefused(String version, boolean served) throws Exception {
        try (var running = Running.of(folder, transport, TWO)) {
            Tool.Result result =
                    curl(
                            running.port(),
                            "--tlsv" + version,
                            "--tls-max",
                            version,
                            "--ciphers",
                            "DEFAULT:@SECLEVEL=0");
            assertEquals(served, result.exit() == 0, result.out());
        }
    }

    @Test
    void anotherEngineServesTheSame() throws Exception {
        String toml = "[tls]\nengine = \"openssl\"\n" + TWO;
        try (var running = Running.of(folder, transport, toml)) {
            assertEquals("page", curl(running.port()).out());
            String said = shown(running.port(), "two.test");
            assertTrue(said.matches("(?s).*subject=CN ?= ?two.test\n.*"), said);
        }
    }

    @Test
    void whatAnEngineRefusesIsToldWithItsPlace() throws Exception {
        String toml =
                """
                [tls]
                engine = "openssl"
                versions = ["1.3"]
                ciphers = ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]
                """;
        String said = Running.refusal(folder, transport, toml + TWO);
        assertTrue(said.contains(":2:"), said);
        assertTrue(said.contains("engine = \"openssl\""), said);
        assertTrue(said.contains("error: no cipher suite is for [TLSv1.3]"), said);
        Running.of(folder, transport, TWO).close(); // the JDK does not
    }

    @Test
    void aWrongPasswordOfAStoreIsExplained() throws Exception {
        Files.writeString(folder.resolve("wrong"), "guessed\n");
        String toml =
                LISTEN
                        + """
                        [[tls.certificate]]
                        store = "one.test.p12"
                        password-file = "wrong"
                        """;
        String said = Running.refusal(folder, transport, toml);
        assertTrue(said.contains("one.test.p12"), said);
        assertNotEquals(-1, said.toLowerCase().indexOf("password"), said);
    }

    private static boolean resumes(int port) throws Exception {
        return Tool.OPENSSL
                .run(
                        folder,
                        "s_client",
                        "-connect",
                        "127.0.0.1:" + port,
                        "-servername",
                        "one.test",
                        "-tls1_2",
                        "-sess_in",
                        "session")
                .out()
                .contains("Reused, ");
    }

    @Test
    void sessionsGoOnOverAReloadUnlessACertificateHasChanged() throws Exception {
        try (Running running = Running.of(folder, transport, TWO)) {
            int port = running.port();
            Tool.OPENSSL.run(
                    folder,
                    "s_client",
                    "-connect",
                    "127.0.0.1:" + port,
                    "-servername",
                    "one.test",
                    "-tls1_2",
                    "-sess_out",
                    "session");
            assertTrue(resumes(port));
            running.reload(TWO + "# another comment\n");
            assertTrue(resumes(port), "nothing of TLS has changed");
            Path chain = folder.resolve("one.test.pem");
            Files.writeString(chain, Files.readString(chain) + "\n"); // as if it were renewed
            running.reload(TWO);
            assertFalse(resumes(port), "the certificate may be another one");
        }
    }
}
