// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.web.cache.ResponseCache;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Removes stored responses, of one cache or of all.
 *
 * <pre>
 * POST /cache/purge
 * {"url": "https://example.org/shop/cart"}      all variants of a URL; or a list of them
 * {"tag": "product-17", "cache": "assets"}      what has a tag, in one cache; or a list of tags
 * {"all": true}
 *
 * {"removed": 3, "caches": {"default": 3}}                       when they are gone
 * {"error": {"code": "bad_arguments", "message": "..."}}         otherwise
 * </pre>
 *
 * <p>Any thread.
 */
final class Purge implements Handler {
    /** The maximum size of a body. */
    static final int LONGEST = 1 << 20;

    private static final int MAX = 1_000;
    private static final int SECONDS = 10;
    private static final Set<String> KEYS = Set.of("url", "tag", "all", "cache");

    private final Subject subject;

    private record Done(int removed, Map<String, Integer> caches) {}

    Purge(Subject subject) {
        this.subject = subject;
    }

    @Override
    public Response handle(Request request) throws Exception {
        try {
            JsonBody body = JsonBody.read(request, KEYS);
            Map<String, ResponseCache> caches = caches(body);
            Function<ResponseCache, List<CompletionStage<Integer>>> purge = purge(body);
            var stages = new LinkedHashMap<String, List<CompletionStage<Integer>>>();
            caches.forEach((name, cache) -> stages.put(name, purge.apply(cache)));
            return Response.json(JsonMapper.shared().writeValueAsString(counted(stages)));
        } catch (Refused e) {
            return e.response();
        } catch (TimeoutException e) {
            return ErrorObject.response(
                    504,
                    "timeout",
                    "the disk did not respond in time; the responses are removed, but a restart may"
                            + " bring them back");
        }
    }

    private Map<String, ResponseCache> caches(JsonBody body) throws Refused {
        Map<String, ResponseCache> all = subject.caches();
        Optional<String> name = body.text("cache");
        if (name.isEmpty()) return all;
        ResponseCache cache = all.get(name.get());
        if (cache == null) {
            throw JsonBody.bad("there is no such cache; there are " + all.keySet());
        }
        return Map.of(name.get(), cache);
    }

    /** Returns what is done with each cache; checks it beforehand. */
    private static Function<ResponseCache, List<CompletionStage<Integer>>> purge(JsonBody body)
            throws Refused {
        boolean all = body.flag("all");
        if ((all ? 1 : 0) + (body.has("url") ? 1 : 0) + (body.has("tag") ? 1 : 0) != 1) {
            throw JsonBody.bad("exactly one of \"url\", \"tag\" or \"all\": true is required");
        }
        if (all) return cache -> List.of(cache.purgeAll());
        boolean byUrl = body.has("url");
        List<String> names = names(byUrl ? body.get("url") : body.get("tag"));
        if (byUrl) {
            for (String url : names) checkUrl(url);
        }
        return cache ->
                names.stream()
                        .map(name -> byUrl ? cache.purge(name) : cache.purgeTag(name))
                        .toList();
    }

    private static void checkUrl(String url) throws Refused {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw JsonBody.bad(e.getMessage());
        }
        if (uri.getScheme() == null || uri.getRawAuthority() == null) {
            throw JsonBody.bad("\"" + url + "\" is not a URL; write https://example.org/path");
        }
    }

    private static List<String> names(JsonNode node) throws Refused {
        var names = new ArrayList<String>();
        for (JsonNode each : node.isArray() ? node : List.of(node)) {
            if (!each.isString() || each.stringValue().isEmpty()) {
                throw JsonBody.bad("\"url\" and \"tag\" are strings, or lists");
            }
            names.add(each.stringValue());
        }
        if (names.isEmpty() || names.size() > MAX) {
            throw JsonBody.bad("a list has 1 to " + MAX + " strings");
        }
        return names;
    }

    private static Done counted(Map<String, List<CompletionStage<Integer>>> stages)
            throws InterruptedException, ExecutionException, TimeoutException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        var caches = new LinkedHashMap<String, Integer>();
        int removed = 0;
        for (var each : stages.entrySet()) {
            int count = 0;
            for (CompletionStage<Integer> stage : each.getValue()) {
                CompletableFuture<Integer> future = stage.toCompletableFuture();
                count += future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            caches.put(each.getKey(), count);
            removed += count;
        }
        return new Done(removed, caches);
    }
}
