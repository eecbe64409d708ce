// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.web.access.Serving.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What pages of other origins may do (Fetch Standard 3.2). */
class CorsTest {
    private static final String APP = "https://app.example.org";
    private static final String ASKS = "Access-Control-Request-Method: PUT";

    private final Serving serving = new Serving();

    private static Cors cors(Rejections rejections, boolean credentials, String... origins) {
        return new Cors(
                List.of(origins),
                List.of("GET", "PUT"),
                List.of("X-Token"),
                List.of("X-Total"),
                credentials,
                Duration.ofMinutes(10),
                rejections);
    }

    private Serving with(boolean credentials, String... origins) {
        return serving.start(cors(serving.rejections, credentials, origins));
    }

    @Test
    void aPageOfOursMayReadTheResponse() throws Exception {
        try (var site = with(true, APP, "https://*.example.net")) {
            for (String origin : List.of(APP, "https://a.b.example.net")) {
                Reply reply = site.get("Origin: " + origin);
                assertEquals(200, reply.status());
                assertEquals(origin, reply.field("Access-Control-Allow-Origin"));
                assertEquals("true", reply.field("Access-Control-Allow-Credentials"));
                assertEquals("X-Total", reply.field("Access-Control-Expose-Headers"));
                assertEquals("Origin", reply.field("Vary"));
                assertEquals("", reply.field("Access-Control-Allow-Methods"));
            }
        }
    }

    @Test
    void aPreflightOfARouteOfOneMethodIsAnsweredByTheFilter() throws Exception {
        Cors cors = cors(serving.rejections, false, APP);
        try (var site =
                serving.start(routes -> routes.filter(cors).get("/a", request -> Serving.HELLO))) {
            for (String path : List.of("/a", "/none")) {
                Reply reply = site.ask("127.0.0.1", "OPTIONS", path, "Origin: " + APP, ASKS);
                assertEquals(204, reply.status());
                assertEquals(APP, reply.field("Access-Control-Allow-Origin"));
                assertEquals("GET, PUT", reply.field("Access-Control-Allow-Methods"));
            }
            Reply foreign =
                    site.ask("127.0.0.1", "OPTIONS", "/a", "Origin: https://evil.example", ASKS);
            assertEquals(403, foreign.status());
            assertEquals(
                    "GET, HEAD, OPTIONS", site.ask("127.0.0.1", "OPTIONS", "/a").field("Allow"));
            Reply missing = site.ask("127.0.0.1", "GET", "/none", "Origin: " + APP);
            assertEquals(404, missing.status());
            assertEquals(APP, missing.field("Access-Control-Allow-Origin"));
        }
    }

    @Test
    void theEasyWay() throws Exception {
        try (var site =
                serving.start(
                        routes -> routes.filter(Cors.allow(APP)).put("/a", r -> Serving.HELLO))) {
            Reply reply = site.ask("127.0.0.1", "OPTIONS", "/a", "Origin: " + APP, ASKS);
            assertEquals(204, reply.status());
            assertTrue(reply.field("Access-Control-Allow-Methods").contains("PUT"));
            assertEquals("*, Authorization", reply.field("Access-Control-Allow-Headers"));
            assertEquals(200, site.ask("127.0.0.1", "PUT", "/a", "Origin: " + APP).status());
        }
    }

    @Test
    void aPageOfOthersMayNotAndACacheIsToldThatItDepends() throws Exception {
        try (var site = with(true, APP)) {
            for (String field : List.of("Origin: https://evil.example", "Accept: */*")) {
                Reply reply = site.get(field);
                assertEquals(200, reply.status());
                assertEquals("hello", reply.body());
                assertEquals("", reply.field("Access-Control-Allow-Origin"));
                assertEquals("", reply.field("Access-Control-Allow-Credentials"));
                assertEquals("Origin", reply.field("Vary"));
            }
            assertEquals(Map.of("cors", 0L), site.counts());
        }
    }

    @Test
    void aPreflightIsAnsweredWithWhatIsAllowedAndTheHandlerIsNotAsked() throws Exception {
        try (var site = with(true, APP)) {
            Reply reply = site.ask("127.0.0.1", "OPTIONS", "/x", "Origin: " + APP, ASKS);
            assertEquals(204, reply.status());
            assertEquals("", reply.body());
            assertEquals(APP, reply.field("Access-Control-Allow-Origin"));
            assertEquals("GET, PUT", reply.field("Access-Control-Allow-Methods"));
            assertEquals("X-Token", reply.field("Access-Control-Allow-Headers"));
            assertEquals("600", reply.field("Access-Control-Max-Age"));
            assertEquals("true", reply.field("Access-Control-Allow-Credentials"));
            assertEquals("", reply.field("Access-Control-Expose-Headers"));
            assertEquals("Origin", reply.field("Vary"));
        }
    }

    @Test
    void aPreflightOfOthersIsRefused() throws Exception {
        try (var site = with(false, APP)) {
            Reply reply = site.ask("127.0.0.1", "OPTIONS", "/", "Origin: https://e.example", ASKS);
            assertEquals(403, reply.status());
            assertEquals("", reply.field("Access-Control-Allow-Origin"));
            assertEquals("Origin", reply.field("Vary"));
            assertEquals(Map.of("cors", 1L), site.counts());
        }
    }

    @Test
    void otherOptionsRequestsGoToTheHandler() throws Exception {
        try (var site = with(false, APP)) {
            assertEquals("hello", site.ask("127.0.0.1", "OPTIONS", "/", "Origin: " + APP).body());
            assertEquals("hello", site.ask("127.0.0.1", "OPTIONS", "/", ASKS).body());
        }
    }

    @Test
    void allOriginsGetTheSameAnswerWhichDependsOnNothing() throws Exception {
        try (var site = with(false, "*")) {
            for (String field : List.of("Origin: https://any.example", "Origin: null", "A: b")) {
                Reply reply = site.get(field);
                assertEquals("*", reply.field("Access-Control-Allow-Origin"));
                assertEquals("", reply.field("Vary"));
            }
            Reply preflight = site.ask("127.0.0.1", "OPTIONS", "/", "Origin: null", ASKS);
            assertEquals("*", preflight.field("Access-Control-Allow-Origin"));
        }
    }

    @Test
    void whatTheHandlerHasGrantedStandsAndItsVaryIsKept() throws Exception {
        Response own =
                Response.text("x")
                        .header("Access-Control-Allow-Origin", "https://one.example")
                        .header("Vary", "Accept-Encoding, origin");
        try (var site = serving.start(request -> own, cors(serving.rejections, false, APP))) {
            Reply reply = site.get("Origin: " + APP);
            assertEquals("https://one.example", reply.field("Access-Control-Allow-Origin"));
            assertEquals("Accept-Encoding, origin", reply.field("Vary"));
        }
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        var rejections = new Rejections();
        assertThrows(IllegalArgumentException.class, () -> cors(rejections, true, APP, "*"));
        assertThrows(IllegalArgumentException.class, () -> cors(rejections, false));
        for (String wrong : List.of("null", "Null", "FILE://", APP + "/", "https://*")) {
            assertThrows(IllegalArgumentException.class, () -> cors(rejections, false, APP, wrong));
        }
        List<String> all = List.of("*");
        List<String> none = List.of();
        for (var lists :
                List.of(
                        List.of(all, none, none),
                        List.of(none, all, none),
                        List.of(none, none, all),
                        List.of(List.of("A B"), none, none))) {
            boolean credentials = lists.contains(all);
            assertThrows(
                    IllegalArgumentException.class,
                    () ->
                            new Cors(
                                    List.of(APP),
                                    lists.get(0),
                                    lists.get(1),
                                    lists.get(2),
                                    credentials,
                                    Duration.ZERO,
                                    rejections));
        }
    }
}
