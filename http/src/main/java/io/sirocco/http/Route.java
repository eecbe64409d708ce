// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.route.RequiredHeaders;
import io.sirocco.http.route.RouteLimits;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.http.route.Router;
import io.sirocco.net.RateLimiter;
import io.sirocco.net.TaskKind;
import java.time.Duration;
import java.util.List;

/**
 * One route and its settings, returned by {@link Routes#route}. Each setting overrides that of the
 * {@linkplain Config server}.
 *
 * <pre>{@code
 * routes.route("POST", "/video", handler)
 *         .executionMode(ExecutionMode.POOL)
 *         .maxBodyBytes(2L << 30)
 *         .handlerTimeout(Duration.ofMinutes(10));
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class Route {
    final String method;
    final String host;
    final String path;
    RequiredHeaders requiredHeaders = RequiredHeaders.NONE;
    private final Handler handler;
    private ExecutionMode executionMode;
    private long maxBodyBytes = UNSET;
    private long handlerTimeout = UNSET;
    private long bodyMillis = UNSET;
    private long bodyRate = UNSET;
    private long idleMillis = UNSET;
    private RateLimiter reads;
    private RateLimiter writes;
    private RateLimiter eachRead;
    private RateLimiter eachWrite;
    private boolean readsBody = true;
    private List<String> allowed = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

    private static final long UNSET = Long.MIN_VALUE;

    public Route(String method, String host, String path, Handler handler, ExecutionMode handling) {
        this.method = method;
        this.host = host;
        this.path = path;
        this.handler = handler;
        this.executionMode = handling;
    }

    /** Sets where the handler runs. Default: {@link Config#executionMode}. */
    public Route executionMode(ExecutionMode mode) {
        this.executionMode = Given.of("The execution mode of " + this, mode);
        return this;
    }

    /**
     * Declares the methods that the handler of an {@link Routes#any any} route serves. The server
     * lists them, with those of all other routes, in its response to {@code OPTIONS *} (RFC 9110
     * 9.3.7). Other methods still reach the handler. Default: GET, HEAD, POST, PUT, PATCH, DELETE.
     *
     * @throws IllegalArgumentException if one is not a method in upper case
     */
    public Route allow(String... methods) {
        for (String each : methods) {
            Router.checkMethod(each);
        }
        allowed = List.of(methods);
        return this;
    }

    /**
     * Restricts the route to requests that have a header, such as {@code header("X-Canary", "1")}.
     * May be called for several headers, all of which a request must have. Other requests are
     * matched against the other routes: of those with the same path and method, the one that
     * requires most headers wins, then the one that requires most values, then the one that was
     * added first.
     *
     * @param values the values that the header may have, of which one must be equal, byte by byte,
     *     to that of one of its lines; none if the header must only be present
     * @throws IllegalArgumentException if the name or a value is invalid, or the route already
     *     requires the header
     */
    public Route header(String name, String... values) {
        requiredHeaders = requiredHeaders.and(name, values);
        return this;
    }

    /** Returns the methods that it serves. */
    List<String> methods() {
        return method.equals(Router.ANY) ? allowed : List.of(method);
    }

    /** Returns what was set, for good; {@code defaults} count where nothing was. */
    RouteTarget target(RouteLimits defaults, TaskKind kind) {
        var limits =
                new RouteLimits(
                        or(maxBodyBytes, defaults.body()),
                        or(handlerTimeout, defaults.handlerMillis()),
                        or(bodyMillis, defaults.bodyMillis()),
                        or(bodyRate, defaults.bodyRate()),
                        or(idleMillis, defaults.idleMillis()));
        return new RouteTarget(
                host + path,
                handler,
                executionMode,
                limits,
                RouteTarget.Buckets.of(reads, writes, eachRead, eachWrite),
                executionMode == ExecutionMode.LOOP ? null : kind,
                readsBody);
    }

    private static long or(long set, long preset) {
        return set == UNSET ? preset : set;
    }

    /**
     * Declares that the handler never reads the request body: it is called as soon as the headers
     * are complete, and a body is skipped.
     */
    public Route ignoreBody() {
        this.readsBody = false;
        return this;
    }

    /**
     * Calls the handler as soon as the headers are complete, in any execution mode, so that it can
     * refuse a request before any of the body is stored. An {@link ExecutionMode#INLINE} handler
     * then reads the body with {@link Body#next}. The unread rest of a body is skipped.
     */
    public Route startBeforeBody() {
        this.readsBody = false;
        return this;
    }

    /**
     * Sets the maximum size of a request body in bytes; beyond it 413. -1 removes the limit.
     * Default: {@link Config#maxBodyBytes}.
     *
     * @throws IllegalArgumentException if it is less than -1
     */
    public Route maxBodyBytes(long bytes) {
        this.maxBodyBytes = Given.limit("maxBodyBytes of " + this, bytes);
        return this;
    }

    /**
     * Sets the time from the end of a request's headers until its response begins; beyond it 503,
     * or 504 for {@link Response#async}. Zero disables it. Default: {@link Config#handlerTimeout}.
     *
     * @throws IllegalArgumentException if the timeout is negative
     */
    public Route handlerTimeout(Duration timeout) {
        this.handlerTimeout = Given.timeout("handlerTimeout of " + this, timeout).toMillis();
        return this;
    }

    /**
     * Sets how long the handler may wait for the request body: {@code grace}, plus one second for
     * every {@code bytesPerSecond} bytes received; beyond it 408. A grace of zero disables it.
     * Default: {@link Config#bodyTimeout}.
     *
     * @throws IllegalArgumentException if an argument is negative
     */
    public Route bodyTimeout(Duration grace, long bytesPerSecond) {
        this.bodyMillis = Given.timeout("The grace of bodyTimeout of " + this, grace).toMillis();
        this.bodyRate = Given.rate("The rate of bodyTimeout of " + this, bytesPerSecond);
        return this;
    }

    /**
     * Sets how long a connection may be idle after a response of this route before it is closed.
     * Zero disables it. Default: {@link Config#idleTimeout}.
     *
     * @throws IllegalArgumentException if the timeout is negative
     */
    public Route idleTimeout(Duration timeout) {
        this.idleMillis = Given.timeout("idleTimeout of " + this, timeout).toMillis();
        return this;
    }

    /**
     * Limits the bytes per second of each connection that this route serves, received and sent, in
     * addition to all other limits. Each connection has its own buckets with these rates. Any
     * thread may change a rate at any time; transfers in progress follow within a tenth of a
     * second.
     */
    public Route connectionBandwidth(RateLimiter reads, RateLimiter writes) {
        this.eachRead = reads;
        this.eachWrite = writes;
        return this;
    }

    /**
     * Limits the bytes per second of all requests of this route together, received and sent, in
     * addition to the limits of the connection and the server.
     */
    public Route bandwidth(RateLimiter reads, RateLimiter writes) {
        this.reads = reads;
        this.writes = writes;
        return this;
    }

    /** Returns the method, the host and the path pattern, and the headers that it requires. */
    @Override
    public String toString() {
        return Router.Route.text(method, host, path, requiredHeaders);
    }
}
