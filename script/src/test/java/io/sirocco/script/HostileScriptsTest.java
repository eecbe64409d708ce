// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that defend themselves against being read, and code that outlives its request. */
@ExtendWith(LoadedLanguage.class)
class HostileScriptsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    @TempDir static Path folder;
    private static Site site;
    private static final Queue<String> FORWARDED = new ConcurrentLinkedQueue<>();

    /** Records what would be sent. */
    private static final Upstreams UPSTREAMS =
            new Upstreams() {
                @Override
                public boolean has(String name) {
                    return name.equals("api");
                }

                @Override
                public Response forward(Request request, Forward to) {
                    FORWARDED.add(to.target());
                    return Response.text("forwarded " + to.target());
                }

                @Override
                public CompletionStage<Fetched> fetch(Fetch fetch) {
                    FORWARDED.add(fetch.method() + " " + fetch.target());
                    return CompletableFuture.failedFuture(new IllegalStateException("none"));
                }
            };

    @BeforeAll
    static void start() {
        // new Function compiles in sloppy mode, without a module around it.
        Site.write(
                folder,
                "sync.js",
                "export const generateResponse = (q) => new Function('q', q.query.get('code'))(q);");
        Site.write(
                folder,
                "async.js",
                "const Async = (async () => {}).constructor;"
                        + " export const generateResponse = (q) => new Async('q', q.query.get('code'))(q);");
        Site.write(
                folder,
                "ticks.js",
                "export const generateResponse = () => ({ body: kv.get('finally') ?? 0 });");
        Site.write(folder, "well.js", "export const generateResponse = () => ({ body: 'well' });");
        site =
                new Site(
                        folder,
                        options ->
                                options.timeout(TIMEOUT)
                                        .cpuTime(Duration.ofMillis(200))
                                        .maxAllocation(24 << 20)
                                        .upstreams(UPSTREAMS)
                                        .contexts(2));
    }

    @AfterAll
    static void stop() {
        site.close();
    }

    private static Site.Reply run(String path, String code) {
        return run(site, path, code);
    }

    private static Site.Reply run(Site site, String path, String code) {
        return site.get(
                path
                        + "?code="
                        + java.net.URLEncoder.encode(
                                code, java.nio.charset.StandardCharsets.UTF_8));
    }

    /** Code and its status: {@code 5xx} where the time or the memory may run out first. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '~',
            value = {
                "throw { toString() { throw 1; } } ¦ 500",
                "throw { get constructor() { throw 1; } } ¦ 500",
                "throw { constructor: { name: { [Symbol.toPrimitive]() { throw 1; } } } } ¦ 500",
                "throw Object.defineProperty(new Error('e'), 'name', { get() { throw 1; } }) ¦ 500",
                "throw Object.defineProperty(new Error('e'), 'message', { get() { throw 1; } }) ¦ 500",
                "throw Object.defineProperty(new Error('e'), 'stack', { get() { throw 1; } }) ¦ 500",
                "throw { get status() { throw 1; } } ¦ 500",
                "throw new Proxy(new Error('e'), { get() { throw 1; }, getPrototypeOf() { throw 1; } }) ¦ 500",
                "throw Symbol('s') ¦ 500",
                "throw null ¦ 500",
                "throw Object.create(null) ¦ 500",
                "throw Object.defineProperty(new Error('e'), 'name', { get() { for (;;); } }) ¦ 504",
                "throw { get constructor() { for (;;); } } ¦ 504",
                "throw { toString() { for (;;); }, get constructor() { return { name: this }; } } ¦ 504",
                "throw Object.assign(new Error('e'), { status: { valueOf() { for (;;); } } }) ¦ 500",
                "return { get status() { throw 1; } } ¦ 500",
                "return { get body() { throw 1; } } ¦ 500",
                "return { status: { valueOf: () => 200 }, body: '' } ¦ 500",
                "return { body: { toJSON() { throw 1; } } } ¦ 500",
                "return { body: { toJSON() { for (;;); } } } ¦ 504",
                "return { body: { get a() { for (;;); } } } ¦ 504",
                "return new Proxy({}, { has() { throw 1; } }) ¦ 500",
                "return new Proxy({}, { get() { throw 1; }, has: () => true }) ¦ 500",
                "return { headers: { A: { toString() { throw 1; } } } } ¦ 500",
                "return { headers: { A: { toString() { for (;;); } } } } ¦ 504",
                "return { headers: { 'A\\nB\\nC': 'd' } } ¦ 500",
                "return { headers: { 'A\\r\\nB: c': 'd' } } ¦ 500",
                "return { headers: { A: 'b\\r\\nC: d' } } ¦ 500",
                "return { headers: { A: { n: 0, toString() { return this.n++ ? 'b\\nC\\nd' : 'b'; } } } } ¦ 200",
                "return { body: Object.defineProperty(new Uint8Array(4), 'byteLength', { value: 1e9 }) } ¦ 500",
                "return { body: Object.defineProperty(new Uint8Array(4), 'byteLength', { value: -1 }) } ¦ 500",
                "return { body: Object.defineProperty(new Uint8Array(4), 'byteOffset', { value: 2 ** 31 }) } ¦ 500",
                "let a = []; for (let i = 0; i < 60; i++) a = [a, a]; return { body: a } ¦ 5xx",
                "let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return { body: a } ¦ 5xx",
                "return { body: JSON.parse('['.repeat(1e6)) } ¦ 500",
                "let s = 'x'; for (;;) s += s ¦ 500",
                "let s = 'x'; for (let i = 0; i < 21; i++) s += s; return { body: [s, s, s, s, s, s, s, s] } ¦ 5xx",
                "const h = []; for (let i = 0; i < 1e5; i++) h.push(['A', 'b']); return { headers: h } ¦ 5xx",
                "return { then() { throw 1; } } ¦ 500",
                "return { get then() { throw 1; } } ¦ 500",
                "return { then(ok) { for (;;); } } ¦ 504",
                "return { then(ok) { ok({ body: 'a' }); ok({ body: 'b' }); throw 1; } } ¦ 200",
                "return { body: { next() { return null; } } } ¦ 500",
                "return { body: { next() { return { get done() { throw 1; } }; } } } ¦ 500",
                "return { body: { async next() { return null; } } } ¦ 500",
                "return { body: { async next() { return { get done() { throw 1; } }; } } } ¦ 500",
                "return { body: { async next() { throw { toString() { throw 1; } }; } } } ¦ 500",
                "return { body: { next() { for (;;); } } } ¦ 500",
                "return { body: { next() { return { value: { length: 5 } }; } } } ¦ 500",
                "return { body: { next() { return { done: true }; }, get return() { throw 1; } } } ¦ 200",
                "return { body: { next() { return { done: true }; }, return() { for (;;); } } } ¦ 200",
                "Promise.reject({ toString() { throw 1; } }); return { body: '' } ¦ 200",
                "log.info({ toJSON() { throw 1; }, toString() { throw 1; } }); return { body: '' } ¦ 200",
                "log.info(Symbol('s'), null, Object.create(null)); return { body: '' } ¦ 200",
                "log.info('x'.repeat(1e6)); return { body: '' } ¦ 200",
                "for (let i = 0; i < 1e5; i++) setTimeout(() => {}, 1e9) ¦ 500",
                "for (let i = 0; ; i++) kv.set('k' + i, 'x'.repeat(1e4)) ¦ 5xx",
                "for (let i = 0; ; i++) kv.set('k', 'x'.repeat(1e9)) ¦ 500",
                "return 'api' ¦ 500",
                "return 'http://other/' ¦ 500",
                "q.path = '/a b'; q.upstream = 'api'; return q ¦ 500",
                "q.path = '/a\\r\\nX: y'; q.upstream = 'api'; return q ¦ 500",
                "q.path = 'http://other/'; q.upstream = 'api'; return q ¦ 500",
                "q.path = '/\\u0100'; q.upstream = 'api'; return q ¦ 500",
                "q.path = '/'.repeat(2e5); q.upstream = 'api'; return q ¦ 500",
                "q.headers.set('Accept-Language', 'a,'.repeat(1e5)); q.languages; return { body: '' } ¦ 500",
            })
    void endsCleanly(String code, String status) {
        FORWARDED.clear();
        for (String path : new String[] {"/sync", "/async"}) {
            Site.Reply reply = run(path, code);
            String known = Integer.toString(reply.status());
            assertTrue(known.matches(status.replace("x", ".")), path + " " + known);
            assertFalse(reply.headers().has("C"), "a header was injected");
        }
        assertTrue(FORWARDED.isEmpty(), FORWARDED::toString);
        Site.await("everything to end", site.scripts::isQuiet);
        assertEquals("well", site.text("/well"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '~',
            value = {
                "fetch('api', '/a b') ¦ 500",
                "fetch('api', '/a\\r\\nX: y') ¦ 500",
                "fetch('api', 'http://other/') ¦ 500",
                "fetch('api', '/', { method: 'GET / HTTP/1.1\\r\\nX:' }) ¦ 500",
                "fetch('api', '/', { headers: { 'A\\nB\\nC': 'd' } }) ¦ 500",
                "fetch('api', '/'.repeat(2e5)) ¦ 500",
                "fetch('api', '/', { method: 'A'.repeat(2e5) }) ¦ 500",
            })
    void fetchSendsNoMalformedRequest(String code, int status) {
        FORWARDED.clear();
        assertEquals(status, run("/async", "return { body: await " + code + " }").status());
        assertTrue(FORWARDED.isEmpty(), FORWARDED::toString);
    }

    @Test
    void aUrlIsEncodedBeforeItIsForwarded() {
        assertEquals(
                "forwarded /a%20b%0D%0AX:%20y",
                run("/sync", "return 'http://api/a b\\r\\nX: y'").body());
    }

    /** A client that has a property {@code __proto__} merged into an object changes no other. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '~',
            value = {
                "({}).__proto__.status = 204",
                "({}).constructor.prototype.then = 1",
                "Object.prototype.body = 'polluted'",
                "const merge = (a, b) => { for (const k in b) typeof b[k] === 'object' ? merge(a[k] ??= {}, b[k]) : a[k] = b[k]; };"
                        + " merge({}, JSON.parse('{~__proto__~:{~status~:418,~next~:1,~headers~:{}}}'))",
                "const merge = (a, b) => { for (const k in b) typeof b[k] === 'object' ? merge(a[k] ??= {}, b[k]) : a[k] = b[k]; };"
                        + " merge({}, JSON.parse('{~constructor~:{~prototype~:{~status~:418}}}'))",
            })
    void prototypesOfOneRequestAreNotThoseOfTheNext(String code) {
        run("/sync", code + "; return { body: '' }");
        for (int i = 0; i < 4; i++) {
            Site.Reply next =
                    run(
                            "/sync",
                            "const a = {}; return { body: String([a.status, a.then, a.next, a.headers, a.body]) }");
            assertEquals(200, next.status());
            assertEquals(",,,,", next.body());
        }
    }

    /** A timer that sets itself again does not go on when its request is over. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '~',
            value = {
                "(function again() { kv.increment('ticks'); setTimeout(again, 0); })()",
                "setInterval(() => kv.increment('ticks'), 1)",
                "(async () => { for (;;) { kv.increment('ticks'); await new Promise((r) => setTimeout(r, 0)); } })()",
                "for (let i = 0; i < 900; i++) setTimeout(() => kv.increment('ticks'), 1e8)",
            })
    void timersEndWithTheirRequest(String code) {
        for (int i = 0; i < 30; i++) {
            assertEquals(200, run("/sync", code + "; return { body: '' }").status());
        }
        assertEquals("well", site.text("/well"));
        String ticks = run("/sync", "return { body: String(kv.get('ticks') ?? 0) }").body();
        for (int i = 0; i < 50; i++) {
            site.text("/well");
        }
        assertEquals(ticks, run("/sync", "return { body: String(kv.get('ticks') ?? 0) }").body());
    }

    private static Site impatient() {
        return new Site(folder, options -> options.timeout(Duration.ofMillis(300)).contexts(1));
    }

    @Test
    void whatIsNeverDoneEndsAtTheTimeout() {
        try (Site site = impatient()) {
            for (String path : new String[] {"/sync", "/async"}) {
                assertEquals(504, run(site, path, "return { then() {} }").status(), path);
            }
            Site.await("everything to end", site.scripts::isQuiet);
        }
    }

    /** Code in a {@code finally} of a stream whose client has disconnected. */
    @Test
    void theEndOfAStreamHasATimeoutToo() {
        try (Site site = impatient()) {
            theEndOfAStreamHasATimeoutToo(site);
        }
    }

    private static void theEndOfAStreamHasATimeoutToo(Site site) {
        String code =
                "return { body: (async function* () { try { for (;;) yield 'x'.repeat(1000); } finally {"
                        + " for (;;) { kv.increment('finally'); await new Promise((r) => setTimeout(r, 0)); } } })() }";
        site.abort(
                "/sync?code="
                        + java.net.URLEncoder.encode(
                                code, java.nio.charset.StandardCharsets.UTF_8));
        Site.await("the finally block", () -> ticks(site) > 0);
        Site.await(
                "its end",
                () -> {
                    long before = ticks(site);
                    for (int i = 0; i < 50; i++) {
                        site.text("/well");
                    }
                    return before > 0 && before == ticks(site);
                });
    }

    /** Returns how often the block has run; -1 if the response took too long. */
    private static long ticks(Site site) {
        Site.Reply reply = site.get("/ticks");
        return reply.status() == 200 ? Long.parseLong(reply.body()) : -1;
    }
}
