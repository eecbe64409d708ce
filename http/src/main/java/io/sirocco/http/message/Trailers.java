// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import io.sirocco.http.Headers;
import java.util.Locale;
import java.util.Set;

/** Trailers of messages: RFC 9110 6.5. */
public final class Trailers {
    /**
     * RFC 9110 6.5.1: no field in trailers that is necessary for framing, routing, authentication,
     * request modifiers, response control or content format. Such a field is ignored (RFC 9112
     * 7.1.2): a cache that decides by the headers must not store a cookie.
     */
    private static final Set<String> FORBIDDEN =
            Set.of(
                    "age",
                    "authorization",
                    "cache-control",
                    "connection",
                    "content-encoding",
                    "content-length",
                    "content-range",
                    "content-type",
                    "cookie",
                    "expect",
                    "expires",
                    "host",
                    "if-match",
                    "if-modified-since",
                    "if-none-match",
                    "if-range",
                    "if-unmodified-since",
                    "keep-alive",
                    "location",
                    "max-forwards",
                    "pragma",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "range",
                    "retry-after",
                    "set-cookie",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade",
                    "vary",
                    "warning",
                    "www-authenticate");

    private Trailers() {}

    /** Returns whether a header of this name may be a trailer. */
    public static boolean mayBe(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return !FORBIDDEN.contains(lower) && !lower.startsWith("access-control-");
    }

    /** Returns {@code trailers} if all of them may be sent. */
    public static Headers checked(Headers trailers) {
        trailers.forEach(
                (name, value) -> {
                    if (!mayBe(name)) {
                        throw new IllegalArgumentException(name + " must not be a trailer.");
                    }
                });
        return trailers;
    }

    /** Returns what was received. */
    public static Headers of(Fields fields) {
        return CheckedHeaders.of(fields);
    }
}
