// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Sets headers of every response: security headers that the handler has not set, and the headers of
 * the configuration, which replace those of the handler. The result depends on the response alone,
 * so a response that is returned again is changed once ({@link Response#mapOnce}). Immutable.
 */
public final class HeaderRules implements Filter {
    private static final Headers SECURITY =
            Headers.of(
                    "X-Content-Type-Options", "nosniff",
                    "X-Frame-Options", "SAMEORIGIN",
                    "Referrer-Policy", "strict-origin-when-cross-origin");

    private final Predicate<Request> secure;
    private final FieldChange onPlain;
    private final FieldChange onSecure;

    /**
     * Rules for a site or a route.
     *
     * @param security whether to set the fields of the security headers
     * @param hsts how long browsers shall ask by HTTPS only (RFC 6797), said on secure requests;
     *     zero for nothing
     * @param set fields by name; an empty value removes the field
     * @param secure whether a request came by HTTPS
     * @throws IllegalArgumentException for a field that cannot be sent, or is the server's own
     */
    public HeaderRules(
            boolean security,
            Duration hsts,
            boolean hstsSubdomains,
            Map<String, String> set,
            Predicate<Request> secure) {
        Headers defaults = security ? SECURITY : Headers.none();
        this.secure = secure;
        this.onPlain = FieldChange.of(defaults, set);
        this.onSecure =
                hsts.isPositive()
                        ? FieldChange.of(
                                defaults.with(
                                        "Strict-Transport-Security",
                                        "max-age="
                                                + hsts.toSeconds()
                                                + (hstsSubdomains ? "; includeSubDomains" : "")),
                                set)
                        : onPlain;
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        return next.handle(request).mapOnce(change(request));
    }

    @Override
    public Response finish(Request request, Response page) {
        return change(request).apply(page);
    }

    private FieldChange change(Request request) {
        return secure.test(request) ? onSecure : onPlain;
    }
}
