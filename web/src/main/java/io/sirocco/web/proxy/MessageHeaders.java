// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.HeaderNames;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The headers of messages that pass through a {@link Proxy}, as the table in docs/proxy.md says:
 * all in their order and spelling but those that belong to a connection, and {@code Via} behind
 * them. Immutable.
 */
final class MessageHeaders {
    /** Our name in {@code Via}, a pseudonym (RFC 9110 7.6.3). */
    private static final String NAME = "sirocco";

    private static final Headers VIA = Headers.of("Via", "1.1 " + NAME);

    /** Headers of a request that a server does not get as they are. */
    private static final HeaderNames CHANGED = HopByHop.NAMES.and("Expect", "Host", "Max-Forwards");

    /** Headers of a response that an option may rewrite. */
    private static final HeaderNames REWRITTEN =
            HeaderNames.of("Content-Location", "Location", "Set-Cookie");

    private final ProxyOptions options;
    private final boolean variableRequests;
    private final List<HeaderRule> variableResponses;
    private final Set<String> clientHeaders; // in lower case
    private final ForwardedHeaders forwarded;
    private final StickyCookie sticky;
    private final LocationRewrite locations;
    private final CookiePathRewrite cookiePaths;

    MessageHeaders(ProxyOptions options, String stickyCookie) {
        this.options = options;
        this.variableRequests = HeaderRule.anyVariable(options.requestHeaders);
        this.variableResponses =
                options.responseHeaders.stream().filter(rule -> rule.variable() != null).toList();
        this.clientHeaders =
                options.requestHeaders.stream()
                        .filter(rule -> rule.variable() != null)
                        .map(rule -> rule.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.toUnmodifiableSet());
        this.forwarded =
                switch (options.forwarding) {
                    case X_FORWARDED -> new ForwardedHeaders(true, false);
                    case FORWARDED -> new ForwardedHeaders(false, true);
                    case BOTH -> new ForwardedHeaders(true, true);
                    case NONE -> new ForwardedHeaders(false, false);
                };
        this.sticky = new StickyCookie(stickyCookie);
        this.locations = new LocationRewrite(options.strip, options.prefix);
        this.cookiePaths = new CookiePathRewrite(locations);
    }

    StickyCookie sticky() {
        return sticky;
    }

    /** Returns how often our name is in the values of {@code Via}. */
    static int passes(String via) {
        if (via.isEmpty()) {
            return 0;
        }
        int count = 0;
        for (String hop : via.split(",")) {
            String[] parts = hop.strip().split("\\s+");
            if (parts.length > 1 && parts[1].equalsIgnoreCase(NAME)) {
                count++;
            }
        }
        return count;
    }

    // ---- headers that depend on the client's request

    /** Returns the names, in lower case, of request headers whose values depend on the client. */
    Set<String> clientHeaders() {
        return clientHeaders;
    }

    /** Returns the request with the rules of {@code request-headers} for this client's request. */
    InboundRequest withVariables(InboundRequest inbound, Request client) {
        return variableRequests
                ? inbound.withRules(HeaderRule.resolved(options.requestHeaders, client))
                : inbound;
    }

    /** Sets the headers of {@code response-headers} that depend on the client's request. */
    Response withVariables(Response response, Request client) {
        if (variableResponses.isEmpty()) {
            return response;
        }
        List<HeaderRule> rules = HeaderRule.resolved(variableResponses, client);
        return response.map(known -> known.headers(changed(known.headers(), rules)));
    }

    // ---- the request

    /**
     * Returns the target for the server: the path and the query as they came, but for the rules.
     */
    String target(InboundRequest request) {
        String target = request.target;
        if (options.strip.isEmpty() && options.prefix.isEmpty()) {
            return target;
        }
        int mark = target.indexOf('?');
        String query = mark < 0 ? "" : target.substring(mark);
        String path = request.path;
        path =
                options.prefix
                        + path.substring(
                                Math.max(LocationRewrite.endOfSegments(path, options.strip), 0));
        return (path.isEmpty() ? "/" : path) + query;
    }

    /** Returns the value of {@code Host} for a server. */
    String host(InboundRequest request, UpstreamServer server) {
        return switch (options.host) {
            case Proxy.HOST_OF_CLIENT -> request.host.isEmpty() ? server.authority : request.host;
            case Proxy.HOST_OF_SERVER -> server.authority;
            default -> options.host;
        };
    }

    /** Returns the protocol of an upgrade that is forwarded; empty for none. */
    String upgrade(InboundRequest request) {
        String asked = request.list("Upgrade");
        if (asked.isEmpty()
                || request.version.equals("HTTP/1.0") // RFC 9110 7.8
                || !HopByHop.lists(request.list("Connection"), "upgrade")) {
            return "";
        }
        for (String each : asked.split(",")) {
            String protocol = each.strip();
            String name = protocol.toLowerCase(Locale.ROOT);
            if (options.forwardsUpgrade(name) && mayUpgradeTo(name, request)) {
                return protocol;
            }
        }
        return "";
    }

    /** Returns false for a WebSocket that is not asked for as RFC 6455 4.1 says. */
    private static boolean mayUpgradeTo(String protocol, InboundRequest request) {
        return !protocol.equals("websocket")
                || request.method.equals("GET") && request.length() == 0;
    }

    /** Returns the headers for a server, without {@code Host}. */
    Headers request(InboundRequest request) {
        Headers received = request.headers;
        Headers.Builder all = Headers.builder();
        Set<String> named = HopByHop.named(request.list("Connection"));
        int from = 0; // what is passed on as it is
        int size = received.size();
        for (int i = 0; i < size; i++) {
            if (CHANGED.contains(received, i)
                    || ForwardedHeaders.claims(received, i)
                    || HopByHop.names(named, received, i)) {
                all.add(received, from, i);
                addChanged(request, i, all);
                from = i + 1;
            }
        }
        all.add(received, from, size);
        forwarded.add(request, all);
        addVia(request.version, all);
        List<HeaderRule> rules = request.rules == null ? options.requestHeaders : request.rules;
        return rules.isEmpty() ? all.build() : changed(withoutAliases(all.build(), rules), rules);
    }

    /**
     * Removes headers that a server which speaks CGI does not tell from those of the rules: {@code
     * X_Real_IP} and {@code X-Real-IP} are one variable there.
     */
    private static Headers withoutAliases(Headers headers, List<HeaderRule> rules) {
        Headers kept = headers;
        for (int i = 0, n = headers.size(); i < n; i++) {
            String name = headers.name(i);
            String dashed = name.indexOf('_') < 0 ? "" : name.replace('_', '-');
            for (HeaderRule rule : rules) {
                if (!dashed.isEmpty() && dashed.equalsIgnoreCase(rule.name().replace('_', '-'))) {
                    kept = kept.without(name);
                }
            }
        }
        return kept;
    }

    /** Adds what a server gets instead of a header, which is nothing for most. */
    private static void addChanged(InboundRequest request, int i, Headers.Builder to) {
        Headers received = request.headers;
        if (received.isNamed(i, "TE") && HopByHop.lists(received.value(i), "trailers")) {
            to.add(received.name(i), "trailers");
        } else if (received.isNamed(i, "Max-Forwards")) {
            boolean counts = request.method.equals("OPTIONS") || request.method.equals("TRACE");
            String value = received.value(i);
            to.add(received.name(i), counts ? decremented(value) : value);
        }
    }

    private static void addVia(String version, Headers.Builder to) {
        if (version.equals("HTTP/1.1")) {
            to.add(VIA);
        } else {
            to.add("Via", version.substring(5) + " " + NAME);
        }
    }

    /**
     * Returns the trailers of a request for a server: those that it may take for what the proxy
     * says in the header section, where it merges the two, are removed.
     */
    Headers requestTrailers(Headers headers, Headers trailers) {
        Headers all =
                withoutAliases(
                        passing(headers, trailers, options.requestHeaders), options.requestHeaders);
        for (int i = 0, n = trailers.size(); i < n; i++) {
            if (ForwardedHeaders.claims(trailers, i)) {
                all = all.without(trailers.name(i));
            }
        }
        return all;
    }

    private static String decremented(String forwards) {
        try {
            return Long.toString(Math.max(0, Long.parseLong(forwards) - 1));
        } catch (NumberFormatException e) {
            return forwards;
        }
    }

    // ---- the response

    /** Returns the headers of a response, or of an interim one, for the client. */
    Headers response(
            Headers headers, String version, UpstreamServer server, String host, String cookie) {
        Set<String> named = HopByHop.named(connection(headers));
        boolean rewrites = options.rewriteLocation || options.rewriteCookiePath;
        Headers.Builder all = Headers.builder();
        int from = 0; // what is passed on as it is
        int size = headers.size();
        for (int i = 0; i < size; i++) {
            boolean dropped =
                    HopByHop.NAMES.contains(headers, i) || HopByHop.names(named, headers, i);
            if (dropped || rewrites && REWRITTEN.contains(headers, i)) {
                all.add(headers, from, i);
                from = i + 1;
            }
            if (!dropped && from == i + 1) {
                String name = headers.name(i);
                all.add(name, rewritten(name, headers.value(i), server, host));
            }
        }
        all.add(headers, from, size);
        addVia(version, all);
        if (!cookie.isEmpty()) {
            all.add("Set-Cookie", cookie);
        }
        return changed(all.build(), options.responseHeaders);
    }

    /** Returns the trailers of a response, which has these headers, for the client. */
    Headers responseTrailers(Headers headers, Headers trailers) {
        return passing(headers, trailers, options.responseHeaders);
    }

    /**
     * Removes trailers of one connection, which {@code Connection} in the headers may name (RFC
     * 9110 7.6.1), and of the names that a rule sets or removes.
     */
    private static Headers passing(Headers headers, Headers trailers, List<HeaderRule> rules) {
        Headers all = trailers;
        Set<String> named = HopByHop.named(connection(headers));
        for (int i = 0, n = trailers.size(); i < n; i++) {
            if (HopByHop.NAMES.contains(trailers, i) || HopByHop.names(named, trailers, i)) {
                all = all.without(trailers.name(i));
            }
        }
        if (all.size() > 0) {
            for (HeaderRule rule : rules) {
                all = all.without(rule.name());
            }
        }
        return all;
    }

    private static String connection(Headers headers) {
        return headers.has("Connection") ? String.join(",", headers.all("Connection")) : "";
    }

    private String rewritten(String name, String value, UpstreamServer server, String host) {
        if (options.rewriteLocation
                && (name.equalsIgnoreCase("Location")
                        || name.equalsIgnoreCase("Content-Location"))) {
            return locations.location(value, server.authority, host);
        }
        if (options.rewriteCookiePath && name.equalsIgnoreCase("Set-Cookie")) {
            return cookiePaths.setCookie(value, server.authority);
        }
        return value;
    }

    /** Returns the headers with some set and removed. */
    private static Headers changed(Headers headers, List<HeaderRule> rules) {
        Headers changed = headers;
        for (HeaderRule rule : rules) {
            if (rule.value() == null) {
                continue; // depends on a client's request
            }
            changed = changed.without(rule.name());
            if (!rule.value().isEmpty()) {
                changed = changed.with(rule.name(), rule.value());
            }
        }
        return changed;
    }
}
