// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What scripts can return, in each mode of execution. */
@ExtendWith(LoadedLanguage.class)
class ResultsTest {
    @TempDir Path folder;

    private void generate(String name, String code) {
        Site.write(
                folder, name + ".js", "export async function generateResponse(q) { " + code + " }");
    }

    @ParameterizedTest
    @EnumSource(ExecutionMode.class)
    void everyKindOfBody(ExecutionMode mode) {
        generate("text", "return { body: 'text' };");
        generate("bytes", "return { body: new Uint8Array([0, 1, 2, 120, 121]).subarray(3) };");
        generate("buffer", "return { body: new TextEncoder().encode('buffer').buffer };");
        generate("json", "return { body: { a: [1, null] } };");
        generate("number", "return { body: 7 };");
        generate("none", "return { status: 204 };");
        generate(
                "generator",
                "return { body: (function* () { yield 'a'; yield new Uint8Array([98]); })() };");
        generate(
                "async",
                "return { body: (async function* () { for (let i = 0; i < 3; i++) { await 0; yield 'p' + i; } })() };");
        generate("function", "return { body: async () => { await 0; return { f: 1 }; } };");
        generate(
                "functionStream",
                "return { body: () => (function* () { yield 'x'.repeat(20000); })() };");
        generate("response", "return new Response('made', { status: 202, headers: { A: 'b' } });");
        generate("echo", "return { body: await q.bytes() };");
        generate(
                "parts",
                "return { body: (async function* () { for await (const p of q.stream()) yield p; })() };");
        generate("jsonIn", "return { body: (await q.json()).a };");
        generate("twice", "return { body: (await q.text()) + (await q.bytes()).length };");
        try (var site = new Site(folder, mode, options -> {}, Site.ECHO)) {
            for (String[] each :
                    new String[][] {
                        {"/text", "text", "text/plain; charset=utf-8"},
                        {"/bytes", "xy", "application/octet-stream"},
                        {"/buffer", "buffer", "application/octet-stream"},
                        {"/json", "{\"a\":[1,null]}", "application/json"},
                        {"/number", "7", "application/json"},
                        {"/none", "", ""},
                        {"/generator", "ab", "application/octet-stream"},
                        {"/async", "p0p1p2", "application/octet-stream"},
                        {"/function", "{\"f\":1}", "application/octet-stream"},
                        {"/functionStream", "x".repeat(20_000), "application/octet-stream"},
                        {"/response", "made", "text/plain; charset=utf-8"},
                    }) {
                Site.Reply reply = site.get(each[0]);
                assertEquals(each[1], reply.body(), each[0]);
                assertEquals(each[2], reply.header("Content-Type"), each[0]);
                assertEquals("", site.send("HEAD", each[0], "").body());
            }
            assertEquals(202, site.status("/response"));
            String body = "0123456789".repeat(10_000);
            assertEquals(body, site.send("POST", "/echo", body).body());
            assertEquals(body, site.send("POST", "/parts", body).body());
            assertEquals("5", site.send("POST", "/jsonIn", "{\"a\": 5}").body());
            assertEquals("abc3", site.send("POST", "/twice", "abc").body());
            assertEquals(400, site.send("POST", "/jsonIn", "{").status());
        }
    }

    @Test
    void headersOfAResponse() {
        generate(
                "a",
                "return { headers: { 'Set-Cookie': ['a=1', 'b=2'], 'Last-Modified': new Date(0),"
                        + " 'Content-Type': 'text/css', 'Content-Length': '99', Connection: 'x' },"
                        + " body: 'a' };");
        generate("b", "return { headers: [['X', '1'], { Y: '2' }, ['X', '3']] };");
        generate(
                "c",
                "const h = new Headers({ A: '1' }); h.append('a', '2'); return { headers: h };");
        generate("d", "return { headers: { Expires: '@60', Date: '@60' } };");
        try (var site = new Site(folder)) {
            Site.Reply a = site.get("/a");
            assertEquals("a=1 | b=2", a.header("Set-Cookie"));
            assertEquals("Thu, 01 Jan 1970 00:00:00 GMT", a.header("Last-Modified"));
            assertEquals("text/css", a.header("Content-Type"));
            assertEquals("1", a.header("Content-Length"));
            assertEquals("1 | 3", site.get("/b").header("X"));
            assertEquals("1 | 2", site.get("/c").header("A"));
            assertTrue(site.get("/d").header("Expires").endsWith(" GMT"));
        }
    }

    @Test
    void inspectRequestDecides() {
        Site.write(
                folder,
                "_.js",
                """
                const results = {
                    nothing: (self, q) => null,
                    pass: (self, q) => q,
                    self: (self, q) => self,
                    yes: (self, q) => true,
                    later: async (self, q) => true,
                    response: (self, q) => ({ status: 418 }),
                };
                export default {
                    inspectRequest(q) { return results[q.query.get("r")](this, q); },
                    generateResponse(q) { return { body: "generated " + (this !== undefined) }; },
                };
                """);
        try (var site = new Site(folder)) {
            assertEquals("handler GET /?r=nothing ", site.text("/?r=nothing"));
            assertEquals(
                    "handler POST /?r=pass body", site.send("POST", "/?r=pass", "body").body());
            for (String each : List.of("self", "yes", "later")) {
                assertEquals("generated true", site.text("/?r=" + each));
            }
            assertEquals(418, site.status("/?r=response"));
            assertEquals(500, site.status("/?r=unknown"));
        }
    }

    @Test
    void bodiesThatAScriptHasReadAreThereForTheHandler() {
        Site.write(
                folder,
                "_.js",
                "export async function inspectRequest(q) {"
                        + " return (await q.text()).includes('bad') ? { status: 400 } : null; }");
        try (var site = new Site(folder)) {
            assertEquals("handler POST /a good", site.send("POST", "/a", "good").body());
            assertEquals(400, site.send("POST", "/a", "bad").status());
        }
    }

    @Test
    void inspectResponseChangesWhatHandlersRespond() throws Exception {
        Path file = Files.writeString(folder.resolve(".file"), "content of the file");
        Site.write(
                folder,
                "_.js",
                """
                export async function inspectResponse(request, response) {
                    switch (request.path) {
                        case "/headers":
                            response.headers.set("Seen", response.headers.get("content-type"));
                            response.headers.delete("Old");
                            break;
                        case "/status": response.status = 203; break;
                        case "/body": response.body = "replaced"; break;
                        case "/other": return { status: 299, headers: { A: "b" }, body: { c: 1 } };
                        case "/throws": throw new Error("no");
                    }
                }
                """);
        try (var site =
                new Site(
                        folder,
                        ExecutionMode.VIRTUAL,
                        options -> {},
                        r -> Response.file(file).header("Old", "x"))) {
            Site.Reply headers = site.get("/headers");
            assertEquals("content of the file", headers.body());
            assertEquals("application/octet-stream", headers.header("Seen"));
            assertEquals("", headers.header("Old"));
            assertEquals("19", headers.header("Content-Length"));
            assertEquals(203, site.status("/status"));
            Site.Reply body = site.get("/body");
            assertEquals("replaced", body.body());
            assertEquals("8", body.header("Content-Length"));
            Site.Reply other = site.get("/other");
            assertEquals(299, other.status());
            assertEquals("{\"c\":1}", other.body());
            assertEquals("b", other.header("A"));
            assertEquals(500, site.status("/throws"));
            assertEquals("content of the file", site.text("/x"));
        }
    }

    @Test
    void exposedFunctions() {
        generate("a", "return { body: price('x', [1, { a: true }], null) };");
        generate("b", "try { fails(); } catch (e) { return { body: e.message }; }");
        try (var site =
                new Site(
                        folder,
                        options ->
                                options.expose("price", all -> Map.of("got", all.toString()))
                                        .expose(
                                                "fails",
                                                all -> {
                                                    throw new IllegalStateException("it failed");
                                                }))) {
            assertEquals("{\"got\":\"[x, [1, {a=true}], null]\"}", site.text("/a"));
            assertEquals("it failed", site.text("/b"));
        }
    }

    /** A length costs nothing to set, and one string can be in an array many times. */
    @Test
    void argumentsOfExposedFunctionsAreBounded() {
        List<String> all =
                List.of(
                        "new Array(4e9)",
                        "[new Array(2 ** 32 - 1)]",
                        "{ a: { length: 4e9 }, b: Object.assign([], { length: 4e9 }) }",
                        "new Uint8Array(1e6)",
                        "...Array(100).fill(Array(1000).fill(1))",
                        "Array(40).fill('x'.repeat(1e6))",
                        "Array(200).fill(Object.fromEntries(Array.from({ length: 100 }, (_, i) => ['k' + i, i])))",
                        "all",
                        "(() => { const a = []; a.push(a); return a; })()");
        for (int i = 0; i < all.size(); i++) {
            generate(
                    "a" + i,
                    "let all = [0]; for (let i = 0; i < 100; i++) all = [all];"
                            + " try { return { body: take("
                            + all.get(i)
                            + ") }; } catch (e) { return { body: e.constructor === RangeError ? 'RangeError' : String(e) }; }");
        }
        try (var site =
                new Site(
                        folder,
                        options ->
                                options.cpuTime(Duration.ofSeconds(5))
                                        .maxAllocation(16 << 20)
                                        .contexts(1)
                                        .expose("take", _ -> "taken"))) {
            for (int i = 0; i < all.size(); i++) {
                assertEquals("RangeError", site.text("/a" + i), all.get(i));
            }
        }
    }

    @Test
    void argumentsOfAllUsualSizesReachExposedFunctions() {
        generate(
                "a",
                "return { body: take(Array.from({ length: 9000 }, (_, i) => ({ i })), 'x'.repeat(1e5), { length: 4e9 }) };");
        try (var site =
                new Site(
                        folder,
                        options ->
                                options.maxAllocation(64 << 20)
                                        .expose(
                                                "take",
                                                all ->
                                                        ((List<?>) all.get(0)).size()
                                                                + " "
                                                                + ((String) all.get(1)).length()
                                                                + " "
                                                                + all.get(2)))) {
            assertEquals("9000 100000 {length=4.0E9}", site.text("/a"));
        }
    }
}
