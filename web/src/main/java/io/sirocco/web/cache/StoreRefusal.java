// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Headers;
import io.sirocco.http.MediaType;
import java.util.Set;

/** Why a response is not stored. {@code Cache-Status} has the name as its detail. Immutable. */
enum StoreRefusal {
    REQUEST_NO_STORE("RFC 9111 5.2.1.5"),
    RANGE("RFC 9111 3.3"),
    STATUS("RFC 9111 3"),
    NO_STORE("RFC 9111 5.2.2.5"),
    PRIVATE("RFC 9111 5.2.2.7"),
    AUTHORIZATION("RFC 9111 3.5"),
    SET_COOKIE("RFC 9111 7.3"),
    VARY_ANY("RFC 9111 4.1"),
    /** The client does not send what a proxy tells the origin of its address. */
    VARY_FORWARDED("RFC 9111 4.1"),
    /** A body without an end, of a live connection, without a lifetime that the origin gives it. */
    EVENT_STREAM("HTML Living Standard 9.2"),
    NOT_CACHEABLE("RFC 9111 3"),
    NOT_REUSABLE("neither fresh for any time nor with a validator"),
    TOO_MANY_TAGS("CacheOptions.maxTags"),
    HEADERS_TOO_LARGE("CacheOptions.maxHeaderBytes"),
    BODY_TOO_LARGE("CacheOptions.maxEntryBytes"),
    BODY_INCOMPLETE("RFC 9111 3.3"),
    ROOM_SHORT("the bounds of the stores"),
    DISK_FAILED("the disk"),
    BEING_STORED("another response to the same URL arrives"),
    PURGED("RFC 9111 4.4");

    /** The clause or the option that it follows from. */
    final String source;

    StoreRefusal(String source) {
        this.source = source;
    }

    /** Parts, and responses to conditions or credentials of one request. */
    private static final Set<Integer> NEVER = Set.of(206, 304, 401, 407, 412, 416);

    /** Statuses whose requirements for caches are met (RFC 9111 5.2.2.3). */
    private static final Set<Integer> UNDERSTOOD =
            Set.of(
                    200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 403, 404, 405, 410, 414, 451,
                    500, 501, 502, 503, 504);

    /** Returns why the response must not be stored, judged by its headers; null if it may. */
    static StoreRefusal of(
            CacheRequest request, Headers headers, ResponseFacts facts, CacheSettings settings) {
        CacheControl directives = facts.directives();
        boolean mustUnderstand = directives.has("must-understand");
        if (request.noStore) {
            return REQUEST_NO_STORE;
        }
        if (NEVER.contains(facts.status())
                || mustUnderstand && !UNDERSTOOD.contains(facts.status())) {
            return STATUS;
        }
        if (directives.has("no-store") && !mustUnderstand) {
            return NO_STORE;
        }
        if (directives.has("private")) { // with an argument, too: RFC 9111 5.2.2.7 allows it
            return PRIVATE;
        }
        if (request.has("Authorization") && !facts.sharedWithAuthorization()) {
            return AUTHORIZATION;
        }
        if (headers.has("Set-Cookie") && !request.rules.storeSetCookie()) {
            return SET_COOKIE;
        }
        if (facts.vary().contains("*")) {
            return VARY_ANY;
        }
        if (facts.vary().contains("x-forwarded-for") || facts.vary().contains("forwarded")) {
            return VARY_FORWARDED;
        }
        if (!facts.explicit() && isEventStream(headers)) {
            return EVENT_STREAM;
        }
        if (!facts.explicit() && !facts.heuristic()) {
            return NOT_CACHEABLE;
        }
        if (!reusable(facts)) {
            return NOT_REUSABLE;
        }
        if (facts.tags().size() > settings.maxTags()) {
            return TOO_MANY_TAGS;
        }
        int selecting = VarySelector.of(facts.vary(), request).bytes();
        if (request.url.length() + ResponseFacts.bytes(headers) + selecting
                > settings.maxHeaderBytes()) {
            return HEADERS_TOO_LARGE;
        }
        return null;
    }

    /** Events of one connection, or the images of a camera: {@code default-ttl} is not for them. */
    private static boolean isEventStream(Headers headers) {
        return headers.first("Content-Type")
                .flatMap(MediaType::parse)
                .filter(
                        type ->
                                type.is("text/event-stream")
                                        || type.is("multipart/x-mixed-replace"))
                .isPresent();
    }

    private static boolean reusable(ResponseFacts facts) {
        long served =
                facts.lifetime() + Math.max(facts.staleWhileRevalidate(), facts.staleIfError());
        return facts.hasValidator() || !facts.noCache() && served > facts.initialAge();
    }
}
