// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Cookie;
import io.sirocco.http.Cookie.SameSite;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.net.limit.Ip;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Controls access to the admin server. With a token, clients need the token. Without one, clients
 * on this machine have access, except pages of other sites in a browser on this machine. Such pages
 * can send requests to loopback addresses by DNS rebinding or request forgery; the headers Host,
 * Origin and Sec-Fetch-Site, which they cannot choose, reveal them. Servers that join an upstream
 * always need a token. Any thread.
 */
public final class Guard implements Filter {
    private static final String COOKIE = "sirocco-admin";
    private static final String BEARER = "Bearer ";
    private static final Set<String> PAGES = Set.of("/", "/live", "/home");
    private static final Set<String> OPEN = Set.of("/health", "/ready");

    private static final String REGISTRATION = "/upstreams/";

    private volatile Tokens tokens;
    private final boolean healthOpen;

    /**
     * The tokens that it knows. Immutable.
     *
     * @param registration that of servers that join an upstream
     */
    record Tokens(Optional<Token> admin, Optional<Token> registration) {
        /**
         * Reads them from files; those that are missing are created.
         *
         * @throws IOException if one is not usable, with a message for the operator
         */
        static Tokens in(Optional<Path> admin, Optional<Path> registration) throws IOException {
            return new Tokens(token(admin), token(registration));
        }

        private static Optional<Token> token(Optional<Path> file) throws IOException {
            return file.isPresent() ? Optional.of(Token.in(file.get())) : Optional.empty();
        }
    }

    Guard(Tokens tokens, boolean healthOpen) {
        this.tokens = tokens;
        this.healthOpen = healthOpen;
    }

    /** Knows other tokens from now on. */
    void replace(Tokens others) {
        tokens = others;
    }

    /**
     * Creates one for another server of operators.
     *
     * @param tokenFile contains the token; created with a new token if it is missing
     * @throws IOException if the token is not usable, or if there is none and the address is open
     *     to the network; with a message for the operator
     */
    public static Guard of(InetSocketAddress address, Optional<Path> tokenFile) throws IOException {
        if (tokenFile.isEmpty() && !address.getAddress().isLoopbackAddress()) {
            throw new IOException(
                    "the admin address %s is open to the network, so it needs a token; add --admin-token FILE"
                            .formatted(Ip.text(address)));
        }
        return new Guard(Tokens.in(tokenFile, Optional.empty()), false);
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        if (healthOpen && OPEN.contains(request.path())) {
            return next.handle(request);
        }
        Tokens known = tokens;
        Optional<Token> token = known.admin();
        if (token.isEmpty() && !namesThisMachine(request.host())) {
            return refused("The Host header must be localhost or a loopback address.");
        }
        if (fromAnotherSite(request)) {
            return refused("Requests from other sites are not allowed.");
        }
        if (request.path().startsWith(REGISTRATION)) {
            return mayRegister(known, request) ? next.handle(request) : noToken();
        }
        if (token.isEmpty()) {
            return next.handle(request);
        }
        Optional<String> offered = PAGES.contains(request.path()) ? request.query("token") : none();
        if (offered.isPresent() && token.get().is(offered.get())) {
            return Response.redirect(request.path()).status(303).cookie(session(token.get()));
        }
        return knows(token.get(), request) ? next.handle(request) : locked(request);
    }

    /** A server that registers needs one of both tokens, even on this machine. */
    private static boolean mayRegister(Tokens known, Request request) {
        return Stream.of(known.registration(), known.admin())
                .flatMap(Optional::stream)
                .anyMatch(each -> bears(each, request));
    }

    private static Response noToken() {
        return ErrorObject.response(
                        401, "unauthorized", "send the token: Authorization: Bearer ...")
                .header("WWW-Authenticate", "Bearer realm=\"sirocco registration\"");
    }

    private static boolean bears(Token token, Request request) {
        String value = request.header("Authorization").orElse("");
        return value.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && token.is(value.substring(BEARER.length()).strip());
    }

    private static Optional<String> none() {
        return Optional.empty();
    }

    private static Cookie session(Token token) {
        return Cookie.of(COOKIE, token.session()).withSameSite(SameSite.STRICT);
    }

    private static boolean knows(Token token, Request request) {
        if (request.header("Authorization").isPresent()) {
            return bears(token, request);
        }
        return request.cookie(COOKIE).filter(token::isSession).isPresent();
    }

    private static Response locked(Request request) {
        boolean browser =
                request.header("Accept").filter(types -> types.contains("text/html")).isPresent();
        Response page =
                browser && PAGES.contains(request.path())
                        ? Resources.page("locked.html")
                        : Response.text(
                                "Send the admin token: Authorization: Bearer ...\n"
                                        + "In a browser, open a page once as /?token=...\n");
        return page.status(401).header("WWW-Authenticate", "Bearer realm=\"sirocco admin\"");
    }

    private static Response refused(String why) {
        return Response.text(why + "\n").status(403);
    }

    /** Returns whether a host is a loopback name or address, or empty, as in HTTP/1.0. */
    private static boolean namesThisMachine(String host) {
        String name = host.toLowerCase(java.util.Locale.ROOT);
        return name.isEmpty()
                || name.equals("localhost")
                || name.endsWith(".localhost") // RFC 6761 6.3
                || name.equals("[::1]")
                || name.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
    }

    /** Returns whether another site sends the request; following a link to the page is allowed. */
    private static boolean fromAnotherSite(Request request) {
        boolean reads = request.method().equals("GET") || request.method().equals("HEAD");
        String site = request.header("Sec-Fetch-Site").orElse("none");
        boolean navigates = reads && request.header("Sec-Fetch-Mode").orElse("").equals("navigate");
        if (!site.equals("none") && !site.equals("same-origin") && !navigates) {
            return true;
        }
        Optional<String> origin = request.header("Origin");
        return origin.isPresent() && !reads && !sameOrigin(origin.get(), request);
    }

    private static boolean sameOrigin(String origin, Request request) {
        String host = request.header("Host").orElse("");
        return origin.equalsIgnoreCase("http://" + host)
                || origin.equalsIgnoreCase("https://" + host); // behind a proxy
    }
}
