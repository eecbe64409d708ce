// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A {@code Location} is a URI reference, whatever a handler makes it of. */
class LocationTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "https://example.org/a?b=c&d#e   | https://example.org/a?b=c&d#e",
                "/a/b;c=1/(d)!$&'*+,=:@-._~~     | /a/b;c=1/(d)!$&'*+,=:@-._~~",
                "../a                            | ../a",
                "//example.org/                  | //example.org/",
                "https://[::1]:8080/             | https://[::1]:8080/",
                "/a%20b%C3%BC                    | /a%20b%C3%BC",
                "/a b                            | /a%20b",
                "/ü/中                         | /%C3%BC/%E4%B8%AD",
                "/\ud83d\ude00                              | /%F0%9F%98%80",
                "/100%                           | /100%25",
                "/100%zz                         | /100%25zz",
                "/\\evil.example                  | /%5Cevil.example",
                "/a#b#c                          | /a#b%23c",
                "/<a>^`{b}                       | /%3Ca%3E%5E%60%7Bb%7D",
                "/\"                              | /%22",
            })
    void whatAUriCannotHaveIsEncoded(String given, String expected) {
        Response redirect = Response.redirect(given);
        assertEquals(expected, redirect.headers().first("Location").orElseThrow());
        Headers fields = Response.empty(201).header("location", given).headers();
        assertEquals(expected, fields.first("Location").orElseThrow());
        fields = Response.empty(201).setHeader("LOCATION", given).headers();
        assertEquals(expected, fields.first("Location").orElseThrow());
    }

    @Test
    void ofGivenHeadersToo() {
        Response response = Response.empty(201).headers(Headers.of("A", "b", "Location", "/c d"));
        assertEquals(Headers.of("A", "b", "Location", "/c%20d"), response.headers());
    }

    @ParameterizedTest
    @CsvSource({"'/a\r\nSet-Cookie: x', U+000D", "'/\u0000', U+0000", "'/a\tb', U+0009"})
    void aControlCharacterIsRefused(String location, String named) {
        String real = location.replace("\\r", "\r").replace("\\n", "\n").replace("\\t", "\t");
        var e = assertThrows(IllegalArgumentException.class, () -> Response.redirect(real));
        assertTrue(e.getMessage().contains(named), e.getMessage());
    }
}
