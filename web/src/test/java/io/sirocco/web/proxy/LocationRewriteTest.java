// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** References of a server at {@code 10.0.0.1:8080}, which was told the host {@code shop.test}. */
class LocationRewriteTest {
    private static final String SERVER = "10.0.0.1:8080";

    @ParameterizedTest
    @CsvSource({
        "http://10.0.0.1:8080/v2/a?b#c, /shop/a?b#c",
        "HTTPS://Shop.Test/v2/a, /shop/a",
        "//shop.test/v2, /shop",
        "http://shop.test/v2?x, /shop?x",
        "/v2/a, /shop/a",
        "/v2x/a, /v2x/a",
        "/other, /other",
        "http://shop.test, /",
        "http://shop.test?x, /?x",
        "http://other.test/v2/a, http://other.test/v2/a",
        "http://shop.test.evil/v2/a, http://shop.test.evil/v2/a",
        "http://user@shop.test/v2, /shop",
        "a/b, a/b",
        "?x, ?x",
        "#y, #y",
        "mailto:a@shop.test, mailto:a@shop.test",
        "ftp://shop.test/v2/a, ftp://shop.test/v2/a",
    })
    void referencesToTheServerPointToTheRoute(String value, String expected) {
        var rewrite = new LocationRewrite("/shop", "/v2");
        assertEquals(expected, rewrite.location(value, SERVER, "shop.test"));
    }

    @ParameterizedTest
    @CsvSource({"/, /shop/", "/a, /shop/a", "http://shop.test, /shop/"})
    void withoutAPrefixEachPathIsBelowTheRoute(String value, String expected) {
        var rewrite = new LocationRewrite("/shop", "");
        assertEquals(expected, rewrite.location(value, SERVER, "shop.test"));
    }

    /** A client must not be sent to the host that a path has behind two slashes. */
    @ParameterizedTest
    @CsvSource({
        "/v2//evil.test/a/, /.//evil.test/a/",
        "/v2/\\evil.test/, /.//evil.test/",
        "http://10.0.0.1:8080/v2//evil.test, /.//evil.test",
        "http://shop.test//evil.test/, /.//evil.test/",
        "//shop.test//evil.test/, /.//evil.test/",
        "//evil.test//evil.test/, //evil.test//evil.test/"
    })
    void noPathBecomesAHost(String value, String expected) {
        var rewrite = new LocationRewrite("", "/v2");
        assertEquals(expected, rewrite.location(value, SERVER, "shop.test"));
    }

    @ParameterizedTest
    @CsvSource({"/v2, /", "/v2/a, /a", "/v2?x, /?x"})
    void withoutAStripThePrefixGoes(String value, String expected) {
        var rewrite = new LocationRewrite("", "/v2");
        assertEquals(expected, rewrite.location(value, SERVER, "shop.test"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    a=b                                 | a=b
                    a=b; Path=/v2; HttpOnly             | a=b; Path=/shop; HttpOnly
                    a=b;path=/v2/c;Max-Age=1            | a=b;path=/shop/c;Max-Age=1
                    a=Path=/v2; Path=/v2                | a=Path=/v2; Path=/shop
                    a=b; Domain=.10.0.0.1; Path=/x      | a=b; Path=/x
                    a=b; domain=other.test              | a=b; domain=other.test
                    Domain=10.0.0.1; Path=v2            | Domain=10.0.0.1; Path=v2
                    """)
    void cookiesOfTheServerAreForTheRoute(String value, String expected) {
        var rewrite = new CookiePathRewrite(new LocationRewrite("/shop", "/v2"));
        assertEquals(expected, rewrite.setCookie(value, SERVER));
    }
}
