// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.Origins;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Allows pages of other origins to read responses (Fetch Standard 3.2, "HTTP CORS protocol").
 * Responds to preflight requests itself: {@code OPTIONS} with {@code Origin} and {@code
 * Access-Control-Request-Method}, also where no route has that method. A preflight request of an
 * origin that is not allowed gets 403 and is counted as {@code cors}; any other request of such an
 * origin gets its response without the CORS headers, and the browser withholds the response from
 * the page. Any thread.
 */
public final class Cors implements Filter {
    private static final Duration MAX_AGE = Duration.ofMinutes(10);
    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final UnaryOperator<Response> VARIES = Cors::varies;

    private final boolean all;
    private final Origins origins; // used if not all
    private final Headers common; // of both kinds of answers
    private final Headers onlyActual;
    private final Response preflight;
    private final Refusal refusal;
    private final UnaryOperator<Response> toAll;

    /**
     * Creates the rules for other origins.
     *
     * @param origins such as {@code https://app.example.org}, {@code https://*.example.org} for all
     *     hosts below that one, or {@code *} for all
     * @param methods besides GET, HEAD and POST, which are always allowed; or {@code *}
     * @param headers of requests, besides those that are always allowed; or {@code *}
     * @param expose headers of responses that pages may read, besides those that they always may;
     *     or {@code *}
     * @param credentials whether requests may carry cookies and passwords
     * @param maxAge how long a browser may cache the response to a preflight request
     * @throws IllegalArgumentException if an argument is invalid
     */
    public Cors(
            List<String> origins,
            List<String> methods,
            List<String> headers,
            List<String> expose,
            boolean credentials,
            Duration maxAge,
            Rejections rejections) {
        if (origins.isEmpty()) {
            throw new IllegalArgumentException(
                    "origins is empty, so nobody is allowed anything; name one, or leave cors out.");
        }
        this.all = origins.contains("*");
        this.origins = Origins.of(origins.stream().filter(each -> !each.equals("*")).toList());
        for (String each : List.of("null", "file://")) {
            if (this.origins.contains(each)) {
                throw new IllegalArgumentException(
                        "The origin "
                                + each
                                + " cannot be allowed: any sandboxed page, or any file, has it."
                                + " Serve the page from a host, and name that.");
            }
        }
        if (credentials) {
            for (List<String> list : List.of(origins, methods, headers, expose)) {
                if (list.contains("*")) {
                    throw new IllegalArgumentException(
                            "With credentials, \"*\" means nothing to a browser (Fetch Standard"
                                    + " 3.2.5); name what is allowed, or leave credentials out.");
                }
            }
        }
        this.common =
                credentials
                        ? Headers.of("Access-Control-Allow-Credentials", "true")
                        : Headers.none();
        this.onlyActual = list("Access-Control-Expose-Headers", expose);
        this.preflight =
                Response.empty(204)
                        .headers(
                                Headers.of(
                                                "Access-Control-Max-Age",
                                                Long.toString(maxAge.toSeconds()))
                                        .with(list("Access-Control-Allow-Methods", methods))
                                        .with(list("Access-Control-Allow-Headers", headers)));
        this.refusal = rejections.refusal("cors", 403).header("Vary", "Origin");
        this.toAll = response -> granted(response, "*", onlyActual);
    }

    /**
     * Lets pages of these origins, or of all for {@code *}, send requests of any usual method with
     * any header fields and read the responses; without cookies and passwords of the browser.
     *
     * <pre>{@code
     * routes.filter(Cors.allow("https://app.example.org"));
     * }</pre>
     *
     * @throws IllegalArgumentException which says what is no origin
     */
    public static Cors allow(String... origins) {
        return new Cors(
                List.of(origins),
                List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
                List.of("*", "Authorization"), // which "*" does not stand for
                List.of("*"),
                false,
                MAX_AGE,
                new Rejections());
    }

    /** A preflight request asks for {@code OPTIONS}, which hardly any path has a route for. */
    @Override
    public boolean seesUnmatched() {
        return true;
    }

    private static Headers list(String name, List<String> values) {
        for (String value : values) {
            Headers.of(
                    value, ""); // throws for what is no token, as methods and names of fields are
        }
        return values.isEmpty() ? Headers.none() : Headers.of(name, String.join(", ", values));
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        Optional<String> origin = request.header("Origin");
        if (origin.isPresent()
                && request.method().equals("OPTIONS")
                && request.header("Access-Control-Request-Method").isPresent()) {
            return preflight(request, origin.get());
        }
        if (all) {
            return next.handle(request).mapOnce(toAll);
        }
        if (origin.isEmpty() || !origins.contains(origin.get())) {
            return next.handle(request).mapOnce(VARIES);
        }
        String granted = origin.get();
        return next.handle(request).map(response -> granted(varies(response), granted, onlyActual));
    }

    @Override
    public Response finish(Request request, Response page) {
        if (all) {
            return toAll.apply(page);
        }
        Optional<String> origin = request.header("Origin");
        Response varies = varies(page);
        return origin.isPresent() && origins.contains(origin.get())
                ? granted(varies, origin.get(), onlyActual)
                : varies;
    }

    private Response preflight(Request request, String origin) {
        if (all) {
            return granted(preflight, "*", Headers.none());
        }
        return origins.contains(origin)
                ? granted(varies(preflight), origin, Headers.none())
                : refusal.answer(request);
    }

    /** Sets the fields of the grant; what a handler has granted by itself is left as it is. */
    private Response granted(Response response, String origin, Headers more) {
        Headers headers = response.headers();
        return headers.has(ALLOW_ORIGIN)
                ? response
                : response.headers(headers.with(ALLOW_ORIGIN, origin).with(common).with(more));
    }

    /** A cache must not give the answer for one origin to another (RFC 9110 12.5.5). */
    private static Response varies(Response response) {
        boolean said =
                response.headers().all("Vary").stream()
                        .flatMap(value -> List.of(value.split("[ ,]+")).stream())
                        .anyMatch(name -> name.equals("*") || name.equalsIgnoreCase("Origin"));
        return said ? response : response.header("Vary", "Origin");
    }
}
