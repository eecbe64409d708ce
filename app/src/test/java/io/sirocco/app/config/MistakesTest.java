// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes of people who know other formats, or a file that ends in the middle of a word. */
class MistakesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[[site]]~root = \u201cpublic\u201d~ | 2:8: error: | use straight quotes: \"public\"",
                "[[site]]~root = \u2018my files\u2019 | 2:8: error: | use straight quotes: \"my files\"",
                "[[site]]~index = [\u201ea\u201c]~ | 2:10: error: | use straight quotes: \"a\"",
                "[[site]]~\u201croot\u201d = \"a\"~ | 2:1: error: | use straight quotes",
                "[[site]]~roo | 2:1: error: | the = and a value are missing",
                "[[site]]~  roo~listing = 1~ | 2:3: error: | the = and a value are missing",
                "[[site]]~root = \"public\";~ | 2:16: error: | a line must not end with a semicolon",
                "[[site]]~listing = true ;~ | 2:16: error: | a line must not end with a semicolon",
                "[upstream.tls]~chain = \"a\"~ | 1:2: error: | write [[upstream]] above it",
                "[site.mime]~md = \"text/plain\"~ | 1:2: error: | write [[site]] above it",
                "[site]~hosts = [\"a\"]~ | 1:2: error: | write [[site]]~",
                "cache = { default-ttl = \"1m\" }~ | 1:11: error: | it belongs in cache of [[site.route]]",
                "cache = true~ | 1:1: error: | it belongs in [[site]] or in [[site.route]]",
                "cache = \"main\"~ | 1:1: error: | it belongs in [[site]] or in [[site.route]]",
            })
    void isExplained(String toml, String where, String words) {
        String said = Read.problems(toml.replace('~', '\n'), Overrides.NONE);
        assertTrue(said.startsWith("test.toml:" + where), said);
        assertTrue(said.contains(words.replace('~', '\n')), said);
    }
}
