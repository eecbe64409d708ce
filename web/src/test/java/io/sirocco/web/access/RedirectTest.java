// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.web.access.Serving.Reply;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where clients are sent, and where they never are. */
class RedirectTest {
    private final Serving serving = new Serving();

    private String location(String path, String to, String target) throws IOException {
        serving.start(routes -> routes.any(path, new Redirect(path, to, 308)));
        try (serving) {
            Reply reply = serving.ask("127.0.0.1", "GET", target);
            assertEquals(308, reply.status());
            return reply.field("Location");
        }
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            textBlock =
                    """
                    /old/*,       /new/{*},               /old/a/b,             /new/a/b
                    /old/*,       /new/{*},               /old/,                /new/
                    /old/*,       /new/{*},               /old/a?x=1&y=%20,     /new/a?x=1&y=%20
                    /old/*,       /new?p={*},             /old/a?x=1,           /new?p=a&x=1
                    /old,         /new,                   /old?x,               /new?x
                    /old,         https://example.org,    /old?x,               https://example.org?x
                    /u/{name},    /users/{name}/,         /u/a%20b%C3%A4,       /users/a%20b%C3%A4/
                    /u/{name},    https://a.example/{name}, /u/x,               https://a.example/x
                    /{y}/{t},     /{t}/{y}.html,          /2026/title,          /title/2026.html
                    """)
    void aPathIsPutTogetherAndTheQueryIsKept(String path, String to, String target, String location)
            throws IOException {
        assertEquals(location, location(path, to, target));
    }

    /** None of what a client sends makes another host of it, or a second header field. */
    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    /old/*,    /{*},      /old//evil.example,             /evil.example
                    /old/*,    /{*},      /old///evil.example,            /evil.example
                    /old/*,    /{*},      /old/%2Fevil.example,           /evil.example
                    /old/*,    /{*},      /old/%5Cevil.example,           /%5Cevil.example
                    /old/*,    /{*},      /old/%0D%0ASet-Cookie:%20a=b,   /%0D%0ASet-Cookie%3A%20a%3Db
                    /u/{name}, /{name},   /u/%2F%2Fevil.example,          /%2F%2Fevil.example
                    /u/{name}, /{name},   /u/https:%2F%2Fevil.example,    /https%3A%2F%2Fevil.example
                    /u/{name}, /x/{name}, /u/a%3Fb%23c,                   /x/a%3Fb%23c
                    """)
    void itIsNoOpenRedirect(String path, String to, String target, String location)
            throws IOException {
        assertEquals(location, location(path, to, target));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "new",
                "//evil.example/",
                "{*}",
                "{*}/x",
                "https://{*}",
                "https://{*}/",
                "https://example.org{*}",
                "https://example.org:{*}/",
                "javascript:alert(1)",
                "/new/{name}",
                "/new/{*",
                "/new/*}",
                "/new#part",
                "/new\r\nX: 1",
                "",
            })
    void aTargetThatCannotBeIsRefused(String to) {
        assertThrows(IllegalArgumentException.class, () -> new Redirect("/old/*", to, 308));
    }

    @Test
    void otherStatusesAreRefused() throws IOException {
        for (int status : new int[] {200, 300, 304, 305, 306, 309}) {
            assertThrows(IllegalArgumentException.class, () -> new Redirect("/", "/x", status));
        }
        serving.start(routes -> routes.any("/", new Redirect("/", "/x", 303)));
        try (serving) {
            assertEquals(303, serving.get().status());
        }
    }

    @Test
    void aRewrittenPathIsPutTogetherAndEncoded() throws IOException {
        String path = "/blog/{year}/{title}";
        var rewrite = new Rewrite(path, "/articles/{title}.html");
        serving.start(routes -> routes.get(path, q -> Response.text(rewrite.apply(q))));
        try (serving) {
            assertEquals("/articles/t.html", serving.ask("127.0.0.1", "GET", "/blog/1/t?x").body());
            assertEquals(
                    "/articles/..%2F..%2Fetc.html",
                    serving.ask("127.0.0.1", "GET", "/blog/1/..%2F..%2Fetc").body());
        }
        for (String bad : new String[] {"articles", "/a?b", "/a#b", "/{month}"}) {
            assertThrows(IllegalArgumentException.class, () -> new Rewrite(path, bad), bad);
        }
    }

    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    example.org,      /a?b,  Host: www.example.org,       http://example.org/a?b
                    example.org,      /a,    Host: www.example.org:8080,  http://example.org:8080/a
                    example.org:8443, /tls,  Host: www.example.org:8080,  https://example.org:8443/tls
                    example.org,      /tls,  Host: 127.0.0.1,             https://example.org/tls
                    example.org,      //e/x, Host: [::1]:80,              http://example.org:80//e/x
                    """)
    void otherNamesAreSentToTheCanonicalOne(
            String name, String target, String host, String location) throws IOException {
        var canonical = new CanonicalHost(name, request -> request.path().equals("/tls"));
        try (var site = serving.start(canonical)) {
            Reply reply = site.ask("127.0.0.1", "GET", target, host);
            assertEquals(308, reply.status());
            assertEquals(location, reply.field("Location"));
            assertEquals(200, site.get("Host: EXAMPLE.org:1").status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "https://example.org", "example.org/", "a b", "example.org:", "é"})
    void whatIsNoHostIsRefused(String host) {
        assertThrows(
                IllegalArgumentException.class, () -> new CanonicalHost(host, request -> false));
    }

    @Test
    void everythingIsSentToHttps() throws IOException {
        for (var redirect :
                new Object[][] {
                    {443, "https://example.org/a?b"}, {8443, "https://example.org:8443/a?b"}
                }) {
            try (var site = new Serving().start(new HttpsRedirect((int) redirect[0]))) {
                Reply reply = site.ask("127.0.0.1", "POST", "/a?b", "Host: example.org:8080");
                assertEquals(308, reply.status());
                assertEquals(redirect[1], reply.field("Location"));
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new HttpsRedirect(0));
        assertThrows(IllegalArgumentException.class, () -> new HttpsRedirect(65_536));
    }

    @Test
    void aFixedAnswerIsTheSameForAll() throws IOException {
        serving.start(
                routes ->
                        routes.any("/gone", new Respond(410, "It is gone."))
                                .any("/none", new Respond(204, "")));
        try (serving) {
            Reply gone = serving.ask("127.0.0.1", "DELETE", "/gone");
            assertEquals(410, gone.status());
            assertEquals("It is gone.", gone.body());
            assertEquals(204, serving.ask("127.0.0.1", "GET", "/none").status());
        }
        assertThrows(IllegalArgumentException.class, () -> new Respond(204, "text"));
        assertTrue(
                assertThrows(IllegalArgumentException.class, () -> new Respond(99, ""))
                        .getMessage()
                        .contains("200 to 599"));
    }
}
