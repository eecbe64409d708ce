// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Origins;
import io.sirocco.http.Request;
import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.broker.MemoryBroker;
import io.sirocco.live.engine.Engine;
import io.sirocco.live.engine.EngineSettings;
import io.sirocco.net.limit.Timeouts;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * How event channels are kept: set in the lambda given to {@link Live#create}, frozen when it
 * returns. All limits are finite unless they are lifted. Used by one thread.
 */
public final class LiveSettings {
    /** The address of clients that cannot be told apart. */
    static final String UNIX = "unix";

    /** What names and positions add to a message of a client that an answer repeats. */
    private static final long ANSWER_FRAME = 64 << 10;

    private static final int LONGEST_HEADER = 512;
    private static final Map<String, Integer> HEADERS =
            Map.of(
                    "host", LONGEST_HEADER,
                    "origin", LONGEST_HEADER,
                    "user-agent", LONGEST_HEADER,
                    "accept-language", LONGEST_HEADER,
                    "forwarded", LONGEST_HEADER,
                    "x-forwarded-for", LONGEST_HEADER,
                    "x-forwarded-proto", LONGEST_HEADER,
                    "x-real-ip", LONGEST_HEADER);

    final Authentication authentication = new Authentication();
    final Map<String, Class<?>> types = new LinkedHashMap<>();
    final List<Kept> histories = new ArrayList<>();
    final List<Glob> presence = new ArrayList<>();
    private final List<Glob> clientTags = new ArrayList<>();
    Optional<Broker> broker = Optional.empty();
    byte[] ticketSecret = Engine.newId().getBytes(UTF_8);
    boolean ticketSecretIsShared;
    Optional<Limit> connects = Optional.of(new Limit.Bucket(100, Duration.ofSeconds(5)));
    int guesses = 10;
    Duration perGuess = Duration.ofSeconds(6);
    Optional<Limit> messages = Optional.of(new Limit.Bucket(10_000, Duration.ofSeconds(1)));
    long bytesPerSecond;
    int rooms = 1_000;
    long memoryOfRooms = Runtime.getRuntime().maxMemory() / 4; // and of clients that are away
    long allWaiting = Runtime.getRuntime().maxMemory() / 8; // to be sent
    int unanswered = 1_000;
    int concurrentRequests = 1;
    int attachments = 16;
    int maxMessage = 1_000_000;
    int backlog = 10_000;
    long backlogBytes = 32 << 20;
    Duration recovery = Duration.ZERO;
    int replay = 100_000;
    Duration connectTimeout = Duration.ofSeconds(10);
    Duration handlerTimeout = Duration.ofSeconds(30);
    Duration attachmentTimeout = Duration.ofSeconds(45); // shorter in tests, as is the next
    Duration postWindow = Duration.ofSeconds(20);
    Function<Request, String> address = LiveSettings::remote;
    final Map<String, Integer> headers = new HashMap<>(HEADERS); // and how long they may be
    private Duration ping = Duration.ofSeconds(25);
    private Duration pong = Duration.ofSeconds(20);
    int budget = 1 << 20;
    private Overflow overflow = Overflow.CLOSE;
    private Set<String> transports = Set.of("websocket", "polling");
    private Optional<Origins> origins = Optional.of(Origins.NONE);
    private int clients = Integer.MAX_VALUE;

    /** The rooms whose messages are kept, and how many for how long. */
    record Kept(Glob rooms, int messages, Duration age) {}

    LiveSettings() {}

    private static String remote(Request request) {
        return request.remoteAddress() instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress()
                : UNIX;
    }

    /** As {@link Authentication#password}. */
    public LiveSettings password(String password) {
        authentication.password(password);
        return this;
    }

    /** As {@link Authentication#tickets}. */
    public LiveSettings tickets(Duration life) {
        authentication.tickets(life);
        return this;
    }

    /**
     * What tickets are signed with: the same on all nodes. Random unless set, which is an error
     * where there are tickets and the broker is one of several processes.
     */
    public LiveSettings ticketSecret(byte[] secret) {
        if (secret.length < 16) {
            throw new IllegalArgumentException("A secret has 16 bytes or more.");
        }
        ticketSecret = secret.clone();
        ticketSecretIsShared = true;
        return this;
    }

    /** As {@link Authentication#jwt}. */
    public LiveSettings jwt(Jwt rules) {
        authentication.jwt(rules);
        return this;
    }

    /** As {@link Authentication#authenticate}. */
    public LiveSettings authenticate(Authenticator authenticator) {
        authentication.authenticate(authenticator);
        return this;
    }

    /** Values of {@code type} have the member {@code type} with this name. */
    public LiveSettings type(String name, Class<?> type) {
        if (types.putIfAbsent(name, type) != null) {
            throw new IllegalArgumentException("There are two types " + name + ".");
        }
        return this;
    }

    /**
     * Those who were cut off may come back as the same for so long; zero, unless set, for never.
     */
    public LiveSettings recovery(Duration longest) {
        recovery = Timeouts.notNegative("recovery", longest);
        return this;
    }

    /**
     * Sets how many missed messages a client that comes back is sent; 100,000 unless set. Behind
     * them it is sent {@code sirocco:gap}, and goes on with what is new.
     */
    public LiveSettings replay(int messages) {
        replay = atLeast("replay", messages, 1);
        return this;
    }

    /** Rooms that match {@code rooms}, where * is any text, keep a history. */
    public LiveSettings history(String rooms, int messages, Duration age) {
        int most = atLeast("history", messages, 1);
        histories.add(new Kept(Glob.of(rooms), most, Timeouts.positive("history", age)));
        return this;
    }

    /**
     * Tags that clients may give themselves, in the object {@code tags} of their {@code auth}:
     * those whose names match one of {@code names}, where * is any text, are found by {@link
     * Namespace#tagged} as if a handler had put them. None unless set: a program that finds its
     * administrators by a tag must not find who calls itself one.
     */
    public LiveSettings clientTags(String... names) {
        for (String name : names) {
            clientTags.add(Glob.of(name));
        }
        return this;
    }

    Map<String, String> clientTags(Map<String, String> given) {
        if (clientTags.isEmpty() || given.isEmpty()) {
            return Map.of();
        }
        var found = new HashMap<>(given);
        found.keySet().removeIf(tag -> clientTags.stream().noneMatch(name -> name.matches(tag)));
        return Map.copyOf(found);
    }

    /** Rooms that match {@code rooms}, where * is any text, have presence. */
    public LiveSettings presence(String rooms) {
        presence.add(Glob.of(rooms));
        return this;
    }

    /** What carries messages between nodes; the memory of this process unless set. */
    public LiveSettings broker(Broker broker) {
        this.broker = Optional.of(broker);
        return this;
    }

    /**
     * Pages that may connect beside those of our own host, such as {@code https://app.example.org},
     * {@code https://*.example.org} for those of all hosts below one, {@code null} for pages
     * without an origin (sandboxed, or of a file), or {@code file://} for apps that send that. Any
     * page can have the origin {@code null}.
     *
     * @throws IllegalArgumentException for what no page can have as its origin
     */
    public LiveSettings origins(String... origins) {
        this.origins = Optional.of(Origins.of(List.of(origins)));
        return this;
    }

    /** Any page may connect: for clients that do not go by cookies. */
    public LiveSettings anyOrigin() {
        origins = Optional.empty();
        return this;
    }

    /** {@code websocket}, {@code polling}, or both, as it is unless set. */
    public LiveSettings transports(String... names) {
        for (String name : names) {
            if (!name.equals("websocket") && !name.equals("polling")) {
                throw new IllegalArgumentException(
                        "A transport is websocket or polling, not '" + name + "'.");
            }
        }
        transports = Set.of(names);
        return this;
    }

    /** Bytes of one message, its attachments included; 1,000,000 unless set. */
    public LiveSettings maxMessage(int bytes) {
        maxMessage = atLeast("maxMessage", bytes, 1);
        return this;
    }

    /** Attachments of one event; 16 unless set. */
    public LiveSettings attachments(int most) {
        attachments = atLeast("attachments", most, 0);
        return this;
    }

    /** How many sessions one address may open; 100 at once and 20 in a second unless set. */
    public LiveSettings connects(Limit limit) {
        connects = Optional.of(limit);
        return this;
    }

    /** An address may open as many as it likes. */
    public LiveSettings anyConnects() {
        connects = Optional.empty();
        return this;
    }

    /**
     * How many messages a client may send; 10,000 at once and 10,000 a second unless set. Those
     * beyond are dropped, or answered with {@code limited}; after three times as many the client is
     * closed.
     */
    public LiveSettings messages(Limit limit) {
        messages = Optional.of(limit);
        return this;
    }

    /** A client may send as many messages as handlers and {@link #bytes} take. */
    public LiveSettings anyMessages() {
        messages = Optional.empty();
        return this;
    }

    /** Bytes that are read of one client in a second; 0, as it is unless set, for all that come. */
    public LiveSettings bytes(long perSecond) {
        bytesPerSecond = atLeast("bytes", perSecond, 0);
        return this;
    }

    /** Sessions at once; as many as the server has connections unless set. */
    public LiveSettings clients(int most) {
        clients = atLeast("clients", most, 1);
        return this;
    }

    /** Rooms that a client may be in; 1,000 unless set. */
    public LiveSettings rooms(int most) {
        rooms = atLeast("rooms", most, 0);
        return this;
    }

    /** Requests of a client that are not answered yet; 1,000 unless set. */
    public LiveSettings unanswered(int most) {
        unanswered = atLeast("unanswered", most, 1);
        return this;
    }

    /**
     * What may wait to be sent to one client, and what happens beyond; 1 MiB and CLOSE unless set.
     */
    public LiveSettings budget(int bytes, Overflow policy) {
        budget = atLeast("budget", bytes, 1);
        overflow = policy;
        return this;
    }

    /**
     * Messages that may wait for one loop to hand them to its clients; 10,000 of 32 MiB unless set.
     * What is beyond is dropped, and clients are told of a gap.
     */
    public LiveSettings backlog(int messages, long bytes) {
        backlog = atLeast("backlog", messages, 2);
        backlogBytes = atLeast("backlog", bytes, 1);
        return this;
    }

    /**
     * How often clients are pinged, and how long they may take to answer; 25 s and 20 s unless set.
     */
    public LiveSettings ping(Duration interval, Duration deadline) {
        ping = Timeouts.positive("ping", interval);
        pong = Timeouts.positive("ping", deadline);
        return this;
    }

    /** How long a connection may be without a client; 10 s unless set. */
    public LiveSettings connectTimeout(Duration longest) {
        connectTimeout = Timeouts.positive("connectTimeout", longest);
        return this;
    }

    /**
     * How many requests of one client may run side by side; 1 unless set: all that it sends is
     * handled in the order in which it came. With more, only its events are, and a request begins
     * when all before it have begun and the events among them have been handled; answers come in
     * any order. {@code onConnect} still runs before all requests and {@code onClose} after them.
     *
     * @param most of those that {@code onRequest} answers; not of events with an acknowledgement
     *     that {@code on} handles
     */
    public LiveSettings concurrentRequests(int most) {
        concurrentRequests = atLeast("concurrentRequests", most, 1);
        return this;
    }

    /**
     * How long a request may take until it is answered with {@code timeout}, be it by the handler
     * or by the stage that this has returned; 30 s unless set.
     */
    public LiveSettings handlerTimeout(Duration longest) {
        handlerTimeout = Timeouts.positive("handlerTimeout", longest);
        return this;
    }

    /**
     * How many wrong passwords, tickets and tokens one address may offer at once, and the time for
     * each further one; 10 and 6 s unless set. Until then all that it offers is refused with the
     * code {@code limited}. Each node counts for itself. Tickets and tokens of ours that have
     * expired are no guesses, nor is an empty {@code auth}.
     *
     * @param atOnce 0 for any number
     */
    public LiveSettings guesses(int atOnce, Duration each) {
        guesses = atLeast("guesses", atOnce, 0);
        perGuess = Timeouts.positive("guesses", each);
        return this;
    }

    /** What a client's address is, for those who stand behind a proxy that they trust. */
    public LiveSettings address(Function<Request, String> of) {
        address = of;
        return this;
    }

    /**
     * Headers of a client's first request that are kept for as long as it is connected, beside
     * Host, Origin, User-Agent, Accept-Language, Forwarded, X-Forwarded-For, X-Forwarded-Proto and
     * X-Real-IP (each of up to 512 characters). Authenticators see all headers; the others, cookies
     * among them, are forgotten when the client is connected, or after {@link #connectTimeout}
     * where there are several namespaces.
     */
    public LiveSettings headers(String... names) {
        for (String name : names) {
            headers.put(name.toLowerCase(Locale.ROOT), Integer.MAX_VALUE);
        }
        return this;
    }

    private static int atLeast(String name, int value, int least) {
        return (int) atLeast(name, (long) value, least);
    }

    private static long atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }

    /** Characters and bytes of an answer: what a client may send, or what may wait for it. */
    int longestAnswer() {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(budget, maxMessage) + ANSWER_FRAME);
    }

    Broker brokerOrMemory() {
        return broker.orElseGet(MemoryBroker::create);
    }

    EngineSettings engine() {
        return new EngineSettings(
                ping.toMillis(),
                pong.toMillis(),
                10_000,
                5_000,
                postWindow.toMillis(),
                maxMessage,
                budget,
                allWaiting,
                io.sirocco.live.engine.Overflow.valueOf(overflow.name()),
                transports,
                origins,
                clients);
    }
}
