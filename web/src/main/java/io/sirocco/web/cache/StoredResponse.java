// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.HeaderNames;
import io.sirocco.http.Headers;
import io.sirocco.http.HttpDate;
import io.sirocco.http.Response;
import java.util.Locale;
import java.util.Set;

/**
 * A response that is stored, or is about to be: its headers (RFC 9111 3.1), what they mean, the
 * requests that it is for, and its body. Immutable, but for a cached reply.
 */
final class StoredResponse {
    /** Headers of one connection or one request (RFC 9111 3.1), and those that are recomputed. */
    private static final Set<String> NOT_STORED =
            Set.of(
                    "connection",
                    "content-length",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authentication-info",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    /** A 304 does not change these: they belong to the body that is stored (RFC 9111 3.2). */
    private static final HeaderNames OF_THE_BODY =
            HeaderNames.of("Content-Encoding", "Content-Length", "Content-MD5", "Content-Range");

    /** What an entry costs beside its strings, roughly. */
    private static final int OVERHEAD = 1024;

    final String url;

    /** The rules that its key was made by: {@link RuleSettings#keys}. */
    final String keys;

    final VarySelector selector;
    final Headers headers;
    final Headers trailers;
    final ResponseFacts facts;
    final StoredBody body;

    /** The reply to an unconditional request of the second {@link CachedReply#second}. */
    volatile CachedReply reply;

    /** A reply that is encoded once and used by all requests of a second. */
    record CachedReply(long second, Response response) {}

    StoredResponse(
            String url,
            String keys,
            VarySelector selector,
            Headers headers,
            Headers trailers,
            ResponseFacts facts,
            StoredBody body) {
        this.url = url;
        this.keys = keys;
        this.selector = selector;
        this.headers = headers;
        this.trailers = trailers;
        this.facts = facts;
        this.body = body;
    }

    /** Returns the headers of a message without those that belong to its connection. */
    static Headers endToEnd(Headers headers) {
        Headers kept = headers;
        for (String list : headers.all("Connection")) {
            for (String name : list.split(",")) {
                kept = kept.without(name.strip());
            }
        }
        for (int i = 0; i < headers.size(); i++) {
            if (NOT_STORED.contains(headers.name(i).toLowerCase(Locale.ROOT))) {
                kept = kept.without(headers.name(i));
            }
        }
        return kept;
    }

    /** Returns headers as they are stored: with a date (RFC 9110 6.6.1), without the age. */
    static Headers storable(Headers endToEnd, ResponseFacts facts) {
        Headers kept = endToEnd.without("Age");
        boolean dated = kept.first("Date").map(d -> HttpDate.parse(d, 0).isPresent()).orElse(false);
        return dated ? kept : kept.set("Date", HttpDate.format(facts.date() / 1000));
    }

    /** Returns the headers that a 304 leads to (RFC 9111 3.2). */
    Headers updatedBy(Headers notModified) {
        Headers fresh = endToEnd(notModified);
        Headers kept = headers;
        Headers.Builder changed = Headers.builder();
        for (int i = 0, n = fresh.size(); i < n; i++) {
            if (!OF_THE_BODY.contains(fresh, i)) {
                kept = kept.without(fresh.name(i));
                changed.add(fresh, i);
            }
        }
        return kept.with(changed.build());
    }

    StoredResponse with(StoredBody other, Headers lastTrailers) {
        return new StoredResponse(url, keys, selector, headers, lastTrailers, facts, other);
    }

    boolean selects(CacheRequest request) {
        return usable()
                && keys.equals(request.rules.keys())
                && selector.matches(request)
                && Reuse.allowsAuthorization(request, facts);
    }

    /** Returns whether its body is still there. */
    boolean usable() {
        return !(body instanceof StoredBody.Disk disk && disk.deleted());
    }

    /** Returns the memory that it takes, without the URL, which its variants share. */
    long memoryBytes() {
        long inMemory = body instanceof StoredBody.Memory memory ? memory.length() : 0;
        return OVERHEAD
                + 2L * (ResponseFacts.bytes(headers) + ResponseFacts.bytes(trailers))
                + selector.bytes()
                + inMemory;
    }

    /** Returns whether it can still be of use: served, or revalidated. */
    boolean worthKeeping(long now) {
        long served =
                facts.lifetime() + Math.max(facts.staleWhileRevalidate(), facts.staleIfError());
        return facts.hasValidator() || served > facts.age(now);
    }
}
