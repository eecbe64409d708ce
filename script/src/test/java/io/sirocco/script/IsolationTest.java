// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A script that never ends, takes all memory or fails harms no other request. */
@ExtendWith(LoadedLanguage.class)
class IsolationTest {
    @TempDir static Path folder;
    private static Site site;

    private static final String NEVER =
            "export const generateResponse = () => new Promise(() => {});";

    private static final Map<String, String> ATTACKS =
            Map.ofEntries(
                    Map.entry("loop", "while (true) {}"),
                    Map.entry("microtasks", "while (true) await 0;"),
                    Map.entry(
                            "finally",
                            "while (true) { try { while (true) {} } finally { continue; } }"),
                    Map.entry("regex", "/^(a+)+\\1$/.test('a'.repeat(40) + 'b');"),
                    Map.entry("sort", "[3, 1, 2].sort(() => { while (true) {} });"),
                    Map.entry(
                            "push",
                            "const all = []; while (true) all.push(new Array(1000).fill(1));"),
                    Map.entry("doubling", "let s = 'x'; while (true) { s += s; s.charCodeAt(5); }"),
                    Map.entry(
                            "buffers",
                            "const all = []; while (true) all.push(new ArrayBuffer(1 << 20));"),
                    Map.entry("bigint", "let b = 3n; while (true) b *= b;"),
                    Map.entry("fill", "new Array(2 ** 31).fill(0);"),
                    Map.entry(
                            "slices",
                            "const all = []; while (true) { all.push(new ArrayBuffer(1 << 20)); await new Promise((r) => setTimeout(r, 0)); }"),
                    Map.entry("recursion", "(function f() { f(); })();"),
                    Map.entry("huge", "return { body: new Uint8Array(2 ** 31 - 10) };"),
                    Map.entry("throw", "throw new Error('secret');"),
                    Map.entry("reject", "return Promise.reject('secret');"));

    @BeforeAll
    static void start() {
        Site.write(folder, "never.js", NEVER);
        ATTACKS.forEach(
                (name, code) ->
                        Site.write(
                                folder,
                                name + ".js",
                                "export async function generateResponse() { " + code + " }"));
        Site.write(folder, "well.js", "export const generateResponse = () => ({ body: 'well' });");
        site =
                new Site(
                        folder,
                        options ->
                                options.timeout(Duration.ofSeconds(3))
                                        .cpuTime(Duration.ofMillis(200))
                                        .maxAllocation(24 << 20)
                                        .contexts(4));
        assertEquals("well", site.text("/well"));
    }

    @AfterAll
    static void stop() {
        site.close();
    }

    static Stream<String> attacks() {
        return ATTACKS.keySet().stream().sorted();
    }

    /** 504 for those that take too long, 500 for the others; some are both. */
    @ParameterizedTest
    @MethodSource("attacks")
    void endsWithAnError(String attack) {
        Site.Reply reply = site.get("/" + attack);
        assertTrue(reply.status() == 500 || reply.status() == 504, reply::toString);
        assertFalse(reply.body().contains("secret"));
        assertEquals("well", site.text("/well"));
    }

    @Test
    void d14SlowScriptsDelayNoOther() {
        List<CompletableFuture<Site.Reply>> slow =
                IntStream.range(0, 3).mapToObj(i -> site.sendAsync("GET", "/never", "")).toList();
        List<CompletableFuture<Site.Reply>> endless =
                IntStream.range(0, 3).mapToObj(i -> site.sendAsync("GET", "/loop", "")).toList();
        for (int i = 0; i < 20; i++) {
            assertEquals("well", site.text("/well"));
        }
        assertTrue(slow.stream().noneMatch(CompletableFuture::isDone), "these still wait");
        endless.forEach(each -> assertEquals(504, each.join().status()));
    }

    @Test
    void waitingForEverEndsAtTheTimeout(@TempDir Path other) {
        Site.write(other, "never.js", NEVER);
        try (var impatient =
                new Site(other, options -> options.timeout(Duration.ofMillis(200)).contexts(1))) {
            assertEquals(504, impatient.status("/never"));
            assertEquals("handler GET /well ", impatient.text("/well"));
        }
    }

    /** As many contexts are awake as there are cores; more are woken for requests that wait. */
    @Test
    void scriptsThatComputeOnAllCoresDelayNoOther(@TempDir Path other) {
        Site.write(
                other,
                "busy.js",
                """
                export function generateResponse() {
                    kv.increment("busy");
                    while (kv.get("stop") === undefined) for (let i = 0; i < 1e5; i++);
                    return { body: "stopped" };
                }
                """);
        Site.write(
                other,
                "well.js",
                "export const generateResponse = () => ({ body: kv.get('busy') ?? 0 });");
        Site.write(
                other,
                "stop.js",
                "export const generateResponse = () => (kv.set('stop', 1), { body: '' });");
        int cores = Runtime.getRuntime().availableProcessors();
        try (var site =
                new Site(
                        other,
                        options ->
                                options.timeout(Duration.ofMinutes(1))
                                        .cpuTime(Duration.ofMinutes(1))
                                        .contexts(cores + 2))) {
            List<CompletableFuture<Site.Reply>> busy =
                    IntStream.range(0, cores)
                            .mapToObj(i -> site.sendAsync("GET", "/busy", ""))
                            .toList();
            Site.await("all to compute", () -> site.text("/well").equals("" + cores));
            for (int i = 0; i < 20; i++) {
                assertEquals("" + cores, site.text("/well"));
            }
            assertTrue(busy.stream().noneMatch(CompletableFuture::isDone), "these compute");
            assertEquals(200, site.get("/stop").status());
            busy.forEach(each -> assertEquals("stopped", each.join().body()));
        }
    }

    @Test
    void requestsThatShareAContextSurviveTheEndOfAnother(@TempDir Path other) {
        Site.write(
                other,
                "waits.js",
                """
                export async function generateResponse() {
                    kv.increment("waiting");
                    while (kv.get("go") === undefined) await new Promise((r) => setTimeout(r, 5));
                    return { body: "waited" };
                }
                """);
        Site.write(
                other,
                "go.js",
                "export const generateResponse = () => (kv.set('go', 1), { body: '' });");
        Site.write(
                other,
                "waiting.js",
                "export const generateResponse = () => ({ body: kv.get('waiting') ?? 0 });");
        Site.write(other, "loop.js", "export function generateResponse() { while (true) {} }");
        try (var crowded =
                new Site(
                        other,
                        options ->
                                options.timeout(Duration.ofMinutes(1))
                                        .cpuTime(Duration.ofMillis(100))
                                        .contexts(2))) {
            var waiting = new ArrayList<CompletableFuture<Site.Reply>>();
            for (int i = 0; i < 6; i++) { // three for each context
                waiting.add(crowded.sendAsync("GET", "/waits", ""));
            }
            Site.await("all to wait", () -> crowded.text("/waiting").equals("6"));
            assertEquals(504, crowded.status("/loop"));
            crowded.get("/go");
            waiting.forEach(each -> assertEquals("waited", each.join().body()));
        }
    }
}
