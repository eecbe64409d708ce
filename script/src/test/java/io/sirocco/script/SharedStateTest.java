// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.client.HttpClient;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request leaves to later ones, to the log and to the heap. */
@ExtendWith(LoadedLanguage.class)
class SharedStateTest {
    @TempDir static Path folder;
    private static Site site;
    private static final List<String> LOGGED = new CopyOnWriteArrayList<>();
    private static final Handler RECORDER =
            new Handler() {
                @Override
                public void publish(LogRecord record) {
                    LOGGED.add(record.getMessage() + " " + record.getThrown());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
    private static final Logger LOG = Logger.getLogger("io.sirocco.script");

    @BeforeAll
    static void start() {
        LOG.addHandler(RECORDER);
        Site.writeRun(folder);
        Site.write(
                folder,
                "merge.js",
                """
                function merge(into, from) {
                    for (const key in from) {
                        if (typeof from[key] === "object" && into[key]) merge(into[key], from[key]);
                        else into[key] = from[key];
                    }
                    return into;
                }
                export async function generateResponse(request) {
                    const { target, source } = JSON.parse(await request.text());
                    merge(target, source);
                    return { body: "merged" };
                }
                """);
        Site.write(
                folder,
                "empty.js",
                "export const generateResponse = (q) => ({ body: q.query.has('async')"
                        + " ? (async function* () { yield 'a'; for (;;) yield ''; })()"
                        + " : (function* () { yield 'a'; for (;;) yield new Uint8Array(0); })() });");
        Site.write(
                folder,
                "some.js",
                "export const generateResponse = () => ({ body: (function* () { yield ''; yield 'a'; yield ''; yield 'b'; })() });");
        site =
                new Site(
                        folder,
                        options ->
                                options.cpuTime(Duration.ofMillis(300))
                                        .timeout(Duration.ofSeconds(60))
                                        .maxAllocation(64 << 20)
                                        .maxBodyBytes(2 << 20)
                                        .contexts(1));
    }

    @Test
    void aSyntaxErrorIsOneLineOfTheLog() throws Exception {
        site.write("broken.js", "export function generateResponse() { return {\n");
        String start = "The script /broken.js was not loaded: SyntaxError: /broken.js:";
        while (LOGGED.stream().noneMatch(line -> line.startsWith(start))) {
            assertEquals(true, site.get("/broken").status() > 0); // until it is looked at
        }
        String line = LOGGED.stream().filter(each -> each.startsWith(start)).findFirst().get();
        assertEquals(1, line.lines().count(), line);
    }

    @AfterAll
    static void stop() {
        LOG.removeHandler(RECORDER);
        site.close();
    }

    private static String run(String code) {
        return site.run(code);
    }

    // ---- prototypes

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}, {'__proto__': {'polluted': 1}}",
                "{}, {'constructor': {'prototype': {'polluted': 1}}}",
                "{}, {'constructor': {'prototype': {'toString': 'x'}}}",
                "{}, {'constructor': {'polluted': 1}}",
                "{}, {'toString': {'polluted': 1}}",
                "[], {'constructor': {'prototype': {'polluted': 1}}}",
                "[], {'constructor': {'prototype': {'map': 'x'}}}",
                "[], {'map': {'constructor': {'prototype': {'polluted': 1}}}}",
                "[], {'map': {'call': 1}}",
            })
    void aNaiveMergeChangesNoLaterRequest(String merged) {
        String[] both = merged.replace('\'', '"').split(", ", 2);
        site.send("POST", "/merge", "{\"target\":" + both[0] + ",\"source\":" + both[1] + "}");
        assertEquals(
                "undefined,undefined,undefined,undefined,[object Object],2,f",
                run(
                        "const f = () => 1; return [({}).polluted, [].polluted, f.polluted, ''.polluted,"
                                + " String({}), [1].map((n) => n + 1)[0], typeof f.call === 'function' ? 'f' : 'x'].map(String).join()"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'use strict'; const o = {}; o.toString = () => 'mine'; return String(o)",
                "'use strict'; const o = {}; o.constructor = 'mine'; return Object.keys(o)[0] === 'constructor' ? o.constructor : ''",
                "'use strict'; class E extends Error { constructor() { super('m'); this.name = 'mine'; } } return new E().name",
                "'use strict'; const e = new TypeError('m'); e.message = 'mine'; return e.message",
                "'use strict'; function A() {} A.prototype = Object.create(Error.prototype); A.prototype.constructor = A; A.prototype.x = 'mine'; return new A().x",
                "'use strict'; const a = []; a.toString = () => 'mine'; return String(a)",
                "'use strict'; const f = () => 1; f.toString = () => 'mine'; return String(f)",
                "'use strict'; const s = new Set(['mine']); return [...s.union(new Set()).values()].join('')",
                "'use strict'; return 'a-b'.replace(/-/, '').replace('ab', 'mine')",
            })
    void objectsOfAScriptMayHaveMembersOfTheseNames(String code) {
        assertEquals("mine", run(code));
    }

    /** Neither what a pattern has matched, nor what is reached by syntax alone. */
    @Test
    void whatAPatternHasMatchedIsKeptForNoOtherRequest() {
        run("return /s(.*)/.exec('secret')[1]");
        assertEquals(
                "undefined,undefined,undefined,undefined",
                run(
                        "return [RegExp.$1, RegExp.input, RegExp.lastMatch, RegExp['$`']].map(String).join()"));
    }

    @Test
    void allThatIsReachedFromTheLanguageIsFrozen() {
        assertEquals(
                "",
                run(
                        """
                        const proto = Object.getPrototypeOf;
                        const open = new Set(), known = new Map();
                        const add = (value, path) => {
                            if ((typeof value === 'object' || typeof value === 'function') && value !== null && value !== globalThis && !known.has(value)) known.set(value, path);
                        };
                        for (const name of Reflect.ownKeys(globalThis)) add(globalThis[name], String(name));
                        const instances = {
                            regexp: /a/, tag: (t => t)`a`, arguments: (function () { return arguments; })(), fn: () => 0, async: async () => 0,
                            generator: function* () {}, asyncGenerator: async function* () {}, generated: proto((function* () {})()),
                            asyncGenerated: proto((async function* () {})()), array: [].values(), string: ''[Symbol.iterator](), map: new Map().keys(),
                            set: new Set().keys(), matches: ''.matchAll(/a/g), mapped: [].values().map(() => 0), taken: [].values().take(1),
                            wrapped: Iterator.from({ next() {} }), segments: new Intl.Segmenter().segment(''), segment: new Intl.Segmenter().segment('')[Symbol.iterator](),
                            request: q, headers: q.headers, query: q.query, url: q.url, params: q.url.searchParams, response: new Response(),
                            promise: Promise.resolve(), big: Object(1n), symbol: Object(Symbol.iterator), number: Object(1), bool: Object(true), error: new Error(),
                            proxied: proto(new Proxy({}, {})), view: new DataView(new ArrayBuffer(1)), buffer: new ArrayBuffer(1), date: new Date(),
                            bytes: new Uint8Array(1), weak: new WeakRef({}), locale: new Intl.Locale('de'), number2: new Intl.NumberFormat(), headersEntries: q.headers.entries(),
                        };
                        for (const [name, value] of Object.entries(instances)) add(proto(value), name);
                        const setter = Object.getOwnPropertyDescriptor(Error.prototype, 'name');
                        for (const [object, path] of known) {
                            if (!Object.isFrozen(object)) open.add(path);
                            add(proto(object), path + '.__proto__');
                            for (const key of Reflect.ownKeys(object)) {
                                const { value, get, set } = Object.getOwnPropertyDescriptor(object, key);
                                for (const each of [value, get, set]) add(each, path + '.' + String(key));
                            }
                        }
                        const own = ['generated', 'asyncGenerated', 'headersEntries']; // prototypes of functions of this request
                        return [...open].filter((each) => !own.includes(each)).join(' ');
                        """));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "globalThis.JSON = {}",
                "globalThis.fetch = () => 'other'",
                "(0, eval)('var JSON = {}')",
                "delete globalThis.JSON",
                "Object.defineProperty(globalThis, 'JSON', { value: {} })",
            })
    void namesOfTheLanguageStandForTheSameInTheNextRequest(String code) {
        run(code);
        assertEquals(
                "{\"a\":1} function", run("return JSON.stringify({ a: 1 }) + ' ' + typeof fetch"));
        assertEquals("false", run("return String(fetch() === 'other')"));
    }

    /** As variables of a module are: see docs/scripts.md. */
    @Test
    void newGlobalsAreThoseOfTheContext() {
        run("globalThis.count = 1");
        assertEquals("2", run("return ++globalThis.count"));
    }

    // ---- strings that multiply

    @ParameterizedTest
    @ValueSource(
            strings = {
                "t.replaceAll('x', r)",
                "t.replaceAll(new String('x'), r)",
                "t.replaceAll('', r)",
                "t.replaceAll('x', () => r)",
                "t.replaceAll('x', '$`')",
                "t.replace('x', \"$'\".repeat(1000))",
                "t.split('').join(r)",
                "new Array(1000).fill(t).join()",
                "''.concat(...new Array(1000).fill(t))",
                "String.raw({ raw: t }, ...new Array(1000).fill(t))",
                "JSON.stringify(new Array(1000).fill(t))",
                "t.padEnd(4e9, 'y')",
                "t.repeat(4096)",
                "t.normalize('NFKC')",
                "t.normalize('NFKD')",
                "new Intl.ListFormat('en').format(new Array(1000).fill(t))",
            })
    void aStringThatIsTooLongIsARangeError(String expression) {
        String code =
                "const t = 'x'.repeat(900000), r = 'y'.repeat(4096);"
                        + " try { return 'length ' + ("
                        + expression
                        + ").length; } catch (e) { return e.name; }";
        String result = run(code);
        assertEquals("RangeError", result);
        assertEquals("ok", run("return 'ok'"));
    }

    /** The engine makes it, and can be interrupted meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"t.replace(/x/g, r)", "t.replaceAll(/x/g, r)"})
    void aStringThatAPatternMakesTooLongEndsAtTheMemoryOfItsRequest(String expression) {
        String code =
                "const t = 'x'.repeat(900000), r = 'y'.repeat(4096); return ("
                        + expression
                        + ").length";
        try (var patient =
                new Site(
                        folder,
                        options ->
                                options.cpuTime(Duration.ofMinutes(1))
                                        .timeout(Duration.ofMinutes(1))
                                        .maxAllocation(64 << 20))) {
            assertEquals("500", patient.run(code));
            assertEquals("ok", patient.run("return 'ok'"));
        }
    }

    /**
     * Calls that the engine cannot interrupt, or that need more than the heap at once: an
     * array-like object with any length, or digits that a client sends.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Array.from(o)",
                "Array.from(o, (_, i) => i)",
                "[].slice.call(o)",
                "[].map.call(o, (n) => n)",
                "[].forEach.call(o, () => 0)",
                "[].reduce.call(o, () => 0)",
                "[].indexOf.call(o, 1)",
                "[].lastIndexOf.call(o, 1)",
                "[].includes.call(o, 1)",
                "[].toReversed.call(o)",
                "[].toSorted.call(o)",
                "[].toSpliced.call(o, 0, 0, 1)",
                "[].sort.call(o)",
                "[].findLast.call(o, () => false)",
                "[].splice.call(o, 0, 1)",
                "Array(4e8).toSorted()",
                "Array(4e8).slice()",
                "Array(4e8).with(0, 1)",
                "Array(4e8).indexOf(1)",
                "Math.max.apply(null, { length: 9e6 })",
                "Reflect.construct(Array, { length: 9e6 })",
                "new Float64Array(64e6)",
                "new BigInt64Array(new ArrayBuffer(64e6))",
                "new ArrayBuffer(8, { maxByteLength: 2e9 })",
                "Object.keys(new Uint8Array(4e6))",
                "Object.entries(new Uint8Array(4e6))",
                "Object.values(t)",
                "Object.assign({}, new Uint8Array(4e6))",
                "Object.getOwnPropertyDescriptors(t)",
                "JSON.stringify(new Uint8Array(1 << 20))",
                "JSON.stringify({ a: [new Float64Array(4e5)] })",
                "Response.json(new Uint8Array(1 << 20))",
                "kv.set('k', new Uint8Array(1 << 20))",
                "BigInt.asUintN(8, '9'.repeat(900000))",
                "BigInt('9'.repeat(900000))",
                "BigInt(['9'.repeat(900000)])",
                "BigInt.asUintN(2147483600, -1n)",
                "(1n << 3000000n).toString()",
                "(10n ** 200000n).toLocaleString()",
                "(5).toLocaleString(o)",
                "(5n).toLocaleString(o)",
                "new Date(0).toLocaleString(o)",
                "new Date(0).toLocaleDateString(o)",
                "new Date(0).toLocaleTimeString(o)",
                "[5].toLocaleString(o)",
                "new Uint8Array(1).toLocaleString(o)",
                "'a'.localeCompare('b', o)",
                "'a'.toLocaleUpperCase(o)",
                "'a'.toLocaleLowerCase(o)",
                "Intl.getCanonicalLocales(o)",
                "Intl.Collator.supportedLocalesOf(o)",
                "Intl.DateTimeFormat.supportedLocalesOf(o)",
                "Intl.NumberFormat(o)",
                "Intl.DateTimeFormat(o)",
                "new Intl.Collator(o)",
                "new Intl.DateTimeFormat(o)",
                "new Intl.DisplayNames(o, { type: 'region' })",
                "new Intl.ListFormat(o)",
                "new Intl.NumberFormat(o)",
                "new Intl.PluralRules(o)",
                "new Intl.RelativeTimeFormat(o)",
                "new Intl.Segmenter(o)",
                "new (class Own extends Intl.NumberFormat {})(o)",
                "(5).toLocaleString(Array(4e8))",
                "(5).toLocaleString('en-x' + '-a'.repeat(400000))",
                "new Intl.Locale('en-x' + '-a'.repeat(400000))",
                "new (new Intl.Segmenter().constructor)(o)",
            })
    void aLengthThatIsOnlySaidIsARangeError(String expression) {
        assertEquals(
                "RangeError",
                run(
                        "const t = 'x'.repeat(900000), o = JSON.parse('{\"length\":9e15}');"
                                + " try { return 'length ' + ("
                                + expression
                                + ")?.length; } catch (e) { return e.name; }"));
    }

    @Test
    void arraysAndNumbersOfAllUsualSizesAreThoseOfTheLanguage() {
        assertEquals(
                "ok",
                run(
                        """
                        const wrong = [];
                        const check = (is, what) => { if (!is) wrong.push(what); };
                        const many = Array.from({ length: 5000 }, (_, i) => i);
                        check(many.map((n) => n + 1).reduce((a, b) => a + b) === 12502500, 'map');
                        check([3, 1, 2].toSorted().join() === '1,2,3' && [..."ab"].toString() === 'a,b', 'toSorted');
                        check([].slice.length === 2 && [].slice.name === 'slice', 'slice');
                        check([1, [2]].flat().concat([3], 4).includes(4), 'flat');
                        check(Object.keys(new Uint8Array(1000)).length === 1000 && Object.keys('ab').join() === '0,1', 'keys');
                        check(Object.assign({}, { a: 1 }, null, 'b').a === 1, 'assign');
                        class Own extends Array {}
                        check(Own.from([1]) instanceof Own && Own.from([1]).map((n) => n) instanceof Own, 'subclass');
                        check(BigInt('12') === 12n && BigInt(12) === 12n && BigInt([7]) === 7n && 12n.toString(16) === 'c', 'BigInt');
                        check(BigInt.asUintN(8, -1n) === 255n && typeof BigInt('1') === 'bigint' && 1n.constructor === BigInt, 'asUintN');
                        check(Object(1n) instanceof BigInt && BigInt.name === 'BigInt' && BigInt.length === 1, 'instanceof');
                        try { new BigInt(1); check(false, 'new'); } catch (e) { check(e instanceof TypeError, 'new BigInt'); }
                        try { [].map.call(null); check(false, 'null'); } catch (e) { check(e instanceof TypeError, 'null'); }
                        check(String.fromCharCode.apply(null, new Uint8Array(9000)).length === 9000, 'apply');
                        check((2n ** 4000n).toString().length === 1205 && BigInt('9'.repeat(2000)) > 0n, 'digits');
                        return wrong.join() || 'ok';
                        """));
    }

    /** Of a short string by the engine, of a long one by the runtime, each against a RegExp. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "''",
                "'a'",
                "'aaa'",
                "'abcabc'",
                "'a$b$'",
                "'b' + 'z'.repeat(70000) + 'ab$'",
            })
    void replacementsAreThoseOfTheLanguage(String text) {
        assertEquals(
                "ok",
                run(
                        "const t = "
                                + text
                                + """
                                ;
                                const searches = ['a', 'ab', '$', undefined, 7, new String('a')];
                                if (t.length < 1000) searches.push('', 'aa', null);
                                const by = ['', '$$', '[$&]', '$`', "$'", '$1', '$', '$$&', undefined, (...all) => all.slice(0, 2).join()];
                                for (const s of searches) {
                                    const source = String(s).replace(/[$]/g, '\\\\$&') || '(?:)';
                                    const first = new RegExp(source), all = new RegExp(source, 'g');
                                    for (const b of by) {
                                        if (t.replaceAll(s, b) !== t.replace(all, b)) return 'all ' + s + ' ' + b;
                                        if (t.replace(s, b) !== t.replace(first, b)) return 'one ' + s + ' ' + b;
                                    }
                                }
                                return 'ok';
                                """));
    }

    // ---- empty parts of a body

    @ParameterizedTest
    @ValueSource(strings = {"/empty", "/empty?async"})
    void partsThatAreEmptyCountAgainstTheProcessorTimeOfOne(String target) {
        String all = site.raw(target);
        assertTrue(all.contains("chunked") && !all.endsWith("0\r\n\r\n"), all); // it is cut
        Site.await("the end of the request", site.scripts::isQuiet);
    }

    @Test
    void emptyPartsAreLeftOut() {
        assertEquals("ab", site.text("/some"));
    }

    // ---- the log

    @Test
    void whatAScriptLogsLooksLikeNoOtherLine() {
        run(
                "log.info('one\\r\\n2026-01-01 INFO forged\\u001b[2J\\u009b\\u2028\\u202e\\u2066'); throw new Error('two\\nforged\\u001b]0;x\\u200f\\u061c')");
        Site.await("both", () -> LOGGED.stream().anyMatch(line -> line.contains("one")));
        for (String each : LOGGED) {
            assertFalse(
                    each.matches(
                            "(?s).*([\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e-\\u200f\\u2028-\\u202e\\u2066-\\u2069]|\\n[^ ]).*"),
                    each);
        }
    }

    // ---- compressed responses

    @Test
    void aCompressedResponseIsReadAsText(@TempDir Path scripts) throws Exception {
        Site.write(
                scripts,
                "_.js",
                """
                export async function inspectResponse(request, response) {
                    if (request.query.has("read")) await response.text();
                    else if (request.query.has("new")) response.body = "new";
                    else response.body = (await response.text()).replace("</body>", "<i>ours</i></body>");
                }
                """);
        var packed = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(packed)) {
            out.write("<body>ä</body>".getBytes(StandardCharsets.UTF_8));
        }
        byte[] gzip = packed.toByteArray();
        try (var own =
                new Site(
                        scripts,
                        io.sirocco.http.ExecutionMode.VIRTUAL,
                        options -> {},
                        request ->
                                io.sirocco.http.Response.bytes(gzip)
                                        .header("Content-Type", "text/html")
                                        .header(
                                                "Content-Encoding",
                                                request.query().first("coding", "gzip"))
                                        .header(
                                                "Accepted",
                                                request.headerList("Accept-Encoding").orElse("none")
                                                        + "/"
                                                        + request.headers()
                                                                .first("accept-encoding")
                                                                .orElse("none"))
                                        .header("ETag", "\"1\""))) {
            Site.Reply reply = own.get("/a", "Accept-Encoding", "br;q=1, GZIP;q=0.8, zstd");
            assertEquals("<body>ä<i>ours</i></body>", reply.body());
            assertEquals("", reply.header("Content-Encoding") + reply.header("ETag"));
            assertEquals("GZIP;q=0.8/GZIP;q=0.8", reply.header("Accepted"));
            assertEquals("none/none", own.get("/a", "Accept-Encoding", "br").header("Accepted"));
            reply = own.get("/a?new");
            assertEquals("new", reply.body());
            assertEquals("", reply.header("Content-Encoding") + reply.header("ETag"));
            reply = own.get("/a?read");
            assertEquals("gzip\"1\"", reply.header("Content-Encoding") + reply.header("ETag"));
            assertEquals(500, own.status("/a?coding=br"), "which says so in the log");
        }
    }

    /** What a script asks of an upstream is not replaced by what scripts can read. */
    @Test
    void codingsThatAScriptAsksForAreAskedOfTheUpstream(@TempDir Path scripts) throws Exception {
        Site.write(
                scripts,
                "_.js",
                """
                export function inspectRequest(request) {
                    const asks = request.query.get("asks");
                    if (asks === "") request.headers.delete("Accept-Encoding");
                    else if (asks !== null) request.headers.set("Accept-Encoding", asks);
                    request.upstream = "up";
                    return request;
                }
                export function inspectResponse() {}
                """);
        try (var upstream = accepted();
                var client = HttpClient.create()) {
            var up = Upstreams.of(client, Map.of("up", "http://127.0.0.1:" + upstream.port()));
            try (var own = new Site(scripts, options -> options.upstreams(up))) {
                String[] all = {"Accept-Encoding", "br, gzip;q=0.5, zstd"};
                assertEquals("gzip;q=0.5", own.text("/a", all), "that of the client, limited");
                assertEquals("none", own.text("/a"));
                assertEquals("none", own.text("/a?asks=", all));
                assertEquals("identity", own.text("/a?asks=identity", all));
                assertEquals("gzip", own.text("/a?asks=gzip"), "the client asks for none");
                assertEquals("br", own.text("/a?asks=br", "Accept-Encoding", "gzip"));
            }
        }
    }

    private static Server accepted() {
        return Server.start(
                config -> config.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                routes ->
                        routes.any(
                                "/*",
                                r ->
                                        Response.text(
                                                r.headerList("Accept-Encoding").orElse("none"))));
    }
}
