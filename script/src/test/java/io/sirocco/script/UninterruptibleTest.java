// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A recursion that catches its own stack overflow is the one thing that the engine cannot
 * interrupt: its request ends nevertheless, and others go on.
 */
@ExtendWith(LoadedLanguage.class)
class UninterruptibleTest {
    @Test
    void itsRequestEndsAndOthersGoOn(@TempDir Path folder) {
        run(folder, 1);
    }

    /** After two seconds: there are fewer contexts than such requests. */
    @Tag("heavy")
    @Test
    void itsThreadIsAbandoned(@TempDir Path folder) {
        run(folder, 3);
    }

    private static void run(Path folder, int times) {
        Site.write(
                folder,
                "stuck.js", // ends after some seconds, when the test has long passed
                "export function generateResponse() { let n = 0; "
                        + "(function f() { try { f(); } finally { if (n++ < 3e7) f(); } })(); }");
        Site.write(folder, "well.js", "export const generateResponse = () => ({ body: 'well' });");
        try (var site =
                new Site(
                        folder,
                        options ->
                                options.timeout(Duration.ofMillis(500))
                                        .cpuTime(Duration.ofMillis(200))
                                        .contexts(2))) {
            site.closing = Duration.ZERO;
            awaitWell(site);
            for (int i = 0; i < times; i++) {
                int status = site.status("/stuck");
                assertEquals(5, status / 100);
                awaitWell(site);
            }
        }
    }

    /** A new context may need longer than the timeout for its first request. */
    private static void awaitWell(Site site) {
        Site.await("a response of others", () -> site.text("/well").equals("well"));
    }
}
