// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Body;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.net.Loop;
import java.util.List;
import java.util.Optional;

/**
 * A request as the cache sees it. It reads the client's request until {@link #detach} copies the
 * headers; from then on it is immutable and may outlive the request.
 */
final class CacheRequest {
    final String method;
    final String scheme;
    final String authority;
    final String target;

    /** The URL that responses are stored under. */
    final String url;

    /** The rules of its route. */
    final RuleSettings rules;

    final Loop loop;
    final boolean head;

    /** The directives of {@code Cache-Control}, as far as the settings honour them. */
    final CacheControl directives;

    final boolean onlyIfCached;
    final boolean noStore;
    private final Request live;
    private Headers headers;

    private CacheRequest(
            String method,
            String scheme,
            String authority,
            String target,
            String path,
            Loop loop,
            Request live,
            Headers headers,
            RuleSettings rules) {
        this.rules = rules;
        this.method = method;
        this.scheme = scheme;
        this.authority = authority;
        this.target = target;
        this.url = CacheUrl.of(scheme, authority, path, target, rules.ignoredQuery());
        this.loop = loop;
        this.head = method.equals("HEAD");
        this.live = live;
        this.headers = headers;
        CacheControl all = CacheControl.parse(list("Cache-Control"));
        this.directives = rules.clientDirectives() ? all : CacheControl.NONE;
        this.onlyIfCached = all.has("only-if-cached");
        this.noStore = all.has("no-store");
    }

    static CacheRequest of(Request request, RuleSettings rules) {
        return new CacheRequest(
                request.method(),
                request.scheme(),
                request.authority(),
                request.target(),
                request.path(),
                request.loop(),
                request,
                null,
                rules);
    }

    /** Creates a request for {@code http://a} without a client. */
    static CacheRequest of(String method, String target, Headers headers, RuleSettings rules) {
        int question = target.indexOf('?');
        String path = question < 0 ? target : target.substring(0, question);
        return new CacheRequest(method, "http", "a", target, path, null, null, headers, rules);
    }

    /** Keeps the headers. Called while the client's request is valid. */
    void detach() {
        if (headers == null) {
            headers = live.headers();
        }
    }

    /** Returns the headers; {@link #detach} comes first. */
    Headers headers() {
        return headers;
    }

    /** Returns the values of a header, joined; null if it is absent. */
    String list(String name) {
        if (headers == null) {
            return live.headerList(name).orElse(null);
        }
        if (!headers.has(name)) {
            return null;
        }
        List<String> all = headers.all(name);
        return all.size() == 1 ? all.getFirst() : String.join(", ", all);
    }

    boolean has(String name) {
        return list(name) != null;
    }

    /**
     * Returns the value of a cookie for the key; null if it is absent. Where servers differ in how
     * they read it, the value is the whole header behind a semicolon, which no cookie has: by two
     * cookies of the name, by a comma or a quotation mark, or by the case of the name.
     */
    String cookie(String name) {
        String all = list("Cookie");
        if (all == null) {
            return null;
        }
        String value = null;
        int end;
        for (int from = 0; from <= all.length(); from = end + 1) {
            end = endOfPair(all, from);
            String pair = all.substring(from, end);
            int equals = pair.indexOf('=');
            String found = (equals < 0 ? pair : pair.substring(0, equals)).strip();
            if (!found.equalsIgnoreCase(name)) {
                continue;
            }
            boolean clear =
                    value == null
                            && equals >= 0
                            && found.equals(name)
                            && (from == 0 || all.charAt(from - 1) == ';')
                            && (end == all.length() || all.charAt(end) == ';')
                            && !endsQuoted(all, from)
                            && !endsQuoted(all, end);
            if (!clear) {
                return ";" + all;
            }
            value = pair.substring(equals + 1).strip();
        }
        return value;
    }

    private static int endOfPair(String cookies, int from) {
        int end = from;
        while (end < cookies.length() && cookies.charAt(end) != ';' && cookies.charAt(end) != ',') {
            end++;
        }
        return end;
    }

    /** Returns whether {@code end} may be in a quoted string. */
    private static boolean endsQuoted(String cookies, int end) {
        boolean quoted = false;
        for (int i = 0; i < end; i++) {
            char c = cookies.charAt(i);
            if (c == '\\') {
                return true;
            }
            quoted ^= c == '"';
        }
        return quoted;
    }

    /**
     * Returns whether the request has a cookie of one of these names, in any case, whatever its
     * value is.
     */
    boolean hasCookie(NamePatterns names) {
        String all = names.isEmpty() ? null : list("Cookie");
        if (all == null) {
            return false;
        }
        for (String pair : all.split("[;,]")) {
            int equals = pair.indexOf('=');
            if (names.matches((equals < 0 ? pair : pair.substring(0, equals)).strip())) {
                return true;
            }
        }
        return false;
    }

    boolean hasBody() {
        return live != null && live.body().length().orElse(-1) != 0;
    }

    /** Returns the request to the origin, for the client, with other headers. */
    OriginRequest toOrigin(Headers fields, boolean background) {
        Optional<Body> body =
                background || !hasBody() ? Optional.empty() : Optional.of(live.body());
        return new OriginRequest(method, scheme, authority, target, fields, body, loop, background);
    }

    /** Returns whether the client asks for a response that was validated after its request. */
    boolean wantsValidation() {
        return directives.has("no-cache") || directives.seconds("max-age") == 0;
    }

    /**
     * Returns whether the request needs the origin's own reading of a condition (RFC 9111 4.3.2).
     */
    boolean hasOriginConditions() {
        return has("If-Match") || has("If-Unmodified-Since");
    }
}
