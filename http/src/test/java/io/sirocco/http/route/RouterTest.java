// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.message.Fields;
import io.sirocco.http.route.Router.Found;
import io.sirocco.http.route.Router.MethodNotAllowed;
import io.sirocco.http.route.Router.NotFound;
import io.sirocco.http.route.Router.Route;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RouterTest {

    /** Routes as {@code METHOD [host]/path}; the target is the route's own text. */
    private static Router<String> router(String... routes) {
        return new Router<>(Arrays.stream(routes).map(RouterTest::route).toList());
    }

    private static Route<String> route(String text) {
        int blank = text.indexOf(' ');
        int slash = text.indexOf('/');
        return new Route<>(
                text.substring(0, blank),
                text.substring(blank + 1, slash),
                text.substring(slash),
                text);
    }

    private static String found(Router<String> router, String method, String path) {
        return found(router, method, "", path);
    }

    /** Headers as names and values. */
    static Fields fields(String... pairs) {
        var fields = new Fields();
        fields.bytes = String.join("", pairs).getBytes(ISO_8859_1);
        fields.count = pairs.length / 2;
        fields.offsets = new int[4 * fields.count];
        int at = 0;
        for (int i = 0; i < pairs.length; i++) {
            fields.offsets[2 * i] = at;
            fields.offsets[2 * i + 1] = at += pairs[i].length();
        }
        return fields;
    }

    /** A router of routes for one path: {@code METHOD name=value name}. */
    private static Router<String> byHeaders(String... routes) {
        var all = new ArrayList<Route<String>>();
        for (String route : routes) {
            String[] words = route.split(" ");
            RequiredHeaders headers = RequiredHeaders.NONE;
            for (String word : Arrays.asList(words).subList(1, words.length)) {
                String[] parts = word.split("=");
                headers =
                        parts.length == 1
                                ? headers.and(parts[0])
                                : headers.and(parts[0], parts[1].split("/"));
            }
            all.add(new Route<>(words[0], "", "/a", headers, route));
        }
        return new Router<>(all);
    }

    private static String found(Router<String> router, String method, Fields fields) {
        return text(router.match(method, "", "/a", fields));
    }

    /** The target and its parameters: {@code GET /a/{x} [x=1]}. */
    private static String found(Router<String> router, String method, String host, String path) {
        return text(router.match(method, host, path));
    }

    private static String text(Router.Match<String> match) {
        return switch (match) {
            case Found<String>(var target, var params) ->
                    params.size() == 0 ? target : target + " " + params;
            case NotFound<String>() -> "404";
            case MethodNotAllowed<String>(var allow) -> "405 " + String.join(", ", allow);
        };
    }

    @Test
    void theMoreSpecificSegmentWinsWhateverTheOrder() {
        var routes =
                new ArrayList<>(
                        List.of(
                                "GET /*",
                                "GET /a/*",
                                "GET /a/{x}",
                                "GET /a/b",
                                "GET /{x}/b",
                                "GET /{x}/{y}"));
        for (int seed = 0; seed < 50; seed++) {
            Collections.shuffle(routes, new Random(seed));
            var router = router(routes.toArray(String[]::new));
            assertEquals("GET /a/b", found(router, "GET", "/a/b"));
            assertEquals("GET /a/{x} [x=c]", found(router, "GET", "/a/c"));
            assertEquals("GET /a/* [*=c/d]", found(router, "GET", "/a/c/d"));
            assertEquals("GET /{x}/b [x=z]", found(router, "GET", "/z/b"));
            assertEquals("GET /{x}/{y} [x=z, y=c]", found(router, "GET", "/z/c"));
            assertEquals("GET /* [*=z]", found(router, "GET", "/z"));
        }
    }

    @Test
    void aSuffixStandsBetweenAParameterAndTheWildcard() {
        var router = router("GET /*", "GET /*.png", "GET /*.min.png", "GET /a/*", "GET /{x}");
        assertEquals("GET /*.png [*=b/c]", found(router, "GET", "/b/c.png"));
        assertEquals("GET /*.min.png [*=b/c]", found(router, "GET", "/b/c.min.png"));
        assertEquals("GET /*.png [*=b/]", found(router, "GET", "/b/.png"));
        assertEquals("GET /* [*=b/c.PNG]", found(router, "GET", "/b/c.PNG"));
        assertEquals("GET /* [*=b/c.png/]", found(router, "GET", "/b/c.png/"));
        assertEquals("GET /a/* [*=c.png]", found(router, "GET", "/a/c.png"));
        assertEquals("GET /{x} [x=c.png]", found(router, "GET", "/c.png"));
    }

    /** An encoded byte is the byte: otherwise {@code %2e} would lead past the route. */
    @Test
    void aSuffixIsComparedAfterDecoding() {
        var router = router("GET /a/*.png", "GET /a/*ść");
        assertEquals("GET /a/*.png [*=b]", found(router, "GET", "/a/b%2epn%67"));
        assertEquals("GET /a/*ść [*=mo]", found(router, "GET", "/a/mo%C5%9B%C4%87"));
        assertEquals("GET /a/*.png [*=\ufffd]", found(router, "GET", "/a/%c5.png"));
        assertEquals("404", found(router, "GET", "/a/b%2.png"));
        assertEquals("404", found(router, "GET", "/a/png"));
    }

    @Test
    void aSuffixThatDoesNotServeTheMethodIsLeftAgain() {
        var router = router("GET /*.a.b", "POST /*.b", "* /*");
        assertEquals("POST /*.b [*=x.a]", found(router, "POST", "/x.a.b"));
        assertEquals("* /* [*=x.a.b]", found(router, "PUT", "/x.a.b"));
        assertEquals("405 GET, HEAD, OPTIONS", found(router("GET /*.b"), "PUT", "/x.b"));
    }

    @Test
    void moreHeadersWinThenMoreValuesThenTheFirst() {
        var router = byHeaders("GET", "GET x", "GET x=1", "GET y=1", "GET y=1 x", "GET y=1 x=2");
        assertEquals("GET", found(router, "GET", fields()));
        assertEquals("GET", found(router, "GET", fields("z", "1", "y", "2")));
        assertEquals("GET x", found(router, "GET", fields("X", "3")));
        assertEquals("GET x=1", found(router, "GET", fields("X", "1")));
        assertEquals("GET y=1", found(router, "GET", fields("Y", "1")));
        assertEquals("GET y=1 x", found(router, "GET", fields("Y", "1", "X", "1")));
        assertEquals("GET y=1 x=2", found(router, "GET", fields("X", "2", "Y", "1")));
        var equals = byHeaders("GET y=1", "GET x=1");
        assertEquals("GET y=1", found(equals, "GET", fields("X", "1", "Y", "1")));
    }

    @Test
    void theMethodCountsBeforeTheHeaders() {
        var router = byHeaders("* x=1", "POST", "GET x");
        assertEquals("POST", found(router, "POST", fields("X", "1")));
        assertEquals("* x=1", found(router, "PUT", fields("X", "1")));
        assertEquals("GET x", found(router, "HEAD", fields("X", "1")));
        assertEquals("* x=1", found(byHeaders("* x=1", "GET y"), "HEAD", fields("X", "1")));
    }

    @Test
    void anyLineAndAnyOfTheValuesIsEnough() {
        var router = byHeaders("GET x=1/2");
        assertEquals("GET x=1/2", found(router, "GET", fields("X", "3", "a", "", "x", "2")));
        assertEquals("404", found(router, "GET", fields("X", "3", "a", "1", "xx", "2")));
        assertEquals("404", found(router, "GET", fields("X", "1, 2")));
    }

    /** A route whose headers the request does not have is no route of the path. */
    @Test
    void aRouteForOtherHeadersIsNotInAllow() {
        var router = byHeaders("GET x", "PUT");
        assertEquals("405 OPTIONS, PUT", found(router, "GET", fields()));
        assertEquals("405 GET, HEAD, OPTIONS, PUT", found(router, "POST", fields("x", "")));
        assertEquals("404", found(byHeaders("GET x"), "GET", fields()));
    }

    @Test
    void aRouteThatAnotherOneHidesIsAnError() {
        assertHidden("GET x=1/2", "GET x=2", "GET /a (x: 1 or 2)", "GET /a (x: 2)");
        assertHidden("* x y=1", "* Y=1 X", "* /a (x: *, y: 1)", "* /a (x: *, y: 1)");
        byHeaders("GET x=2", "GET x=1/2");
        byHeaders("GET x=1", "PUT x=1", "* x=1", "GET x", "GET y=1", "GET x=1 y=1", "GET");
    }

    private static void assertHidden(String first, String second, String one, String two) {
        var e = assertThrows(IllegalArgumentException.class, () -> byHeaders(first, second));
        assertEquals(
                "The routes \"%s\" and \"%s\" match the same requests; remove one of them."
                        .formatted(one, two),
                e.getMessage());
    }

    @Test
    void badRequiredHeadersSayWhatToDo() {
        for (String[] bad :
                List.of(new String[] {"a b"}, new String[] {""}, new String[] {"a", "\n"})) {
            var values = Arrays.copyOfRange(bad, 1, bad.length);
            assertThrows(
                    IllegalArgumentException.class, () -> RequiredHeaders.NONE.and(bad[0], values));
        }
        var e =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> RequiredHeaders.NONE.and("X").and("x", "1"));
        assertEquals(
                "The route requires the header \"x\" twice; list its values once.", e.getMessage());
    }

    @Test
    void aBranchThatLeadsNowhereIsLeftAgain() {
        var router = router("GET /a/{x}/end", "GET /{y}/b/{z}/far", "GET /{w}/*");
        assertEquals("GET /a/{x}/end [x=b]", found(router, "GET", "/a/b/end"));
        assertEquals("GET /{y}/b/{z}/far [y=a, z=q]", found(router, "GET", "/a/b/q/far"));
        assertEquals("GET /{w}/* [w=a, *=b/q/near]", found(router, "GET", "/a/b/q/near"));
    }

    @Test
    void theWildcardTakesNothingOrMuchButNeedsItsSlash() {
        var router = router("GET /files/*");
        assertEquals("GET /files/* [*=]", found(router, "GET", "/files/"));
        assertEquals("GET /files/* [*=a//b/]", found(router, "GET", "/files/a//b/"));
        assertEquals("404", found(router, "GET", "/files"));
    }

    @Test
    void aFinalSlashAndCaseMakeADifference() {
        var router = router("GET /a", "GET /b/", "GET /{x}/c");
        assertEquals("404", found(router, "GET", "/a/"));
        assertEquals("404", found(router, "GET", "/b"));
        assertEquals("404", found(router, "GET", "/A"));
        assertEquals("404", found(router, "GET", "//c"));
    }

    @Test
    void onlyAPathThatBeginsWithASlashIsLookedUp() {
        var router = router("* /*");
        assertEquals("404", found(router, "OPTIONS", "*"));
        assertEquals("404", found(router, "GET", ""));
        assertEquals("* /* [*=]", found(router, "GET", "/"));
    }

    @Test
    void getServesHeadUnlessHeadIsThere() {
        assertEquals("GET /a", found(router("GET /a", "* /a"), "HEAD", "/a"));
        assertEquals("HEAD /a", found(router("GET /a", "HEAD /a"), "HEAD", "/a"));
    }

    @Test
    void aMethodOfItsOwnBeatsAny() {
        var router = router("* /a", "PUT /a");
        assertEquals("PUT /a", found(router, "PUT", "/a"));
        assertEquals("* /a", found(router, "PURGE", "/a"));
        assertEquals("* /a", found(router, "put", "/a"));
    }

    @Test
    void theMethodDecidesAmongRoutesThatMatch() {
        var router = router("GET /users/me", "POST /users/{id}", "DELETE /*");
        assertEquals("POST /users/{id} [id=me]", found(router, "POST", "/users/me"));
        assertEquals("DELETE /* [*=users/me]", found(router, "DELETE", "/users/me"));
    }

    @Test
    void anUnservedMethodIsToldAllThatAreServed() {
        var router = router("GET /users/me", "PUT /users/{id}", "POST /other");
        assertEquals("405 GET, HEAD, OPTIONS, PUT", found(router, "DELETE", "/users/me"));
        assertEquals("405 GET, HEAD, OPTIONS, PUT", found(router, "OPTIONS", "/users/me"));
        assertEquals("405 OPTIONS, POST", found(router, "HEAD", "/other"));
    }

    @Test
    void hostsFallBackFromExactToWildcardToAny() {
        var router =
                router(
                        "GET example.com/",
                        "GET *.example.com/",
                        "GET *.b.example.com/",
                        "GET /",
                        "GET /everywhere",
                        "PUT example.com/everywhere");
        assertEquals("GET example.com/", found(router, "GET", "example.com", "/"));
        assertEquals("GET example.com/", found(router, "GET", "EXAMPLE.com.:8080", "/"));
        assertEquals("GET *.example.com/", found(router, "GET", "a.example.com:80", "/"));
        assertEquals("GET *.example.com/", found(router, "GET", "b.example.com", "/"));
        assertEquals("GET *.b.example.com/", found(router, "GET", "x.a.b.example.com", "/"));
        assertEquals("GET /", found(router, "GET", "example.org", "/"));
        assertEquals("GET /", found(router, "GET", ".example.com", "/"));
        assertEquals("GET /", found(router, "GET", "", "/"));
        assertEquals("GET /", found(router, "GET", "example.com.".repeat(30), "/"));
        assertEquals("GET /everywhere", found(router, "GET", "example.com", "/everywhere"));
        assertEquals(
                "405 GET, HEAD, OPTIONS, PUT", found(router, "POST", "example.com", "/everywhere"));
    }

    @Test
    void anUnknownHostIsNotFoundWhenNoRouteIsForAny() {
        var router = router("GET [::1]/", "GET a.example/");
        assertEquals("GET [::1]/", found(router, "GET", "[::1]:8080", "/"));
        assertEquals("GET [::1]/", found(router, "GET", "[::1]", "/"));
        assertEquals("404", found(router, "GET", "b.example", "/"));
    }

    @Test
    void anEncodedSlashNeverSeparates() {
        var router = router("GET /a/{x}", "GET /a/b/c");
        assertEquals("GET /a/{x} [x=b/c]", found(router, "GET", "/a/b%2Fc"));
        assertEquals("GET /a/{x} [x=b/c]", found(router, "GET", "/a/b%2fc"));
        assertEquals("404", found(router, "GET", "/a%2Fb/c/d"));
    }

    @Test
    void literalsMatchDecodedAndDecodingHappensOnce() {
        var router = router("GET /zażółć", "GET /100%", "GET /{x}/v");
        assertEquals("GET /zażółć", found(router, "GET", "/za%C5%BC%C3%B3%C5%82%C4%87"));
        assertEquals("GET /zażółć", found(router, "GET", "/zażółć"));
        assertEquals("GET /zażółć", found(router, "GET", "/%7Aażółć"));
        assertEquals("GET /100%", found(router, "GET", "/100%25"));
        assertEquals("404", found(router, "GET", "/100%2525"));
        assertEquals("GET /{x}/v [x=%41]", found(router, "GET", "/%2541/v"));
    }

    @Test
    void aMalformedPercentIsNotFoundAtEveryPlace() {
        var router = router("GET /100%", "GET /a/*");
        for (String bad : List.of("%", "%4", "%zz", "%4g", "%-1", "%+1", "\u00ff%", "%4/1")) {
            assertEquals("404", found(router, "GET", "/a/" + bad));
        }
        assertEquals("404", found(router, "GET", "/100%"));
    }

    @Test
    void bytesThatAreNotUtf8BecomeReplacements() {
        var router = router("GET /{x}");
        assertEquals("GET /{x} [x=a\ufffdb]", found(router, "GET", "/a%ffb"));
        byte[] raw = "GET/a\u00ffb".getBytes(ISO_8859_1);
        var match = router.match(raw, 0, 3, 3, raw.length, 0, 0, fields());
        assertEquals("a\ufffdb", assertInstanceOf(Found.class, match).params().get("x"));
    }

    @Test
    void dotsAreSegmentsLikeOthers() {
        var router = router("GET /files/*", "GET /{x}/y");
        assertEquals("GET /files/* [*=../etc]", found(router, "GET", "/files/../etc"));
        assertEquals("GET /{x}/y [x=..]", found(router, "GET", "/%2e%2e/y"));
    }

    @Test
    void aDuplicateNamesBothRoutes() {
        var e =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> router("GET a.example/u/{id}", "GET A.example/u/{name}"));
        assertEquals(
                "The routes \"GET a.example/u/{id}\" and \"GET a.example/u/{name}\" match the same"
                        + " requests; remove one of them.",
                e.getMessage());
    }

    @Test
    void parametersMayDifferInNameWhenThePatternsDifferBelowOrInMethod() {
        var router = router("GET /{a}/x", "GET /{b}/y", "PUT /{c}/x");
        assertEquals("GET /{a}/x [a=1]", found(router, "GET", "/1/x"));
        assertEquals("GET /{b}/y [b=1]", found(router, "GET", "/1/y"));
        assertEquals("PUT /{c}/x [c=1]", found(router, "PUT", "/1/x"));
    }

    @Test
    void badPatternsSayWhatToDo() {
        assertRejected("a", "write \"/a\"");
        assertRejected("/a/*/b", "in segment 2; write {name} for one segment");
        assertRejected("/a/*.png/b", "in segment 2; write {name} for one segment");
        assertRejected("/*.*", "\"*.*\"");
        assertRejected("*.png", "write \"/*.png\"");
        assertRejected("/a/{rest...}", "is written \"*\"");
        assertRejected("/a/x{y}", "\"x{y}\"");
        assertRejected("/a/{}", "\"{}\"");
        assertRejected("/a/b*", "\"b*\"");
        assertRejected("/{a}/{a}", "{a} twice");
        assertRejected("/a//b", "write one '/'");
        assertRejected("/a?b=1", "no query");
        assertThrows(
                IllegalArgumentException.class, () -> new Route<>("GET", "http://a", "/", "t"));
        assertThrows(IllegalArgumentException.class, () -> new Route<>("GET", "a:80", "/", "t"));
        assertThrows(IllegalArgumentException.class, () -> new Route<>("G T", "", "/", "t"));
    }

    private static void assertRejected(String pattern, String hint) {
        var routes = List.of(new Route<>("GET", "", pattern, "t"));
        var e = assertThrows(IllegalArgumentException.class, () -> new Router<>(routes));
        assertTrue(e.getMessage().contains(hint), e.getMessage());
        assertTrue(e.getMessage().contains(pattern), e.getMessage());
    }

    @Test
    void anUnknownParameterIsASlipInTheCode() {
        var match = router("GET /{x}").match("GET", "", "/1");
        var params = assertInstanceOf(Found.class, match).params();
        var e = assertThrows(IllegalArgumentException.class, () -> params.get("y"));
        assertEquals("The route has no parameter \"y\"; it has [x].", e.getMessage());
    }

    @Test
    void aLiteralRouteIsFoundWithoutAnAllocation() throws ReflectiveOperationException {
        var router = router("GET /a", "GET *.example/long/path/of/a/literal", "GET /{x}");
        Fields fields = fields("X", "1");
        byte[] head = "GET/long/path/of/a/literal?q a.example:80".getBytes(ISO_8859_1);
        long before = 0;
        for (int i = 0; i < 101_000; i++) {
            before = i == 1_000 ? allocated() : before; // whatever linking costs lies before
            assertInstanceOf(Found.class, router.match(head, 0, 3, 3, 26, 29, head.length, fields));
        }
        assertEquals(0, (allocated() - before) / 100_000, "bytes for each, rounded down");
    }

    /** Bytes that this thread has allocated; by reflection, for the module needs no management. */
    private static long allocated() throws ReflectiveOperationException {
        var factory = Class.forName("java.lang.management.ManagementFactory");
        var threads = factory.getMethod("getThreadMXBean").invoke(null);
        return (long)
                Class.forName("com.sun.management.ThreadMXBean")
                        .getMethod("getCurrentThreadAllocatedBytes")
                        .invoke(threads);
    }

    @Test
    void everyRouteOfALargeTableIsFound() {
        var routes = new ArrayList<String>();
        for (int i = 0; i < 5_000; i++) {
            routes.add("GET /" + "x".repeat(i % 40) + "/" + i);
        }
        routes.replaceAll(text -> text.replace("//", "/"));
        var router = router(routes.toArray(String[]::new));
        for (String route : routes) {
            assertEquals(route, found(router, "GET", route.substring(4)));
            assertEquals("404", found(router, "GET", route.substring(4) + "?"));
        }
    }
}
