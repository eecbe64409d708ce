// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes in lines with a password, "hunter2" in each. */
class SecretsTest {
    private static final String PROXY = "[[site]]\n[[site.route]]\npath = \"/a/*\"\n";

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
                "[[site]]\n# " + "x".repeat(200) + "\nredirect = \"https://u:hunter2@h\"\n");
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsToldWithoutThePasswordOfItsLine(String toml) {
        String said = Read.problems(toml, Overrides.NONE);
        assertFalse(said.contains("hunter2"), said);
        assertTrue(said.startsWith("test.toml:"), said);
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
