// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The option {@code cache} of a route with {@code proxy}: its responses are stored in a {@link
 * SharedCache}, by these rules. Immutable.
 *
 * @param name of the cache; empty if there is only one
 * @param defaultTtl by status, for responses that do not say how long they are fresh
 * @param maxHeuristic the bound of heuristic freshness; zero: none
 * @param ignoreQuery query parameters that are no part of the key, with {@code *}
 * @param keyHeaders request headers that are part of the key
 * @param keyCookies cookies that are part of the key
 * @param bypassHeaders requests with one of these headers are only forwarded
 * @param bypassCookies the same of cookies, with {@code *}
 * @param clientDirectives whether {@code Cache-Control} of requests counts
 * @param storeSetCookie whether responses with {@code Set-Cookie} are stored
 */
public record Caching(
        Optional<String> name,
        Map<Integer, Duration> defaultTtl,
        Duration maxHeuristic,
        Duration staleWhileRevalidate,
        Duration staleIfError,
        List<String> ignoreQuery,
        List<String> keyHeaders,
        List<String> keyCookies,
        List<String> bypassHeaders,
        List<String> bypassCookies,
        boolean clientDirectives,
        boolean storeSetCookie) {

    static Caching read(Table table) {
        return new Caching(
                table.value("name", Values.text(text -> text)),
                times(table.map("default-ttl", true, Caching::ttl)),
                table.time("max-heuristic", "1d"),
                table.time("stale-while-revalidate", "0s"),
                table.time("stale-if-error", "0s"),
                table.list("ignore-query", List.of(), Values.text(Caching::parameter)),
                table.list("key-headers", List.of(), Values.text(Texts::token)),
                table.list("key-cookies", List.of(), Values.text(Texts::token)),
                table.list("bypass-headers", List.of(), Values.text(Texts::token)),
                table.list("bypass-cookies", List.of(), Values.text(Texts::token)),
                table.flag("client-directives", true),
                table.flag("store-set-cookie", false));
    }

    private static void ttl(String status, String time) {
        if (!status.matches("[2-5]\\d\\d")) {
            throw new ConfigError("is not a status from 200 to 599", "write { 404 = \"10s\" }");
        }
        Quantity.time(Node.of(time));
    }

    private static Map<Integer, Duration> times(Map<String, String> texts) {
        var times = new TreeMap<Integer, Duration>();
        texts.forEach(
                (status, time) ->
                        times.put(Integer.parseInt(status), Quantity.time(Node.of(time))));
        return Map.copyOf(times);
    }

    private static String parameter(String text) {
        if (!text.isEmpty()) return text;
        throw new ConfigError("contains an empty name", "write names such as \"utm_*\"");
    }
}
