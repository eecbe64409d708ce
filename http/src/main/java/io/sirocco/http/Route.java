// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.route.RouteLimits;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.http.route.Router;
import io.sirocco.net.Bandwidth;
import io.sirocco.net.TaskKind;
import java.time.Duration;
import java.util.List;

/**
 * One route while it is being set up; answered by the methods of {@link Routes}. Used by one
 * thread, then frozen.
 */
public final class Route {
    final String method;
    final String host;
    final String path;
    private final Handler handler;
    private ExecutionMode executionMode;
    private long maxBodyBytes = UNSET;
    private long handlerTimeout = UNSET;
    private long bodyMillis = UNSET;
    private long bodyRate = UNSET;
    private long idleMillis = UNSET;
    private Bandwidth reads;
    private Bandwidth writes;
    private Bandwidth eachRead;
    private Bandwidth eachWrite;
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

    /** Where its handler runs. */
    public Route executionMode(ExecutionMode handling) {
        this.executionMode = handling;
        return this;
    }

    /**
     * The methods that its handler serves, for a route of any method; the usual ones unless set.
     * Nothing else is refused by this: it is what {@code OPTIONS *} is answered with (RFC 9110
     * 9.3.7), together with the methods of all other routes.
     */
    public Route allow(String... methods) {
        allowed = List.of(methods);
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
     * Its handler never looks at the body of a request: it is called when the head is there, and a
     * body is skipped.
     */
    public Route ignoreBody() {
        this.readsBody = false;
        return this;
    }

    /**
     * Calls its handler as soon as the headers are complete, {@link ExecutionMode#INLINE} or not,
     * so that it can refuse a request before any of the body has been stored. An inline handler
     * takes the body with {@link Body#next}; the rest of a body that it does not take is skipped.
     */
    public Route startBeforeBody() {
        this.readsBody = false;
        return this;
    }

    /** Bytes of a request body, in the place of the server's limit; -1 for any number. */
    public Route maxBodyBytes(long bytes) {
        this.maxBodyBytes = bytes;
        return this;
    }

    /**
     * How long its handler may take until its response begins, in the place of the server's limit;
     * zero for ever.
     */
    public Route handlerTimeout(Duration longest) {
        this.handlerTimeout = longest.toMillis();
        return this;
    }

    /**
     * How long a body that its handler waits for may take (408), in the place of {@link
     * Config#bodyTimeout}: {@code grace}, and one second for every {@code bytesPerSecond} that have
     * come. A grace of zero is for ever.
     *
     * @throws IllegalArgumentException for less than zero
     */
    public Route bodyTimeout(Duration grace, long bytesPerSecond) {
        if (grace.isNegative() || bytesPerSecond < 0) {
            throw new IllegalArgumentException(
                    "The body deadline of "
                            + path
                            + " is zero or more, and so is its rate, not "
                            + grace
                            + " and "
                            + bytesPerSecond
                            + ".");
        }
        this.bodyMillis = grace.toMillis();
        this.bodyRate = bytesPerSecond;
        return this;
    }

    /**
     * How long a connection may be without a request behind a response of this route, in the place
     * of {@link Config#idleTimeout}; zero for ever.
     *
     * @throws IllegalArgumentException for less than zero
     */
    public Route idleTimeout(Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException(
                    "The idle time of " + path + " is zero or more, not " + longest + ".");
        }
        this.idleMillis = longest.toMillis();
        return this;
    }

    /**
     * Bandwidth of each connection that is served by this route, beside all other limits: every
     * connection has buckets of its own, with the rates of these. A rate may be changed by any
     * thread, and holds for downloads that are under way within a tenth of a second.
     */
    public Route connectionBandwidth(Bandwidth reads, Bandwidth writes) {
        this.eachRead = reads;
        this.eachWrite = writes;
        return this;
    }

    /** Bandwidth of all its requests together, beside that of the connection and the server. */
    public Route bandwidth(Bandwidth reads, Bandwidth writes) {
        this.reads = reads;
        this.writes = writes;
        return this;
    }
}
