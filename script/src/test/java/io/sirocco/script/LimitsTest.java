// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Bounds of queues and streams, and clients that disconnect. */
@ExtendWith(LoadedLanguage.class)
class LimitsTest {
    private static final String WAITS =
            "export async function generateResponse() { kv.increment('waiting');"
                    + " while (kv.get('go') === undefined) await new Promise((r) => setTimeout(r, 5));"
                    + " return { body: 'waited' }; }";

    @TempDir Path folder;

    @Test
    void aFullQueueIsRefusedWith503() {
        Site.write(folder, "waits.js", WAITS);
        try (var site =
                new Site(
                        folder,
                        options ->
                                options.contexts(1)
                                        .requestsPerContext(2)
                                        .maxWaiting(3)
                                        .timeout(Duration.ofSeconds(20)))) {
            List<CompletableFuture<Site.Reply>> all =
                    IntStream.range(0, 20)
                            .mapToObj(i -> site.sendAsync("GET", "/waits", ""))
                            .toList();
            Site.await(
                    "the refusals",
                    () -> all.stream().filter(CompletableFuture::isDone).count() >= 15);
            site.write("go.js", "kv.set('go', 1); export const inspectRequest = () => null;");
            List<Integer> statuses = all.stream().map(each -> each.join().status()).toList();
            long refused = statuses.stream().filter(each -> each == 503).count();
            assertTrue(refused >= 15, statuses::toString);
            assertEquals(20 - refused, statuses.stream().filter(each -> each == 200).count());
        }
    }

    @Test
    void statementsAreLimited() {
        Site.write(
                folder,
                "a.js",
                "export function generateResponse(q) { let n = Number(q.query.get('n'));"
                        + " while (n > 0) { n--; } return { body: 'done' }; }");
        try (var site = new Site(folder, options -> options.maxStatements(10_000))) {
            for (int i = 0; i < 3; i++) {
                assertEquals("done", site.text("/a?n=1000"));
                assertEquals(500, site.status("/a?n=1000000"));
            }
        }
    }

    @Test
    void aStreamThatStopsIsReset() throws IOException {
        Site.write(
                folder,
                "a.js",
                "export const generateResponse = () => ({ body: (async function* () { yield 'a';"
                        + " await new Promise(() => {}); })() });");
        Site.write(
                folder,
                "b.js",
                "export const generateResponse = () => ({ body: (function* () { yield 'a';"
                        + " throw new Error('no'); })() });");
        Site.write(
                folder,
                "c.js",
                "export const generateResponse = () => ({ body: (function* () { throw new Error(); })() });");
        try (var site = new Site(folder, options -> options.timeout(Duration.ofMillis(700)))) {
            for (String path : List.of("/a", "/b")) {
                assertTrue(
                        site.sendAsync("GET", path, "").handle((r, e) -> e != null).join(), path);
            }
            assertEquals(500, site.status("/c"));
        }
    }

    /** The headers are sent before the body of a function is known. */
    @Test
    void headersDoNotWaitForTheBody() throws IOException {
        Site.write(
                folder,
                "a.js",
                "export const generateResponse = () => ({ body: async () => {"
                        + " while (kv.get('go') === undefined) await new Promise((r) => setTimeout(r, 5));"
                        + " return 'late'; } });");
        Site.write(
                folder,
                "go.js",
                "export const generateResponse = () => (kv.set('go', 1), { status: 200 });");
        try (var site = new Site(folder);
                var socket = new Socket("127.0.0.1", site.server.port())) {
            socket.getOutputStream()
                    .write("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes());
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                head.append((char) socket.getInputStream().read());
            }
            assertTrue(head.toString().startsWith("HTTP/1.1 200 "));
            site.get("/go");
            String rest =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(rest.contains("late"), rest);
        }
    }

    /** A client that disconnects ends the generator, and frees its place in the context. */
    @Test
    void clientsThatDisconnect() throws IOException {
        Site.write(
                folder,
                "a.js",
                "export const generateResponse = () => ({ body: (async function* () { try {"
                        + " for (;;) { kv.increment('parts'); yield 'x'.repeat(10000);"
                        + " await new Promise((r) => setTimeout(r, 1)); } }"
                        + " finally { kv.set('ended', 1); } })() });"
                        + " export const responseCompleted = (q, outcome) => kv.set('outcome', outcome.complete);");
        Site.write(
                folder,
                "kv.js",
                "export const generateResponse = (q) => ({ body: String(kv.get(q.query.get('k'))) });");
        try (var site = new Site(folder)) {
            try (var socket = new Socket("127.0.0.1", site.server.port())) {
                socket.getOutputStream().write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".getBytes());
                socket.getInputStream().readNBytes(1000);
            }
            Site.await("the end of the generator", () -> site.text("/kv?k=ended").equals("1"));
            Site.await("responseCompleted", () -> site.text("/kv?k=outcome").equals("false"));
        }
    }
}
