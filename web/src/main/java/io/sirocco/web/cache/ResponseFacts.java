// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Headers;
import io.sirocco.http.HttpDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the headers of a response mean for a shared cache: its age, how long it is fresh and how
 * long it may be served stale (RFC 9111 4.2, RFC 5861, RFC 9213). Times are in milliseconds; ages
 * count from {@code responseTime}. Immutable.
 *
 * @param directives those of {@code CDN-Cache-Control} if it is present, else {@code Cache-Control}
 * @param explicit whether the origin says how long the response is fresh
 * @param heuristic whether freshness without an explicit time is allowed for it
 * @param date of {@code Date}, or of the arrival
 * @param initialAge the corrected initial age (RFC 9111 4.2.3)
 * @param lifetime the freshness lifetime (RFC 9111 4.2.1)
 * @param lastModified of {@code Last-Modified}; -1 without one
 * @param vary the names in {@code Vary}, in lower case
 * @param tags of {@code Cache-Tag} and {@code Surrogate-Key}
 */
record ResponseFacts(
        int status,
        CacheControl directives,
        boolean explicit,
        boolean heuristic,
        long date,
        long responseTime,
        long initialAge,
        long lifetime,
        long staleWhileRevalidate,
        long staleIfError,
        String etag,
        long lastModified,
        Set<String> vary,
        Set<String> tags) {

    /** Statuses that are cacheable by default (RFC 9110 15.1), but for 206, which is not stored. */
    private static final Set<Integer> HEURISTIC =
            Set.of(200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501);

    /**
     * @param requestTime when the request was sent
     * @param responseTime when the headers arrived
     */
    static ResponseFacts of(
            int status, Headers headers, long requestTime, long responseTime, RuleSettings rules) {
        CacheControl targeted =
                TargetedCacheControl.parse(list(headers, TargetedCacheControl.NAME));
        CacheControl directives =
                targeted != null ? targeted : CacheControl.parse(list(headers, "Cache-Control"));
        long date = date(headers, "Date", responseTime);
        date = date < 0 ? responseTime : date;
        long lastModified = date(headers, "Last-Modified", responseTime);
        boolean expires = targeted == null && headers.has("Expires");
        boolean explicit = directives.has("s-maxage") || directives.has("max-age") || expires;
        Long byDefault = rules.defaultTtl().get(status);
        boolean heuristic =
                HEURISTIC.contains(status) || directives.has("public") || byDefault != null;
        long lifetime;
        if (directives.seconds("s-maxage") != CacheControl.ABSENT) {
            lifetime = millis(directives.seconds("s-maxage"));
        } else if (directives.seconds("max-age") != CacheControl.ABSENT) {
            lifetime = millis(directives.seconds("max-age"));
        } else if (expires) { // an invalid date is in the past (RFC 9111 5.3)
            lifetime = Math.max(0, date(headers, "Expires", responseTime) - date);
        } else if (byDefault != null) {
            lifetime = byDefault;
        } else if (heuristic && lastModified >= 0) { // RFC 9111 4.2.2
            lifetime = Math.clamp((date - lastModified) / 10, 0, rules.maxHeuristic());
        } else {
            lifetime = 0;
        }
        boolean strict = strict(directives);
        boolean optional = strict || directives.has("s-maxage"); // then options do not apply
        return new ResponseFacts(
                status,
                directives,
                explicit,
                heuristic,
                date,
                responseTime,
                initialAge(headers, date, requestTime, responseTime),
                lifetime,
                stale(
                        directives,
                        "stale-while-revalidate",
                        strict,
                        optional ? 0 : rules.staleWhileRevalidate()),
                stale(directives, "stale-if-error", strict, optional ? 0 : rules.staleIfError()),
                headers.first("ETag").orElse(null),
                lastModified,
                names(list(headers, "Vary")),
                tags(headers));
    }

    /** Returns the same with times that other rules have led to. */
    ResponseFacts withTimes(long lifetime, long staleWhileRevalidate, long staleIfError) {
        return new ResponseFacts(
                status,
                directives,
                explicit,
                heuristic,
                date,
                responseTime,
                initialAge,
                lifetime,
                staleWhileRevalidate,
                staleIfError,
                etag,
                lastModified,
                vary,
                tags);
    }

    private static long stale(
            CacheControl directives, String name, boolean strict, long byDefault) {
        long seconds = directives.seconds(name);
        if (strict) {
            return 0;
        }
        return seconds == CacheControl.ABSENT ? byDefault : millis(seconds);
    }

    /** RFC 9111 5.2.2.2, 5.2.2.4, 5.2.2.8: no stale response, whatever else allows it. */
    private static boolean strict(CacheControl directives) {
        return directives.has("must-revalidate")
                || directives.has("proxy-revalidate")
                || directives.has("no-cache");
    }

    /** RFC 9111 4.2.3. */
    private static long initialAge(
            Headers headers, long date, long requestTime, long responseTime) {
        long apparent = Math.max(0, responseTime - date);
        String first = headers.first("Age").orElse("0");
        int comma = first.indexOf(',');
        long age = CacheControl.seconds0((comma < 0 ? first : first.substring(0, comma)).strip());
        long delay = Math.max(0, responseTime - requestTime);
        return Math.max(apparent, millis(age) + delay);
    }

    /** Returns the age at {@code now} (RFC 9111 4.2.3). A clock that goes back does not count. */
    long age(long now) {
        return initialAge + Math.max(0, now - responseTime);
    }

    /** Returns whether a stale response must be validated, whatever a client allows. */
    boolean mustRevalidate() {
        return strict(directives);
    }

    /** Returns whether each use needs a validation (RFC 9111 5.2.2.4). */
    boolean noCache() {
        return directives.has("no-cache");
    }

    /** Returns whether requests with {@code Authorization} may have and share it (RFC 9111 3.5). */
    boolean sharedWithAuthorization() {
        return directives.has("public")
                || directives.has("s-maxage")
                || directives.has("must-revalidate");
    }

    boolean hasValidator() {
        return etag != null || lastModified >= 0;
    }

    /** Returns whether {@code Last-Modified} is a strong validator (RFC 9110 8.8.2.2). */
    boolean strongDate() {
        return lastModified >= 0 && date - lastModified >= 60_000;
    }

    /** Returns the size of headers, as they are sent. */
    static int bytes(Headers headers) {
        int sum = 0;
        for (int i = 0; i < headers.size(); i++) {
            sum += headers.name(i).length() + headers.value(i).length() + 4;
        }
        return sum;
    }

    private static long millis(long seconds) {
        return Math.max(0, seconds) * 1000;
    }

    private static String list(Headers headers, String name) {
        List<String> all = headers.all(name);
        return all.isEmpty() ? null : String.join(", ", all);
    }

    /** In milliseconds; -1 if there is none, or none that is a date. */
    private static long date(Headers headers, String name, long now) {
        OptionalLong seconds =
                headers.first(name)
                        .map(text -> HttpDate.parse(text, now / 1000))
                        .orElse(OptionalLong.empty());
        return seconds.isPresent() && seconds.getAsLong() >= 0 ? seconds.getAsLong() * 1000 : -1;
    }

    private static Set<String> names(String list) {
        var names = new TreeSet<String>();
        if (list != null) {
            for (String name : list.split(",")) {
                if (!name.isBlank()) {
                    names.add(name.strip().toLowerCase(Locale.ROOT));
                }
            }
        }
        return names;
    }

    private static Set<String> tags(Headers headers) {
        var tags = new ArrayList<String>();
        headers.all("Cache-Tag").forEach(value -> tags.addAll(List.of(value.split(","))));
        headers.all("Surrogate-Key").forEach(value -> tags.addAll(List.of(value.split("\\s+"))));
        var kept = new TreeSet<String>();
        tags.stream().map(String::strip).filter(tag -> !tag.isEmpty()).forEach(kept::add);
        return kept;
    }
}
