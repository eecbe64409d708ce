// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static io.sirocco.live.broker.Publications.history;
import static io.sirocco.live.broker.Publications.toAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Depth;
import io.sirocco.live.broker.Limit;
import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Node;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Probe;
import io.sirocco.live.broker.Probe.Told;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.broker.Replays;
import io.sirocco.live.broker.Room;
import io.sirocco.live.broker.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XAddParams;

/** What happens when the server, the network or a node fails. */
@Tag("peers")
class RedisFaultsTest {
    private static final Room KITCHEN = new Room("/", "kitchen");
    private static final Consumer<RedisSettings> QUICK =
            c -> c.deadline(Duration.ofMillis(500)).lease(Duration.ofSeconds(1));

    /**
     * The same with one renewal of the node's lease, when the node starts; {@link
     * #awaitFirstRenewal} waits for it.
     */
    private static final Consumer<RedisSettings> QUICK_WITH_LONG_LEASE =
            c -> c.deadline(Duration.ofMillis(500)).lease(Duration.ofMinutes(1));

    private static final Consumer<RedisSettings> PATIENT =
            c -> c.deadline(Duration.ofSeconds(30)).lease(Duration.ofMinutes(1));

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    // ---- the server

    @Test
    void aServerThatComesBackEmptyIsAGapAndTheServiceGoesOn() throws Exception {
        RedisServer server = server();
        var one = new Probe();
        var two = new Probe();
        Broker first = node(server.url(), one, QUICK);
        Broker second = node(server.url(), two, QUICK);
        var ada = new Member("c1", "ada", "");
        get(first.join(KITCHEN, ada));
        get(first.keep(session("p"), Duration.ofMinutes(1)));
        Position before = null;
        for (int i = 0; i < 10; i++) {
            before = get(first.publish(history("before " + i, "kitchen", 10, LONG)));
        }
        two.awaitEvent("before 9");
        server.kill();
        failure(first.publish(toAll("while it is away")));
        server.begin();
        Position after = untilItSucceeds(() -> second.publish(toAll("after")));
        assertNotEquals(before.epoch(), after.epoch());
        for (Probe probe : List.of(one, two)) {
            probe.awaitGap();
            probe.awaitEvent("after");
            assertEquals(1, probe.told(Told.Gap.class).size());
        }
        assertTrue(get(Replays.whole(second, before, "me", List.of(), 100)).gap());
        assertTrue(get(second.history(KITCHEN, Optional.of(before), 100)).gap());
        assertEquals(Optional.empty(), get(second.take("/", "p")));
        two.await(
                "that ada is there again",
                told -> told.stream().filter(Told.Joined.class::isInstance).count() == 2);
        assertEquals(List.of(ada), get(second.members(KITCHEN)));
        get(second.publish(toAll("next")));
        Replay replay = get(Replays.whole(first, after, "me", List.of(), 100));
        assertFalse(replay.gap());
        assertEquals("next", replay.messages().getLast().publication().event());
    }

    @Test
    void aServerThatComesBackWithItsDataIsNoGap() throws Exception {
        RedisServer server = server("--appendonly", "yes", "--appendfsync", "always");
        var one = new Probe();
        var two = new Probe();
        Broker first = node(server.url(), one, PATIENT);
        Broker second = node(server.url(), two, PATIENT);
        Position start = get(first.publish(history("0", "kitchen", 1_000, LONG)));
        get(first.keep(session("p"), LONG));
        List<CompletionStage<Position>> stages = new ArrayList<>();
        for (int i = 1; i <= 300; i++) {
            stages.add(first.publish(history("" + i, "kitchen", 1_000, LONG)));
            if (i % 100 == 0) {
                server.kill();
                server.begin();
            }
        }
        for (CompletionStage<Position> stage : stages) {
            assertEquals(start.epoch(), get(stage).epoch());
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i <= 300; i++) {
            expected.add("" + i);
        }
        for (Probe probe : List.of(one, two)) {
            probe.awaitEvent("300");
            assertEquals(expected, probe.events());
            assertEquals(List.of(), probe.told(Told.Gap.class));
        }
        Replay replay = get(Replays.whole(second, start, "me", List.of("kitchen"), 1_000));
        assertFalse(replay.gap());
        assertEquals(300, replay.messages().size());
        Replay kept = get(second.history(KITCHEN, Optional.of(start), 1_000));
        assertFalse(kept.gap());
        assertEquals(300, kept.messages().size());
        assertTrue(get(second.take("/", "p")).isPresent());
    }

    @Test
    void aServerThatComesBackWithLessThanItHadIsAGap() throws Exception {
        RedisServer server = server();
        var one = new Probe();
        Broker node = node(server.url(), one, PATIENT);
        get(node.publish(toAll("saved")));
        try (Jedis client = server.client()) {
            client.save();
        }
        Position lost = null;
        for (int i = 0; i < 5; i++) {
            lost = get(node.publish(toAll("lost by the server " + i)));
        }
        one.awaitEvent("lost by the server 4");
        server.kill();
        server.begin();
        one.awaitGap();
        Position after = get(node.publish(toAll("after")));
        assertNotEquals(lost.epoch(), after.epoch());
        one.awaitEvent("after");
        assertTrue(get(Replays.whole(node, lost, "me", List.of(), 100)).gap());
        var late = new Probe();
        Broker other = node(server.url(), late, PATIENT);
        assertTrue(get(Replays.whole(other, lost, "me", List.of(), 100)).gap());
        get(node.publish(toAll("next")));
        Replay replay = get(Replays.whole(other, after, "me", List.of(), 100));
        assertFalse(replay.gap());
        assertEquals(1, replay.messages().size());
    }

    @Test
    void aServerThatIsEmptiedWhileItRunsIsAGap() throws Exception {
        RedisServer server = server();
        var one = new Probe();
        Broker node = node(server.url(), one, QUICK);
        Broker other = node(server.url(), new Probe(), QUICK);
        Position before = get(node.publish(toAll("before")));
        try (Jedis client = server.client()) {
            client.flushAll();
        }
        one.awaitGap(); // nobody need publish for that
        Position after = get(other.publish(toAll("after")));
        assertNotEquals(before.epoch(), after.epoch());
        one.awaitEvent("after");
    }

    @Test
    void aServerThatIsPausedForLongerThanTheDeadlineFailsCallsAndLosesNothing() throws Exception {
        RedisServer server = server();
        var one = new Probe();
        Broker node =
                node(
                        server.url(),
                        one,
                        c -> c.deadline(Duration.ofMillis(300)).lease(Duration.ofMillis(600)));
        Position before = get(node.publish(toAll("before")));
        get(node.join(KITCHEN, new Member("c", "", "")));
        server.pause();
        for (int round = 0; round < 3; round++) {
            CompletionStage<Position> published = node.publish(toAll("unsure " + round));
            CompletionStage<?> members = node.members(KITCHEN);
            CompletionStage<?> replay = Replays.whole(node, before, "me", List.of(), 10);
            CompletionStage<?> spent = node.spend("t" + round, LONG);
            failure(published);
            failure(members);
            failure(replay);
            failure(spent);
        }
        server.resume();
        Position after = untilItSucceeds(() -> node.publish(toAll("after")));
        assertEquals(before.epoch(), after.epoch());
        one.awaitEvent("after");
        assertEquals(List.of(), one.told(Told.Gap.class));
        List<String> events = one.events();
        assertEquals(events.size(), new HashSet<>(events).size(), "none twice: " + events);
        assertEquals(1, untilItSucceeds(() -> node.members(KITCHEN)).size());
    }

    @Test
    void aServerThatIsFullRefusesAndSaysWhy() throws Exception {
        RedisServer server = server();
        Broker node = node(server.url(), new Probe(), PATIENT);
        get(node.publish(toAll("1")));
        try (Jedis client = server.client()) {
            client.configSet("maxmemory", "1");
            BrokerException refused = failure(node.publish(toAll("2")));
            assertTrue(refused.getMessage().contains("OOM"), refused.getMessage());
            client.configSet("maxmemory", "0");
        }
        get(node.publish(toAll("3")));
    }

    @Test
    void whatAServerEvictsOfTheLogIsAGapOrIsNotMissed() throws Exception {
        RedisServer server = server();
        var one = new Probe();
        Broker node = node(server.url(), one, QUICK);
        Broker other = node(server.url(), new Probe(), QUICK);
        Position before = get(other.publish(history("0", "kitchen", 10, LONG)));
        one.awaitEvent("0");
        try (Jedis client = server.client()) {
            client.del("sirocco:log");
            Position next = get(other.publish(toAll("1")));
            one.awaitEvent("1");
            assertEquals(before.epoch(), next.epoch());
            assertEquals(List.of(), one.told(Told.Gap.class), "it was read before");
            client.del("sirocco:meta");
        }
        one.awaitGap();
        Position after = get(other.publish(toAll("2")));
        assertNotEquals(before.epoch(), after.epoch());
        one.awaitEvent("2");
        assertTrue(get(Replays.whole(node, before, "me", List.of(), 10)).gap());
        assertTrue(get(node.history(KITCHEN, Optional.of(before), 10)).gap());
        assertEquals(List.of("0", "1", "2"), one.events());
    }

    @Test
    void aHoleInTheLogThatNobodyCanExplainIsAGapAndTheNodeReadsOn() throws Exception {
        RedisServer server = server();
        var one = new Probe();
        Broker node = node(server.url(), one, PATIENT);
        Position first = get(node.publish(toAll("1")));
        one.awaitEvent("1");
        try (Jedis client = server.client()) {
            String[] offset = first.offset().split("-");
            var id = new StreamEntryID(Long.parseLong(offset[0]) + 1, Long.parseLong(offset[1]));
            client.xadd("sirocco:log", Map.of("p", "x"), XAddParams.xAddParams().id(id));
        }
        one.awaitGap();
        Position second = get(node.publish(toAll("2")));
        one.awaitEvent("2");
        assertNotEquals(first.epoch(), second.epoch(), "the numbers are worth nothing any more");
        assertTrue(get(Replays.whole(node, first, "me", List.of(), 10)).gap());
    }

    @Test
    void aServerThatHasForgottenItsScriptsIsTaughtAgain() throws Exception {
        RedisServer server = server();
        var one = new Probe();
        Broker node = node(server.url(), one, PATIENT);
        for (int i = 0; i < 3; i++) {
            get(node.publish(toAll("" + i)));
            try (Jedis client = server.client()) {
                client.scriptFlush();
            }
        }
        get(node.publish(toAll("3")));
        one.awaitEvent("3");
        assertEquals(List.of("0", "1", "2", "3"), one.events());
    }

    @Test
    void aNodeDoesNotStartWithoutAServerAndMayTryAgain() throws Exception {
        RedisServer server = server();
        server.kill();
        RedisBroker broker = RedisBroker.at(server.url(), QUICK);
        open.add(broker);
        var probe = new Probe();
        assertThrows(BrokerException.class, () -> broker.start(probe));
        server.begin();
        broker.start(probe);
        get(broker.publish(toAll("1")));
        probe.awaitEvent("1");
    }

    // ---- the network

    @Test
    void whatWasPublishedWhileConnectionsWereCutArrivesOnceAndInOrder() throws Exception {
        RedisServer server = server();
        var relay = new Relay(server.port());
        open.add(relay);
        var near = new Probe();
        var far = new Probe();
        Broker node = node(relay.url(), near, PATIENT);
        node(server.url(), far, PATIENT);
        int rounds = 15;
        int each = 1_200; // several batches at once
        List<CompletionStage<Position>> stages = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            boolean answered = round % 3 != 0;
            if (!answered) {
                get(node.spend("connected " + round, LONG));
                relay.swallowAnswers(); // it is written, and nobody hears of it
            }
            for (int i = 0; i < each; i++) {
                stages.add(node.publish(toAll(round + ":" + i)));
            }
            if (!answered) {
                far.awaitEvent(round + ":0");
                relay.cutAndHear();
            } else {
                relay.cut();
            }
        }
        List<String> expected = new ArrayList<>();
        for (CompletionStage<Position> stage : stages) {
            get(stage);
            int i = expected.size();
            expected.add(i / each + ":" + i % each);
        }
        for (Probe probe : List.of(near, far)) {
            probe.awaitEvent(expected.getLast());
            assertEquals(expected, probe.events());
            assertEquals(List.of(), probe.told(Told.Gap.class));
        }
        List<Position> told =
                far.told(Told.Delivered.class).stream().map(Told.Delivered::position).toList();
        for (int i = 0; i < told.size(); i++) {
            assertEquals(told.get(i), get(stages.get(i)));
        }
    }

    @Test
    void whatMayNotBeDoneTwiceIsNotWhenItsAnswerWasLost() throws Exception {
        RedisServer server = server();
        var relay = new Relay(server.port());
        open.add(relay);
        Broker node = node(relay.url(), new Probe(), PATIENT);
        Broker other = node(server.url(), new Probe(), PATIENT);
        get(other.keep(session("p"), LONG));
        relay.swallowAnswers();
        CompletionStage<Optional<Session>> taken = node.take("/", "p");
        CompletionStage<Boolean> spent = node.spend("t", LONG);
        untilItIs(false, () -> get(other.spend("t", Duration.ofMillis(1))));
        relay.cutAndHear();
        assertTrue(get(taken).isPresent());
        assertTrue(get(spent));
        assertEquals(Optional.empty(), get(other.take("/", "p")));
        assertEquals(Optional.empty(), get(node.take("/", "p")));
    }

    @Test
    void aMessageThatWasWrittenButNotAnsweredIsKnownToBeDelivered() throws Exception {
        RedisServer server = server();
        var relay = new Relay(server.port());
        open.add(relay);
        var probe = new Probe();
        Broker node = node(relay.url(), probe, QUICK_WITH_LONG_LEASE);
        awaitFirstRenewal(server, node);
        relay.swallowAnswers();
        BrokerException failed = failure(node.publish(toAll("unsure")));
        assertFalse(failed.delivered().toCompletableFuture().isDone());
        relay.cutAndHear();
        assertTrue(get(failed.delivered()));
        untilItSucceeds(() -> node.publish(toAll("after")));
        probe.awaitEvent("after");
        assertEquals(1, probe.events().stream().filter("unsure"::equals).count());
    }

    @Test
    void aMessageThatNeverLeftIsKnownNotToBeDelivered() throws Exception {
        RedisServer server = server();
        var relay = new Relay(server.port());
        open.add(relay);
        var probe = new Probe();
        Broker node = node(relay.url(), probe, QUICK);
        get(node.publish(toAll("before")));
        relay.shut(true);
        failure(node.publish(toAll("the first may have left")));
        BrokerException failed = failure(node.publish(toAll("never")));
        assertFalse(get(failed.delivered()));
        relay.shut(false);
        untilItSucceeds(() -> node.publish(toAll("after")));
        probe.awaitEvent("after");
        assertFalse(probe.events().contains("never"));
    }

    @Test
    void whatBecameOfAMessageIsNotKnownWhenTheServerHasForgotten() throws Exception {
        RedisServer server = server();
        var relay = new Relay(server.port());
        open.add(relay);
        Broker node = node(relay.url(), new Probe(), QUICK_WITH_LONG_LEASE);
        awaitFirstRenewal(server, node);
        relay.swallowAnswers();
        BrokerException failed = failure(node.publish(toAll("unsure")));
        try (Jedis client = server.client()) {
            client.flushAll();
        }
        relay.cutAndHear();
        failure(failed.delivered());
    }

    @Test
    void callsThatCannotLeaveAreBounded() throws Exception {
        RedisServer server = server();
        Broker node =
                node(
                        server.url(),
                        new Probe(),
                        c -> PATIENT.andThen(d -> d.waiting(50, 1 << 20)).accept(c));
        get(node.publish(toAll("1")));
        server.pause();
        try {
            List<CompletionStage<Position>> stages = new ArrayList<>();
            for (int i = 0; i < 200; i++) { // some are on their way, 50 wait
                stages.add(node.publish(toAll("x" + i)));
            }
            List<CompletionStage<Position>> refused =
                    stages.stream()
                            .filter(one -> one.toCompletableFuture().isCompletedExceptionally())
                            .toList();
            assertTrue(refused.size() >= 50, refused.size() + " of 200");
            assertTrue(failure(refused.getFirst()).getMessage().contains("wait"));
        } finally {
            server.resume();
        }
        untilItSucceeds(() -> node.publish(toAll("2")));
    }

    // ---- a node

    @Test
    void theMembersOfANodeThatIsCutOffLeaveAndComeBackWithIt() throws Exception {
        RedisServer server = server();
        var relay = new Relay(server.port());
        open.add(relay);
        var sees = new Probe();
        Broker stays = node(server.url(), sees, QUICK);
        Broker dies = node(relay.url(), new Probe(), QUICK);
        for (int i = 0; i < 450; i++) { // more than are reaped in one go
            get(dies.join(KITCHEN, new Member("c" + i, "", "")));
        }
        var ada = new Member("c1", "ada", "");
        get(stays.join(KITCHEN, ada));
        relay.shut(true);
        sees.await("that all have left", told -> count(told, Told.Left.class) == 450);
        assertEquals(List.of(ada), get(stays.members(KITCHEN)));
        relay.shut(false);
        sees.await("that all are back", told -> count(told, Told.Joined.class) == 901);
        assertEquals(451, get(stays.members(KITCHEN)).size());
    }

    @Test
    void whatANodeCouldNotSayOfItsMembersIsMadeGood() throws Exception {
        RedisServer server = server();
        var relay = new Relay(server.port());
        open.add(relay);
        Broker node =
                node(
                        relay.url(),
                        new Probe(),
                        c -> c.deadline(Duration.ofMillis(300)).lease(Duration.ofSeconds(3)));
        Broker other = node(server.url(), new Probe(), QUICK);
        var leaves = new Member("leaves", "", "");
        var joins = new Member("joins", "", "");
        get(node.join(KITCHEN, leaves));
        relay.shut(true);
        CompletionStage<Void> left = node.leave(KITCHEN, leaves);
        CompletionStage<Void> joined = node.join(KITCHEN, joins);
        failure(left);
        failure(joined);
        relay.shut(false);
        untilItIs(List.of(joins), () -> get(other.members(KITCHEN)));
    }

    @Test
    void aSlowNodeHasAGapAndNoMoreMemory() throws Exception {
        RedisServer server = server();
        Consumer<RedisSettings> shallow =
                c ->
                        c.deadline(Duration.ofSeconds(2))
                                .lease(Duration.ofSeconds(5))
                                .depth(new Depth(200, 1 << 20, LONG));
        var quick = new Probe();
        Broker publisher = node(server.url(), quick, shallow);
        var slow = new SlowNode();
        Broker behind = RedisBroker.at(server.url(), shallow);
        open.add(behind);
        behind.start(slow);
        Position first = get(publisher.publish(toAll("0")));
        slow.busy.await();
        List<CompletionStage<Position>> stages = new ArrayList<>();
        for (int i = 1; i <= 5_000; i++) {
            stages.add(publisher.publish(toAll("" + i)));
        }
        for (CompletionStage<Position> stage : stages) {
            get(stage);
        }
        quick.awaitEvent("5000");
        failure(Replays.whole(behind, first, "me", List.of(), 10_000));
        slow.free.countDown();
        slow.probe.awaitEvent("5000");
        assertEquals(1, slow.probe.told(Told.Gap.class).size());
        List<Told> told = slow.probe.told();
        int gap = told.indexOf(slow.probe.told(Told.Gap.class).getFirst());
        for (int i = gap + 2; i < told.size(); i++) {
            assertEquals(number(told.get(i - 1)) + 1, number(told.get(i)), "behind the gap");
        }
        assertTrue(told.size() - gap <= 1_201, "it had no more than the log and one chunk");
        assertTrue(get(Replays.whole(behind, first, "me", List.of(), 10_000)).gap());
    }

    @Test
    void aHundredThousandMessagesReachThreeNodesInOrder() throws Exception {
        RedisServer server = server();
        List<Probe> probes = List.of(new Probe(), new Probe(), new Probe());
        Consumer<RedisSettings> deep =
                c ->
                        PATIENT.andThen(
                                        d -> {
                                            d.waiting(200_000, 1 << 30);
                                            d.depth(new Depth(200_000, 1 << 28, LONG));
                                        })
                                .accept(c);
        List<Broker> nodes = new ArrayList<>();
        for (Probe probe : probes) {
            nodes.add(node(server.url(), probe, deep));
        }
        List<CompletionStage<Position>> stages = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            stages.add(nodes.get(i % 3).publish(toAll(i % 3 + ":" + i / 3)));
        }
        for (CompletionStage<Position> stage : stages) {
            get(stage);
        }
        List<Told.Delivered> reference = null;
        for (Probe probe : probes) {
            probe.await("all", told -> told.size() >= 100_000);
            List<Told.Delivered> all = probe.told(Told.Delivered.class);
            assertEquals(100_000, all.size());
            int[] next = new int[3];
            for (Told.Delivered one : all) {
                String[] parts = one.publication().event().split(":");
                int node = Integer.parseInt(parts[0]);
                assertEquals(next[node]++, Integer.parseInt(parts[1]));
            }
            if (reference != null) {
                for (int i = 0; i < all.size(); i++) {
                    assertEquals(reference.get(i).position(), all.get(i).position());
                }
            }
            reference = all;
        }
    }

    @Test
    void whatIsOfAVersionToComeIsSkipped() throws Exception {
        RedisServer server = server();
        var one = new Probe();
        Broker node = node(server.url(), one, PATIENT);
        get(node.publish(toAll("1")));
        byte[][] strange = {{2, 1, 7, 7}, {1, 99}, {1, 1, 0, 120}, {}, {1}};
        try (Jedis client = server.client()) {
            for (byte[] payload : strange) {
                long number = client.hincrBy("sirocco:meta", "n", 1);
                long millis = Long.parseLong(client.hget("sirocco:meta", "ms"));
                client.xadd(
                        "sirocco:log".getBytes(StandardCharsets.UTF_8),
                        Map.of("p".getBytes(StandardCharsets.UTF_8), payload),
                        XAddParams.xAddParams().id(new StreamEntryID(millis, number)));
            }
        }
        get(node.publish(toAll("2")));
        one.awaitEvent("2");
        assertEquals(List.of("1", "2"), one.events());
        assertEquals(List.of(), one.told(Told.Gap.class));
    }

    @Test
    void nothingOfABrokerIsLeftWhenItIsClosed() throws Exception {
        RedisServer server = server();
        for (int i = 0; i < 3; i++) {
            Broker node = node(server.url(), new Probe(), QUICK);
            get(node.publish(toAll("1")));
            node.close();
        }
        assertEquals(List.of(), threads());
        try (Jedis client = server.client()) {
            untilItIs(1, () -> client.clientList().lines().toList().size());
            assertEquals(0, client.zcard("sirocco:nodes"));
            assertEquals(0, client.hlen("sirocco:done"));
        }
    }

    @Test
    void closingDoesNotWaitForAServerThatIsAway() throws Exception {
        RedisServer server = server();
        Broker node = node(server.url(), new Probe(), PATIENT);
        get(node.publish(toAll("1")));
        server.pause();
        CompletionStage<Position> waits = node.publish(toAll("2"));
        node.close();
        assertTrue(waits.toCompletableFuture().isCompletedExceptionally());
        assertEquals(List.of(), threads());
        server.resume();
    }

    @Test
    void limitsEndWithTheirTimeInTheServer() throws Exception {
        RedisServer server = server();
        Broker node = node(server.url(), new Probe(), PATIENT);
        get(node.count("a", new Limit.Bucket(1, Duration.ofSeconds(30))));
        get(node.count("b", new Limit.UntilSilence(1, Duration.ofSeconds(30))));
        get(node.spend("c", Duration.ofSeconds(30)));
        get(node.keep(session("d"), Duration.ofSeconds(30)));
        get(node.publish(history("e", "kitchen", 10, Duration.ofSeconds(30))));
        try (Jedis client = server.client()) {
            List<String> forever =
                    client.keys("*").stream().filter(key -> client.pttl(key) < 0).sorted().toList();
            assertEquals(
                    List.of("sirocco:done", "sirocco:log", "sirocco:meta", "sirocco:nodes"),
                    forever);
        }
    }

    // ----

    private static final Duration LONG = Duration.ofMinutes(5);

    /** Busy with its first message until it is freed. */
    private static final class SlowNode implements Node {
        final Probe probe = new Probe();
        final CountDownLatch busy = new CountDownLatch(1);
        final CountDownLatch free = new CountDownLatch(1);

        @Override
        public String id() {
            return probe.id();
        }

        @Override
        public void deliver(Position position, Publication publication) {
            busy.countDown();
            try {
                free.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            probe.deliver(position, publication);
        }

        @Override
        public void gap(String why) {
            probe.gap(why);
        }

        @Override
        public void taken(String namespace, String pid) {
            probe.taken(namespace, pid);
        }

        @Override
        public void joined(Room room, Member member) {
            probe.joined(room, member);
        }

        @Override
        public void left(Room room, Member member) {
            probe.left(room, member);
        }
    }

    private interface Attempt<T> {
        T run() throws Exception;
    }

    private RedisServer server(String... options) throws Exception {
        RedisServer server = RedisServer.start(options);
        open.add(server);
        return server;
    }

    private Broker node(String url, Probe probe, Consumer<RedisSettings> configure) {
        RedisBroker broker = RedisBroker.at(url, configure);
        open.add(broker);
        broker.start(probe);
        return broker;
    }

    /**
     * Waits for the first renewal, so that its response cannot be lost in place of the one under
     * test.
     */
    private static void awaitFirstRenewal(RedisServer server, Broker node) throws Exception {
        try (Jedis client = server.client()) {
            untilItIs(1L, () -> client.zcard("sirocco:nodes"));
        }
        get(node.publish(toAll("before"))); // the same connection: its response comes second
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static BrokerException failure(CompletionStage<?> stage) {
        ExecutionException failed = assertThrows(ExecutionException.class, () -> get(stage));
        return assertInstanceOf(BrokerException.class, failed.getCause());
    }

    private static <T> T untilItSucceeds(Attempt<CompletionStage<T>> attempt) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                return get(attempt.run());
            } catch (ExecutionException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }

    private static <T> void untilItIs(T wanted, Attempt<T> attempt) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        T last = attempt.run();
        while (!last.equals(wanted)) {
            assertTrue(System.nanoTime() < end, "it is still " + last);
            last = attempt.run();
        }
    }

    private static long count(List<Told> told, Class<? extends Told> kind) {
        return told.stream().filter(kind::isInstance).count();
    }

    private static int number(Told told) {
        return Integer.parseInt(((Told.Delivered) told).publication().event());
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("sirocco-broker"))
                .toList();
    }

    private static Session session(String pid) {
        return Replays.session(pid, "client", "", List.of("kitchen"), Map.of());
    }
}
