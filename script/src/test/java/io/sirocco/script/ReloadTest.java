// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Scripts that are added, changed, broken and removed while they are used. */
@ExtendWith(LoadedLanguage.class)
class ReloadTest {
    @TempDir Path folder;

    private static String says(String text) {
        return "export const generateResponse = () => ({ body: '" + text + "' });";
    }

    @Test
    void addedChangedAndRemovedScripts() throws Exception {
        try (var site = new Site(folder)) {
            assertEquals("handler GET /a ", site.text("/a"));
            site.write("a.js", says("one"));
            Site.await("the first", () -> site.text("/a").equals("one"));
            site.write("a.js", says("two"));
            Site.await("the second", () -> site.text("/a").equals("two"));
            site.write("#lib/x.js", "export const x = 'three';");
            site.write(
                    "a.js",
                    "import { x } from './#lib/x.js';"
                            + " export const generateResponse = () => ({ body: x });");
            Site.await("the import", () -> site.text("/a").equals("three"));
            site.write("#lib/x.js", "export const x = 'four';");
            Site.await("what is imported", () -> site.text("/a").equals("four"));
            Files.delete(folder.resolve("a.js"));
            Site.await("the handler", () -> site.text("/a").equals("handler GET /a "));
        }
    }

    @Test
    void noRequestIsDropped() throws Exception {
        Site.write(folder, "a.js", says("0"));
        Site.write(
                folder,
                "slow.js",
                "export async function generateResponse() {"
                        + " await new Promise((r) => setTimeout(r, 50)); return { body: 'slow' }; }");
        try (var site = new Site(folder)) {
            var stop = new AtomicBoolean();
            List<CompletableFuture<List<Integer>>> clients = new ArrayList<>();
            for (String path : List.of("/a", "/a", "/slow")) {
                clients.add(
                        CompletableFuture.supplyAsync(
                                () -> {
                                    var all = new ArrayList<Integer>();
                                    for (int i = 0; i < 100_000 && !stop.get(); i++) {
                                        all.add(site.status(path));
                                    }
                                    return all;
                                }));
            }
            for (int i = 1; i <= 4; i++) {
                String now = Integer.toString(i);
                site.write("a.js", says(now));
                Site.await("version " + now, () -> site.text("/a").equals(now));
            }
            stop.set(true);
            for (var each : clients) {
                assertEquals(List.of(200), each.join().stream().distinct().toList());
            }
        }
    }

    @Test
    void requestsInProgressKeepTheOldVersion() {
        Site.write(
                folder,
                "a.js",
                "export async function generateResponse() { kv.set('began', 1);"
                        + " while (kv.get('go') === undefined) await new Promise((r) => setTimeout(r, 5));"
                        + " return { body: 'old' }; }"
                        + " export const teardown = () => { kv.set('torn down', 1); };");
        Site.write(
                folder,
                "kv.js",
                "export function generateResponse(q) { const key = q.query.get('set');"
                        + " if (key) kv.set(key, 1); return { body: kv.get(q.query.get('get')) ?? 0 }; }");
        try (var site =
                new Site(folder, options -> options.contexts(1).timeout(Duration.ofMinutes(1)))) {
            CompletableFuture<Site.Reply> old = site.sendAsync("GET", "/a", "");
            Site.await("the request", () -> site.text("/kv?get=began").equals("1"));
            site.write("a.js", says("new"));
            site.write("b.js", says("b"));
            Site.await("the new version", () -> site.text("/b").equals("b"));
            assertEquals("new", site.text("/a"));
            assertEquals("0", site.text("/kv?get=torn+down"));
            site.get("/kv?set=go");
            assertEquals("old", old.join().body());
            Site.await("teardown", () -> site.text("/kv?get=torn+down").equals("1"));
        }
    }

    @Test
    void brokenScriptsKeepTheirOldVersion() {
        List<String> broken =
                List.of(
                        "export function generateResponse( {",
                        "import './missing.js'; " + says("x"),
                        "import '/etc/passwd'; " + says("x"),
                        "export const nothing = 1;",
                        "throw new Error('no');",
                        "while (true) {}",
                        "export const setup = async () => { throw new Error('no'); }; "
                                + says("x"));
        for (int i = 0; i < broken.size(); i++) {
            Site.write(folder, "a" + i + ".js", says("works"));
        }
        Site.write(folder, "b.js", says("b1"));
        try (var site = new Site(folder, o -> o.setupTimeout(Duration.ofMillis(500)).contexts(1))) {
            for (int i = 0; i < broken.size(); i++) {
                assertEquals("works", site.text("/a" + i));
                site.write("a" + i + ".js", broken.get(i));
            }
            site.write("b.js", says("b2")); // when this is seen, so are those before it
            Site.await("b2", () -> site.text("/b").equals("b2"));
            for (int i = 0; i < broken.size(); i++) {
                assertEquals("works", site.text("/a" + i), broken.get(i));
                site.write("a" + i + ".js", says("repaired"));
            }
            for (int i = 0; i < broken.size(); i++) {
                String path = "/a" + i;
                Site.await("the repair", () -> site.text(path).equals("repaired"));
            }
        }
    }

    /** A guard must not stop guarding because it cannot be loaded. */
    @Test
    void scriptsWithoutAVersionThatWorksAreUnavailable() {
        Site.write(folder, "private/_.js", "export function inspectRequest( {");
        Site.write(folder, "a.js", says("a"));
        try (var site = new Site(folder)) {
            assertEquals(503, site.status("/private/x"));
            assertEquals("a", site.text("/a"));
            site.write("private/_.js", "export const inspectRequest = () => ({ status: 403 });");
            Site.await("the guard", () -> site.status("/private/x") == 403);
        }
    }

    @Test
    void scriptsServeWhenTheyAreSetUp() {
        Site.write(
                folder,
                "late.js",
                "let text; export async function setup(context) {"
                        + " while (kv.get('go') === undefined) await new Promise((r) => setTimeout(r, 5));"
                        + " text = context.config.greeting + ' from ' + context.path; }"
                        + " export const generateResponse = () => ({ body: text });");
        Site.write(
                folder,
                "go.js",
                "export const generateResponse = () => (kv.set('go', 1), { status: 200 });");
        try (var site =
                Site.starting(folder, options -> options.config(Map.of("greeting", "hello")))) {
            Site.await("the others", () -> site.status("/late") == 503);
            assertEquals(200, site.status("/go"));
            Site.await("setup", () -> site.text("/late").equals("hello from /late"));
        }
    }
}
