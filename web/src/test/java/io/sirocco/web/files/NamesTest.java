// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.web.compress.Coding;
import io.sirocco.web.conditional.EntityTagList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths, patterns of names, and entity tags. */
class NamesTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a/b", "a/", "a/b/", "a...", "a..b", "a b", "ä", "-", "a%2fb"})
    void thesePathsMayNameAFile(String path) {
        assertTrue(FilePath.plain(path, false), path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/a",
                "a//b",
                "a//",
                ".",
                "..",
                "a/.",
                "a/..",
                "a/../b",
                "../a",
                ".a",
                "a/.b",
                "a\\b",
                "a\0",
                "a\n",
                "a\u007f",
                "a\uFFFDb",
                ".well-known/.a",
                "a/.well-known/b",
                ".well-knownx/a"
            })
    void andTheseMayNot(String path) {
        assertFalse(FilePath.plain(path, false), path);
    }

    @Test
    void hiddenNames() {
        assertTrue(FilePath.plain(".a/.b", true));
        assertTrue(FilePath.plain("...", true));
        assertFalse(FilePath.plain("...", false));
        assertFalse(FilePath.plain(".a/..", true));
        assertTrue(FilePath.plain(".well-known/acme", false));
    }

    @ParameterizedTest
    @CsvSource({
        "/a%2fb, false", "/a%2Fb, false", "/a%5cb, false", "/a%5Cb, false", "/a%00, false",
        "/%20%2f, false", "/a%2, true", "/%, true", "/a%252fb, true", "/a%20b%C3%A4, true",
        "/a%0a, true",
    })
    void pathsThatHideASeparator(String sent, boolean honest) {
        assertEquals(honest, FilePath.honest(sent));
    }

    @ParameterizedTest
    @CsvSource({
        "*.css,       a.css,          true",
        "*.css,       deep/in/a.css,  true",
        "*.css,       a.css.map,      false",
        "*.CSS,       a.css,          false",
        "*,           a,              true",
        "a?c,         abc,            true",
        "a?c,         ac,             false",
        "*.min.*,     app.min.js,     true",
        "*.min.*,     app.js,         false",
        "a*b*c,       a-b-b-c,        true",
        "a*b*c,       a-c-b,          false",
        "/assets/*,   assets/x/y.js,  true",
        "/assets/*,   other/assets/x, false",
        "*/img/*.png, a/img/b.png,    true",
        "index.html,  a/index.html,   true",
        "/index.html, a/index.html,   false",
    })
    void patternsOfNames(String pattern, String path, boolean matches) {
        assertEquals(matches, new Glob(pattern).matches(path));
    }

    @Test
    void aPatternIsNoTrap() { // a naive matcher would be at it for years
        assertFalse(new Glob("*a".repeat(40) + "b").matches("a".repeat(4_000)));
    }

    @Test
    void tagsDifferWhereverTheFactsDo() {
        var tags = new HashSet<String>();
        for (int i = 0; i < 3_000; i++) {
            var facts = new Facts("1:" + i % 10, i / 10 % 10, i / 100);
            assertTrue(tags.add(EntityTags.of(facts, null)));
            assertTrue(tags.add(EntityTags.of(facts, Coding.GZIP)));
        }
        var same = new Facts("1:2", 3, 4);
        assertEquals(EntityTags.of(same, null), EntityTags.of(new Facts("1:2", 3, 4), null));
        assertNotEquals(EntityTags.of(same, Coding.BROTLI), EntityTags.of(same, Coding.ZSTD));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"a\"             | true  | true",
                "W/\"a\"           | true  | false",
                "*                 | true  | true",
                "\"b\", \"a\"      | true  | true",
                "\"b\",W/\"a\"     | true  | false",
                "\"x,\"a\"         | false | false",
                "\"a                | false | false",
                "a                  | false | false",
                "W/                 | false | false",
                "\"A\"             | false | false",
                "''                 | false | false",
            })
    void listsOfTags(String list, boolean weakly, boolean strongly) {
        assertEquals(weakly, EntityTagList.contains(list, "\"a\"", true), "weakly");
        assertEquals(strongly, EntityTagList.contains(list, "\"a\"", false), "strongly");
    }

    @Test
    void wrongOptionsSayWhatToWrite() {
        wrong(o -> o.index("a/b.html"), "The index \"a/b.html\" is no name of a file");
        wrong(
                o -> o.fallback("index.html"),
                "\"index.html\" is no path of a file; write /index.html.");
        wrong(o -> o.notFound("/a/"), "is no path of a file");
        wrong(o -> o.fallback("/../x"), "is no path of a file");
        wrong(o -> o.maxRanges(-1), "The number of ranges is 0 or more, not -1.");
        wrong(o -> o.cache(-1), "The size of the cache is 0 or more");
        wrong(o -> o.mime("foo", "text"), "\"text\" is no media type; write text/x-foo.");
        wrong(o -> o.cacheControl(List.of("*"), "a\r\nb"), "Cache-Control");
        wrong(o -> o.compressTypes("html"), "\"html\" is no media type");
    }

    private static void wrong(Consumer<FileOptions> options, String message) {
        var thrown =
                assertThrows(
                        IllegalArgumentException.class, () -> options.accept(new FileOptions()));
        assertTrue(thrown.getMessage().contains(message), thrown.getMessage());
    }
}
