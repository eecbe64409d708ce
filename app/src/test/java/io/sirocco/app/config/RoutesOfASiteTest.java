// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a route does not set it takes from the nearest route that covers it and does. */
class RoutesOfASiteTest {

    private static Route route(String path, String text) {
        return Read.valid(text).sites().getFirst().routes().stream()
                .filter(route -> route.path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "/*,          /a,          true",
        "/*,          /,           true",
        "/a/*,        /a/b/c,      true",
        "/a/*,        /a/,         true",
        "/a/*,        /a,          false",
        "/a/*,        /ab,         false",
        "/a/*,        /a/{x},      true",
        "/a/*,        /a/b/*,      true",
        "/a/b/*,      /a/*,        false",
        "/a/*,        /a/*,        false",
        "/u/{x},      /u/me,       true",
        "/u/{x},      /u/{y},      false",
        "/u/{x},      /u/,         false",
        "/u/{x},      /u/*,        false",
        "/u/{x}/*,    /u/me/a,     true",
        "/u/me,       /u/{x},      false",
        "/{x}/b,      /a/{y},      false",
        "/*.php,      /a/b.php,    true",
        "/*.php,      /b.phps,     false",
        "/*.php,      /a/*.php,    true",
        "/*.php,      /*.x.php,    true",
        "/*.x.php,    /*.php,      false",
        "/*.php,      /*.php,      false",
        "/*.php,      /*,          false",
        "/*.php,      /{x},        false",
        "/a/*.php,    /b/c.php,    false",
        "/a/*,        /a/*.php,    true",
        "/a/{x},      /a/*.php,    false",
    })
    void aPathCoversWhatItTakesAltogether(String path, String other, boolean covers) {
        assertEquals(covers, RoutePath.parse(path).covers(RoutePath.parse(other)));
    }

    /** As METHODS HEADER=VALUE..., for the same path. */
    @ParameterizedTest
    @CsvSource({
        "*,          GET,           true",
        "GET,        *,             false",
        "GET,        GET,           false",
        "GET,        HEAD,          true",
        "GET/POST,   POST,          true",
        "POST,       GET/POST,      false",
        "*,          * x=1,         true",
        "* x,        * x=1,         true",
        "* x=1,      * x,           false",
        "* x=1/2,    * x=2 y,       true",
        "* x=1,      * y=1,         false",
        "* x,        GET,           false",
        "GET,        GET x,         true",
    })
    void aRouteCoversThoseForSomeOfItsRequests(String route, String other, boolean covers) {
        assertEquals(covers, match("/a", route).covers(match("/a", other)));
        assertEquals(covers || route.equals(other), match("/*", route).covers(match("/a", other)));
        assertFalse(match("/b", route).covers(match("/a", other)));
    }

    private static RouteMatch match(String path, String text) {
        String[] words = text.split(" ");
        var headers = new HashMap<String, List<String>>();
        for (int i = 1; i < words.length; i++) {
            String[] parts = words[i].split("=");
            headers.put(parts[0], parts.length == 1 ? List.of() : List.of(parts[1].split("/")));
        }
        return new RouteMatch(
                path, words[0].equals("*") ? List.of() : List.of(words[0].split("/")), headers);
    }

    @Test
    void aRouteForSomeRequestsOfAPathInheritsFromTheRouteForAll() {
        String text =
                """
                [[site]]
                [[site.route]]
                path = "/a/*"
                methods = ["PUT"]
                [[site.route]]
                path = "/a/*"
                allow = ["10.0.0.0/8"]
                [[site.route]]
                path = "/a/b"
                methods = ["GET"]
                hsts = "1s"
                [[site.route]]
                path = "/a/b"
                """;
        List<Route> routes = Read.valid(text).sites().getFirst().routes();
        for (Route route : routes) {
            assertEquals(1, route.rules().allow().size());
        }
        assertEquals(Duration.ZERO, routes.getLast().rules().hsts());
    }

    @Test
    void theNearestRouteAnswersThenTheNextThenTheSite() {
        String text =
                """
                [[site]]
                hsts = "1s"
                charset = "us-ascii"
                deny = ["192.0.2.1"]
                [[site.route]]
                path = "/a/b/c"
                [[site.route]]
                path = "/a/b/*"
                hsts = "3s"
                [[site.route]]
                path = "/a/*"
                hsts = "2s"
                listing = true
                allow = ["10.0.0.0/8"]
                """;
        Route route = route("/a/b/c", text);
        assertEquals(Duration.ofSeconds(3), route.rules().hsts());
        assertTrue(route.files().listing());
        assertEquals("10.0.0.0/8", route.rules().allow().getFirst().toString());
        assertEquals("192.0.2.1", route.rules().deny().getFirst().toString());
        assertEquals("us-ascii", route.files().charset());
        assertFalse(Read.valid(text).sites().getFirst().files().listing());
    }

    /** Otherwise a password would be lost where two routes cover a third. */
    @Test
    void aRouteThatSetsNothingHidesNoOtherOne() {
        String text =
                """
                [[site]]
                [[site.route]]
                path = "/{x}/b"
                allow = ["10.0.0.0/8"]
                [[site.route]]
                path = "/a/*"
                listing = true
                [[site.route]]
                path = "/a/b"
                """;
        Route route = route("/a/b", text);
        assertTrue(route.files().listing());
        assertEquals(1, route.rules().allow().size());
    }

    @Test
    void anEmptyListLiftsWhatWouldBeTaken() {
        String text =
                "[[site]]\nallow = [\"10.0.0.0/8\"]\n[[site.route]]\npath = \"/x\"\nallow = []\n";
        assertEquals(List.of(), route("/x", text).rules().allow());
    }

    @Test
    void falseLiftsWhatWouldBeTaken() {
        String text =
                """
                [[site]]
                rate-limit = { requests = 1 }
                [[site.route]]
                path = "/open/*"
                rate-limit = false
                [[site.route]]
                path = "/open/but/*"
                rate-limit = { requests = 2 }
                [[site.route]]
                path = "/open/wide"
                """;
        assertEquals(Optional.empty(), route("/open/*", text).rules().rateLimit());
        assertEquals(Optional.empty(), route("/open/wide", text).rules().rateLimit());
        assertEquals(2, route("/open/but/*", text).rules().rateLimit().orElseThrow().requests());
    }

    @Test
    void aLimitThatIsTakenIsTheSameAndOneThatSaysTheSameIsNot() {
        String text =
                """
                [[site]]
                rate-limit = { requests = 1 }
                [[site.route]]
                path = "/shares"
                [[site.route]]
                path = "/alone"
                rate-limit = { requests = 1 }
                """;
        var limit = Read.valid(text).sites().getFirst().rules().rateLimit();
        assertEquals(limit, route("/shares", text).rules().rateLimit());
        assertNotEquals(limit, route("/alone", text).rules().rateLimit());
    }

    /** Unlike in nginx, where one header of a location drops all of its server. */
    @Test
    void headersAreTakenOneByOne() {
        String text =
                """
                [[site]]
                headers = { "X-A" = "1", "X-B" = "2", "X-C" = "3" }
                [[site.route]]
                path = "/*"
                headers = { "x-b" = "4", "X-C" = "" }
                """;
        assertEquals(
                Map.of("X-A", "1", "x-b", "4", "X-C", ""), route("/*", text).rules().headers());
    }

    @Test
    void stripGoesWithItsRoot() {
        String text =
                """
                [[site]]
                root = "src"
                [[site.route]]
                path = "/api/*"
                root = "src/main"
                strip = "/api"
                [[site.route]]
                path = "/api/a/*"
                [[site.route]]
                path = "/api/b/*"
                root = "src/test"
                """;
        assertEquals("/api", route("/api/a/*", text).files().strip());
        assertEquals(
                Path.of("src/main").toAbsolutePath(),
                route("/api/a/*", text).files().root().orElseThrow());
        assertEquals("", route("/api/b/*", text).files().strip());
    }

    @Test
    void whatARouteDoesIsItsOwn() {
        String text =
                """
                [[site]]
                [[site.route]]
                path = "/old/*"
                redirect = { to = "/new/{*}" }
                bandwidth-out = 10
                [[site.route]]
                path = "/old/kept"
                """;
        assertEquals(new Action.Redirect("/new/{*}", 308), route("/old/*", text).action());
        assertEquals(new Action.Serve(), route("/old/kept", text).action());
        assertEquals(0, route("/old/kept", text).bandwidthOut());
    }
}
