// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Headers;
import io.sirocco.http.HttpDate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules by themselves: what may be stored, how old it is, and when it may be reused. */
class RulesTest {
    private static final long NOW = TestClock.START;

    private static CacheSettings settings() {
        return new CacheOptions().freeze();
    }

    private static RuleSettings rules() {
        return new CacheRules().freeze();
    }

    private static ResponseFacts facts(int status, String... headers) {
        return ResponseFacts.of(status, Headers.of(headers), NOW, NOW, rules());
    }

    private static CacheRequest request(String... headers) {
        return CacheRequest.of("GET", "/a", Headers.of(headers), rules());
    }

    private static String date(long secondsFromNow) {
        return HttpDate.format(NOW / 1000 + secondsFromNow);
    }

    // ---- RFC 9111 3

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | max-age=60                       |",
                "200 | s-maxage=60                      |",
                "200 | max-age=60, no-store             | NO_STORE",
                "200 | max-age=60, private              | PRIVATE",
                "200 | public                           | NOT_REUSABLE",
                "200 | max-age=0                        | NOT_REUSABLE",
                "200 | max-age=0, stale-if-error=5      |",
                "200 | max-age=60, no-cache             | NOT_REUSABLE",
                "302 | none                             | NOT_CACHEABLE",
                "302 | max-age=60                       |",
                "599 | max-age=60                       |",
                "206 | max-age=60                       | STATUS",
                "304 | max-age=60                       | STATUS",
                "401 | max-age=60                       | STATUS",
                "407 | max-age=60                       | STATUS",
                "412 | max-age=60                       | STATUS",
                "416 | max-age=60                       | STATUS",
                "200 | no-store, must-understand, max-age=60 |",
                "299 | must-understand, max-age=60      | STATUS",
                "299 | no-store, must-understand, max-age=60 | STATUS",
            })
    void storing(int status, String directives, String refusal) {
        Headers headers = Headers.of("Cache-Control", directives);
        StoreRefusal found =
                StoreRefusal.of(
                        request(),
                        headers,
                        ResponseFacts.of(status, headers, NOW, NOW, rules()),
                        settings());
        assertEquals(refusal, found == null ? null : found.name());
    }

    @ParameterizedTest
    @CsvSource({
        "max-age=60,AUTHORIZATION",
        "'public, max-age=60',",
        "s-maxage=60,",
        "'must-revalidate, max-age=60',",
        "'proxy-revalidate, max-age=60',AUTHORIZATION"
    })
    void authorization(String directives, String refusal) {
        Headers headers = Headers.of("Cache-Control", directives);
        StoreRefusal found =
                StoreRefusal.of(
                        request("Authorization", "Basic bWU6bWU="),
                        headers,
                        facts(200, "Cache-Control", directives),
                        settings());
        assertEquals(refusal, found == null ? null : found.name());
    }

    @Test
    void setCookieIsStoredOnlyIfTheOptionsSaySo() {
        Headers headers = Headers.of("Cache-Control", "public, max-age=60", "Set-Cookie", "a=b");
        ResponseFacts facts = facts(200, "Cache-Control", "public, max-age=60");
        assertEquals(
                StoreRefusal.SET_COOKIE, StoreRefusal.of(request(), headers, facts, settings()));
        RuleSettings rules = new CacheRules().storeSetCookie().freeze();
        var request = CacheRequest.of("GET", "/a", Headers.none(), rules);
        assertNull(StoreRefusal.of(request, headers, facts, settings()));
    }

    // ---- RFC 9111 4.2.1 and 4.2.2

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=60                | 100 | 60",
                "max-age=60, s-maxage=7    | 100 | 7",
                "s-maxage=0, max-age=60    | 100 | 0",
                "max-age=x                 | 100 | 0",
                "s-maxage=x, max-age=60    | 100 | 0",
                "public                    | 100 | 100",
                "public                    | -5  | 0",
            })
    void lifetime(String directives, long expires, long seconds) {
        ResponseFacts facts =
                facts(200, "Cache-Control", directives, "Date", date(0), "Expires", date(expires));
        assertEquals(seconds * 1000, facts.lifetime());
    }

    @Test
    void expiresIsRelativeToDate() {
        assertEquals(30_000, facts(200, "Date", date(-70), "Expires", date(-40)).lifetime());
        assertEquals(0, facts(200, "Expires", "0").lifetime());
        assertEquals(0, facts(200, "Expires", "0", "Last-Modified", date(-1000)).lifetime());
    }

    @Test
    void heuristicFreshnessIsBounded() {
        assertEquals(100_000, facts(200, "Last-Modified", date(-1000)).lifetime());
        assertEquals(
                Duration.ofDays(1).toMillis(),
                facts(200, "Last-Modified", date(-1_000_000_000)).lifetime());
        assertEquals(0, facts(200, "Last-Modified", date(1000)).lifetime());
        assertEquals(0, facts(302, "Last-Modified", date(-1000)).lifetime());
        assertEquals(
                0,
                ResponseFacts.of(
                                200,
                                Headers.of("Last-Modified", date(-1000)),
                                NOW,
                                NOW,
                                new CacheRules().maxHeuristic(Duration.ZERO).freeze())
                        .lifetime());
    }

    // ---- RFC 9111 4.2.3

    @Test
    void theAgeIsTheLargerOfBothEstimates() {
        Headers headers = Headers.of("Date", date(-10), "Age", "3");
        ResponseFacts facts = ResponseFacts.of(200, headers, NOW - 4000, NOW, rules());
        assertEquals(10_000, facts.initialAge()); // apparent: 10; corrected: 3 + 4
        headers = Headers.of("Date", date(-5), "Age", "3");
        facts = ResponseFacts.of(200, headers, NOW - 4000, NOW, rules());
        assertEquals(7000, facts.initialAge());
        assertEquals(17_000, facts.age(NOW + 10_000));
        assertEquals(7000, facts.age(NOW - 10_000)); // a clock that goes back
    }

    @Test
    void aDateInTheFutureOrAStrangeAgeCountsAsNone() {
        assertEquals(0, facts(200, "Date", date(100)).initialAge());
        assertEquals(0, facts(200, "Age", "-5").initialAge());
        assertEquals(0, facts(200, "Age", "x").initialAge());
        assertEquals(5000, facts(200, "Age", "5, 9").initialAge());
        assertEquals(
                CacheControl.MAX_SECONDS * 1000, facts(200, "Age", "99999999999").initialAge());
    }

    // ---- RFC 9111 4, 5.2.1; RFC 5861; RFC 8246

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // response | client | age | reuse
                "max-age=60                  | x               | 59  | FRESH",
                "max-age=60                  | x               | 60  | VALIDATE_STALE",
                "max-age=60                  | max-age=30      | 30  | FRESH",
                "max-age=60                  | max-age=30      | 31  | VALIDATE_REQUESTED",
                "max-age=60                  | max-age=0       | 0   | VALIDATE_REQUESTED",
                "max-age=60                  | no-cache        | 0   | VALIDATE_REQUESTED",
                "max-age=60, immutable       | max-age=0       | 5   | FRESH",
                "max-age=60, immutable       | no-cache        | 5   | VALIDATE_REQUESTED",
                "max-age=60, immutable       | x               | 60  | VALIDATE_STALE",
                "max-age=60                  | min-fresh=30    | 30  | FRESH",
                "max-age=60                  | min-fresh=31    | 30  | VALIDATE_REQUESTED",
                "max-age=60                  | max-stale=5     | 65  | STALE_ALLOWED",
                "max-age=60                  | max-stale=5     | 66  | VALIDATE_STALE",
                "max-age=60                  | max-stale       | 999 | STALE_ALLOWED",
                "max-age=60                  | max-age=10, max-stale=60 | 65 | STALE_ALLOWED",
                "s-maxage=60                 | max-stale       | 61  | VALIDATE_STALE",
                "max-age=60, must-revalidate | max-stale       | 61  | VALIDATE_STALE",
                "max-age=60, proxy-revalidate | max-stale      | 61  | VALIDATE_STALE",
                "max-age=60, no-cache        | max-stale       | 0   | VALIDATE_STALE",
                "max-age=60, stale-while-revalidate=10 | x     | 69  | STALE_WHILE_REVALIDATE",
                "max-age=60, stale-while-revalidate=10 | x     | 70  | VALIDATE_STALE",
                "s-maxage=60, stale-while-revalidate=10 | x    | 69  | STALE_WHILE_REVALIDATE",
                "max-age=60, stale-while-revalidate=10, must-revalidate | x | 61 | VALIDATE_STALE",
                "max-age=60, stale-while-revalidate=10 | min-fresh=1 | 61 | VALIDATE_REQUESTED",
            })
    void reuse(String response, String client, long age, Reuse reuse) {
        ResponseFacts facts = facts(200, "Cache-Control", response);
        CacheRequest request = request("Cache-Control", client);
        assertEquals(reuse, Reuse.of(request, facts, NOW + age * 1000));
    }

    @Test
    void clientsMayAcceptStaleResponsesOnErrors() {
        ResponseFacts facts = facts(200, "Cache-Control", "max-age=60, stale-if-error=10");
        assertTrue(Reuse.onError(request(), facts, NOW + 69_000));
        assertFalse(Reuse.onError(request(), facts, NOW + 70_000));
        CacheRequest patient = request("Cache-Control", "stale-if-error=20");
        assertTrue(Reuse.onError(patient, facts, NOW + 79_000));
        ResponseFacts strict = facts(200, "Cache-Control", "max-age=60, must-revalidate");
        assertFalse(Reuse.onError(patient, strict, NOW + 61_000));
    }

    // ---- RFC 9111 4.1

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "accept-encoding | gzip, br         | br,gzip          | true",
                "accept-encoding | GZIP ;q=1.0      | gzip             | true",
                "accept-encoding | gzip;q=0         | gzip             | false",
                "accept-encoding | gzip             | gzip, br         | false",
                "accept-language | de, en;q=0.5     | DE,en; q=0.5     | true",
                "accept-language | de, en           | en, de           | false",
                "user-agent      | A/1              | a/1              | false",
                "user-agent      | A/1              | A/1              | true",
            })
    void normalisedValues(String name, String first, String second, boolean same) {
        var selector = VarySelector.of(Set.of(name), request(name, first));
        assertEquals(same, selector.matches(request(name, second)));
    }

    @Test
    void anAbsentHeaderMatchesOnlyAnAbsentOne() {
        var none = VarySelector.of(Set.of("accept"), request());
        assertTrue(none.matches(request()));
        assertFalse(none.matches(request("Accept", "")));
        assertFalse(none.matches(request("Accept", "text/html")));
    }

    // ---- RFC 9111 3.2

    @Test
    void a304ReplacesHeadersButNotThoseOfTheBody() {
        Headers before =
                Headers.of(
                        "Content-Type",
                        "text/plain",
                        "X-A",
                        "1",
                        "X-A",
                        "2",
                        "X-B",
                        "1",
                        "Date",
                        date(-5));
        var stored =
                new StoredResponse(
                        "http://a/a",
                        rules().keys(),
                        VarySelector.of(Set.of(), request()),
                        before,
                        Headers.none(),
                        facts(200, "Cache-Control", "max-age=1"),
                        new StoredBody.Memory(new byte[3]));
        Headers after =
                stored.updatedBy(
                        Headers.of(
                                "Content-Type",
                                "text/html",
                                "X-A",
                                "3",
                                "X-C",
                                "4",
                                "Date",
                                date(0),
                                "Content-Length",
                                "0",
                                "Content-Encoding",
                                "br",
                                "Content-MD5",
                                "N7UdGUp1E+RbVvZSTy1R8g==",
                                "Connection",
                                "X-D",
                                "X-D",
                                "5"));
        assertEquals(List.of("text/html"), after.all("Content-Type")); // RFC 9111 3.2
        assertFalse(after.has("Content-Encoding"));
        assertFalse(after.has("Content-MD5"));
        assertEquals(List.of("3"), after.all("X-A"));
        assertEquals(List.of("1"), after.all("X-B"));
        assertEquals(List.of("4"), after.all("X-C"));
        assertEquals(List.of(date(0)), after.all("Date"));
        assertFalse(after.has("Content-Length"));
        assertFalse(after.has("X-D"));
    }

    // ---- URLs

    @ParameterizedTest
    @CsvSource({
        "HTTP://A.example:80/b?c,http://a.example/b?c",
        "https://a:443,https://a/",
        "http://a:443/,http://a:443/",
        "http://a/%7Eb,http://a/%7Eb",
        "http://a/x?utm_a=1&b=2,http://a/x?b=2",
        "http://a/x?utm_a=1,http://a/x"
    })
    void urls(String url, String key) {
        RuleSettings rules = new CacheRules().ignoreQuery("utm_*").freeze();
        assertEquals(key, CacheUrl.parse(url, rules.ignoredQuery()));
    }

    @ParameterizedTest
    @CsvSource({
        "/x,http://a/x",
        "x?y,http://a/b/x?y",
        "//a/x,http://a/x",
        "http://A:80/x,http://a/x",
        "//b/x,",
        "https://a/x,",
        "http://a:8080/x,",
        "http://[,",
        "mailto:a@b,"
    })
    void onlyTheSameOriginIsInvalidated(String reference, String url) {
        assertEquals(url, CacheUrl.sameOrigin("http://a/b/c", reference, rules().ignoredQuery()));
    }
}
