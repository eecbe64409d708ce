// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What names an origin, and which pages have it (RFC 6454). */
class OriginsTest {
    private static final Origins SOME =
            Origins.of(
                    List.of(
                            "HTTPS://*.Example.org:443",
                            "http://localhost:3000",
                            "https://my_app.example.net",
                            "http://[::1]",
                            "null",
                            "file://"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://a.example.org",
                "https://a_1.b.example.org",
                "https://A.example.org:443",
                "http://localhost:3000",
                "https://my_app.example.net",
                "http://[::1]",
                "http://[::1]:80",
                "null",
                "file://",
            })
    void aNamedOneIsAmongThem(String origin) {
        assertTrue(SOME.contains(origin));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.org",
                "https://.example.org",
                "http://a.example.org",
                "https://a.example.org:8443",
                "https://evilexample.org",
                "https://a.example.org.evil.example",
                "https://evil.example/.example.org",
                "https://evil.example?.example.org",
                "https://evil.example#.example.org",
                "https://a@.example.org",
                "https://a@b.example.org",
                "https://*.example.org",
                "http://localhost",
                "http://[::1]:81",
                "file:",
                "*",
                "",
            })
    void whatOnlyLooksLikeItIsNot(String origin) {
        assertFalse(SOME.contains(origin));
        assertFalse(Origins.NONE.contains(origin));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://app.example.org/",
                "https://app.example.org?a",
                "https://user@app.example.org",
                "app.example.org",
                "https://app.*.org",
                "https://*",
                "https://",
                "https://a:b",
                "https://a:99999",
                "https://..",
                "https://*.[::1]",
                "*",
                "",
            })
    void whatNoPageCanHaveIsRefused(String origin) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> Origins.of(List.of(origin)))
                        .getMessage();
        assertTrue(message.startsWith("'" + origin + "' is not an origin. Write "), message);
    }

    @Test
    void thousandsOfLabelsDoNotOverflowTheStack() {
        assertTrue(SOME.contains("https://" + "a.".repeat(30_000) + "example.org"));
        assertFalse(SOME.contains("https://" + "a.".repeat(30_000) + ".example.org"));
    }

    @Test
    void webSocketsTakeTheSame() {
        for (String wrong : List.of("https://app.example.org/", "*")) {
            assertThrows(
                    IllegalArgumentException.class, () -> WebSockets.of(s -> s.origins(wrong)));
        }
    }
}
