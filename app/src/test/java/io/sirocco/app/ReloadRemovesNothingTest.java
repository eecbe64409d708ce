// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that an editor, a full disk or a copy in progress has left empty or cut at a line. */
class ReloadRemovesNothingTest {
    private static final String FILE =
            """
            [server]
            reload = false

            [[listen]]
            address = "127.0.0.1:0"

            [[listen]]
            address = "unix:second.sock"

            [[site]]
            [[site.route]]
            path = "/"
            respond = { text = "the site" }
            """;

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5, 8})
    void aFileThatIsEmptyOrCutAtALineIsRefused(int lines) throws Exception {
        String cut = String.join("\n", FILE.lines().limit(lines).toList()) + "\n";
        try (Running running = Running.of(folder, TransportKind.NIO, FILE)) {
            String why = running.refuses(cut);
            assertTrue(why.contains("sirocco.toml: error: a reload would remove all sites"), why);
            assertTrue(why.contains("reload-may-remove = true"), why);
            assertEquals("the site", Client.get(running.port(), "/").body());
        }
    }

    @Test
    void anAddressWithNoOtherInItsPlaceStays() throws Exception {
        try (Running running = Running.of(folder, TransportKind.NIO, FILE)) {
            String second = "[[listen]]\naddress = \"unix:second.sock\"\n";
            assertTrue(FILE.contains(second));
            String why = running.refuses(FILE.replace(second, ""));
            assertTrue(why.contains("would close unix:"), why);
            running.reload(FILE.replace("second.sock", "third.sock"));
            running.reload(
                    "server.reload-may-remove = true\n"
                            + FILE.replace("[server]\nreload = false\n", "").replace(second, ""));
            running.reload("server.reload-may-remove = true\n");
        }
    }
}
