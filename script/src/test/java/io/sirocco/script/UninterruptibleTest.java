// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A recursion that catches its own stack overflow is the one thing that the engine cannot
 * interrupt: its request ends nevertheless, and others go on.
 */
class UninterruptibleTest {
    @Test
    void itsThreadIsAbandoned(@TempDir Path folder) {
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
            assertEquals("well", site.text("/well"));
            for (int i = 0; i < 3; i++) {
                int status = site.status("/stuck");
                assertEquals(5, status / 100);
                assertEquals("well", site.text("/well"));
            }
        }
    }
}
