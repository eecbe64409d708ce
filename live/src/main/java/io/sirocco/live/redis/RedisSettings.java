// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.http.HostAndPort;
import io.sirocco.live.broker.Depth;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How a {@link RedisBroker} reaches its server and what it keeps there: set in the lambda given to
 * {@link RedisBroker#at}, frozen when it returns. What all nodes of a service must agree on is the
 * server, the database and the prefix; of the others the node counts that writes. Used by one
 * thread.
 */
public final class RedisSettings {
    private static final int PORT = 6379;

    private final String host;
    private final int port;
    private boolean tls;
    private Optional<SSLContext> context = Optional.empty();
    private Optional<String> user = Optional.empty();
    private Optional<String> password = Optional.empty();
    private int database;
    private String prefix = "sirocco";
    private Duration deadline = Duration.ofSeconds(3);
    private Duration lease = Duration.ofSeconds(6);
    private Duration startTimeout = Duration.ZERO;
    private Depth depth = Depth.DEFAULT;
    private int waiting = 20_000;
    private long waitingBytes = 32 << 20;

    private RedisSettings(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /** What a URL says: {@code redis[s]://[[user]:password@]host[:port][/database]}. */
    static RedisSettings of(String url) {
        URI uri = parse(url);
        boolean tls = "rediss".equalsIgnoreCase(uri.getScheme());
        HostAndPort server = HostAndPort.of(uri, PORT).orElse(null);
        boolean more = uri.getRawQuery() != null || uri.getRawFragment() != null;
        if (server == null || more || !(tls || "redis".equalsIgnoreCase(uri.getScheme()))) {
            throw noUrl();
        }
        var settings = new RedisSettings(server.host(), server.port());
        settings.tls = tls;
        HostAndPort.userInfo(uri).ifPresent(settings::credentials);
        String path = uri.getPath();
        if (path.length() > 1) {
            if (!path.matches("/[0-9]{1,4}")) {
                throw noUrl();
            }
            settings.database(Integer.parseInt(path.substring(1)));
        }
        return settings;
    }

    /** A user of the server's ACL, and the password. Those of the URL unless set. */
    public RedisSettings user(String name, String secret) {
        this.user = Optional.of(name);
        this.password = Optional.of(secret);
        return this;
    }

    /** The password of the default user. That of the URL unless set. */
    public RedisSettings password(String secret) {
        this.user = Optional.empty();
        this.password = Optional.of(secret);
        return this;
    }

    /**
     * TLS, with the certificates that this context trusts, and those that it shows. The name in the
     * server's certificate is verified. {@code rediss} in the URL is TLS with what the JDK trusts.
     */
    public RedisSettings tls(SSLContext trust) {
        this.tls = true;
        this.context = Optional.of(trust);
        return this;
    }

    /** The number of the database. That of the URL unless set, or 0. */
    public RedisSettings database(int number) {
        this.database = atLeast("database", number, 0);
        return this;
    }

    /** With what all keys begin, followed by a colon; {@code sirocco} unless set. */
    public RedisSettings prefix(String start) {
        if (!start.matches("[A-Za-z0-9_.:{}-]{1,64}")) {
            throw new IllegalArgumentException(
                    "A prefix is 1 to 64 of letters, digits and _.:{}-, not '" + start + "'.");
        }
        this.prefix = start;
        return this;
    }

    /**
     * How long a call may take, the time included in which the server is not reached; then its
     * stage fails. 3 s unless set, 100 ms at least.
     */
    public RedisSettings deadline(Duration longest) {
        this.deadline = between("deadline", longest, Duration.ofMillis(100), Duration.ofMinutes(1));
        return this;
    }

    /**
     * How long nothing is heard of a node until it is dead for the others and its members leave; it
     * says something three times as often. 6 s unless set; twice the deadline at least.
     */
    public RedisSettings lease(Duration silence) {
        this.lease = between("lease", silence, Duration.ofMillis(200), Duration.ofHours(1));
        return this;
    }

    /**
     * Sets how long a start waits for a server that cannot be reached; 0, the default, for no time:
     * the start fails. A server that refuses us fails it in any case.
     *
     * @param longest up to a day
     */
    public RedisSettings startTimeout(Duration longest) {
        this.startTimeout = between("startTimeout", longest, Duration.ZERO, Duration.ofDays(1));
        return this;
    }

    /**
     * How much of the past is kept. The server keeps so much of everything that nodes are told: one
     * that is further behind has a gap. And each node keeps so much in its own memory, for {@link
     * io.sirocco.live.broker.Broker#replay}: many clients that come back at once do not ask the
     * server. {@link Depth#DEFAULT} unless set.
     */
    public RedisSettings depth(Depth most) {
        this.depth = most;
        return this;
    }

    /**
     * How many calls may wait for the server, and their bytes; more are refused at once. 20,000 and
     * 32 MiB unless set.
     */
    public RedisSettings waiting(int calls, long bytes) {
        this.waiting = atLeast("waiting", calls, 1);
        this.waitingBytes = atLeast("the bytes of waiting", bytes, 1);
        return this;
    }

    Terms terms() {
        if (lease.compareTo(deadline.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException(
                    "The lease (%d ms) is twice the deadline (%d ms) at least."
                            .formatted(lease.toMillis(), deadline.toMillis()));
        }
        var door = new Terms.Door(host, port, tls, context, user, password, database);
        return new Terms(door, prefix, deadline, lease, startTimeout, depth, waiting, waitingBytes);
    }

    private void credentials(String info) {
        int colon = info.indexOf(':');
        if (colon < 0) {
            throw noUrl();
        }
        password(decode(info.substring(colon + 1)));
        if (colon > 0) {
            this.user = Optional.of(decode(info.substring(0, colon)));
        }
    }

    private static String decode(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static URI parse(String url) {
        try {
            return URI.create(url);
        } catch (IllegalArgumentException e) {
            throw noUrl(); // without the text, which may have the password
        }
    }

    private static IllegalArgumentException noUrl() {
        return new IllegalArgumentException(
                "The URL of a Redis is redis[s]://[[user]:password@]host[:port][/database], with %XX"
                        + " for what has a meaning there, the ASCII form of a name (xn--...) and a"
                        + " port of 1 to 65535.");
    }

    private static int atLeast(String name, int value, int least) {
        return (int) atLeast(name, (long) value, least);
    }

    private static long atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " is " + least + " at least, not " + value + ".");
        }
        return value;
    }

    private static Duration between(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    "The %s is between %s and %s, not %s.".formatted(name, least, most, value));
        }
        return value;
    }
}
