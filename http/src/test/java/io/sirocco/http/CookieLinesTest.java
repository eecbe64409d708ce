// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** All {@code Cookie} headers of a request are read, as front ends with HTTP/2 pass them on. */
class CookieLinesTest extends OnTheWire {
    @Override
    void routes(Routes routes) {
        routes.get("/", r -> Response.text(r.cookie("a").orElse("-") + r.cookie("b").orElse("-")));
    }

    @Test
    void aCookieOfAnyLine() {
        wireWhole("GET / HTTP/1.1\nHost: a\nCookie: x=0\ncookie: a=1\nCookie: y=0; b=2; a=3\n\n")
                .answers(200, "12")
                .goesOn();
        wireWhole("GET / HTTP/1.1\nHost: a\nCookie: b=\"2\"\nCookie:\n\n")
                .answers(200, "-2")
                .goesOn();
    }

    @Test
    void aCookieOfHeaders() {
        Headers request = Headers.of("Cookie", "x=0").with("cookie", "a=1").with("Cookie", "a=2");
        assertEquals(Optional.of("1"), Cookie.value(request, "a"));
        assertEquals(Optional.empty(), Cookie.value(request, "b"));
    }
}
