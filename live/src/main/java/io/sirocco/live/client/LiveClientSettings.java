// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.http.Headers;
import io.sirocco.http.HostAndPort;
import io.sirocco.live.wire.Json;
import io.sirocco.net.Clock;
import io.sirocco.net.Loops;
import io.sirocco.net.TlsClient;
import io.sirocco.net.limit.Timeouts;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * How a {@link LiveClient} connects: set in the lambda given to {@link LiveClient#create}, frozen
 * when it returns. Used by one thread.
 */
public final class LiveClientSettings {
    /** One for all clients: what it learns of classes is dear. */
    private static final Json PLAIN = new Json(new JsonMapper(), Map.of());

    String path = "/socket.io/";
    Supplier<?> auth = Map::of;
    Headers headers = Headers.none();
    TlsClient tls; // null for the system's
    Loops loops; // null for one of its own
    Json json = PLAIN;
    Predicate<Refused> stop = Refused::unauthorized;
    boolean reconnects = true;
    Duration first = Duration.ofSeconds(1);
    Duration most = Duration.ofSeconds(30);
    Duration connect = Duration.ofSeconds(10);
    Duration close = Duration.ofSeconds(5);
    int offline = 1_000;
    long offlineBytes = 1 << 20;
    Overflow overflow = Overflow.DROP_NEWEST;
    int maxMessage = 1 << 20;
    int requests = 1_000;
    Clock clock = Clock.system();
    RandomGenerator random = RandomGenerator.getDefault();

    LiveClientSettings() {}

    /**
     * Where the server has it; {@code /socket.io/} unless set.
     *
     * @throws IllegalArgumentException when it does not begin with a slash
     */
    public LiveClientSettings path(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("path must begin with a slash, not '" + path + "'.");
        }
        this.path = path;
        return this;
    }

    /** What the server is told of us each time that a namespace is joined. */
    public LiveClientSettings auth(Map<String, ?> auth) {
        Map<String, ?> copy = Map.copyOf(auth);
        return auth(() -> copy);
    }

    /**
     * The same, asked for each time, on a virtual thread: for tickets and tokens, which do not
     * last. A {@code Map} or a record. When it throws, the attempt has failed.
     */
    public LiveClientSettings auth(Supplier<?> auth) {
        this.auth = Objects.requireNonNull(auth, "auth");
        return this;
    }

    /** A header field of the request for the connection; may be called more than once. */
    public LiveClientSettings header(String name, String value) {
        this.headers = headers.with(name, value);
        return this;
    }

    /** Whom to trust; whom the JVM trusts unless set. */
    public LiveClientSettings tls(TlsClient tls) {
        this.tls = tls;
        return this;
    }

    /** Event loops to share with others; they outlive the client. One of its own unless set. */
    public LiveClientSettings loops(Loops loops) {
        this.loops = loops;
        return this;
    }

    /** How values become JSON and back: for modules and formats of Jackson. */
    public LiveClientSettings json(JsonMapper mapper) {
        this.json = new Json(mapper, Map.of());
        return this;
    }

    /**
     * After which refusals not to try again; unless set, when the server says {@code unauthorized},
     * or answers 401 or 403.
     */
    public LiveClientSettings stopWhen(Predicate<Refused> stop) {
        this.stop = stop;
        return this;
    }

    /**
     * How long to wait before an attempt to come back: {@code first}, then twice as long each time,
     * up to {@code most}; of that a random part of half or more. 1 s and 30 s unless set.
     */
    public LiveClientSettings reconnect(Duration first, Duration most) {
        Duration shortest = Timeouts.positive("The first time of reconnect", first);
        Duration longest = Timeouts.positive("The longest time of reconnect", most);
        if (longest.compareTo(shortest) < 0) {
            throw new IllegalArgumentException(
                    "The longest time of reconnect must be "
                            + first
                            + " or more, not "
                            + most
                            + ".");
        }
        this.first = shortest;
        this.most = longest;
        return this;
    }

    /** A connection that is lost, or does not come about, stays so until {@code connect}. */
    public LiveClientSettings noReconnect() {
        this.reconnects = false;
        return this;
    }

    /**
     * How long an attempt may take until the connection is open, and then again until the server
     * has answered for a namespace; 10 s unless set.
     */
    public LiveClientSettings connectTimeout(Duration longest) {
        this.connect = Timeouts.positive("connectTimeout", longest);
        return this;
    }

    /** How long {@code close} waits for what was sent, and for handlers; 5 s unless set. */
    public LiveClientSettings closeTimeout(Duration longest) {
        this.close = Timeouts.positive("closeTimeout", longest);
        return this;
    }

    /**
     * What may wait for a connection in each namespace, and what becomes of the rest: 1,000 events,
     * 1 MiB and {@link Overflow#DROP_NEWEST} unless set. With a connection, {@code send} waits when
     * as much is waiting.
     */
    public LiveClientSettings offline(int events, long bytes, Overflow overflow) {
        this.offline = positive("offline events", events);
        this.offlineBytes = positive("offline bytes", bytes);
        this.overflow = Objects.requireNonNull(overflow, "overflow");
        return this;
    }

    /**
     * Bytes of one message of the server, its attachments included; a larger one ends the
     * connection. 1 MiB unless set.
     */
    public LiveClientSettings maxMessage(int bytes) {
        this.maxMessage = positive("maxMessage", bytes);
        return this;
    }

    /** Requests that may wait for an answer at once in each namespace; 1,000 unless set. */
    public LiveClientSettings requests(int most) {
        this.requests = positive("requests", most);
        return this;
    }

    /** The time that deadlines are reckoned by. For tests; of no use with {@link #loops}. */
    public LiveClientSettings clock(Clock clock) {
        this.clock = clock;
        return this;
    }

    /** Where the random part of delays comes from. */
    public LiveClientSettings random(RandomGenerator random) {
        this.random = random;
        return this;
    }

    /** Where a WebSocket is asked for. */
    URI uri(String url) {
        URI given = HostAndPort.parseUri(url);
        String scheme = given.getScheme() == null ? "" : given.getScheme().toLowerCase(Locale.ROOT);
        String ours =
                switch (scheme) {
                    case "http", "ws" -> "ws";
                    case "https", "wss" -> "wss";
                    default -> "";
                };
        boolean bare = given.getRawPath() == null || given.getRawPath().matches("/?");
        if (ours.isEmpty()
                || HostAndPort.of(given, 80).isEmpty()
                || !bare
                || HostAndPort.userInfo(given).isPresent()) {
            throw new IllegalArgumentException(
                    "A server is at http[s]://host[:port], with the ASCII form of a name (xn--...),"
                            + " not at '"
                            + HostAndPort.redacted(url)
                            + "': where it has its path is said by path(...), a namespace by"
                            + " namespace(...).");
        }
        String query = given.getRawQuery() == null ? "" : "&" + given.getRawQuery();
        String place = ours + "://" + given.getRawAuthority() + path;
        return URI.create(place + "?EIO=4&transport=websocket" + query);
    }

    private static <N extends Number> N positive(String name, N value) {
        if (value.longValue() < 1) {
            throw new IllegalArgumentException(name + " must be 1 or more, not " + value + ".");
        }
        return value;
    }
}
