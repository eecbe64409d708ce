// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Cookie;
import io.sirocco.http.client.HttpOrigin;
import io.sirocco.net.ProxyProtocol;
import io.sirocco.net.TlsClient;
import io.sirocco.net.limit.Timeouts;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The servers and settings of an {@link Upstream}: set in the lambda that it is made with, and
 * frozen when that returns. All limits and timeouts are finite by default. Used by one thread.
 */
public final class UpstreamSettings implements Cloneable {
    /** A server that was configured or added. */
    record Server(String name, HttpOrigin origin, int weight, boolean backup) {}

    String name = "";
    List<Server> servers = new ArrayList<>();
    boolean allowEmpty;
    Balance balance = Balance.ROUND_ROBIN;
    HashBy hashBy = HashBy.ADDRESS;
    String stickyCookie = "";
    Duration resolve = Duration.ofSeconds(30);
    Duration resolveMin = Duration.ofSeconds(1);
    List<InetSocketAddress> nameservers = List.of(); // empty for those of the system
    int maxFailures = 3;
    Duration failureWindow = Duration.ofSeconds(10);
    Duration ejection = Duration.ofSeconds(10);
    Set<Integer> failureStatus = Set.of();
    String healthPath = "";
    Duration healthInterval = Duration.ofSeconds(5);
    Duration healthTimeout = Duration.ofSeconds(3);
    int unhealthyAfter = 3;
    int healthyAfter = 2;
    Duration slowStart = Duration.ofSeconds(10);
    int retries = 1;
    int retryBudget = 20;
    int maxConnections = 256;
    int maxWaiting = 1024;
    int maxRequests;
    int maxHeaderBytes = 32 << 10;
    int maxHeaders = 100;
    Duration queueTimeout = Duration.ofSeconds(5);
    Duration connectTimeout = Duration.ofSeconds(5);
    Duration responseTimeout = Duration.ofSeconds(60);
    Duration idleTimeout = Duration.ofSeconds(60);
    Duration totalTimeout = Duration.ofHours(1);
    Duration keepAlive = Duration.ofSeconds(30);
    Duration tunnelIdleTimeout = Duration.ofHours(1);
    Duration tunnelHalfClosedTimeout = Duration.ofMinutes(1);
    ProxyProtocol proxyProtocol; // null for none
    TlsClient tls; // null for the JVM's
    String serverName = "";

    UpstreamSettings() {}

    UpstreamSettings frozen() {
        try {
            var copy = (UpstreamSettings) clone();
            copy.servers = List.copyOf(servers);
            if (proxyProtocol != null && servers.stream().anyMatch(it -> it.origin().secure())) {
                throw new IllegalArgumentException(
                        "proxyProtocol is for servers without TLS: http:// and unix:.");
            }
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** Sets the name for logs and metrics. Default: the servers. */
    public UpstreamSettings name(String name) {
        this.name = Objects.requireNonNull(name);
        return this;
    }

    /**
     * Adds a server: {@code http://HOST[:PORT]}, {@code https://...}, or {@code unix:PATH}.
     *
     * @throws IllegalArgumentException if it is none of these, or has a path or user information
     */
    public UpstreamSettings server(String url) {
        return server(url, 1);
    }

    /** Adds a server that gets {@code weight} times as many requests as one of weight 1. */
    public UpstreamSettings server(String url, int weight) {
        servers.add(server(url, atLeast(1, "weight", weight), false));
        return this;
    }

    /** Adds a server that gets requests only while no other is available. */
    public UpstreamSettings backup(String url) {
        servers.add(server(url, 1, true));
        return this;
    }

    static Server added(String url, int weight) {
        return server(url, atLeast(1, "weight", weight), false);
    }

    private static Server server(String url, int weight, boolean backup) {
        if (url.startsWith("unix:")) {
            Path socket = Path.of(url.substring(5));
            return new Server(url, HttpOrigin.unix(socket), weight, backup);
        }
        HttpOrigin origin = HttpOrigin.of(url);
        if (!url.endsWith("//" + rest(url)) || rest(url).contains("?")) {
            throw new IllegalArgumentException(
                    "A server is http://HOST[:PORT] without a path, not '"
                            + url
                            + "': use the option prefix of the route.");
        }
        return new Server(origin.toString(), origin, weight, backup);
    }

    /** Returns the authority of a URL, unless there is more than a slash behind it. */
    private static String rest(String url) {
        String rest = url.substring(url.indexOf("//") + 2);
        int slash = rest.indexOf('/');
        return slash < 0 || slash == rest.length() - 1 ? rest : rest.substring(0, slash);
    }

    /**
     * Sets whether there may be no server: then requests get 503 until {@link Upstream#add} adds
     * one. The upstream needs a name then. Default: false.
     */
    public UpstreamSettings allowEmpty(boolean may) {
        this.allowEmpty = may;
        return this;
    }

    /** Sets how servers are chosen. Default: {@link Balance#ROUND_ROBIN}. */
    public UpstreamSettings balance(Balance balance) {
        this.balance = Objects.requireNonNull(balance);
        return this;
    }

    /**
     * Sets the value for {@link Balance#HASH}: {@code address}, {@code path}, {@code header:NAME}
     * or {@code cookie:NAME}. Default: {@code address}.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public UpstreamSettings hashBy(String value) {
        this.hashBy = HashBy.parse(value);
        return this;
    }

    /** Sets the name of a cookie that keeps a client on one server. Default: none. */
    public UpstreamSettings stickyCookie(String name) {
        if (!name.isEmpty()) {
            Cookie.of(name, "a");
        }
        this.stickyCookie = name;
        return this;
    }

    /**
     * Sets after which time host names are resolved again, at the latest: sooner if the time to
     * live of their records is shorter. Default: 30 s.
     */
    public UpstreamSettings resolve(Duration most) {
        this.resolve = Timeouts.positive("resolve", most);
        return this;
    }

    /**
     * Sets before which time host names are not resolved again, whatever their records say, unless
     * {@link #resolve} is shorter. Default: 1 s.
     */
    public UpstreamSettings resolveMin(Duration least) {
        this.resolveMin = Timeouts.positive("resolveMin", least);
        return this;
    }

    /**
     * Sets the name servers for host names that are not in the hosts file. Default: those of the
     * system, and where they do not know a name, its own resolver.
     */
    public UpstreamSettings nameservers(InetSocketAddress... servers) {
        this.nameservers = List.of(servers);
        return this;
    }

    /** Sets after how many failures in a row a server is ejected; 0 for never. Default: 3. */
    public UpstreamSettings maxFailures(int inARow) {
        this.maxFailures = atLeast(0, "maxFailures", inARow);
        return this;
    }

    /** Sets the time within which these failures must occur. Default: 10 s. */
    public UpstreamSettings failureWindow(Duration window) {
        this.failureWindow = Timeouts.positive("failureWindow", window);
        return this;
    }

    /** Sets how long a server is ejected for the first time. Default: 10 s. */
    public UpstreamSettings ejection(Duration first) {
        this.ejection = Timeouts.positive("ejection", first);
        return this;
    }

    /** Sets the statuses of responses that are failures of the server. Default: none. */
    public UpstreamSettings failureStatus(int... statuses) {
        this.failureStatus =
                IntStream.of(statuses)
                        .boxed()
                        .map(status -> atLeast(400, "failureStatus", status))
                        .collect(Collectors.toUnmodifiableSet());
        return this;
    }

    /**
     * Sets the path that each server is asked for; a response of 200 to 399 is a success. Default:
     * none, and no checks.
     */
    public UpstreamSettings healthPath(String path) {
        if (!path.isEmpty() && !path.startsWith("/")) {
            throw new IllegalArgumentException("healthPath must begin with a slash: " + path);
        }
        this.healthPath = path;
        return this;
    }

    /** Sets how often each server is asked. Default: 5 s. */
    public UpstreamSettings healthInterval(Duration interval) {
        this.healthInterval = Timeouts.positive("healthInterval", interval);
        return this;
    }

    /** Sets how long a check may take. Default: 3 s. */
    public UpstreamSettings healthTimeout(Duration timeout) {
        this.healthTimeout = Timeouts.positive("healthTimeout", timeout);
        return this;
    }

    /** Sets after how many failed checks in a row a server is taken out. Default: 3. */
    public UpstreamSettings unhealthyAfter(int checks) {
        this.unhealthyAfter = atLeast(1, "unhealthyAfter", checks);
        return this;
    }

    /** Sets after how many successful checks in a row a server is back. Default: 2. */
    public UpstreamSettings healthyAfter(int checks) {
        this.healthyAfter = atLeast(1, "healthyAfter", checks);
        return this;
    }

    /** Sets how long a server takes to get its full share when it comes back. Default: 10 s. */
    public UpstreamSettings slowStart(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("slowStart must be 0 or more, not " + time + ".");
        }
        this.slowStart = time;
        return this;
    }

    /** Sets how many other servers are tried for one request. Default: 1. */
    public UpstreamSettings retries(int most) {
        this.retries = atLeast(0, "retries", most);
        return this;
    }

    /** Sets how many percent retries may add to the requests. Default: 20. */
    public UpstreamSettings retryBudget(int percent) {
        this.retryBudget = atLeast(0, "retryBudget", percent);
        return this;
    }

    /** Sets the connections of each loop to one server; more requests wait. Default: 256. */
    public UpstreamSettings maxConnections(int most) {
        this.maxConnections = atLeast(1, "maxConnections", most);
        return this;
    }

    /**
     * Sets how many requests of each loop may wait for a connection, those included for which one
     * is being opened; beyond it 503. Default: 1,024.
     */
    public UpstreamSettings maxWaiting(int most) {
        this.maxWaiting = atLeast(1, "maxWaiting", most);
        return this;
    }

    /**
     * Sets the requests in progress for the whole upstream; beyond it 503. Default: 0, no limit.
     */
    public UpstreamSettings maxRequests(int most) {
        this.maxRequests = atLeast(0, "maxRequests", most);
        return this;
    }

    /**
     * Sets the size of the status line and the headers of a response, in bytes; beyond it 502.
     * Default: 32 KiB.
     */
    public UpstreamSettings maxHeaderBytes(int most) {
        this.maxHeaderBytes = atLeast(64, "maxHeaderBytes", most);
        return this;
    }

    /** Sets the number of headers of a response; beyond it 502. Default: 100. */
    public UpstreamSettings maxHeaders(int most) {
        this.maxHeaders = atLeast(1, "maxHeaders", most);
        return this;
    }

    /** Sets how long a request may wait for a connection; then 503. Default: 5 s. */
    public UpstreamSettings queueTimeout(Duration timeout) {
        this.queueTimeout = Timeouts.positive("queueTimeout", timeout);
        return this;
    }

    /** Sets how long a connection may take to open, and then TLS. Default: 5 s. */
    public UpstreamSettings connectTimeout(Duration timeout) {
        this.connectTimeout = Timeouts.positive("connectTimeout", timeout);
        return this;
    }

    /** Sets how long the headers of a response may take behind the request. Default: 60 s. */
    public UpstreamSettings responseTimeout(Duration timeout) {
        this.responseTimeout = Timeouts.positive("responseTimeout", timeout);
        return this;
    }

    /** Sets how long nothing may move in a body. Default: 60 s. */
    public UpstreamSettings idleTimeout(Duration timeout) {
        this.idleTimeout = Timeouts.positive("idleTimeout", timeout);
        return this;
    }

    /** Sets how long one exchange may take as a whole. Default: 1 h. */
    public UpstreamSettings totalTimeout(Duration timeout) {
        this.totalTimeout = Timeouts.positive("totalTimeout", timeout);
        return this;
    }

    /** Sets how long an idle connection is kept. Default: 30 s. */
    public UpstreamSettings keepAlive(Duration timeout) {
        this.keepAlive = Timeouts.positive("keepAlive", timeout);
        return this;
    }

    /** Sets how long nothing may move in a tunnel. Default: 1 h. */
    public UpstreamSettings tunnelIdleTimeout(Duration timeout) {
        this.tunnelIdleTimeout = Timeouts.positive("tunnelIdleTimeout", timeout);
        return this;
    }

    /**
     * Sets how long nothing may move in a tunnel of which one side has ended, if {@link
     * #tunnelIdleTimeout} is not shorter. Default: 1 min.
     */
    public UpstreamSettings tunnelHalfClosedTimeout(Duration timeout) {
        this.tunnelHalfClosedTimeout = Timeouts.positive("tunnelHalfClosedTimeout", timeout);
        return this;
    }

    /**
     * Announces each client to the servers by the PROXY protocol, at the beginning of a connection.
     * A connection is then only for the requests of one connection of a client. Default: not.
     */
    public UpstreamSettings proxyProtocol(ProxyProtocol version) {
        this.proxyProtocol = Objects.requireNonNull(version);
        return this;
    }

    /** Sets the certificates that are trusted, and our own. Default: those of the JVM, and none. */
    public UpstreamSettings tls(TlsClient tls) {
        this.tls = tls;
        return this;
    }

    /** Sets the name in certificates and for SNI. Default: the host of the URL. */
    public UpstreamSettings serverName(String host) {
        this.serverName = host;
        return this;
    }

    private static int atLeast(int least, String name, int value) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }
}
