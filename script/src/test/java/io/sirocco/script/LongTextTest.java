// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Functions whose time grows with the square of a text that a client may choose, or with its
 * digits: the engine does not look whether it is interrupted in them.
 */
@ExtendWith(LoadedLanguage.class)
class LongTextTest {
    @TempDir static Path folder;
    private static Site site;

    private static final String NAMES =
            "const names = []; for (let i = 0; i < 1024; i++) names.push('\"' + i.toString(2).padStart(10, '0').replaceAll('0', 'Aa').replaceAll('1', 'BB') + '\":1');"
                    + " const k = names.join(); ";

    @BeforeAll
    static void start() {
        Site.writeRun(folder);
        Site.write(folder, "json.js", "export default async (q) => ({ body: await q.json() });");
        site =
                new Site(
                        folder,
                        options ->
                                options.cpuTime(Duration.ofMillis(300))
                                        .timeout(Duration.ofSeconds(60))
                                        .maxAllocation(128 << 20)
                                        .contexts(1));
        run("return 'the first request loads the language'");
    }

    @AfterAll
    static void stop() {
        site.close();
    }

    private static String run(String code) {
        return site.run(code);
    }

    /** They end at a limit of their request; with a thread that cannot be interrupted it is 503. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.includes(b)",
                "a.indexOf(b)",
                "a.indexOf([b])",
                "a.lastIndexOf('a'.repeat(250000) + b)",
                "a.split(b)",
                "a.replace(b, '')",
                "a.replaceAll(b, '')",
                "a.replaceAll(b, () => '')",
                "new URLSearchParams(a).get(b) ?? a.includes(b)",
            })
    void aSearchCanBeInterrupted(String expression) {
        String result =
                run(
                        "const a = 'a'.repeat(1e6), b = 'a'.repeat(5e5) + 'b' + 'a'.repeat(2e5); return "
                                + expression);
        assertEquals("504", result);
        assertEquals("ok", run("return 'ok'"));
    }

    /** The engine copies the names of an object for each that becomes fixed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Object.defineProperties(object, getters)",
                "Object.create(object, getters)",
            })
    void definitionsOfPropertiesCanBeInterrupted(String expression) {
        String code =
                "const object = {}, getters = {}; for (let i = 0; i < 1000; i++) {"
                        + " object['k' + i] = 1; getters['k' + i] = { get() { for (;;); } }; }"
                        + " for (;;) "
                        + expression;
        try (var patient =
                new Site(
                        folder,
                        options ->
                                options.cpuTime(Duration.ofMinutes(1))
                                        .timeout(Duration.ofMinutes(1))
                                        .maxAllocation(64 << 20))) {
            assertEquals("500", patient.run(code)); // at the memory of its steps
            assertEquals("ok", patient.run("return 'ok'"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "('a' + marks).normalize()",
                "('a' + marks).normalize('NFD')",
                "('a' + '\\u0323\\uff9e'.repeat(3e5)).normalize('NFKC')",
                "('a' + '\\u{1d165}\\u{1d16e}'.repeat(2e5)).normalize()",
                "('a' + marks).localeCompare('b')",
                "'a'.localeCompare('b' + marks)",
                "'a'.localeCompare([marks])",
                "['a' + marks, 'a' + marks + 'b'].sort(new Intl.Collator('de').compare)",
                "Number('0x' + 'f'.repeat(1e6))",
                "Number(['0o' + '7'.repeat(1e6)])",
                "new Number(' 0b' + '1'.repeat(3e6))",
                "new Intl.NumberFormat('de').format('9'.repeat(9e5))",
                "new Intl.NumberFormat('de').format('1e100000000')",
                "new Intl.NumberFormat('de').format(['1E+0100000000'])",
                "new Intl.NumberFormat('de').format(1n << 3000000n)",
                "new Intl.NumberFormat('de').formatToParts('1e100000000')",
                "new Intl.NumberFormat('de').formatRange('1', '1e100000000')",
                "new Intl.NumberFormat('de').formatRangeToParts('1', '1e100000000')",
                "new RegExp('[\\\\p{L}--\\\\p{Lu}]'.repeat(6e4), 'vi')",
                "RegExp('\\\\p{RGI_Emoji}'.repeat(20), 'v')",
                "new RegExp('\\\\p{L}'.repeat(2e5), 'iu')",
                "/a/.compile('[\\\\p{L}--\\\\p{Lu}]'.repeat(6e4), 'vi')",
                "new (class Own extends RegExp {})('[\\\\p{L}--\\\\p{Lu}]'.repeat(6e4), 'vi')",
                "new RegExp(nested)",
                "RegExp(nested, 'i')",
                "/a/.compile(nested)",
                "'a'.match(nested)",
                "'a'.match([nested])",
                "'a'.matchAll(nested)",
                "'a'.search(nested)",
                "'a'.split(new RegExp(nested))",
                "new RegExp('[)]' + '(?:[)]'.repeat(60) + ')*'.repeat(60))",
                "new RegExp('\\\\[' + nested)",
                "new RegExp('(a|b)'.repeat(5000))",
                "Object.freeze(object)",
                "Object.seal(object)",
                "Object.freeze(new String('a'.repeat(30000)))",
                "Object.seal(new String('a'.repeat(30000)))",
            })
    void whatWouldTakeSecondsIsARangeError(String expression) {
        assertEquals(
                "RangeError",
                run(
                        "const marks = '\\u0301\\u0323'.repeat(25e4), nested = '(?:'.repeat(60) + 'a' + ')*'.repeat(60);"
                                + " const object = {}; for (let i = 0; i < 501; i++) object['k' + i] = 1; try { return "
                                + expression
                                + "; } catch (e) { return e.name; }"));
    }

    /** The engine looks for a name of JSON among all that have its hash. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "JSON.parse(`{${k}}`)",
                "JSON.parse(`{${k}}`, (key, value) => value)",
                "JSON.parse([`{${k}}`])",
                "JSON.parse(`[1, {\"a\": {${k}, \"x\": {}}}]`)",
                "JSON.parse(`{\"a\\\\\\\"\": [{}, {}], ${k}}`)",
                "JSON.parse(`{${k}, \"a\": [{`)",
                "JSON.parse(`{${k.replaceAll('A', '\\\\u0041')}}`)",
                "JSON.parse(`{${k.replaceAll(':', ' \\n:')}}`)",
            })
    void manyNamesOfOneHashAreARangeError(String expression) {
        assertEquals(
                "RangeError",
                run(NAMES + "try { return " + expression + "; } catch (e) { return e.name; }"));
    }

    @Test
    void aBodyWithManyNamesOfOneHashIsTheErrorOfItsClient() {
        String names =
                IntStream.range(1024, 2048)
                        .mapToObj(Integer::toBinaryString)
                        .map(bits -> bits.replace("0", "Aa").replace("1", "BB"))
                        .collect(Collectors.joining("\":1,\"", "\"", "\":1"));
        String body = "{" + names + "}";
        Site.Reply reply = site.send("POST", "/json", body);
        assertEquals(400, reply.status());
        assertTrue(reply.body().contains("hash"), reply.body());
        assertEquals(400, site.send("POST", "/json", body + "}").status());
    }

    @Test
    void namesOfJsonAreThoseOfTheLanguage() {
        String code =
                """
                        const many = {};
                        for (let i = 0; i < 3000; i++) many['k' + i] = { k: i, 'a"\\\\': [i, 'AaBB', '"AaAa":'] };
                        for (const each of [many, Object.values(many), Array(3000).fill('AaBB'), 'x'.repeat(9000), []]) {
                            const text = JSON.stringify(each);
                            if (JSON.stringify(JSON.parse(text)) !== text) return text.slice(0, 100);
                        }
                        if (JSON.parse('[1]', (k, v) => k === '0' ? v + 1 : v)[0] !== 2) return 'reviver';
                        if (JSON.parse.length !== 2 || JSON.parse(null) !== null) return 'shape';
                        for (const text of ['{' + ' '.repeat(9000), '}'.repeat(9000), '"'.repeat(9000), '"\\\\u'.padStart(9000)]) {
                            try { JSON.parse(text); return 'parsed'; } catch (e) { if (!(e instanceof SyntaxError)) return String(e); }
                        }
                        return 'ok';
                        """;
        try (var patient =
                new Site(
                        folder,
                        options ->
                                options.cpuTime(Duration.ofMinutes(1))
                                        .timeout(Duration.ofMinutes(1)))) {
            assertEquals("ok", patient.run(code));
        }
    }

    /** The cases of long texts are changed in a time that grows with their length. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'\\u00df'.repeat(5e5).toUpperCase() === 'SS'.repeat(5e5)",
                "'\\u0130'.repeat(5e5).toLowerCase() === 'i\\u0307'.repeat(5e5)",
                "'\\u03a3'.repeat(5e5).toLowerCase() === '\\u03c3'.repeat(5e5 - 1) + '\\u03c2'",
                "'A\\u03a3 '.repeat(2e5).toLowerCase() === 'a\\u03c2 '.repeat(2e5)",
                "'\\u00e4aB'.repeat(2e5).toUpperCase() === '\\u00c4AB'.repeat(2e5)",
            })
    void theCasesOfALongTextAreThoseOfTheLanguage(String expression) {
        assertEquals("true", run("return " + expression));
    }

    @Test
    void searchesInLongTextsAreThoseOfTheLanguage() {
        assertEquals(
                "ok",
                run(
                        """
                        const wrong = [];
                        const check = (is, what) => { if (!is) wrong.push(what); };
                        const n = 'n'.repeat(199) + 'm', t = 'x'.repeat(500000) + n + 'y'.repeat(400000) + n + 'z';
                        check(t.indexOf(n) === 500000 && t.indexOf(n, 500001) === 900200 && t.indexOf(n, 900201) === -1, 'indexOf');
                        check(t.indexOf(n, -5) === 500000 && t.indexOf([n], '7') === 500000, 'from');
                        check(t.lastIndexOf(n) === 900200 && t.lastIndexOf(n, 900199) === 500000 && t.lastIndexOf(n, 499999) === -1, 'lastIndexOf');
                        check(t.includes(n) && !t.includes(n + n) && !t.includes(n, 900201), 'includes');
                        check(t.split(n).map((p) => p.length).join() === '500000,400000,1', 'split');
                        check(t.split(n, 2).length === 2 && t.split(n, 0).length === 0 && t.split(n + '!').length === 1, 'limit');
                        const x = t + t;
                        check(t.indexOf(x) === -1 && t.lastIndexOf(x) === -1 && !t.includes(x) && t.split(x).length === 1 && t.replaceAll(x, '') === t, 'longer');
                        check('x'.repeat(9e5).indexOf('x'.repeat(1e6)) === -1 && 'x'.repeat(9e5).lastIndexOf('x'.repeat(9e5)) === 0, 'equal');
                        check(t.replace(n, 'b').length === 900202 && t.replaceAll(n, '[$&]').length === 900405, 'replace');
                        return wrong.join() || 'ok';
                        """));
    }

    @Test
    void valuesOfAllUsualSizesAreThoseOfTheLanguage() {
        String code =
                """
                        const wrong = [];
                        const check = (is, what) => { if (!is) wrong.push(what); };
                        const throws = (kind, call, what) => { try { call(); wrong.push(what); } catch (e) { check(e instanceof kind, what + ' ' + e); } };
                        check('abcabc'.indexOf('c', 3) === 5 && 'abc'.indexOf('') === 0 && 'abc'.lastIndexOf('a', -3) === 0, 'indexOf');
                        check('undefined'.includes() && 'null'.includes(null) && 'a7'.indexOf(7) === 1 && 'abab'.lastIndexOf('ab') === 2, 'converted');
                        check('a,b'.split(',').join('-') === 'a-b' && 'ab'.split('').length === 2 && 'a,b'.split()[0] === 'a,b', 'split');
                        check('a1b'.split(/\\d/).join() === 'a,b' && 'a,b,c'.split(',', 2).length === 2 && 'a7b'.split(7).length === 2, 'split by');
                        throws(TypeError, () => 'a'.includes(/a/), 'includes of a pattern');
                        throws(TypeError, () => ''.includes.call(null, 'a'), 'null');
                        throws(TypeError, () => 'a'.indexOf(Symbol('s')), 'symbol');
                        check('Stra\u00dfe'.toUpperCase() === 'STRASSE' && '\u0391\u03a3'.toLowerCase() === '\u03b1\u03c2', 'case');
                        check('e\u0301'.normalize() === '\u00e9' && 'a'.normalize('NFD') === 'a', 'normalize');
                        throws(RangeError, () => 'a'.normalize('x'), 'form');
                        check('a\u0301'.repeat(2000).normalize().length === 2000, 'long');
                        check('a'.localeCompare('b') < 0 && '\u00e4'.localeCompare('z', 'de') < 0 && 'a'.localeCompare('A', 'en', { sensitivity: 'base' }) === 0, 'compare');
                        check(['z', '\u00e4', 'a'].sort(new Intl.Collator('de').compare).join('') === 'a\u00e4z', 'collator');
                        check(new Intl.NumberFormat('de').format(1234.5) === '1.234,5' && new Intl.NumberFormat('en').format('12') === '12', 'format');
                        check(new Intl.NumberFormat('en').format('0xe10000') === '14,745,600' && new Intl.NumberFormat('en').format('1e3') === '1,000', 'exponent');
                        check(new Intl.NumberFormat('en').format(12n) === '12' && [1, 2].map(new Intl.NumberFormat('en').format).join() === '1,2', 'bigint');
                        check(new Intl.NumberFormat('en').formatToParts(1)[0].type === 'integer' && new Intl.NumberFormat('en').format(new Date(5)) === '5', 'parts');
                        check(Number() === 0 && isNaN(Number(undefined)) && Number('0x1f') === 31 && Number(' 12 ') === 12 && Number([7]) === 7, 'Number');
                        check(Number(12n) === 12 && Number(null) === 0 && Number(new Date(5)) === 5 && Number({ valueOf: () => 3 }) === 3, 'Number of');
                        check(Number.MAX_SAFE_INTEGER === 2 ** 53 - 1 && Number.parseInt === parseInt && Number.length === 1 && Number.name === 'Number', 'members');
                        check(new Number(5) instanceof Number && (5).constructor === Number && typeof new Number(5) === 'object' && new Number(5) + 1 === 6, 'new Number');
                        class Own extends Number { twice() { return this * 2; } }
                        check(new Own(4).twice() === 8 && new Own() + 1 === 1, 'subclass');
                        throws(TypeError, () => Number(Symbol('s')), 'Number of a symbol');
                        check(['1', '2'].map(Number).join() === '1,2', 'map');
                        class Pattern extends RegExp { exec(s) { return super.exec(s); } }
                        check(new Pattern('a').test('a') && /a/ instanceof RegExp && /a/.constructor === RegExp && new RegExp(/a/g).flags === 'g', 'RegExp');
                        check(RegExp('a', 'i').test('A') && new RegExp(/a/g, 'i').flags === 'i' && RegExp.length === 2 && RegExp[Symbol.species] === RegExp, 'flags');
                        check(String(new RegExp()) === '/(?:)/' && String(new RegExp(undefined)) === '/(?:)/' && RegExp.escape('.') === '\\\\.', 'empty');
                        check('a-b'.replace(/(a)-(b)/, '$2$1') === 'ba' && 'aXb'.split(/x/i).length === 2 && [...'ab'.matchAll(/./g)].length === 2, 'patterns');
                        throws(SyntaxError, () => new RegExp('('), 'syntax');
                        check(new RegExp('^[a-z]+$', 'v').test('ab') && new RegExp(/^.$/u).unicode && RegExp('[\\\\p{L}--a]', 'v').test('b'), 'sets');
                        check(''.includes.length === 1 && ''.includes.name === 'includes' && ''.split.length === 2 && ''.toLowerCase.length === 0, 'shape');
                        check((1234.5).toLocaleString('de') === '1.234,5' && (1234.5).toLocaleString(['xx', 'de']) === '1.234,5', 'locales');
                        check((1234.5).toLocaleString(new Intl.Locale('de')) === '1.234,5' && (5).toLocaleString() === '5', 'locale');
                        check((1234.5).toLocaleString({ 0: new Intl.Locale('de'), length: 1 }) === '1.234,5' && (5).toLocaleString({}) === '5', 'like an array');
                        check((0.5).toLocaleString('en', { style: 'percent' }) === '50%' && (5).toLocaleString.length === 0, 'options');
                        check(new Date(0).toLocaleDateString('de', { timeZone: 'UTC', dateStyle: 'medium' }) === '01.01.1970', 'date');
                        check('i'.toLocaleUpperCase('tr') === '\u0130' && 'I'.toLocaleLowerCase(['tr']) === '\u0131', 'case');
                        check(Intl.getCanonicalLocales(['EN-us', 'de']).join() === 'en-US,de' && Intl.Collator.supportedLocalesOf('de').join() === 'de', 'canonical');
                        check(new Intl.Locale('en', { region: 'GB' }).toString() === 'en-GB' && new Intl.Locale(new Intl.Locale('de')).language === 'de', 'Locale');
                        check(new Intl.NumberFormat('de') instanceof Intl.NumberFormat && Intl.NumberFormat('de').constructor === Intl.NumberFormat, 'format');
                        check([1234.5].toLocaleString('de') === '1.234,5' && new Intl.ListFormat('en').format(['a', 'b']) === 'a and b', 'list');
                        check([...new Intl.Segmenter('en', { granularity: 'word' }).segment('a b')].length === 3, 'segments');
                        for (const wrong of [null, [5], 'a_b']) {
                            try { (5).toLocaleString(wrong); check(false, wrong); } catch (e) { check(e instanceof TypeError || wrong === 'a_b', e); }
                        }
                        try { Intl.Segmenter('en'); check(false, 'without new'); } catch (e) { check(e instanceof TypeError, e); }
                        check('aab'.match('a+')[0] === 'aa' && 'ab'.search('b') === 1 && [...'aa'.matchAll('a')].length === 2 && 'a7'.search(7) === 1, 'match by text');
                        check('a'.match() !== null && 'null'.match(null)[0] === 'null' && ''.match.length === 1 && 'ab'.match(/b/).index === 1, 'match');
                        check('a'.search({ [Symbol.search]: () => 5 }) === 5 && 'a'.match({ [Symbol.match]: () => 6 }) === 6, 'match by a method');
                        throws(TypeError, () => 'a'.matchAll(/a/), 'matchAll');
                        throws(TypeError, () => ''.match.call(null, 'a'), 'match of null');
                        check(new RegExp('(?:'.repeat(50) + 'a' + ')'.repeat(50)).test('a') && new RegExp('(a)[(]'.repeat(200)).source.length === 1200, 'groups');
                        check(new RegExp('a|'.repeat(9000)).test('a'), 'long pattern');
                        const frozen = Object.freeze(Object.fromEntries(Array.from({ length: 300 }, (_, i) => ['k' + i, i])));
                        check(Object.isFrozen(frozen) && frozen.k299 === 299 && Object.isFrozen(Object.freeze(Array(5000).fill(0))), 'freeze');
                        check(Object.freeze('a'.repeat(9000)).length === 9000 && Object.isSealed(Object.seal({ a: 1 })) && Object.freeze.length === 1, 'seal');
                        check(JSON.stringify(new Uint8Array(2)) === '{"0":0,"1":0}' && !Object.keys(Uint8Array.prototype).length, 'json');
                        const made = Object.create({ a: 1 }, { b: { value: 2, enumerable: true }, c: { get: () => 3 }, [Symbol.iterator]: { value: 4 } });
                        check(made.a === 1 && made.b === 2 && made.c === 3 && made[Symbol.iterator] === 4 && Object.keys(made).join() === 'b', 'create');
                        check(Object.create(null, undefined).a === undefined && Object.create.length === 2 && Object.defineProperties.length === 2, 'shape');
                        const partly = {};
                        throws(TypeError, () => Object.defineProperties(partly, { a: { value: 1 }, b: 5 }), 'no description');
                        check(!('a' in partly) && Object.defineProperties(partly, Object.create({ x: 5 })) === partly, 'none or all');
                        throws(TypeError, () => Object.defineProperties(partly, { a: { value: 1, get() {} } }), 'both');
                        throws(TypeError, () => Object.defineProperties(5, {}), 'no object');
                        throws(TypeError, () => Object.defineProperties({}, null), 'null');
                        throws(TypeError, () => Object.create({}, null), 'null');
                        throws(TypeError, () => Object.create(5), 'prototype');
                        check(Object.getOwnPropertyDescriptor(Object.defineProperties([], { 0: { value: 7 } }), 0).writable === false, 'array');
                        const bytes = new Uint8Array(1); bytes.toJSON = () => 'mine';
                        check(JSON.stringify([bytes]) === '["mine"]', 'toJSON');
                        return wrong.join() || 'ok';
                """;
        try (var patient =
                new Site(
                        folder,
                        options ->
                                options.cpuTime(Duration.ofMinutes(1))
                                        .timeout(Duration.ofMinutes(1))
                                        .maxAllocation(256 << 20))) {
            assertEquals("ok", patient.run(code));
        }
    }
}
