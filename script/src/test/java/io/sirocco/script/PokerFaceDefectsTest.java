// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.client.HttpClient;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The defects of PokerFace's scripts, by their numbers. D14 is in {@link IsolationTest}. */
@ExtendWith(LoadedLanguage.class)
class PokerFaceDefectsTest {
    @TempDir Path folder;

    private void script(String name, String text) {
        Site.write(folder, name, text);
    }

    private static String says(String text) {
        return "export const generateResponse = () => ({ body: '" + text + "' });";
    }

    /** A directory script that returns null once ended in an endless loop. */
    @Test
    void d9DirectoryScriptFallsThrough() {
        script("a/b/_.js", "export const inspectRequest = () => null;");
        script("a/?.js", "export const inspectRequest = () => undefined;");
        script("_.js", says("root"));
        script("c/?.js", "export const inspectRequest = () => null;");
        try (var site = new Site(folder)) {
            assertEquals("root", site.text("/a/b/x"));
            assertEquals("root", site.text("/a/x"));
            assertEquals("root", site.text("/c/"));
            site.write("_.js", "export const inspectRequest = () => null;");
            Site.await("the change", () -> site.text("/a/b/x").equals("handler GET /a/b/x "));
        }
    }

    /** A sibling once hid the script of the directory. */
    @Test
    void d10SiblingsDoNotHideTheDirectory() {
        script("dir/_.js", says("directory"));
        script("dir/page.html.js", says("page"));
        script("dir/a.js", says("a"));
        try (var site = new Site(folder)) {
            assertEquals("directory", site.text("/dir/zzz"));
            assertEquals("directory", site.text("/dir/b"));
            assertEquals("directory", site.text("/dir/"));
            assertEquals("directory", site.text("/dir/sub/deep"));
            assertEquals("page", site.text("/dir/page.html"));
            assertEquals("handler GET /dir ", site.text("/dir"));
        }
    }

    /** Keys once matched as prefixes. */
    @Test
    void d11PathsMatchExactly() {
        script("hi.html.js", says("hi"));
        script("Case.js", says("case"));
        script("caf\u00e9.js", says("coffee"));
        try (var site = new Site(folder)) {
            assertEquals("hi", site.text("/hi.html"));
            assertEquals("handler GET /hi.htmlXYZ ", site.text("/hi.htmlXYZ"));
            assertEquals("handler GET /hi.html/sub ", site.text("/hi.html/sub"));
            assertEquals("handler GET /hi.htm ", site.text("/hi.htm"));
            assertEquals("case", site.text("/Case"));
            assertEquals("handler GET /case ", site.text("/case"));
            assertEquals("coffee", site.text("/caf%C3%A9"));
            assertEquals("hi", site.text("/%68i.html"));
            assertEquals("hi", site.text("//hi.html"));
            assertTrue(site.raw("/x/../hi.html").startsWith("HTTP/1.1 400 "));
            assertTrue(site.raw("/x/%2e%2E/hi.html").startsWith("HTTP/1.1 400 "));
        }
    }

    /** Forwarding by a string once dropped the headers. */
    @Test
    void d12ForwardingKeepsHeadersMethodAndBody() throws Exception {
        script("a.js", "export const inspectRequest = () => 'http://up/b?x=1';");
        script("u.js", "export const inspectRequest = () => new URL('http://up/url');");
        script(
                "c.js",
                "export function inspectRequest(request) { request.upstream = 'up';"
                        + " request.path = '/changed'; request.headers.set('X-New', 'n');"
                        + " request.headers.delete('Cookie'); return request; }");
        script("d.js", "export const inspectRequest = () => 'http://other/';");
        script(
                "e.js",
                "export const inspectRequest = (r) => 'http://127.0.0.1:' + r.query.get('p') + '/e';");
        try (var upstream = echo();
                var client = HttpClient.create()) {
            String url = "http://127.0.0.1:" + upstream.port();
            Upstreams upstreams = Upstreams.of(client, Map.of("up", url));
            try (var site = new Site(folder, options -> options.upstreams(upstreams))) {
                String[] headers = {"Cookie", "a=b", "Authorization", "B x", "Accept", "text/x"};
                assertEquals(
                        "POST /b?x=1 a=b|B x|text/x|-|body",
                        site.send("POST", "/a", "body", headers).body());
                assertEquals("GET /url a=b|B x|text/x|-|", site.text("/u", headers));
                assertEquals(
                        "GET /changed?q a=-|B x|text/x|n|",
                        site.text("/c?q", headers).replace(" -|", " a=-|"));
                assertEquals(500, site.status("/d"));
                assertEquals(500, site.status("/e?p=" + upstream.port()));
            }
            try (var site =
                    new Site(folder, options -> options.upstreams(upstreams).anyUpstream(true))) {
                assertTrue(site.text("/e?p=" + upstream.port()).startsWith("GET /e "));
            }
        }
    }

    private static Server echo() {
        return Server.start(
                config -> config.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                routes ->
                        routes.any(
                                "/*",
                                r ->
                                        Response.text(
                                                r.method()
                                                        + " "
                                                        + r.target()
                                                        + " "
                                                        + String.join(
                                                                "|",
                                                                r.header("Cookie").orElse("-"),
                                                                r.header("Authorization")
                                                                        .orElse("-"),
                                                                r.header("Accept").orElse("-"),
                                                                r.header("X-New").orElse("-"),
                                                                r.body().text()))));
    }

    /** inspectResponse and responseCompleted once ran for scripts that had returned null. */
    @Test
    void d13OnlyScriptsThatTookPartSeeTheResponse() {
        String sees =
                "export const inspectResponse = (q, r) => { r.headers.append('Seen', 'NAME'); };"
                        + " export const responseCompleted = (q, o) => { kv.increment('NAME'); };";
        script(
                "a/x.js",
                "export const inspectRequest = () => null;" + sees.replace("NAME", "null"));
        script("a/_.js", "export const inspectRequest = (q) => q;" + sees.replace("NAME", "took"));
        script("_.js", sees.replace("NAME", "filter"));
        script(
                "count.js",
                "export const generateResponse = () => ({ body: ['null', 'took', 'filter'].map((n) => kv.get(n) ?? 0) });");
        try (var site = new Site(folder)) {
            assertEquals("took | filter", site.get("/a/x").header("Seen"));
            assertEquals("filter", site.get("/b").header("Seen"));
            Site.await("the end", () -> site.text("/count").equals("[0,1,2]"));
            assertEquals("", site.get("/count").header("Seen")); // what scripts respond is theirs
        }
    }

    /** A body above 1 MiB once stalled the connection. */
    @Test
    void d15LongBodiesAreRead() {
        script(
                "echo.js",
                "export const generateResponse = async (q) => ({ body: await q.text() });");
        script(
                "count.js",
                "export async function generateResponse(q) { let n = 0;"
                        + " for await (const part of q.stream()) n += part.length;"
                        + " return { body: n }; }");
        script("ignore.js", says("ignored"));
        String body = "0123456789abcdef".repeat(5 << 16); // 5 MiB
        try (var site = new Site(folder, options -> options.maxBodyBytes(6 << 20))) {
            assertEquals(body, site.send("POST", "/echo", body).body());
            assertEquals("5242880", site.send("POST", "/count", body).body());
            assertEquals(
                    "ignored", site.send("POST", "/ignore", body.substring(0, 100_000)).body());
            assertEquals(5242880 + 24, site.send("POST", "/no-script", body).body().length());
        }
        try (var site = new Site(folder, options -> options.maxBodyBytes(1 << 20))) {
            assertEquals(413, site.send("POST", "/echo", body).status());
        }
    }

    /** Languages of equal quality were reversed; the scheme was always https. */
    @Test
    void d16FactsOfTheRequest() {
        script(
                "facts.js",
                "export const generateResponse = (q) => ({ body: [q.scheme, q.host, q.url.href,"
                        + " q.languages.join(), q.remoteAddress, q.cookies.a] });");
        try (var site = new Site(folder)) {
            assertEquals(
                    "[\"http\",\"h\",\"http://h/facts?utm_b=1&a=2\",\"es,de,fr,en\",\"127.0.0.1\",\"b\"]",
                    site.text(
                            "/facts?utm_b=1&a=2",
                            "Host",
                            "h",
                            "Accept-Language",
                            "es, fr;q=0.8, de, en;q=0.7, it;q=0",
                            "Cookie",
                            "x=y; a=b"));
        }
    }

    /** Text of exceptions once reached the client. */
    @Test
    void d18ErrorsDoNotLeak() {
        script("throw.js", "export const generateResponse = () => { throw new Error('secret'); };");
        script("wrong.js", "export const generateResponse = () => 'no url secret';");
        script("number.js", "export const generateResponse = () => 42;");
        script("status.js", "export const generateResponse = () => ({ status: 99 });");
        script(
                "split.js",
                "export const generateResponse = () => ({ headers: { A: 'b\\r\\nSecret: c' } });");
        script("empty.js", "export const generateResponse = () => ({ secret: 1 });");
        script(
                "mine.js",
                "export const generateResponse = () => { throw Object.assign(new Error('The date is missing.'), { status: 400 }); };");
        try (var site = new Site(folder)) {
            for (String name :
                    new String[] {"throw", "wrong", "number", "status", "split", "empty"}) {
                Site.Reply reply = site.get("/" + name);
                assertEquals(500, reply.status(), name);
                assertEquals("Internal Server Error", reply.body().strip());
                assertTrue(reply.headers().all("Secret").isEmpty());
            }
            Site.Reply mine = site.get("/mine");
            assertEquals(400, mine.status());
            assertEquals("The date is missing.", mine.body().strip());
        }
    }

    /** Strings of scripts were sent as Latin-1. */
    @Test
    void textIsUtf8() {
        script("u.js", says("\u00e9\u4e16\ud83c\udf0d"));
        try (var site = new Site(folder, options -> options.timeout(Duration.ofSeconds(20)))) {
            Site.Reply reply = site.get("/u");
            assertEquals("\u00e9\u4e16\ud83c\udf0d", reply.body());
            assertEquals("text/plain; charset=utf-8", reply.header("Content-Type"));
        }
    }
}
