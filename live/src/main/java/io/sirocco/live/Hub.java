// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.http.Request;
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
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
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
    private static final CompletionStage<Boolean> YES = CompletableFuture.completedStage(true);

    final LiveSettings settings;
    final Json json;
    final Broker broker;
    final Engine engine;
    final Tickets tickets;
    private final String id = Engine.newId();
    private final Map<String, Namespace> namespaces = new ConcurrentHashMap<>();
    private final Map<Loop, Shard> shards = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> refusals = new ConcurrentHashMap<>();
    private final Order order = new Order(); // of messages, and of moves between them
    private volatile Duration ticketLife;
    volatile boolean stopping;
    private volatile String epoch = "";

    Hub(LiveSettings settings) {
        this.settings = settings;
        this.json = new Json(new JsonMapper(), settings.types);
        this.broker = settings.brokerOrMemory();
        this.tickets = new Tickets(settings.ticketSecret, broker);
        this.engine = new Engine(settings.engine(), this);
    }

    Namespace namespace(String name) {
        return namespaces.get(name);
    }

    Namespace add(Namespace namespace) {
        Namespace known = namespaces.putIfAbsent(namespace.name(), namespace);
        return known == null ? namespace : known;
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

    /** Has the broker know a part of the clients anew: all at once would fill its queue. */
    private void keepSome(Shard shard, long pause, int part) {
        for (Client client : shard.all()) {
            if (Math.floorMod(client.id().hashCode(), PARTS) == part) {
                client.life.keep();
            }
        }
        shard.loop.after(pause, () -> keepSome(shard, pause, (part + 1) % PARTS));
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
            ticketLife = authentication.ticketLife;
            all.add(
                    attempt ->
                            attempt.auth("ticket")
                                    .map(tickets::redeem)
                                    .orElse(Admission.refused("the ticket is missing")));
        }
        return List.copyOf(all);
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
        return broker.count("connects " + address(request), limit)
                .exceptionally(
                        e -> {
                            LOG.get().log(Level.WARNING, "connects are not counted: {0}", e);
                            return true;
                        });
    }

    @Override
    public void refused(String why) {
        refusals.computeIfAbsent(why, each -> new LongAdder()).increment();
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
        order.run(new Move(this, link, to)::begin);
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
        order.run(() -> deliver(namespace, new Delivery(position, publication)));
    }

    private void deliver(Namespace namespace, Delivery delivery) {
        Publication publication = delivery.publication;
        Set<String> rooms = publication.rooms();
        long size = Log.size(publication);
        if (rooms.size() == 1) {
            Client own = namespace.client(rooms.iterator().next()).orElse(null);
            if (own != null) {
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
                        Map.of("room", room.name(), "joined", joined, "left", left));
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
        order.run(() -> deliver(namespace, delivery));
        namespace.watchers.tell(room.name(), joined, left);
    }
}
