// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Attacks, reloads and honest requests at once, for a number of rounds. */
@ExtendWith(LoadedLanguage.class)
@Tag("heavy")
class SoakTest {
    private static final int ROUNDS = 40;

    @Test
    void honestRequestsAreServed(@TempDir Path folder) {
        String[] attacks = {
            "loop", "while (true) {}",
            "push", "const all = []; while (true) all.push(new Array(1000).fill(1));",
            "buffers", "const all = []; while (true) all.push(new ArrayBuffer(1 << 20));",
            "recursion", "(function f() { f(); })();",
            "never", "await new Promise(() => {});",
            "stream",
                    "return { body: (async function* () { for (;;) yield 'x'.repeat(1000); })() };",
        };
        for (int i = 0; i < attacks.length; i += 2) {
            Site.write(
                    folder,
                    attacks[i] + ".js",
                    "export async function generateResponse() { " + attacks[i + 1] + " }");
        }
        Site.write(
                folder,
                "well.js",
                "export const generateResponse = async (q) => ({ body: await q.text() });");
        Site.write(
                folder, "_.js", "export const responseCompleted = () => { kv.increment('n'); };");
        try (var site =
                new Site(
                        folder,
                        options ->
                                options.timeout(Duration.ofSeconds(20))
                                        .cpuTime(Duration.ofMillis(200))
                                        .maxAllocation(32 << 20)
                                        .contexts(6))) {
            for (int round = 0; round < ROUNDS; round++) {
                List<CompletableFuture<?>> hostile = new ArrayList<>();
                for (int i = 0; i < attacks.length - 4; i += 2) {
                    hostile.add(site.sendAsync("GET", "/" + attacks[i], ""));
                }
                for (int i = attacks.length - 4; i < attacks.length; i += 2) {
                    site.abort("/" + attacks[i]);
                }
                if (round % 8 == 0) {
                    site.write("new.js", "export const inspectRequest = () => null; // " + round);
                }
                for (int i = 0; i < 20; i++) {
                    String body = "body " + round + " " + i;
                    assertEquals(body, site.send("POST", "/well", body).body());
                    assertTrue(site.text("/handler").startsWith("handler"));
                }
                hostile.forEach(each -> each.handle((reply, thrown) -> null).join());
            }
            Site.await("no request in progress", () -> site.scripts.isQuiet());
        }
    }
}
