// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.http.Request;
import io.sirocco.live.broker.Address;
import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Node;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Publication.Bounds;
import io.sirocco.live.engine.Channel;
import io.sirocco.live.engine.Engine;
import io.sirocco.live.engine.Home;
import io.sirocco.live.engine.Session;
import io.sirocco.live.engine.Upper;
import io.sirocco.live.log.Log;
import io.sirocco.live.serial.SerialExecutor;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/**
 * What all namespaces of a service share: its settings, its engine, the shards of its loops; and
 * what its broker sees of it. Any thread.
 */
final class Hub implements Upper, Node {
    private static final LazyLogger LOG = LazyLogger.of(Live.class);
    private static final int PARTS = 32;
    private static final int MAX_REFUSALS = 64; // codes that are counted, which programs choose
    private static final int MAX_WAITING = 100_000; // messages, while one thread hands one out
    private static final WireException TOO_MANY_CONNECTS = new WireException("429"); // a kind
    private static final CompletionStage<Boolean> YES = CompletableFuture.completedStage(true);

    final LiveSettings settings;
    final Json json;
    final Broker broker;
    final Engine engine;
    final Tickets tickets;
    final Guesses guesses;
    final MembershipMemory membershipMemory;
    private final String id = Engine.newId();
    private final Map<String, Namespace> namespaces = new ConcurrentHashMap<>();
    private final Map<Loop, Shard> shards = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> refusals = new ConcurrentHashMap<>();
    final RepeatedFailures failures = new RepeatedFailures(LOG, Level.WARNING);
    private final SerialExecutor order = new SerialExecutor(MAX_WAITING, LOG); // and of moves
    private volatile boolean overflowing;
    final AtomicLong versions = new AtomicLong(); // of what the broker keeps of clients
    private volatile Duration ticketLife;
    volatile boolean stopping;
    private volatile String epoch = "";
    private volatile Position newest; // that was handed to the shards

    Hub(LiveSettings settings) {
        this.settings = settings;
        this.json = new Json(new JsonMapper(), settings.types);
        this.broker = settings.brokerOrMemory();
        this.tickets = new Tickets(settings.ticketSecret, broker);
        this.guesses = new Guesses(settings);
        this.membershipMemory = new MembershipMemory(settings.memoryOfRooms);
        this.engine = new Engine(settings.engine(), this);
    }

    /** Has the broker begin; before anybody can connect. */
    void start() {
        broker.start(this);
        newest = broker.newest();
    }

    Namespace namespace(String name) {
        return namespaces.get(name);
    }

    Namespace add(Namespace namespace) {
        Namespace known = namespaces.putIfAbsent(namespace.name(), namespace);
        return known == null ? namespace : known;
    }

    boolean hasOneNamespace() {
        return namespaces.size() == 1;
    }

    Collection<Shard> shards() {
        return shards.values();
    }

    /** That of a loop; there may be servers more than one. */
    Shard shard(Loop loop) {
        Shard known = shards.get(loop);
        return known != null ? known : shards.computeIfAbsent(loop, this::begin);
    }

    private Shard begin(Loop loop) {
        var shard = new Shard(loop, new Backlog(loop, settings.backlog, settings.backlogBytes));
        if (recovers()) {
            long every = Math.clamp(settings.recovery.toMillis() / 3, 1_000, 20_000);
            loop.execute(() -> keepSome(shard, every / PARTS, 0));
        }
        return shard;
    }

    /**
     * Has the broker keep these for longer, many by one call; as a whole those it does not have.
     */
    private void renew(Namespace namespace, List<Client> clients) {
        var pids = new HashMap<Duration, List<String>>(2);
        for (Client client : clients) {
            if (!client.life.isKept()) {
                client.life.keep();
                continue;
            }
            Duration life = client.life.keeping();
            List<String> same = pids.computeIfAbsent(life, each -> new ArrayList<>());
            same.add(client.pid());
            if (same.size() == Broker.MAX_RENEWED) {
                renew(namespace, pids.remove(life), life);
            }
        }
        pids.forEach((life, some) -> renew(namespace, some, life));
    }

    private void renew(Namespace namespace, List<String> pids, Duration life) {
        broker.renew(namespace.name(), pids, life)
                .thenAccept(
                        missing -> {
                            for (String pid : missing) {
                                namespace.withPid(pid).ifPresent(client -> client.life.keepWhole());
                            }
                        });
    }

    /** Has the broker know a part of the clients anew: all at once would fill its queue. */
    private void keepSome(Shard shard, long pause, int part) {
        List<Client> all = shard.all();
        if (stopping && all.isEmpty()) {
            return; // the loop may live on, and would hold all of us
        }
        var renewed = new HashMap<Namespace, List<Client>>(2);
        for (Client client : all) {
            if (Math.floorMod(client.id().hashCode(), PARTS) == part && client.recovers()) {
                renewed.computeIfAbsent(client.namespace(), each -> new ArrayList<>()).add(client);
            }
        }
        if (!renewed.isEmpty()) {
            shard.loop.startVirtual(() -> renewed.forEach(this::renew)); // see Life.aside
        }
        shard.loop.schedule(pause, () -> keepSome(shard, pause, (part + 1) % PARTS));
    }

    // ---- settings

    boolean recovers() {
        return settings.recovery.isPositive();
    }

    boolean hasPresence(String room) {
        return settings.presence.stream().anyMatch(glob -> glob.matches(room));
    }

    List<Bounds> histories(Set<String> rooms) {
        if (settings.histories.isEmpty()) {
            return List.of();
        }
        var all = new ArrayList<Bounds>();
        for (String room : rooms) {
            if (Address.isClient(room)) {
                continue; // what is for one client alone is in no history
            }
            settings.histories.stream()
                    .filter(kept -> kept.rooms().matches(room))
                    .findFirst()
                    .ifPresent(
                            kept ->
                                    all.add(
                                            new Bounds(
                                                    room, kept.messages(), kept.age().toMillis())));
        }
        return all;
    }

    List<Authenticator> authenticators(Authentication authentication) {
        var all = new ArrayList<>(authentication.all);
        if (authentication.ticketLife != null) {
            mustShareTicketSecret();
            ticketLife = authentication.ticketLife;
            all.add(new Authentication.Credential("ticket", tickets::redeem));
        }
        return List.copyOf(all);
    }

    private void mustShareTicketSecret() {
        if (broker.spansProcesses() && !settings.ticketSecretIsShared) {
            throw new IllegalArgumentException(
                    "Tickets of one node would be refused by the others: several processes share"
                            + " the broker, and LiveSettings.ticketSecret is not set. Set it to the"
                            + " same 16 bytes or more on all nodes.");
        }
    }

    String ticket(String user) {
        Duration life = ticketLife;
        if (life == null) {
            throw new IllegalStateException("Tickets are not asked for: see Authentication.");
        }
        return tickets.issue(user, life);
    }

    // ---- counts

    LiveMetrics metrics() {
        var closes = new EnumMap<Reason, Long>(Reason.class);
        for (Reason reason : Reason.values()) {
            closes.put(reason, sum(tally -> tally.closes(reason)));
        }
        var refused = new TreeMap<String, Long>();
        refusals.forEach((why, count) -> refused.put(why, count.sum()));
        return new LiveMetrics(
                namespaces.values().stream().mapToInt(Namespace::size).sum(),
                engine.size(),
                namespaces.values().stream().mapToInt(Namespace::roomCount).sum(),
                sum(tally -> tally.connects),
                sum(tally -> tally.recovered),
                Collections.unmodifiableMap(refused),
                Collections.unmodifiableMap(closes),
                sum(tally -> tally.messagesIn),
                sum(tally -> tally.bytesIn),
                sum(tally -> tally.messagesOut),
                sum(tally -> tally.bytesOut),
                sum(tally -> tally.dropped),
                sum(tally -> tally.gaps),
                sum(tally -> tally.requests),
                shards.values().stream().mapToInt(Shard::handlers).sum(),
                sum(tally -> tally.queued),
                sum(tally -> tally.queuedBytes));
    }

    private long sum(Function<Tally, Count> of) {
        return shards.values().stream().mapToLong(shard -> of.apply(shard.tally).get()).sum();
    }

    // ---- for the engine

    @Override
    public CompletionStage<Boolean> admits(Request request) {
        if (settings.connects.isEmpty()) {
            return YES;
        }
        Limit limit = settings.connects.get();
        String network = Guesses.network(address(request));
        return broker.count("connects " + network, limit)
                .thenApply(
                        admitted -> {
                            if (!admitted) {
                                failures.logLine(
                                        "connects", tooMany(network, limit), TOO_MANY_CONNECTS);
                            }
                            return admitted;
                        })
                .exceptionally(
                        e -> {
                            failures.log("count", "connects are not counted", e);
                            return true;
                        });
    }

    private String tooMany(String network, Limit limit) {
        String most =
                switch (limit) {
                    case Limit.Bucket(int count, Duration per) -> count + " in " + per;
                    case Limit.UntilSilence(int count, Duration silence) ->
                            count + " until none comes for " + silence;
                };
        return "connects of "
                + json.text(network) // with its control characters escaped
                + " are refused with 429, since one address has "
                + most
                + ": if it is a proxy, trust it (docs/proxies.md), or else raise the limit connects";
    }

    @Override
    public void refused(String why) {
        boolean counts = refusals.size() < MAX_REFUSALS || refusals.containsKey(why);
        refusals.computeIfAbsent(counts ? why : "other", each -> new LongAdder()).increment();
    }

    @Override
    public String address(Request request) {
        return settings.address.apply(request);
    }

    @Override
    public Channel open(Session session) {
        return new Link(this, session);
    }

    @Override
    public Home home(Loop loop) {
        return shard(loop);
    }

    /** Has a session, and its clients, live there: between two messages. */
    void move(Link link, Shard to) {
        order.execute(new Move(this, link, to)::begin);
    }

    // ---- messages

    /** Ends when the broker says so, and the loops of this node have room for more. */
    CompletionStage<Position> publish(Publication publication) {
        CompletionStage<Position> stage = broker.publish(publication);
        for (Shard shard : shards.values()) {
            shard.drainHere();
            CompletableFuture<Void> room = shard.awaitRoom();
            if (room != null) {
                stage = stage.thenCombine(room, (position, nothing) -> position);
            }
        }
        return stage;
    }

    /** The epoch of the last message; empty when there was none. */
    String epoch() {
        return epoch;
    }

    /** Waits for the broker. */
    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof BrokerException cause ? cause : e;
        }
    }

    // ---- as a node

    @Override
    public String id() {
        return id;
    }

    @Override
    public void deliver(Position position, Publication publication) {
        epoch = position.epoch();
        Namespace namespace = namespaces.get(publication.namespace());
        if (namespace == null) {
            return;
        }
        inOrder(namespace, new Delivery(position, publication));
    }

    /**
     * Where the newest message is that clients of this node were sent, or would have been: a client
     * that comes now, or joins a room, is for what follows. Any thread.
     */
    Position newest() {
        return newest;
    }

    /** Behind the delivery: what comes twice is better than what is lost. */
    private void reached(Delivery delivery) {
        if (delivery.publication.kept()) {
            newest = delivery.position;
        }
    }

    /** What there is no room for is a gap, told at its place. */
    private void inOrder(Namespace namespace, Delivery delivery) {
        if (!order.offer(
                        () -> {
                            deliver(namespace, delivery);
                            reached(delivery);
                        })
                && !overflowing) {
            overflowing = true;
            order.execute(
                    () -> {
                        overflowing = false;
                        gap(MAX_WAITING + " messages wait to be handed out");
                    });
        }
    }

    private void deliver(Namespace namespace, Delivery delivery) {
        Publication publication = delivery.publication;
        Set<String> rooms = publication.rooms();
        long size = Log.size(publication);
        if (rooms.size() == 1) {
            String only = rooms.iterator().next();
            if (Address.isClient(only)) {
                Client own = namespace.client(Address.id(only)).orElse(null);
                if (own == null) {
                    return; // another node has it, or none
                }
                own.rooms
                        .shards()
                        .forEach(
                                shard ->
                                        shard.tell(
                                                namespace,
                                                rooms,
                                                size,
                                                () -> shard.deliverTo(own, delivery)));
                return;
            }
        }
        for (Shard shard : shards.values()) {
            shard.tell(namespace, delivery, size);
        }
    }

    @Override
    public void gap(String why) {
        LOG.get().log(Level.WARNING, "messages were lost: {0}", why);
        for (Shard shard : shards.values()) {
            shard.executeLater(
                    () -> shard.all().forEach(client -> client.gapHere(Map.of("lost", true))));
        }
    }

    @Override
    public void taken(String name, String pid) {
        Namespace namespace = namespaces.get(name);
        if (namespace != null) {
            namespace.withPid(pid).ifPresent(client -> client.life.moved());
        }
    }

    @Override
    public void joined(io.sirocco.live.broker.Room room, Member member) {
        changed(room, List.of(member), List.of());
    }

    @Override
    public void left(io.sirocco.live.broker.Room room, Member member) {
        changed(room, List.of(), List.of(member));
    }

    private void changed(io.sirocco.live.broker.Room room, List<Member> joined, List<Member> left) {
        Namespace namespace = namespaces.get(room.namespace());
        if (namespace == null) {
            return;
        }
        Json.Encoded encoded =
                json.event(
                        "sirocco:presence",
                        Map.of(
                                "room",
                                room.name(),
                                "joined",
                                Present.of(json, joined),
                                "left",
                                Present.of(json, left)));
        Packet packet = Packet.event(room.namespace(), Packet.NO_ID, 0, encoded.data());
        var delivery =
                new Delivery(
                        new Position("", ""),
                        new Publication(
                                room.namespace(),
                                Set.of(room.name()),
                                Set.of(),
                                packet.toString(),
                                List.of(),
                                false,
                                List.of()));
        inOrder(namespace, delivery);
        namespace.watchers.tell(room.name(), joined, left);
    }
}
