// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Cookie;
import io.sirocco.http.Cookie.SameSite;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.Optional;
import java.util.Set;

/**
 * Who may use the admin server: whoever knows the token, if there is one; else whoever is on this
 * machine, but no page that a browser on this machine has loaded from elsewhere. Such a page can
 * send requests to loopback addresses, by a name that it has pointed there (DNS rebinding) or
 * straight across (request forgery), and is known by the fields Host, Origin and Sec-Fetch-Site,
 * which it cannot choose. Immutable.
 */
final class Guard implements Filter {
    private static final String COOKIE = "sirocco-admin";
    private static final String BEARER = "Bearer ";
    private static final Set<String> PAGES = Set.of("/", "/live");
    private static final Set<String> OPEN = Set.of("/health", "/ready");

    private final Optional<Token> token;
    private final boolean healthOpen;

    Guard(Optional<Token> token, boolean healthOpen) {
        this.token = token;
        this.healthOpen = healthOpen;
    }

    @Override
    public Response filter(Request request, Handler next) throws Exception {
        if (healthOpen && OPEN.contains(request.path())) {
            return next.handle(request);
        }
        if (token.isEmpty() && !namesThisMachine(request.host())) {
            return refused("The field Host must name this machine, as localhost does.");
        }
        if (fromAnotherSite(request)) {
            return refused("Another site may not use this one.");
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

    private static Optional<String> none() {
        return Optional.empty();
    }

    private static Cookie session(Token token) {
        return Cookie.of(COOKIE, token.session()).withSameSite(SameSite.STRICT);
    }

    private static boolean knows(Token token, Request request) {
        Optional<String> authorization = request.header("Authorization");
        if (authorization.isPresent()) {
            String value = authorization.get();
            return value.regionMatches(true, 0, BEARER, 0, BEARER.length())
                    && token.is(value.substring(BEARER.length()).strip());
        }
        return request.cookie(COOKIE).filter(token::isSession).isPresent();
    }

    private static Response locked(Request request) {
        boolean browser =
                request.header("Accept").filter(types -> types.contains("text/html")).isPresent();
        Response page =
                browser && PAGES.contains(request.path())
                        ? Resources.page("locked.html")
                        : Response.text("Send the admin token: Authorization: Bearer ...\n");
        return page.status(401).header("WWW-Authenticate", "Bearer realm=\"sirocco admin\"");
    }

    private static Response refused(String why) {
        return Response.text(why + "\n").status(403);
    }

    /** Loopback names and addresses; HTTP/1.0 may name none, which no browser does. */
    private static boolean namesThisMachine(String host) {
        String name = host.toLowerCase(java.util.Locale.ROOT);
        return name.isEmpty()
                || name.equals("localhost")
                || name.endsWith(".localhost") // RFC 6761 6.3
                || name.equals("[::1]")
                || name.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
    }

    /** To follow a link to the page is the one thing that another site may make a browser do. */
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
                || origin.equalsIgnoreCase("https://" + host); // behind a proxy of the operator's
    }
}
