// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code Cache-Control} and {@code CDN-Cache-Control}, as they are parsed. */
class DirectivesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "max-age=60              | 60",
                "MAX-AGE=60              | 60",
                "max-age=\"60\"          | 60",
                "a, max-age = 60         | 60",
                ",, max-age=60,          | 60",
                "max-age=60, max-age=5   | 60",
                "x=\"a, max-age=5\", max-age=60 | 60",
                "x=\"a\\\", max-age=5\", max-age=60 | 60",
                "max-age=0               | 0",
                "max-age=99999999999999999999 | 2147483648",
                "max-age                 | -2",
                "max-age=                | -2",
                "max-age=-1              | -2",
                "max-age=1.5             | -2",
                "max-age=6O              | -2",
                "max-age=60 5            | -2",
                "no-max-age=60           | -1",
                "''                      | -1",
            })
    void maxAge(String list, long seconds) {
        assertEquals(seconds, CacheControl.parse(list).seconds("max-age"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no-store",
                "No-Store",
                "max-age=60,no-store",
                "private=\"a, b\", no-store",
                "private=\"a, no-store", // a quote that is never closed hides nothing
                "no-store=1",
                "x=\"\\\"\", no-store",
            })
    void noStoreIsFound(String list) {
        assertTrue(CacheControl.parse(list).has("no-store"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "max-age=60             | 60",
                "max-age=60;x=y, b      | 60",
                "max-age=5, max-age=60  | 60",
                "a=?1,  max-age=60      | 60",
                "a=(1 \"b\" c;d=1), max-age=60 | 60",
                "a=:YWJj:, max-age=60   | 60",
                "max-age=\"60\"         | -2",
                "max-age=6.5            | -2",
                "max-age=-5             | -2",
                "public                 | -1",
            })
    void targeted(String field, long seconds) {
        assertEquals(seconds, TargetedCacheControl.parse(field).seconds("max-age"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "Max-Age=60",
                "max-age=60,",
                "max-age=60,,b",
                "max-age=",
                "a=\"x",
                "a=(1",
                "a=?2",
                "max-age=60 b",
                "a=:x",
                "=1",
                "a=12345678901234567890",
                "a=ü"
            })
    void aMalformedTargetedHeaderIsIgnored(String field) {
        assertNull(TargetedCacheControl.parse(field));
    }

    @Test
    void aFalseDirectiveIsAbsent() {
        CacheControl directives = TargetedCacheControl.parse("no-store=?0, public");
        assertFalse(directives.has("no-store"));
        assertTrue(directives.has("public"));
        assertNull(TargetedCacheControl.parse(null));
    }

    @Test
    void anyTextIsRead() {
        var random = new Random(3);
        String alphabet = "ab=\",\\;?:()0 \t.-*é";
        for (int i = 0; i < 20_000; i++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(20); n > 0; n--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            CacheControl.parse(text.toString());
            TargetedCacheControl.parse(text.toString());
        }
    }
}
