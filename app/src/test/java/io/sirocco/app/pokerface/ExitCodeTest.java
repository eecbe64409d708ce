// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Child;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The old server ended with 0 when its configuration was wrong, or its port taken. */
@Tag("peers")
@Timeout(60)
class ExitCodeTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lisen = 1                                    | unknown key \"lisen\"",
                "[[listen]                                    | the brackets of this header do not match",
                "[[site]]\\nroot = 7                          | sirocco.toml:2:",
                "[[listen]]\\naddress = \"127.0.0.1\"         | has no port",
                "[[listen]]\\naddress = \"127.0.0.1:0\"\\ntls = true | certificate",
                "[tls]\\n[[tls.certificate]]\\nchain = \"x\"\\nkey = \"x\" | sirocco.toml:3:",
                "[[site]]\\nbasic-auth = { realm = \"x\", users-file = \"none\" } | none",
            })
    void aConfigurationThatCannotBeUsedIs2(String toml, String said) throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(file, toml.replace("\\n", "\n") + "\n");
        try (var child = new Child("serve", "--config", file.toString())) {
            ended(child, 2, said);
        }
    }

    @Test
    void aConfigurationThatIsMissingIs2() throws Exception {
        try (var child = new Child("serve", "--config", folder.resolve("none.toml").toString())) {
            ended(child, 2, "none.toml");
        }
    }

    @Test
    void aCertificateThatCannotBeReadIsNot0() throws Exception {
        Path file = folder.resolve("sirocco.toml");
        Files.writeString(folder.resolve("x.pem"), "no certificate");
        Files.writeString(
                file,
                """
                [[listen]]
                address = "127.0.0.1:0"
                tls = true
                [[tls.certificate]]
                chain = "x.pem"
                key = "x.pem"
                """);
        try (var child = new Child("serve", "--config", file.toString())) {
            String said = child.err();
            assertTrue(said.contains("x.pem"), said);
            assertFalse(said.contains("\tat "), said);
            assertTrue(child.exitCode() == 1 || child.exitCode() == 2, said);
        }
    }

    @Test
    void anOptionThatIsNoneIs2() throws Exception {
        try (var child = new Child("serve", "--listen", "127.0.0.1:0")) {
            ended(child, 2, "--listen");
        }
    }

    private static void ended(Child child, int code, String said) throws Exception {
        String err = child.err();
        assertTrue(err.contains(said), err);
        assertFalse(err.contains("\tat "), err); // a message, no stack
        assertEquals(code, child.exitCode(), err);
        assertEquals("", child.out());
    }
}
