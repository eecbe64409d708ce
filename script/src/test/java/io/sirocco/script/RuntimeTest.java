// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What scripts can use, and what they cannot: each case is an expression and its value. */
@ExtendWith(LoadedLanguage.class)
class RuntimeTest {
    @TempDir static Path folder;
    private static Site site;

    /** Responds with what is fetched. */
    private static final Upstreams UPSTREAMS =
            new Upstreams() {
                @Override
                public boolean has(String name) {
                    return name.equals("api");
                }

                @Override
                public Response forward(Request request, Forward to) {
                    return Response.empty(500);
                }

                @Override
                public CompletionStage<Fetched> fetch(Fetch fetch) {
                    String text =
                            fetch.method()
                                    + " "
                                    + fetch.target()
                                    + " "
                                    + fetch.headers().first("Content-Type").orElse("-")
                                    + " "
                                    + new String(fetch.body());
                    return CompletableFuture.completedFuture(
                            new Fetched(201, Headers.of("A", "b"), text.getBytes()));
                }
            };

    @BeforeAll
    static void start() {
        Site.write(
                folder,
                "eval.js",
                "export async function generateResponse(q) {"
                        + " const f = eval('(async () => (' + (await q.text()) + '))');"
                        + " return { body: String(await f()) }; }");
        Site.write(
                folder,
                "languages.js",
                """
                export function generateResponse(q) {
                    const sent = q.languages.join();
                    q.headers.set("accept-language", "fr;q=0.1, de");
                    return { body: sent + " | " + q.languages.join() };
                }
                """);
        Site.write(
                folder,
                "sent.js",
                """
                export const generateResponse = (q) => ({ body: q.languages.join() });
                export const responseCompleted = (q) => kv.set("completed", q.languages.join());
                """);
        site = new Site(folder, options -> options.upstreams(UPSTREAMS).kv(100, 10_000));
    }

    @AfterAll
    static void stop() {
        site.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '~',
            value = {
                "typeof Java ¦ undefined",
                "typeof Packages + typeof java + typeof Polyglot + typeof Graal ¦ undefinedundefinedundefinedundefined",
                "typeof load + typeof print + typeof require + typeof process ¦ undefinedundefinedundefinedundefined",
                "import('/etc/passwd').catch(e => 'no') ¦ no",
                "import('file:///etc/passwd').catch(e => 'no') ¦ no",
                "import('java:java.lang.System').catch(e => 'no') ¦ no",
                "import('../../etc/passwd').catch(e => 'no') ¦ no",
                "typeof Atomics + typeof SharedArrayBuffer + typeof Worker ¦ undefinedundefinedundefined",
                "kv.get.constructor('return typeof Java')() ¦ undefined",
                "fetch.constructor.constructor('return typeof Java')() ¦ undefined",
                "btoa('hello') ¦ aGVsbG8=",
                "atob('aGVsbG8=') + atob('aGU') ¦ hellohe",
                "atob(btoa('\\u00ff\\u0000')).length ¦ 2",
                "btoa(btoa('a')) ¦ WVE9PQ==",
                "crypto.randomUUID().length ¦ 36",
                "crypto.getRandomValues(new Uint8Array(8)).length ¦ 8",
                "new TextDecoder().decode(new TextEncoder().encode('é世')) ¦ é世",
                "new URL('http://a:80/b/../c?x=1#h').href ¦ http://a/c?x=1#h",
                "new URL('../d?e', 'https://u:p@A.org:8443/b/c/x').href ¦ https://u:p@a.org:8443/b/d?e",
                "new URL('//o/x', 'https://a/').href ¦ https://o/x",
                "new URL('?q', 'https://a/b').href + new URL('#h', 'https://a/b?q').href ¦ https://a/b?qhttps://a/b?q#h",
                "new URL('http://[::1]:8080/').host ¦ [::1]:8080",
                "URL.canParse('nope') + ' ' + URL.canParse('http:///') ¦ false false",
                "new URL('http://a/ä b').pathname ¦ /%C3%A4%20b",
                "(() => { const u = new URL('http://a/?x=1&x=2'); u.searchParams.set('x', 'a b'); return u.href; })() ¦ http://a/?x=a+b",
                "new URLSearchParams('a=1&b=%20x&a=2').getAll('a').join() ¦ 1,2",
                "new URLSearchParams({ a: 'ä&' }).toString() ¦ a=%C3%A4%26",
                "[...new Headers({ A: '1', b: ['2', '3'] })].join(';') ¦ a,1;b,2;b,3",
                "(() => { kv.set('k', { a: [1] }); return JSON.stringify(kv.get('k')); })() ¦ {~a~:[1]}",
                "[kv.increment('n'), kv.increment('n', 5), kv.delete('n'), kv.get('n')].join() ¦ 1,6,true,",
                "(() => { try { kv.set('x', 'y'.repeat(10000)); } catch (e) { return 'too large'; } })() ¦ too large",
                "(() => { try { kv.set('x', undefined); } catch (e) { return e.name; } })() ¦ TypeError",
                "(await fetch('api', '/x?y')).text() ¦ GET /x?y - ",
                "(await fetch('api', '/x', { body: { a: 1 } })).text() ¦ POST /x application/json {~a~:1}",
                "(async () => { const r = await fetch('api', '/x', { method: 'PUT', body: 't' }); return [r.status, r.ok, r.headers.get('a')].join(); })() ¦ 201,true,b",
                "fetch('other', '/').catch(e => e.message) ¦ There is no upstream 'other'.",
                "await new Promise(r => setTimeout((a, b) => r(a + b), 1, 2, 3)) ¦ 5",
                "(async () => { let n = 0; const t = setInterval(() => n++, 1); while (n < 3) await new Promise(r => setTimeout(r, 1)); clearInterval(t); return n >= 3; })() ¦ true",
                "(async () => { const t = setTimeout(() => { throw 1; }, 1); clearTimeout(t); return 'cleared'; })() ¦ cleared",
                "new Intl.NumberFormat('de').format(1234.5) ¦ 1.234,5",
                "Object.keys(globalThis).join() ¦ ''",
            })
    void evaluates(String code, String value) {
        Site.Reply reply = site.send("POST", "/eval", code);
        assertEquals(
                value == null || value.equals("''") ? "" : value.replace('~', '"'),
                reply.body().strip(),
                code);
    }

    /** Of all headers of the name, before and after a script has changed them, and at the end. */
    @Test
    void languagesAreThoseOfTheHeaders() {
        String[] headers = {"Accept-Language", "es;q=0.5, x;q=0", "accept-LANGUAGE", "en"};
        assertEquals("en,es | de,fr", site.get("/languages", headers).body());
        assertEquals(" | de,fr", site.get("/languages").body());
        assertEquals("en,es", site.get("/sent", headers).body());
        Site.await(
                "responseCompleted",
                () -> site.send("POST", "/eval", "kv.get('completed')").body().equals("en,es"));
    }
}
