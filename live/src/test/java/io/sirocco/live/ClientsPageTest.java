// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/live-clients.md shows what the tests run, and names the versions that they run it with. */
class ClientsPageTest {
    private static String text(String file) throws IOException {
        return Files.readString(Path.of(file));
    }

    private static String page() throws IOException {
        return text("../docs/live-clients.md");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "src/test/java/io/sirocco/live/Recovering.java",
                "src/test/peers/python/recovering.py"
            })
    void itsLinesAreThoseOfTheTests(String file) throws IOException {
        String own = text(file).replaceFirst("(//|#) SPDX.*\\n(package .*\\n\\n)?", "");
        assertTrue(page().contains("\n" + own + "```"), () -> "the page does not have:\n" + own);
    }

    private static String version(String file, String form) throws IOException {
        var found = Pattern.compile(form).matcher(text(file));
        assertTrue(found.find(), form);
        return found.group(1);
    }

    @Test
    void itsVersionsAreThoseOfTheTests() throws IOException {
        String java = version("../pom.xml", "<socket.io.version>(.*)</socket.io.version>");
        String js =
                version(
                        "src/test/peers/socket.io-client/package.json",
                        "\"socket.io-client\": \"(.*)\"");
        String python = version("src/test/peers/python/requirements.txt", "python-socketio==(.*)");
        for (String each :
                new String[] {
                    "`socket.io-client` of npm | " + js,
                    "`socket.io.min.js` | " + js,
                    "`io.socket:socket.io-client` | " + java,
                    "`python-socketio` of PyPI | " + python
                }) {
            assertTrue(page().contains(each + " |"), each);
        }
    }
}
