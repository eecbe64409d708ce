// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static io.sirocco.web.cache.TestOrigin.ok;
import static io.sirocco.web.cache.TestOrigin.response;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.HttpDate;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole requests over a socket, one at a time: RFC 9111 as a client sees it. */
class CachingTest {
    private static final String TEN_DAYS_AGO =
            HttpDate.format(TestClock.START / 1000 - 10 * 86_400);

    private CacheServing serving = new CacheServing();

    @AfterEach
    void close() {
        serving.close();
    }

    private void restart(java.util.function.Consumer<CacheOptions> options) {
        serving.close();
        serving = new CacheServing(options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a", "/virtual/a", "/pool/a"})
    void aFreshResponseIsServedWithItsAge(String target) throws IOException {
        serving.origin.answers(ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\""));
        Answer first = serving.get(target);
        assertEquals("one", first.text());
        assertEquals(
                "sirocco; fwd=uri-miss; fwd-status=200; ttl=60; stored",
                first.field("Cache-Status"));
        assertEquals("", first.field("Age"));
        serving.clock.advance(7);
        Answer second = serving.get(target);
        assertEquals(200, second.status());
        assertEquals("one", second.text());
        assertEquals("7", second.field("Age"));
        assertEquals("sirocco; hit; ttl=53", second.field("Cache-Status"));
        assertEquals("\"1\"", second.field("ETag"));
        assertEquals(HttpDate.format(TestClock.START / 1000), second.field("Date"));
        assertEquals(1, serving.origin.count());
    }

    @Test
    void aStaleResponseIsRevalidated() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\"", "X-Version", "1"),
                response(
                        304, "", "Cache-Control", "max-age=30", "ETag", "\"1\"", "X-Version", "2"));
        serving.get("/a");
        serving.clock.advance(60);
        Answer validated = serving.get("/a");
        assertEquals(List.of("\"1\""), TestOrigin.values(serving.origin.last(), "If-None-Match"));
        assertEquals(200, validated.status());
        assertEquals("one", validated.text());
        assertEquals("2", validated.field("X-Version"));
        assertEquals("", validated.field("Age")); // RFC 9111 4: it was validated
        assertEquals(
                "sirocco; fwd=stale; fwd-status=304; ttl=30; stored",
                validated.field("Cache-Status"));
        serving.clock.advance(29);
        assertEquals("29", serving.get("/a").field("Age"));
        assertEquals(2, serving.origin.count());
        assertEquals(1, serving.cache.stats().revalidated());
    }

    @Test
    void aResponseWithoutATagIsRevalidatedByItsDate() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60", "Last-Modified", TEN_DAYS_AGO),
                response(304, ""));
        serving.get("/a");
        serving.clock.advance(61);
        assertEquals("one", serving.get("/a").text());
        assertEquals(
                List.of(TEN_DAYS_AGO),
                TestOrigin.values(serving.origin.last(), "If-Modified-Since"));
        serving.clock.advance(59);
        assertEquals("59", serving.get("/a").field("Age"));
        assertEquals(2, serving.origin.count());
    }

    @Test
    void aNewRepresentationReplacesAStaleOne() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\""),
                ok("two", "Cache-Control", "max-age=60", "ETag", "\"2\""));
        serving.get("/a");
        serving.clock.advance(61);
        assertEquals("two", serving.get("/a").text());
        assertEquals("two", serving.get("/a").text());
        assertEquals(2, serving.origin.count());
    }

    @Test
    void a304OfAnotherTagIsNotTakenForOurs() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\""),
                response(304, "", "ETag", "\"9\""),
                ok("two", "Cache-Control", "max-age=60", "ETag", "\"9\""));
        serving.get("/a");
        serving.clock.advance(61);
        assertEquals("two", serving.get("/a").text());
        assertEquals(List.of(), TestOrigin.values(serving.origin.last(), "If-None-Match"));
    }

    @Test
    void a304ThatForbidsStoringEndsTheStoredResponse() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\""),
                response(304, "", "ETag", "\"1\"", "Cache-Control", "private"),
                ok("mine", "Cache-Control", "private", "ETag", "\"2\""));
        serving.get("/a");
        serving.clock.advance(61);
        assertEquals("one", serving.get("/a").text());
        assertEquals("mine", serving.get("/a").text());
        assertEquals(0, serving.cache.stats().entries());
    }

    @Test
    void noCacheIsRevalidatedEachTime() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "no-cache", "ETag", "\"1\""),
                response(304, "", "Cache-Control", "no-cache", "ETag", "\"1\""),
                response(304, "", "Cache-Control", "no-cache", "ETag", "\"1\""));
        serving.get("/a");
        assertEquals("one", serving.get("/a").text());
        assertEquals("one", serving.get("/a").text());
        assertEquals(3, serving.origin.count());
    }

    @Test
    void aClientMayAskForARevalidation() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\""),
                response(304, "", "ETag", "\"1\""),
                response(304, "", "ETag", "\"1\""));
        serving.get("/a");
        Answer reload = serving.get("/a", "Cache-Control: no-cache");
        assertEquals("one", reload.text());
        assertTrue(reload.field("Cache-Status").startsWith("sirocco; fwd=request; fwd-status=304"));
        serving.get("/a", "Cache-Control: max-age=0");
        assertEquals(3, serving.origin.count());
    }

    @Test
    void clientsCannotAskForARevalidationIfTheOptionsSaySo() throws IOException {
        restart(options -> options.rules(CacheRules::ignoreClientDirectives));
        serving.origin.answers(ok("one", "Cache-Control", "max-age=60"));
        serving.get("/a");
        assertEquals("one", serving.get("/a", "Cache-Control: no-cache").text());
        assertEquals(1, serving.origin.count());
    }

    @Test
    void onlyIfCachedNeverReachesTheOrigin() throws IOException {
        serving.origin.answers(ok("one", "Cache-Control", "max-age=60"));
        assertEquals(504, serving.get("/a", "Cache-Control: only-if-cached").status());
        assertEquals(0, serving.origin.count());
        serving.get("/a");
        assertEquals("one", serving.get("/a", "Cache-Control: only-if-cached").text());
        serving.clock.advance(61);
        assertEquals(504, serving.get("/a", "Cache-Control: only-if-cached").status());
        assertEquals(1, serving.origin.count());
    }

    @Test
    void maxStaleAndMinFresh() throws IOException {
        serving.origin.answers(
                request -> ok("n" + serving.origin.count(), "Cache-Control", "max-age=60"));
        serving.get("/a");
        serving.clock.advance(65);
        assertEquals("n1", serving.get("/a", "Cache-Control: max-stale=5").text());
        assertEquals("n1", serving.get("/a", "Cache-Control: max-stale").text());
        assertEquals("n2", serving.get("/a", "Cache-Control: max-stale=4").text());
        serving.clock.advance(50);
        assertEquals("n2", serving.get("/a", "Cache-Control: min-fresh=10").text());
        assertEquals("n3", serving.get("/a", "Cache-Control: min-fresh=11").text());
    }

    @Test
    void variantsAreNotMixed() throws IOException {
        serving.origin.answers(
                request ->
                        ok(
                                request.headers().first("Accept-Language").orElse("none"),
                                "Cache-Control",
                                "max-age=60",
                                "Vary",
                                "Accept-Language"));
        assertEquals("de", serving.get("/a", "Accept-Language: de").text());
        assertEquals("en", serving.get("/a", "Accept-Language: en").text());
        assertEquals("none", serving.get("/a").text());
        Answer miss = serving.get("/a", "Accept-Language: fr");
        assertTrue(miss.field("Cache-Status").startsWith("sirocco; fwd=vary-miss"));
        assertEquals("de", serving.get("/a", "accept-language:  DE ").text());
        assertEquals("en", serving.get("/a", "Accept-Language: en").text());
        assertEquals("none", serving.get("/a").text());
        assertEquals(4, serving.origin.count());
        assertEquals(4, serving.cache.stats().entries());
    }

    @Test
    void theVariantsOfAUrlHaveABound() throws IOException {
        restart(options -> options.maxVariants(2));
        serving.origin.answers(request -> ok("x", "Cache-Control", "max-age=60", "Vary", "X-Kind"));
        serving.get("/a", "X-Kind: 1");
        serving.get("/a", "X-Kind: 2");
        serving.get("/a", "X-Kind: 3");
        assertEquals(2, serving.cache.stats().entries());
        serving.get("/a", "X-Kind: 1");
        assertEquals(4, serving.origin.count());
    }

    @Test
    void keysCanHaveHeadersAndCookiesAndLackParameters() throws IOException {
        restart(
                options ->
                        options.rules(
                                rules ->
                                        rules.keyHeaders("X-Device")
                                                .keyCookies("plan")
                                                .ignoreQuery("utm_*", "id")));
        serving.origin.answers(request -> ok(request.target(), "Cache-Control", "max-age=60"));
        assertEquals("/a?b=1&utm_x=2", serving.get("/a?b=1&utm_x=2").text());
        assertEquals("/a?b=1&utm_x=2", serving.get("/a?id&b=1").text());
        assertEquals(1, serving.origin.count());
        serving.get("/a?b=1", "X-Device: phone");
        assertEquals(2, serving.origin.count());
        serving.get("/a?b=1", "Cookie: x=1; plan=gold");
        assertEquals(3, serving.origin.count());
        serving.get("/a?b=1", "Cookie: plan=gold; x=7");
        assertEquals(3, serving.origin.count());
        serving.get("/a?b=2");
        assertEquals(4, serving.origin.count());
    }

    /** Servers differ in which of two cookies they take, and in whether a comma ends one. */
    @Test
    void aCookieThatServersReadInSeveralWaysHasAKeyOfItsOwn() throws IOException {
        restart(options -> options.rules(rules -> rules.keyCookies("plan")));
        serving.origin.answers(
                request -> ok("n" + serving.origin.count(), "Cache-Control", "max-age=60"));
        assertEquals("n1", serving.get("/a", "Cookie: plan=gold").text());
        assertEquals("n2", serving.get("/a").text());
        List<String> ambiguous =
                List.of(
                        "plan=gold; plan=evil",
                        "plan=gold,evil",
                        "plan=gold, plan=evil",
                        "x=1,plan=gold",
                        "x=\"1; plan=gold\"",
                        "plan=\"gold; x=1\"",
                        "x=\"\\\"; plan=gold; x=\"",
                        "plan",
                        "Plan=gold",
                        "plan; plan=gold");
        for (int i = 0; i < ambiguous.size(); i++) {
            String expected = "n" + (3 + i);
            assertEquals(expected, serving.get("/a", "Cookie: " + ambiguous.get(i)).text());
            assertEquals(expected, serving.get("/a", "Cookie: " + ambiguous.get(i)).text());
        }
        serving.get("/b", "Cookie: plan=gold", "Cookie: plan=evil");
        Answer gold = serving.get("/b", "Cookie: plan=gold");
        assertEquals("n" + (4 + ambiguous.size()), gold.text());
        Answer others = serving.get("/b", "Cookie: x={\"1\",2}; plan=gold; y={3,4}");
        assertEquals(gold.text(), others.text()); // commas elsewhere do not matter
    }

    @Test
    void routesCanHaveRulesOfTheirOwn() throws Exception {
        serving.origin.answers(request -> ok(request.target(), "Cache-Control", "max-age=60"));
        assertEquals("/shop/a?x=1", serving.get("/shop/a?x=1").text());
        assertEquals("/shop/a?x=1", serving.get("/shop/a?x=2").text()); // the route ignores x
        assertEquals("/a?x=1", serving.get("/a?x=1").text());
        assertEquals("/a?x=2", serving.get("/a?x=2").text());
        assertEquals(3, serving.cache.stats().entries());
        assertEquals(1, serving.cache.purge("http://a/shop/a?x=3").toCompletableFuture().get());
        assertEquals(1, serving.cache.purge("http://a/a?x=1").toCompletableFuture().get());
        assertEquals(1, serving.cache.stats().entries());
    }

    @Test
    void headIsServedByAStoredGet() throws IOException {
        serving.origin.answers(ok("one", "Cache-Control", "max-age=60", "X-A", "b"));
        serving.get("/a");
        Answer head = serving.ask("HEAD", "/a");
        assertEquals(200, head.status());
        assertEquals("3", head.field("Content-Length"));
        assertEquals("b", head.field("X-A"));
        assertEquals(1, serving.origin.count());
    }

    @Test
    void headThatContradictsAStoredResponseEndsIt() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\""),
                ok("xxx", "Cache-Control", "max-age=60", "ETag", "\"1\""),
                ok("xxx", "Cache-Control", "max-age=60", "ETag", "\"2\""),
                ok("two", "Cache-Control", "max-age=60", "ETag", "\"2\""));
        serving.get("/a");
        serving.clock.advance(61);
        serving.ask("HEAD", "/a");
        assertEquals("one", serving.get("/a").text()); // confirmed, and fresh again
        serving.clock.advance(61);
        serving.ask("HEAD", "/a");
        assertEquals("two", serving.get("/a").text());
        assertEquals(4, serving.origin.count());
    }

    @Test
    void conditionsOfClientsAreEvaluatedHere() throws IOException {
        serving.origin.answers(
                ok(
                        "one",
                        "Cache-Control",
                        "max-age=60",
                        "ETag",
                        "W/\"1\"",
                        "Last-Modified",
                        TEN_DAYS_AGO,
                        "Content-Language",
                        "en"));
        Answer first = serving.get("/a", "If-None-Match: \"1\"");
        assertEquals(304, first.status()); // though the whole response was fetched
        assertEquals(List.of(), TestOrigin.values(serving.origin.last(), "If-None-Match"));
        assertEquals(304, serving.get("/a", "If-None-Match: \"0\", W/\"1\"").status());
        assertEquals(304, serving.get("/a", "If-None-Match: *").status());
        assertEquals(200, serving.get("/a", "If-None-Match: \"2\"").status());
        Answer same = serving.get("/a", "If-Modified-Since: " + TEN_DAYS_AGO);
        assertEquals(304, same.status());
        assertEquals("W/\"1\"", same.field("ETag"));
        assertEquals("max-age=60", same.field("Cache-Control"));
        assertEquals("", same.field("Content-Language"));
        String before = HttpDate.format(TestClock.START / 1000 - 11 * 86_400);
        assertEquals(200, serving.get("/a", "If-Modified-Since: " + before).status());
        // RFC 9110 13.1.3: the tag comes first
        assertEquals(
                200,
                serving.get("/a", "If-None-Match: \"2\"", "If-Modified-Since: " + TEN_DAYS_AGO)
                        .status());
        assertEquals(1, serving.origin.count());
    }

    @Test
    void conditionsForTheOriginAreForwarded() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60", "ETag", "\"1\""), response(412, ""));
        serving.get("/a");
        assertEquals(412, serving.get("/a", "If-Match: \"2\"").status());
        assertEquals(List.of("\"2\""), TestOrigin.values(serving.origin.last(), "If-Match"));
        assertEquals("one", serving.get("/a").text());
    }

    @Test
    void rangesAreServedFromAWholeResponse() throws IOException {
        serving.origin.answers(
                ok(
                        "0123456789",
                        "Cache-Control",
                        "max-age=60",
                        "ETag",
                        "\"1\"",
                        "Content-Type",
                        "text/plain"));
        serving.get("/a");
        Answer part = serving.get("/a", "Range: bytes=2-4");
        assertEquals(206, part.status());
        assertEquals("234", part.text());
        assertEquals("bytes 2-4/10", part.field("Content-Range"));
        assertEquals("\"1\"", part.field("ETag"));
        Answer beyond = serving.get("/a", "Range: bytes=10-");
        assertEquals(416, beyond.status());
        assertEquals("bytes */10", beyond.field("Content-Range"));
        assertEquals("", beyond.field("Cache-Control"));
        assertEquals("89", serving.get("/a", "Range: bytes=-2", "If-Range: \"1\"").text());
        assertEquals("0123456789", serving.get("/a", "Range: bytes=-2", "If-Range: \"2\"").text());
        Answer parts = serving.get("/a", "Range: bytes=0-1,8-9");
        assertTrue(parts.field("Content-Type").startsWith("multipart/byteranges; boundary="));
        assertTrue(parts.text().contains("Content-Range: bytes 8-9/10\r\n\r\n89"));
        assertEquals(1, serving.origin.count());
    }

    @Test
    void aRangeOfWhatIsNotStoredIsForwarded() throws IOException {
        serving.origin.answers(
                response(206, "34", "Content-Range", "bytes 3-4/10", "Cache-Control", "max-age=60"),
                ok("0123456789", "Cache-Control", "max-age=60"));
        Answer part = serving.get("/a", "Range: bytes=3-4");
        assertEquals(206, part.status());
        assertEquals("34", part.text());
        assertEquals(List.of("bytes=3-4"), TestOrigin.values(serving.origin.last(), "Range"));
        Answer all = serving.get("/a", "Range: bytes=0-");
        assertEquals(206, all.status());
        assertEquals("bytes 0-9/10", all.field("Content-Range"));
        assertEquals(List.of(), TestOrigin.values(serving.origin.last(), "Range"));
        assertEquals("56", serving.get("/a", "Range: bytes=5-6").text());
        assertEquals(2, serving.origin.count());
    }

    @Test
    void unsafeMethodsInvalidate() throws IOException {
        serving.origin.answers(
                request ->
                        request.method().equals("GET")
                                ? ok("n" + serving.origin.count(), "Cache-Control", "max-age=60")
                                : response(
                                        request.target().contains("fail") ? 500 : 201,
                                        "",
                                        "Location",
                                        "/b",
                                        "Content-Location",
                                        "http://a/c"));
        for (String target : List.of("/a", "/b", "/c", "/d")) {
            serving.get(target);
        }
        serving.ask("POST", "/a", "Content-Length: 0");
        assertEquals("n6", serving.get("/a").text());
        assertEquals("n7", serving.get("/b").text());
        assertEquals("n8", serving.get("/c").text());
        assertEquals("n4", serving.get("/d").text());
        serving.ask("POST", "/d?fail", "Content-Length: 0");
        serving.ask("OPTIONS", "/d");
        assertEquals("n4", serving.get("/d").text());
        serving.ask("WHATEVER", "/d");
        assertEquals("n12", serving.get("/d").text());
    }

    @Test
    void anotherOriginCannotBeInvalidated() throws IOException {
        serving.origin.answers(
                request ->
                        request.method().equals("GET")
                                ? ok("n" + serving.origin.count(), "Cache-Control", "max-age=60")
                                : response(201, "", "Location", "http://b/x"));
        try (var client = serving.client()) {
            client.send("GET /x HTTP/1.1\r\nHost: b\r\n\r\n");
            client.answer(false);
            client.send("POST /y HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
            client.answer(false);
            client.send("GET /x HTTP/1.1\r\nHost: B:80\r\n\r\n");
            assertEquals("n1", client.answer(false).text());
        }
    }

    @Test
    void hostsAreSeparate() throws IOException {
        serving.origin.answers(request -> ok(request.authority(), "Cache-Control", "max-age=60"));
        try (var client = serving.client()) {
            for (String host : List.of("a", "b", "b:8080", "a", "b", "b:8080")) {
                client.send("GET /x HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
                assertEquals(host, client.answer(false).text());
            }
        }
        assertEquals(3, serving.origin.count());
    }

    @Test
    void staleWhileRevalidate() throws Exception {
        serving.origin.answers(
                request ->
                        ok(
                                "n" + serving.origin.count(),
                                "Cache-Control",
                                "max-age=60, stale-while-revalidate=30"));
        serving.get("/a");
        serving.origin.await();
        serving.clock.advance(70);
        Answer stale = serving.get("/a");
        assertEquals("n1", stale.text());
        assertEquals("70", stale.field("Age"));
        assertEquals(
                "sirocco; hit; ttl=-10; detail=stale-while-revalidate",
                stale.field("Cache-Status"));
        assertTrue(serving.origin.await().background());
        CacheServing.until(() -> serving.cache.stats().stored() == 2);
        assertEquals("n2", serving.get("/a").text());
        serving.clock.advance(90);
        assertEquals("n3", serving.get("/a").text()); // too stale
    }

    @Test
    void staleIfError() throws IOException {
        serving.origin.answers(
                ok("one", "Cache-Control", "max-age=60, stale-if-error=30", "ETag", "\"1\""));
        serving.get("/a");
        serving.clock.advance(80);
        serving.origin.answers(request -> response(503, "broken"));
        Answer stale = serving.get("/a");
        assertEquals("one", stale.text());
        assertEquals(
                "sirocco; fwd=stale; fwd-status=503; ttl=-20; detail=stale-if-error",
                stale.field("Cache-Status"));
        serving.origin.answersLater(
                request ->
                        java.util.concurrent.CompletableFuture.failedFuture(
                                new IOException("no connection")));
        assertEquals("one", serving.get("/a").text());
        serving.clock.advance(10);
        assertEquals(500, serving.get("/a").status());
        serving.origin.answers(request -> response(503, "broken"));
        assertEquals("broken", serving.get("/a").text());
    }

    @Test
    void mustRevalidateIsNeverServedStale() throws IOException {
        restart(
                options ->
                        options.rules(
                                rules ->
                                        rules.staleIfError(Duration.ofDays(1))
                                                .staleWhileRevalidate(Duration.ofDays(1))));
        for (String strict : List.of("must-revalidate", "proxy-revalidate", "s-maxage=60")) {
            serving.origin.answers(
                    ok("one", "Cache-Control", "max-age=60, " + strict, "ETag", "\"1\""));
            serving.get("/" + strict.charAt(0));
            serving.clock.advance(61);
            serving.origin.answers(request -> response(503, "broken"));
            assertEquals(503, serving.get("/" + strict.charAt(0)).status(), strict);
            Answer asked = serving.get("/" + strict.charAt(0), "Cache-Control: max-stale");
            assertEquals(503, asked.status(), strict);
        }
    }

    @Test
    void privateNoStoreAndCookiesAreNotStored() throws IOException {
        for (String[] headers :
                new String[][] {
                    {"Cache-Control", "private, max-age=60"},
                    {"Cache-Control", "max-age=60, private=\"X-A\""},
                    {"Cache-Control", "no-store, max-age=60"},
                    {"Cache-Control", "max-age=60", "Set-Cookie", "a=b"},
                    {"Cache-Control", "max-age=60", "Vary", "Accept, *"},
                    {"CDN-Cache-Control", "no-store", "Cache-Control", "max-age=60"},
                    {"X-Nothing", "1"},
                }) {
            serving.origin.answers(ok("one", headers), ok("two", headers));
            assertEquals("one", serving.get("/a").text());
            assertEquals("two", serving.get("/a").text());
        }
        assertEquals(0, serving.cache.stats().stored());
    }

    @Test
    void aResponseToCredentialsIsStoredOnlyIfItSaysSo() throws IOException {
        String me = "Authorization: Basic bWU6bWU=";
        serving.origin.answers(
                ok("mine", "Cache-Control", "max-age=60"),
                ok("all", "Cache-Control", "max-age=60"),
                ok("mine again", "Cache-Control", "max-age=60"));
        assertEquals("mine", serving.get("/a", me).text());
        assertEquals("all", serving.get("/a").text());
        assertEquals("mine again", serving.get("/a", me).text());
        serving.origin.answers(ok("shared", "Cache-Control", "public, max-age=60"));
        assertEquals("shared", serving.get("/b", me).text());
        assertEquals("shared", serving.get("/b", me).text());
        assertEquals("shared", serving.get("/b").text());
    }

    @Test
    void aTargetedHeaderComesFirst() throws IOException {
        serving.origin.answers(
                request ->
                        ok(
                                "n" + serving.origin.count(),
                                "CDN-Cache-Control",
                                "max-age=100",
                                "Cache-Control",
                                "no-store, max-age=10"));
        serving.get("/a");
        serving.clock.advance(99);
        assertEquals("n1", serving.get("/a").text());
        serving.clock.advance(1);
        assertEquals("n2", serving.get("/a").text());
    }

    @Test
    void theAgeOfCachesOnTheWayCounts() throws IOException {
        serving.origin.answers(
                request ->
                        ok(
                                "n" + serving.origin.count(),
                                "Cache-Control",
                                "max-age=60",
                                "Age",
                                "50",
                                "Cache-Status",
                                "inner; hit"));
        assertEquals("50", serving.get("/a").field("Age"));
        serving.clock.advance(9);
        assertEquals("59", serving.get("/a").field("Age"));
        serving.clock.advance(1);
        assertEquals("n2", serving.get("/a").text());
    }

    @Test
    void heuristicFreshnessIsATenthOfTheAge() throws IOException {
        serving.origin.answers(ok("one", "Last-Modified", TEN_DAYS_AGO), response(304, ""));
        serving.get("/a");
        serving.clock.advance(86_399);
        assertEquals("one", serving.get("/a").text());
        assertEquals(1, serving.origin.count());
        serving.clock.advance(1);
        serving.get("/a");
        assertEquals(2, serving.origin.count());
    }

    @Test
    void statusesCanHaveADefaultTtl() throws IOException {
        restart(options -> options.rules(all -> all.defaultTtl(404, Duration.ofSeconds(5))));
        serving.origin.answers(response(404, "none"), response(404, "still none"));
        assertEquals("none", serving.get("/a").text());
        assertEquals(404, serving.get("/a").status());
        assertEquals(1, serving.origin.count());
        serving.clock.advance(5);
        assertEquals("still none", serving.get("/a").text());
    }

    @Test
    void aRequestHeaderCanBypassTheCache() throws IOException {
        restart(options -> options.rules(rules -> rules.bypassHeaders("X-Preview")));
        serving.origin.answers(
                request -> ok("n" + serving.origin.count(), "Cache-Control", "max-age=60"));
        assertEquals("n1", serving.get("/a").text());
        Answer preview = serving.get("/a", "X-Preview: 1");
        assertEquals("n2", preview.text());
        assertEquals("sirocco; fwd=bypass; fwd-status=200", preview.field("Cache-Status"));
        assertEquals("n1", serving.get("/a").text());
    }

    @Test
    void aCookieCanBypassTheCache() throws IOException {
        restart(options -> options.rules(rules -> rules.bypassCookies("session", "wp_*")));
        serving.origin.answers(
                request -> ok("n" + serving.origin.count(), "Cache-Control", "max-age=60"));
        assertEquals("n1", serving.get("/a", "Cookie: theme=dark; other_wp_1=x").text());
        assertEquals("n1", serving.get("/a", "Cookie: theme=session").text());
        Answer personal = serving.get("/a", "Cookie: theme=dark; session=7");
        assertEquals("n2", personal.text());
        assertEquals("sirocco; fwd=bypass; fwd-status=200", personal.field("Cache-Status"));
        assertEquals("n3", serving.get("/a", "Cookie: a=b", "Cookie: wp_login_8f=x").text());
        assertEquals("n4", serving.get("/a", "Cookie: session=").text());
        assertEquals("n5", serving.get("/a", "Cookie: Session=7").text()); // some servers take it
        assertEquals("n1", serving.get("/a").text());
    }

    @Test
    void requestsThatForbidStoringAreForwarded() throws IOException {
        serving.origin.answers(
                request -> ok("n" + serving.origin.count(), "Cache-Control", "max-age=60"));
        assertEquals("n1", serving.get("/a", "Cache-Control: no-store").text());
        assertEquals("n2", serving.get("/a").text());
        assertEquals("n2", serving.get("/a", "Cache-Control: no-store").text());
    }

    @Test
    void purges() throws Exception {
        serving.origin.answers(
                request ->
                        ok(
                                "n" + serving.origin.count(),
                                "Cache-Control",
                                "max-age=60",
                                "Cache-Tag",
                                "news, " + request.target().substring(1),
                                "Surrogate-Key",
                                "old key",
                                "Vary",
                                "X-Kind"));
        serving.get("/a");
        serving.get("/a", "X-Kind: 2");
        serving.get("/b?c=d");
        assertEquals(2, serving.cache.purge("http://A:80/a").toCompletableFuture().get());
        assertEquals(0, serving.cache.purge("http://a/a").toCompletableFuture().get());
        assertEquals("n4", serving.get("/a").text());
        assertEquals("n3", serving.get("/b?c=d").text());
        assertEquals(1, serving.cache.purgeTag("a").toCompletableFuture().get());
        assertEquals(1, serving.cache.purgeTag("old").toCompletableFuture().get());
        assertEquals("n5", serving.get("/b?c=d").text());
        assertEquals(1, serving.cache.purgeAll().toCompletableFuture().get());
        assertEquals(0, serving.cache.stats().entries());
    }

    @Test
    void headersOfTheConnectionAreNotStored() throws IOException {
        serving.origin.answers(
                ok(
                        "one",
                        "Cache-Control",
                        "max-age=60",
                        "Connection",
                        "X-Hop",
                        "X-Hop",
                        "1",
                        "Keep-Alive",
                        "timeout=5",
                        "Content-Length",
                        "3",
                        "Transfer-Encoding",
                        "chunked"));
        for (int i = 0; i < 2; i++) {
            Answer answer = serving.get("/a");
            assertEquals("", answer.field("X-Hop"));
            assertEquals("", answer.field("Keep-Alive"));
            assertEquals("3", answer.field("Content-Length"));
        }
    }

    @Test
    void memoryHasABound() throws IOException {
        restart(options -> options.memory(1 << 20));
        String kilobytes = "x".repeat(10_000);
        serving.origin.answers(request -> ok(kilobytes, "Cache-Control", "max-age=60"));
        for (int i = 0; i < 300; i++) {
            assertEquals(10_000, serving.get("/" + i).body().length);
            assertTrue(serving.cache.stats().memoryBytes() <= 1 << 20);
        }
        assertTrue(serving.cache.stats().entries() > 30);
        assertEquals(300, serving.cache.stats().stored());
    }

    @Test
    void headersAndTagsHaveABound() throws IOException {
        restart(options -> options.maxHeaderBytes(1000).maxTags(2));
        serving.origin.answers(
                ok("a", "Cache-Control", "max-age=60", "X-Large", "x".repeat(1000)),
                ok("b", "Cache-Control", "max-age=60", "Cache-Tag", "a,b,c"));
        assertTrue(serving.get("/a").field("Cache-Status").endsWith("detail=HEADERS_TOO_LARGE"));
        assertTrue(serving.get("/b").field("Cache-Status").endsWith("detail=TOO_MANY_TAGS"));
        assertEquals(0, serving.cache.stats().entries());
    }

    @Test
    void aClosedCacheForwards() throws IOException {
        serving.origin.answers(
                request -> ok("n" + serving.origin.count(), "Cache-Control", "max-age=60"));
        serving.get("/a");
        serving.cache.close();
        assertEquals("n2", serving.get("/a").text());
        assertEquals("n3", serving.get("/a").text());
        assertFalse(serving.cache.stats().entries() > 0);
    }
}
