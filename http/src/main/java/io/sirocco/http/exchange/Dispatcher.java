// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.RequestError;
import io.sirocco.http.TrustedProxies;
import io.sirocco.http.message.RequestHead;
import io.sirocco.http.message.TargetForm;
import io.sirocco.http.route.PathParams;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.http.route.Router;
import io.sirocco.http.route.Router.Found;
import io.sirocco.http.route.Router.Match;
import io.sirocco.http.route.Router.MethodNotAllowed;
import io.sirocco.http.route.UnmatchedFilters;
import java.util.List;

/**
 * Finds the route of a request and opens its exchange. One for each loop, for every version of
 * HTTP. Loop-confined.
 */
public final class Dispatcher {
    private final LoopContext context;

    // The last parsed head and its route, reused while the head's bytes repeat. Both stay until the
    // next head is parsed, or until a reload.
    private RequestHead routed;
    private long routedCount;
    private Match<RouteTarget> routedTo;

    Dispatcher(LoopContext context) {
        this.context = context;
    }

    /**
     * Returns the exchange of a request whose headers are complete; the stream notes it and calls
     * {@link Exchange#start}.
     *
     * @param bodyLength of the request; 0 when it has no body, -1 when its length is not known
     */
    public Exchange open(HttpStream stream, RequestHead head, long bodyLength) {
        context.requests++;
        Forwarded forwarded = null;
        TrustedProxies proxies = context.serverContext.proxies();
        if (!proxies.fields().isEmpty() && proxies.trusts(stream.remote())) {
            try {
                forwarded = Forwarded.read(proxies, stream.remote(), head);
            } catch (Forwarded.Malformed e) {
                return refused(stream, head, null, bodyLength, RequestError.BAD_FORWARDED);
            }
        }
        if (misdirected(stream, head, forwarded)) {
            return refused(stream, head, forwarded, bodyLength, RequestError.MISDIRECTED);
        }
        Match<RouteTarget> match = match(head, forwarded);
        if (match instanceof Found<RouteTarget>(RouteTarget routeTarget, PathParams params)) {
            return new Exchange(stream, context, head, forwarded, bodyLength, params, routeTarget);
        }
        RouteTarget none =
                match instanceof MethodNotAllowed<RouteTarget>(List<String> allow)
                        ? context.serverContext.notAllowed(head.method(), allow)
                        : context.serverContext.notFound();
        return unmatched(stream, head, forwarded, bodyLength, none);
    }

    /**
     * Returns the exchange of a request whose headers are refused, of which {@code excerpt} has
     * some. It is not started.
     */
    public Exchange refused(HttpStream stream, RequestHead excerpt) {
        context.requests--; // the stream counts it
        return open(stream, excerpt, 0);
    }

    private Exchange refused(
            HttpStream stream,
            RequestHead head,
            Forwarded forwarded,
            long bodyLength,
            RequestError rule) {
        RouteTarget none = context.serverContext.notFound();
        Exchange exchange = unmatched(stream, head, forwarded, bodyLength, none);
        exchange.rule = rule;
        return exchange;
    }

    /** Opens an exchange with the filters that apply to unmatched requests. */
    private Exchange unmatched(
            HttpStream stream,
            RequestHead head,
            Forwarded forwarded,
            long bodyLength,
            RouteTarget routeTarget) {
        UnmatchedFilters filters = context.serverContext.unmatched();
        RouteTarget behind = filters.none() ? routeTarget : filters.before(routeTarget, head);
        return new Exchange(stream, context, head, forwarded, bodyLength, PathParams.NONE, behind);
    }

    /**
     * Returns whether the connection is not authoritative for the host (RFC 9110 7.4): a request
     * for an https resource must come over a connection secured by a certificate for its host. Not
     * checked for addresses, for which certificates are rare, nor if the check is off.
     */
    private boolean misdirected(HttpStream stream, RequestHead head, Forwarded forwarded) {
        if (forwarded != null) {
            return false; // the client's own connection ended at a trusted proxy
        }
        if (stream.secure()) {
            int from = head.hostFrom();
            int to = head.hostTo();
            if (to > from && head.bytes()[to - 1] == '.') {
                to--;
            }
            return to > from
                    && context.serverContext.sniHostCheck()
                    && !isAddress(head.bytes(), from, to)
                    && !stream.authoritative(head.bytes(), from, to);
        }
        int scheme = head.targetFrom();
        return head.form() == TargetForm.ABSOLUTE
                && (head.bytes()[scheme + 4] | 0x20) == 's'; // "http" stands before it
    }

    private static boolean isAddress(byte[] bytes, int from, int to) {
        if (bytes[from] == '[') {
            return true;
        }
        for (int i = from; i < to; i++) {
            if (bytes[i] > '9') {
                return false;
            }
        }
        return true;
    }

    /** Forgets the last route: the routes have changed. */
    void forget() {
        routed = null;
        routedTo = null;
    }

    /** Returns the route of a head; the last one if the head consists of the same bytes. */
    private Match<RouteTarget> match(RequestHead head, Forwarded forwarded) {
        Router<RouteTarget> router = context.serverContext.router();
        if (forwarded != null || head.parseCount == 0) {
            return route(router, head, forwarded);
        }
        if (head.parseCount != routedCount || head != routed) {
            routedTo = route(router, head, null);
            routed = head;
            routedCount = head.parseCount;
        }
        return routedTo;
    }

    private Match<RouteTarget> route(
            Router<RouteTarget> router, RequestHead head, Forwarded forwarded) {
        boolean hasPath = head.form() == TargetForm.ORIGIN || head.form() == TargetForm.ABSOLUTE;
        if (hasPath && forwarded != null && !forwarded.authority().isEmpty()) {
            return router.match(head.method(), forwarded.host(), head.path(), head);
        }
        if (head.form() == TargetForm.ORIGIN
                || head.form() == TargetForm.ABSOLUTE && head.pathFrom() < head.pathTo()) {
            return router.match(
                    head.bytes(),
                    head.methodFrom(),
                    head.methodTo(),
                    head.pathFrom(),
                    head.pathTo(),
                    head.hostFrom(),
                    head.hostTo(),
                    head);
        }
        return switch (head.form()) {
            case ASTERISK -> new Found<>(context.serverContext.asterisk(), PathParams.NONE);
            case AUTHORITY -> new Found<>(context.serverContext.tunnel(), PathParams.NONE);
            case ORIGIN, ABSOLUTE ->
                    router.match(
                            head.method(), head.hasHost() ? head.host() : "", head.path(), head);
        };
    }
}
