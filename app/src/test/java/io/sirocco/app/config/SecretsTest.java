// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes in lines with a password, "hunter2" in each. */
class SecretsTest {
    private static final String PROXY = "[[site]]\n[[site.route]]\npath = \"/a/*\"\n";

    private static final String CERTIFICATE = "[[tls.certificate]]\nchain = \"a\"\n";
    private static final String PEM =
            """
            -----BEGIN PRIVATE KEY-----
            MIIhunter2+x=
            hunter2
            -----END PRIVATE KEY-----
            """;

    static Stream<String> mistakes() {
        return Stream.of(
                "[live]\nbroker = \"redis://:hunter2@10.0.0.1\" x\n",
                "[live]\nbroker = redis://:hunter2@10.0.0.1\n",
                "[live]\nbroker = \"redis://:hunter2@10.0.0.1\n",
                "[live]\nbroker = \"redis:/joe:hunter2@10.0.0.1\"\n",
                "[live]\nbroker = \"redis://:hun ter2 hunter2@10.0.0.1\"\n",
                "[live]\nbroker = \"redis//hunter2\"\n",
                "[live]\nbroker: \"redis://:hunter2@10.0.0.1\"\n",
                "[live]\nbroker = \"redis://:\\hunter2@10.0.0.1\"\n",
                "[live]\nbrokre = \"redis://:hunter2@10.0.0.1\"\n",
                "live = { broker = \"redis://:hunter2@10.0.0.1\", one = 1 }\n",
                "[live]\non = 1, broker = \"redis://:hunter2@10.0.0.1\"\n",
                "[live]\npassword = \"hunter2\"\n",
                "[live]\npassword = hunter2\n",
                "[live]\npassword hunter2\n",
                "[live]\npassword = hunter2#1\n",
                "[live]\njwt-secret = 'hunter2'\n",
                "[admin]\ntoken = \"hunter2\"\n",
                PROXY + "proxy = \"http://joe:hunter2@10.0.0.1\"\n",
                PROXY + "proxy = \"http:/joe:hunter2@10.0.0.1\"\n",
                PROXY + "proxy = { to = \"http://joe:hunter2@10.0.0.1\" }\n",
                "[[upstream]]\nname = \"a\"\nservers = [\"http://a\", \"http://joe:hunter2@b\"]\n",
                PROXY
                        + "proxy = { to = \"http://a\", request-headers = { Authorization ="
                        + " \"Bearer hunter2\", \"b c\" = \"\" } }\n",
                PROXY
                        + "proxy = { to = \"http://a\", request-headers = { X-Api-Key ="
                        + " \"hunter2\\u0007\" } }\n",
                PROXY
                        + "proxy = { to = \"http://a\", request-headers = { Authorization ="
                        + " \"{hunter2}\" } }\n",
                "[[site]]\nroot = \".\"\nheaders = { Set-Cookie = \"sid=hunter2\\u2028\" }\n",
                "[live]\npassword = \"\"\"\nhunter2 \\x\"\"\"\n",
                "[live]\njwt-secret = '''\none\nhunter2 \u0001'''\n",
                "[live]\ntoken = [\n  \"a\",\n  hunter2,\n]\n",
                PROXY
                        + "proxy = { to = \"http://a\", request-headers = { Authorization = [\n"
                        + "\"Bearer hunter2\\u0007\", 1] } }\n",
                "[live]\npassword-file = \"hunter2\"\n",
                "[live]\npassword-file = hunter2\n",
                "[live]\npassword-file = \"hunter2\n",
                "[live]\njwt-secret-file = \"hunter2+b/c=\"\n",
                "[live]\nbroker-password-file = 'a hunter2'\n",
                "[admin]\ntoken-file = \"\"\"hunter2\n\"\"\"\n",
                "live = { password-file = \"hunter2\", one = 1 }\n",
                CERTIFICATE + "key = \"\"\"" + PEM + "\"\"\"\n",
                CERTIFICATE + "key = \"\"\"\n" + PEM + "\"\"\"\n",
                CERTIFICATE + "key = '''\nhunter2\n'''\n",
                CERTIFICATE + "key = '''\nhunter2\u0001\n'''\n",
                CERTIFICATE + "key = \"" + PEM + "\"\n",
                CERTIFICATE + "key = " + PEM,
                CERTIFICATE + "kye = \"" + PEM.replace("\n", "\\n") + "\"\n",
                "[[upstream]]\nname = \"a\"\ntls = { key = \"" + PEM.replace("\n", "\\n") + "\" }",
                "[[site]]\nroot = \"" + PEM.replace("\n", "\\n") + "\"\n",
                "[log]\nfile = \"\"\"" + PEM + "\"\"\"\n",
                "[[site]]\n# " + "x".repeat(200) + "\nredirect = \"https://u:hunter2@h\"\n");
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsToldWithoutThePasswordOfItsLine(String toml) {
        String said = Read.problems(toml, Overrides.NONE);
        assertFalse(said.contains("hunter2"), said);
        assertTrue(said.startsWith("test.toml:"), said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[live]\npassword-file = \"hunter2\"\n",
                "[[tls.certificate]]\nkey = \"\"\"\n-----BEGIN PRIVATE KEY-----\nx\"\"\"\n",
            })
    void aSecretInThePlaceOfAFileNameIsExplained(String toml) {
        String said = Read.problems(toml, Overrides.NONE);
        assertTrue(said.contains("must be the name of a file"), said);
        assertTrue(said.contains("the name of a file that contains the secret"), said);
    }

    @Test
    void namesOfFilesThatAreMissingAreTold() {
        String said = Read.problems("[live]\npassword-file = \"live.pw\"\n", Overrides.NONE);
        assertTrue(said.contains("live.pw does not exist"), said);
        said = Read.problems("[live]\npassword-file = \"etc/live\"\n", Overrides.NONE);
        assertTrue(said.contains("etc/live does not exist"), said);
        assertTrue(said.contains("2 | password-file = \"etc/live\"\n"), said);
    }

    /** The name of another header of the same line. */
    @Test
    void namesOfKeysAfterASecretStay() {
        String toml =
                PROXY
                        + "proxy = { to = \"http://a\", request-headers = { Authorization ="
                        + " \"hunter2\", X-Other = \"{bar}\", \"X-Third\" = \"{baz}\" } }\n";
        String said = Read.problems(toml, Overrides.NONE);
        assertTrue(said.contains("\"X-Other\" has {bar}, which is not a variable"), said);
        assertTrue(said.contains("\"X-Third\" has {baz}, which is not a variable"), said);
        assertFalse(said.contains("hunter2"), said);
    }

    @Test
    void namesOfFilesAndKeysAreTold() {
        String said = Read.problems("[live]\npassword-fiel = \"live.pw\"\n", Overrides.NONE);
        assertTrue(said.contains("unknown key \"password-fiel\""), said);
        assertTrue(said.contains("did you mean \"password-file\"?"), said);
        said = Read.problems("[admin]\ntoken-file = [\"a\"]\n", Overrides.NONE);
        assertTrue(said.contains("2 | token-file = [\"a\"]\n"), said);
    }
}
