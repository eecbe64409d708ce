// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Route;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.Grammar;
import io.sirocco.http.message.PercentDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Finds what serves a request, by specificity: host, then path segment by segment (literal, then
 * {@code {param}}, then {@code *.suffix}, then {@code *}), then method, then {@link
 * RequiredHeaders}. See {@link PathPattern} and {@link Hosts} for what a pattern may be.
 *
 * <ul>
 *   <li>The most specific route <em>that serves the method and the headers</em> wins: beside {@code
 *       GET /users/me}, a {@code POST /users/me} finds {@code POST /users/{id}}; a host whose
 *       routes do not match leaves the request to the less specific hosts. Only when nothing serves
 *       the method is it {@link MethodNotAllowed}.
 *   <li>At one path a method of its own beats {@link #ANY}; {@code GET} serves {@code HEAD}.
 *   <li>Of several routes with the same path and method, the one that requires most headers wins,
 *       then the one that requires most values; among equals, the first one.
 *   <li>Paths are case-sensitive, a final slash counts, nothing is normalised: {@code .} and {@code
 *       ..} are segments like others and fit a parameter or wildcard. <strong>Validate paths before
 *       opening files by them.</strong>
 *   <li>A path is split first and decoded then, so {@code %2F} is a slash inside a parameter and
 *       never separates. The wildcard's value is decoded as a whole and cannot tell the two apart.
 *       Bytes that are not UTF-8 become U+FFFD; a {@code %} without two hexadecimal digits is
 *       {@link NotFound}.
 * </ul>
 *
 * <p>A path that is a literal route's costs one hash of its bytes and allocates nothing. Immutable.
 */
public final class Router<T> {
    /** The method of a route for every method. */
    public static final String ANY = "*";

    /** A registered route. An empty host matches every host. */
    public record Route<T>(
            String method, String host, String path, RequiredHeaders headers, T target) {
        /** Creates a route that requires no headers. */
        public Route(String method, String host, String path, T target) {
            this(method, host, path, RequiredHeaders.NONE, target);
        }

        public Route {
            checkMethod(method);
            host = Hosts.check(host);
        }

        @Override
        public String toString() {
            return text(method, host, path, headers);
        }

        /** Returns a route as it stands in messages. */
        public static String text(
                String method, String host, String path, RequiredHeaders headers) {
            String text = method + " " + host + path;
            return headers.none() ? text : text + " (" + headers + ")";
        }
    }

    /**
     * Checks the method of a route, {@link #ANY} included.
     *
     * @throws IllegalArgumentException if it is not a token or has lower-case letters: methods are
     *     case-sensitive (RFC 9110 9.1), so that {@code get} would match no request of a client
     */
    public static void checkMethod(String method) {
        if (method == null || !Grammar.isToken(method)) {
            throw new IllegalArgumentException(
                    "The method \"" + method + "\" is not a token; write GET or another name.");
        }
        String upper = method.toUpperCase(Locale.ROOT);
        if (!upper.equals(method)) {
            throw new IllegalArgumentException(
                    "The method \"" + method + "\" is not in upper case; write " + upper + ".");
        }
    }

    public sealed interface Match<T> permits Found, NotFound, MethodNotAllowed {}

    public record Found<T>(T target, PathParams params) implements Match<T> {}

    public record NotFound<T>() implements Match<T> {}

    /** The path has routes, but none for the method (RFC 9110 15.5.6); {@code allow} is sorted. */
    public record MethodNotAllowed<T>(List<String> allow) implements Match<T> {}

    private final Hosts<VirtualHost<T>> hosts;
    private final Match<T> notFound = new NotFound<>();

    /**
     * Creates a router from routes in any order.
     *
     * @throws IllegalArgumentException if a path is invalid, or if two routes match the same
     *     requests; the message names them
     */
    public Router(List<Route<T>> routes) {
        var byHost = new LinkedHashMap<String, List<CompiledRoute<T>>>();
        for (Route<T> route : routes) {
            byHost.computeIfAbsent(route.host(), host -> new ArrayList<>())
                    .add(new CompiledRoute<>(route));
        }
        var sites = new LinkedHashMap<String, VirtualHost<T>>();
        byHost.forEach((host, leaves) -> sites.put(host, new VirtualHost<>(leaves)));
        hosts = new Hosts<>(sites);
    }

    /**
     * Finds the route of a request in the bytes of its head.
     *
     * @param pathFrom the start of the path, which ends at {@code pathTo}, before a {@code ?}
     * @param hostFrom the start of the value of {@code Host}, port included; equal to {@code
     *     hostTo} if there is none
     * @param fields the headers of the request
     */
    public Match<T> match(
            byte[] bytes,
            int methodFrom,
            int methodTo,
            int pathFrom,
            int pathTo,
            int hostFrom,
            int hostTo,
            Fields fields) {
        if (pathFrom >= pathTo || bytes[pathFrom] != '/') {
            return notFound;
        }
        List<VirtualHost<T>> sites = hosts.of(bytes, hostFrom, hostTo);
        boolean checked = false;
        for (int i = 0; i < sites.size(); i++) {
            VirtualHost<T> site = sites.get(i);
            CompiledRoute<T> leaf =
                    site.literal(bytes, methodFrom, methodTo, pathFrom, pathTo, fields);
            if (leaf == null) {
                if (!checked && !PercentDecoder.wellFormed(bytes, pathFrom, pathTo)) {
                    return notFound;
                }
                checked = true;
                leaf = site.find(bytes, methodFrom, methodTo, pathFrom, pathTo, fields);
            }
            if (leaf != null) {
                return leaf.found(bytes, pathFrom, pathTo);
            }
        }
        return unserved(sites, bytes, pathFrom, pathTo, fields);
    }

    /** Finds the route of a request given as strings, without headers. */
    public Match<T> match(String method, String host, String path) {
        return match(method, host, path, new Fields());
    }

    /**
     * Finds the route of a request given as strings, for tests and for protocols whose head is not
     * one array.
     */
    public Match<T> match(String method, String host, String path, Fields fields) {
        byte[] bytes = (method + host + path).getBytes(UTF_8);
        int methodTo = method.getBytes(UTF_8).length;
        int hostTo = methodTo + host.getBytes(UTF_8).length;
        return match(bytes, 0, methodTo, hostTo, bytes.length, methodTo, hostTo, fields);
    }

    private Match<T> unserved(
            List<VirtualHost<T>> sites, byte[] bytes, int pathFrom, int pathTo, Fields fields) {
        var allow = new TreeSet<String>();
        for (VirtualHost<T> site : sites) {
            site.addMethods(bytes, pathFrom, pathTo, fields, allow);
        }
        return allow.isEmpty() ? notFound : notAllowed(allow);
    }

    private static <T> MethodNotAllowed<T> notAllowed(TreeSet<String> allow) {
        allow.add("OPTIONS");
        return new MethodNotAllowed<>(List.copyOf(allow));
    }

    /**
     * Returns that a path does not have the method of a request: those that it has are {@code
     * served}, by a route for {@link #ANY}, and those of its other routes.
     */
    public MethodNotAllowed<T> notAllowed(
            String host, String path, Fields fields, List<String> served) {
        byte[] bytes = (host + path).getBytes(UTF_8);
        int hostTo = host.getBytes(UTF_8).length;
        var allow = new TreeSet<>(served);
        for (VirtualHost<T> site : hosts.of(bytes, 0, hostTo)) {
            site.addMethods(bytes, hostTo, bytes.length, fields, allow);
        }
        return notAllowed(allow);
    }
}
