// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import static io.sirocco.live.broker.Publications.history;
import static io.sirocco.live.broker.Publications.to;
import static io.sirocco.live.broker.Publications.toAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Probe.Told;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What each broker does: the contract of {@link Broker}, word for word. */
public abstract class BrokerBehaviour {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Room KITCHEN = new Room("/", "kitchen");

    private final List<Broker> brokers = new ArrayList<>();

    protected BrokerBehaviour() {}

    /** A broker for one more node of the same service. */
    protected abstract Broker broker() throws Exception;

    /** The same with little memory, on a service of its own: 20 messages. */
    protected abstract Broker shallow() throws Exception;

    @AfterEach
    void closeBrokers() {
        brokers.forEach(Broker::close);
    }

    /** A node of the service, which {@code probe} is. */
    protected final Broker node(Probe probe) throws Exception {
        return start(broker(), probe);
    }

    protected final Broker start(Broker broker, Node probe) {
        brokers.add(broker);
        broker.start(probe);
        return broker;
    }

    protected static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** What it fails with. */
    protected static BrokerException failure(CompletionStage<?> stage) {
        ExecutionException failed = assertThrows(ExecutionException.class, () -> get(stage));
        return assertInstanceOf(BrokerException.class, failed.getCause());
    }

    // ---- messages

    @Test
    void messagesOfAllNodesReachAllNodesInOneOrder() throws Exception {
        List<Probe> probes = List.of(new Probe(), new Probe(), new Probe());
        List<Broker> nodes = new ArrayList<>();
        for (Probe probe : probes) {
            nodes.add(node(probe));
        }
        int each = 500;
        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < 6; thread++) {
                int number = thread;
                done.add(
                        threads.submit(
                                () -> {
                                    List<CompletionStage<Position>> stages = new ArrayList<>();
                                    for (int i = 0; i < each; i++) {
                                        Broker node = nodes.get(number % nodes.size());
                                        stages.add(node.publish(toAll(number + ":" + i)));
                                    }
                                    for (CompletionStage<Position> stage : stages) {
                                        get(stage);
                                    }
                                    return number;
                                }));
            }
            for (Future<?> one : done) {
                one.get(60, TimeUnit.SECONDS);
            }
        }
        List<Told.Delivered> first = null;
        for (Probe probe : probes) {
            probe.await("all messages", told -> told.size() >= 6 * each);
            List<Told.Delivered> all = probe.told(Told.Delivered.class);
            assertEquals(6 * each, all.size());
            assertEquals(6 * each, new HashSet<>(probe.events()).size(), "no two are the same");
            for (int thread = 0; thread < 6; thread++) {
                String start = thread + ":";
                List<String> own =
                        probe.events().stream().filter(e -> e.startsWith(start)).toList();
                for (int i = 0; i < each; i++) {
                    assertEquals(start + i, own.get(i), "the order of one publisher");
                }
            }
            List<Position> positions = all.stream().map(Told.Delivered::position).toList();
            if (first != null) {
                assertEquals(first.stream().map(Told.Delivered::position).toList(), positions);
            }
            first = all;
        }
    }

    @Test
    void aMessageArrivesAsItWas() throws Exception {
        var probe = new Probe();
        Broker node = node(probe);
        byte[] bytes = new byte[70_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        var sent =
                new Publication(
                        "/äöü",
                        Set.of("a", "b:c", "d\u0000e", "", "\uD83C\uDF72"),
                        Set.of("x", "y"),
                        "52-/äöü,[\"e\",{\"_placeholder\":true,\"num\":0}]\r\n\u0000\uD83C\uDF72",
                        List.of(bytes, new byte[0], new byte[] {0, 13, 10, -1}),
                        false,
                        List.of(new Publication.Bounds("a", 10, 1000)));
        Position position = get(node.publish(sent));
        probe.awaitEvent(sent.event());
        Told.Delivered got = probe.told(Told.Delivered.class).getFirst();
        assertEquals(position, got.position());
        assertEquals(position, Position.parse(position.toString()));
        assertEquals(sent.namespace(), got.publication().namespace());
        assertEquals(sent.rooms(), got.publication().rooms());
        assertEquals(sent.except(), got.publication().except());
        assertEquals(3, got.publication().attachments().size());
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(sent.attachments().get(i), got.publication().attachments().get(i));
        }
        assertFalse(got.publication().kept());
    }

    @Test
    void aNodeThatFailsIsToldOfTheNextMessageAllTheSame() throws Exception {
        var probe = new Probe();
        Broker broker = broker();
        brokers.add(broker);
        broker.start(
                new Listening(
                        probe.id(),
                        (position, publication) -> {
                            probe.deliver(position, publication);
                            throw new IllegalStateException("this is a test");
                        }));
        get(broker.publish(toAll("1")));
        get(broker.publish(toAll("2")));
        probe.awaitEvent("2");
    }

    @Test
    void aNodeThatFailsBadlyIsToldOfTheNextMessageAllTheSame() throws Exception {
        var probe = new Probe();
        Broker broker = broker();
        brokers.add(broker);
        broker.start(
                new Listening(
                        probe.id(),
                        (position, publication) -> {
                            probe.deliver(position, publication);
                            if (publication.event().equals("1")) {
                                throw new StackOverflowError("this is a test");
                            }
                        }));
        get(broker.publish(toAll("1")));
        probe.awaitEvent("1");
        get(broker.publish(toAll("2")));
        probe.awaitEvent("2");
    }

    // ---- replay

    @Test
    void whatAReplayHasWasGivenToTheNodeBefore() throws Exception {
        Set<Position> given = ConcurrentHashMap.newKeySet();
        Broker node = broker();
        brokers.add(node);
        node.start(
                new Listening(
                        "node",
                        (position, publication) -> {
                            for (int i = 0; i < 20; i++) {
                                Thread.yield(); // so that others may overtake, if they can
                            }
                            given.add(position);
                        }));
        Position from = get(node.publish(toAll("0")));
        int replayed = 0;
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<?> publisher =
                    thread.submit(
                            () -> {
                                for (int i = 1; i <= 300; i++) {
                                    CompletionStage<Position> stage = node.publish(toAll("" + i));
                                    if (i % 10 == 0) {
                                        get(stage);
                                    }
                                }
                                return null;
                            });
            boolean over;
            do {
                over = publisher.isDone(); // then this is the last look
                Replay replay = get(Replays.whole(node, from, "me", List.of(), 10_000));
                for (Replay.Message message : replay.messages()) {
                    assertTrue(given.contains(message.position()), "it would come twice");
                    from = message.position();
                    replayed++;
                }
            } while (!over);
            publisher.get(60, TimeUnit.SECONDS);
        }
        assertEquals(300, replayed);
    }

    @Test
    void aReplayHasWhatWasForThemAndNothingElse() throws Exception {
        var probe = new Probe();
        Broker node = node(probe);
        Position before = get(node.publish(toAll("before")));
        Position one = get(node.publish(toAll("to all")));
        get(node.publish(to("to others", "hall")));
        get(node.publish(to("to the kitchen", "kitchen", "hall")));
        get(node.publish(to("to them alone", Address.client("me"))));
        get(node.publish(to("to a room named like them", "me")));
        get(node.publish(except("but for them", "me")));
        get(node.publish(except("but for another", "you")));
        get(node.publish(notKept("not kept")));
        get(node.publish(elsewhere("elsewhere")));
        Position last = get(node.publish(to("last", "kitchen")));

        Replay replay = get(Replays.whole(node, before, "me", List.of("kitchen"), 100));
        assertEquals(
                List.of("to all", "to the kitchen", "to them alone", "but for another", "last"),
                events(replay));
        assertFalse(replay.gap());
        assertEquals(one, replay.messages().getFirst().position());
        assertEquals(last, replay.messages().getLast().position());
        assertEquals(last, replay.end());
    }

    @Test
    void aReplayFindsWhatAnotherNodeHasJustPublished() throws Exception {
        Broker one = node(new Probe());
        Broker other = node(new Probe());
        Position last = get(one.publish(toAll("start")));
        for (int i = 0; i < 200; i++) {
            Position now = get(one.publish(toAll("m" + i)));
            Replay replay = get(Replays.whole(other, last, "me", List.of(), 10));
            assertFalse(replay.gap());
            assertEquals(List.of("m" + i), events(replay));
            last = now;
        }
    }

    @Test
    void aReplayBehindTheNewestIsEmptyAndNoGap() throws Exception {
        Broker node = node(new Probe());
        Position last = get(node.publish(toAll("last")));
        Replay replay = get(Replays.whole(node, last, "me", List.of(), 10));
        assertEquals(new Replay(List.of(), false, last), replay);
    }

    @Test
    void aNodeThatStartsLaterReplaysWhatWasBefore() throws Exception {
        Broker node = node(new Probe());
        Position first = get(node.publish(toAll("1")));
        get(node.publish(toAll("2")));
        Broker later = node(new Probe());
        get(node.publish(toAll("3")));
        Replay replay = get(Replays.whole(later, first, "me", List.of(), 10));
        assertEquals(List.of("2", "3"), events(replay));
        assertFalse(replay.gap());
    }

    @Test
    void moreThanIsAskedForIsAGap() throws Exception {
        Broker node = node(new Probe());
        Position first = get(node.publish(toAll("0")));
        for (int i = 1; i <= 5; i++) {
            get(node.publish(toAll("" + i)));
        }
        assertFalse(get(Replays.whole(node, first, "me", List.of(), 5)).gap());
        Replay replay = get(Replays.whole(node, first, "me", List.of(), 4));
        assertTrue(replay.gap());
        assertEquals(List.of("2", "3", "4", "5"), events(replay));
    }

    @Test
    void aReplayIsReadInPartsFromTheOldestOn() throws Exception {
        Broker node = node(new Probe());
        List<String> expected = new ArrayList<>();
        Position at = get(node.publish(toAll("before")));
        for (int i = 0; i < 25; i++) {
            get(node.publish(to("for nobody " + i, "hall")));
            get(node.publish(i % 2 == 0 ? toAll("" + i) : to("" + i, "kitchen", "cellar")));
            expected.add("" + i);
        }
        List<String> rooms = List.of("kitchen", "cellar");
        List<String> got = new ArrayList<>();
        int parts = 0;
        for (boolean more = true; more; parts++) {
            Replay part = get(node.replay(at, Replays.audience("me", rooms), 10, 1 << 20));
            assertFalse(part.gap());
            assertTrue(part.messages().size() <= 10);
            got.addAll(events(part));
            more = part.more();
            at = part.end();
        }
        assertEquals(expected, got);
        assertEquals(3, parts);
        Replay last = get(node.replay(at, Replays.audience("me", rooms), 10, 1 << 20));
        assertEquals(List.of(), last.messages());
        assertEquals(at, last.end());
    }

    @Test
    void aPartOfAReplayIsBoundedInBytesAndHasOneMessageAtLeast() throws Exception {
        Broker node = node(new Probe());
        Position at = get(node.publish(toAll("before")));
        for (int i = 0; i < 4; i++) {
            get(node.publish(toAll("x".repeat(10_000))));
        }
        assertEquals(
                1,
                get(node.replay(at, Replays.audience("me", List.of()), 10, 1)).messages().size());
        Replay two = get(node.replay(at, Replays.audience("me", List.of()), 10, 15_000));
        assertEquals(2, two.messages().size());
        assertTrue(two.more());
    }

    @Test
    void aPartBehindWhatWasForgottenIsAGap() throws Exception {
        Broker node = start(shallow(), new Probe());
        Position start = get(node.publish(toAll("start")));
        for (int i = 0; i < 10; i++) {
            get(node.publish(toAll("" + i)));
        }
        Replay part = get(node.replay(start, Replays.audience("me", List.of()), 5, 1 << 20));
        assertEquals(List.of("0", "1", "2", "3", "4"), events(part));
        for (int i = 10; i < 40; i++) {
            get(node.publish(toAll("" + i)));
        }
        Replay next = get(node.replay(part.end(), Replays.audience("me", List.of()), 5, 1 << 20));
        assertTrue(next.gap());
        assertFalse(next.more());
    }

    @Test
    void whatWasForgottenIsAGap() throws Exception {
        Broker node = start(shallow(), new Probe());
        Position first = get(node.publish(toAll("0")));
        Position second = get(node.publish(toAll("1")));
        for (int i = 2; i <= 21; i++) {
            get(node.publish(toAll("" + i)));
        }
        assertTrue(get(Replays.whole(node, first, "me", List.of(), 100)).gap());
        Replay left = get(Replays.whole(node, second, "me", List.of(), 100));
        assertFalse(left.gap(), "the one that is forgotten was seen");
        assertEquals(20, left.messages().size());
    }

    @Test
    void trimmingWhileSomebodyReplaysIsAGapAndNeverSilence() throws Exception {
        Broker node = start(shallow(), new Probe());
        Position from = get(node.publish(toAll("0")));
        int seen = 0;
        int sent = 0;
        int gaps = 0;
        int complete = 0;
        for (int round = 0; round < 300; round++) {
            List<CompletionStage<Position>> stages = new ArrayList<>();
            for (int k = 0; k < 10; k++) {
                stages.add(node.publish(toAll("" + ++sent)));
            }
            Replay replay = get(Replays.whole(node, from, "me", List.of(), 1_000));
            if (replay.gap()) {
                gaps++;
            } else {
                complete++;
                List<String> events = events(replay);
                for (int k = 0; k < events.size(); k++) {
                    assertEquals("" + (seen + 1 + k), events.get(k));
                }
            }
            Position last = from;
            for (CompletionStage<Position> stage : stages) {
                last = get(stage);
            }
            if (round % 4 == 3) { // until then it falls behind, beyond what is kept
                from = last;
                seen = sent;
            }
        }
        assertTrue(gaps > 0, "what was trimmed");
        assertTrue(complete > 0, "what was not");
    }

    @Test
    void aPositionThatIsNotOfThisMemoryIsAGap() throws Exception {
        Broker node = node(new Probe());
        Position last = get(node.publish(toAll("1")));
        List<Position> unknown =
                List.of(
                        new Position("another", last.offset()),
                        new Position(last.epoch(), "x"),
                        new Position(last.epoch(), "99999999999999999999999999"),
                        new Position(last.epoch(), "-"),
                        new Position(last.epoch(), last.offset() + "0"));
        for (Position position : unknown) {
            Replay replay = get(Replays.whole(node, position, "me", List.of(), 10));
            assertTrue(replay.gap(), position.toString());
            assertEquals(last, replay.end());
            assertTrue(get(node.history(KITCHEN, Optional.of(position), 10)).gap(), "history");
        }
    }

    // ---- histories

    @Test
    void aHistoryIsBoundedInNumber() throws Exception {
        Broker node = node(new Probe());
        Broker other = node(new Probe());
        List<Position> positions = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            positions.add(get(node.publish(history("h" + i, "kitchen", 5, LONG))));
            get(node.publish(history("other", "hall", 5, LONG)));
        }
        Replay all = get(other.history(KITCHEN, Optional.empty(), 100));
        assertEquals(List.of("h3", "h4", "h5", "h6", "h7"), events(all));
        assertFalse(all.gap());
        assertEquals(
                positions.subList(3, 8),
                all.messages().stream().map(Replay.Message::position).toList());

        assertEquals(List.of("h6", "h7"), events(get(other.history(KITCHEN, Optional.empty(), 2))));
        Replay since = get(other.history(KITCHEN, Optional.of(positions.get(5)), 100));
        assertEquals(List.of("h6", "h7"), events(since));
        assertFalse(since.gap());
        Replay whole = get(other.history(KITCHEN, Optional.of(positions.get(2)), 100));
        assertEquals(List.of("h3", "h4", "h5", "h6", "h7"), events(whole));
        assertFalse(whole.gap(), "what is forgotten was seen");
        assertTrue(get(other.history(KITCHEN, Optional.of(positions.get(1)), 100)).gap());
        assertTrue(
                get(other.history(KITCHEN, Optional.of(positions.get(4)), 2)).gap(),
                "more than was asked for");
        assertFalse(get(other.history(KITCHEN, Optional.of(positions.get(5)), 2)).gap());
        Replay nothing = get(other.history(KITCHEN, Optional.of(positions.get(6)), 0));
        assertEquals(List.of(), nothing.messages());
        assertTrue(nothing.gap());
        assertFalse(get(other.history(KITCHEN, Optional.empty(), 0)).gap());
        Replay none = get(other.history(KITCHEN, Optional.of(positions.get(7)), 2));
        assertEquals(List.of(), none.messages());
        assertFalse(none.gap());
    }

    @Test
    void aHistoryIsReadBackwardsInPartsOfSoManyMessagesOrBytes() throws Exception {
        Broker node = node(new Probe());
        List<Position> positions = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            positions.add(get(node.publish(history("h" + i, "kitchen", 25, LONG))));
        }
        Replay newest = get(node.page(KITCHEN, Optional.empty(), 2, 1 << 20));
        assertEquals(List.of("h28", "h29"), events(newest));
        Optional<Position> first = Optional.of(newest.messages().getFirst().position());
        assertEquals(List.of("h27"), events(get(node.page(KITCHEN, first, 1, 1 << 20))));
        assertEquals(List.of("h27"), events(get(node.page(KITCHEN, first, 9, 1))), "one at least");
        Replay rest = get(node.page(KITCHEN, first, 100, 1 << 20));
        assertEquals(23, rest.messages().size());
        assertEquals("h5", events(rest).getFirst());
        assertEquals(positions.get(5), rest.messages().getFirst().position());
        for (int i = 0; i < 6; i++) { // forgotten, or the last of what there is
            Replay none = get(node.page(KITCHEN, Optional.of(positions.get(i)), 9, 1 << 20));
            assertEquals(List.of(), none.messages());
            assertFalse(none.gap());
        }
        assertEquals(List.of(), get(node.page(KITCHEN, first, 0, 1)).messages());
        for (Position unknown :
                List.of(
                        new Position("another", positions.get(9).offset()),
                        new Position(positions.get(9).epoch(), "x"))) {
            Replay none = get(node.page(KITCHEN, Optional.of(unknown), 9, 1 << 20));
            assertEquals(List.of(), none.messages());
            assertTrue(none.gap());
        }
    }

    @Test
    void aHistoryGoesOnAtItsEnd() throws Exception {
        Broker node = node(new Probe());
        get(node.publish(history("1", "kitchen", 5, LONG)));
        Position elsewhere = get(node.publish(toAll("not in the history")));
        Replay first = get(node.history(KITCHEN, Optional.empty(), 10));
        assertEquals(elsewhere, first.end());
        get(node.publish(history("2", "kitchen", 5, LONG)));
        Replay next = get(node.history(KITCHEN, Optional.of(first.end()), 10));
        assertEquals(List.of("2"), events(next));
        assertFalse(next.gap());
    }

    @Test
    void aRoomWithoutAHistoryHasNothingAndNoGap() throws Exception {
        Broker node = node(new Probe());
        Position position = get(node.publish(to("not kept there", "kitchen")));
        Replay replay = get(node.history(KITCHEN, Optional.of(position), 10));
        assertEquals(List.of(), replay.messages());
        assertFalse(replay.gap());
    }

    @Test
    void aHistoryIsBoundedInAge() throws Exception {
        Broker node = node(new Probe());
        Duration age = Duration.ofMillis(1_500);
        Position before = get(node.publish(toAll("before")));
        Position old = get(node.publish(history("old", "kitchen", 10, age)));
        pass(node, Duration.ofMillis(1_600));
        Replay late = get(node.history(KITCHEN, Optional.of(before), 10));
        assertEquals(List.of(), late.messages());
        assertTrue(late.gap());
        assertFalse(get(node.history(KITCHEN, Optional.of(old), 10)).gap());
        get(node.publish(history("new", "kitchen", 10, age)));
        assertEquals(List.of("new"), events(get(node.history(KITCHEN, Optional.empty(), 10))));
        assertTrue(get(node.history(KITCHEN, Optional.of(before), 10)).gap());
        assertFalse(get(node.history(KITCHEN, Optional.of(old), 10)).gap());
    }

    @Test
    void aHistoryThatIsForgottenAsAWholeIsAGap() throws Exception {
        Broker node = node(new Probe());
        Duration age = Duration.ofMillis(50);
        Position before = get(node.publish(toAll("before")));
        get(node.publish(history("old", "kitchen", 10, age)));
        pass(node, Duration.ofMillis(200));
        assertTrue(get(node.history(KITCHEN, Optional.of(before), 10)).gap());
        get(node.publish(history("new", "kitchen", 10, age)));
        Replay replay = get(node.history(KITCHEN, Optional.of(before), 10));
        assertTrue(replay.gap());
    }

    // ---- sessions

    @Test
    void aSessionIsTakenOnceAndAsItWas() throws Exception {
        Broker node = node(new Probe());
        Session session =
                Replays.session(
                        "secret",
                        "id",
                        "ada",
                        List.of("kitchen", "hä:ll"),
                        Map.of("name", "Ada", "", "\u0000"));
        get(node.keep(session, LONG));
        assertEquals(Optional.empty(), get(node.take("/other", "secret")));
        assertEquals(Optional.of(session), get(node.take("/", "secret")));
        assertEquals(Optional.empty(), get(node.take("/", "secret")));
        get(node.keep(session, LONG));
        assertEquals(Optional.of(session), get(node.take("/", "secret")), "kept again");
    }

    @Test
    void whoHadTheSessionIsToldAndNobodyElse() throws Exception {
        var had = new Probe();
        var takes = new Probe();
        var third = new Probe();
        Broker one = node(had);
        Broker two = node(takes);
        Broker three = node(third);
        get(one.keep(session("p"), LONG));
        assertTrue(get(two.take("/", "p")).isPresent());
        had.await(new Told.Taken("/", "p"));
        get(one.keep(session("own"), LONG));
        assertTrue(get(one.take("/", "own")).isPresent());
        get(three.publish(toAll("end")));
        for (Probe probe : List.of(had, takes, third)) {
            probe.awaitEvent("end");
        }
        assertEquals(List.of(new Told.Taken("/", "p")), had.told(Told.Taken.class));
        assertEquals(List.of(), takes.told(Told.Taken.class));
        assertEquals(List.of(), third.told(Told.Taken.class));
    }

    @Test
    void whatWasTakenIsNotKeptAgainByWhoHadIt() throws Exception {
        Broker had = node(new Probe());
        Broker takes = node(new Probe());
        Broker third = node(new Probe());
        get(had.keep(session("p"), LONG));
        assertTrue(get(takes.take("/", "p")).isPresent());
        get(had.keep(session("p"), LONG)); // it has not heard of that yet
        assertEquals(Optional.empty(), get(third.take("/", "p")));
        get(takes.keep(session("p"), LONG));
        get(had.forget("/", "p"));
        assertTrue(get(third.take("/", "p")).isPresent());
    }

    @Test
    void aSessionIsTakenWithAllThatHasChangedInIt() throws Exception {
        Broker one = node(new Probe());
        Broker two = node(new Probe());
        get(one.keep(version(session("p"), 7), LONG));
        Map<String, String> tags = Map.of("name", "Ada");
        assertTrue(get(one.change(change("p", 7, 8, List.of("hall", "cellar"), "", tags), LONG)));
        assertTrue(get(one.change(change("p", 8, 9, List.of(), "kitchen", Map.of()), LONG)));
        assertTrue(get(one.change(change("p", 9, 12, List.of("ä"), "hall", Map.of()), LONG)));
        Session taken = get(two.take("/", "p")).orElseThrow();
        assertEquals(List.of("cellar", "ä"), taken.rooms().keySet().stream().sorted().toList());
        assertEquals(tags, taken.tags());
        assertEquals("client of p", taken.client());
        assertEquals(session("p").replayed(), taken.replayed());
        get(two.keep(session("p"), LONG));
        assertEquals(Set.of("kitchen"), get(one.take("/", "p")).orElseThrow().rooms().keySet());
    }

    @Test
    void aChangeOfAVersionThatTheBrokerDoesNotHaveIsRefused() throws Exception {
        Broker one = node(new Probe());
        Broker two = node(new Probe());
        List<String> hall = List.of("hall");
        assertFalse(get(one.change(change("p", 1, 2, hall, "", Map.of()), LONG)));
        get(one.keep(version(session("p"), 5), LONG));
        assertFalse(get(one.change(change("p", 4, 6, hall, "", Map.of()), LONG)));
        assertFalse(get(two.change(change("p", 5, 6, hall, "", Map.of()), LONG)));
        get(one.keep(version(session("p"), 3), LONG)); // late, and does not undo the later one
        assertTrue(get(one.change(change("p", 5, 6, hall, "", Map.of()), LONG)));
        assertEquals(2, get(two.take("/", "p")).orElseThrow().rooms().size());
        assertFalse(get(one.change(change("p", 6, 7, hall, "", Map.of()), LONG)));
        get(two.keep(session("p"), LONG));
        assertEquals(Set.of("kitchen"), get(two.take("/", "p")).orElseThrow().rooms().keySet());
    }

    @Test
    void manySessionsAreRenewedAtOnceAndThoseThatAreNotThereAreNamed() throws Exception {
        Broker one = node(new Probe());
        Broker two = node(new Probe());
        Duration some = Duration.ofMillis(400);
        List<String> pids = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            pids.add("p" + i);
            get(one.keep(session("p" + i), i == 0 ? LONG : some));
        }
        get(two.keep(session("another node's"), LONG));
        get(two.take("/", "p0"));
        List<String> asked = new ArrayList<>(pids);
        asked.add(10, "nobody's");
        asked.add("another node's");
        assertEquals(List.of("p0", "nobody's", "another node's"), get(one.renew("/", asked, LONG)));
        assertEquals(List.of("p1"), get(one.renew("/elsewhere", List.of("p1"), LONG)));
        pass(one, some.multipliedBy(2));
        assertTrue(get(two.take("/", "p149")).isPresent());
    }

    @Test
    void aSessionThatIsBackBeforeItsNodeHasHeardOfItsLeaveStays() throws Exception {
        var slow = new Probe();
        var reads = new CountDownLatch(1);
        Broker home = start(broker(), held(slow, reads));
        Broker away = node(new Probe());
        get(home.keep(session("p"), LONG));
        get(home.keep(session("q"), LONG));
        Thread publisher = Thread.ofVirtual().start(() -> away.publish(toAll("slow")));
        slow.awaitEvent("slow"); // and it reads no further
        assertTrue(get(away.take("/", "p")).isPresent());
        get(away.keep(session("p"), LONG));
        assertTrue(get(home.take("/", "p")).isPresent()); // it hops
        get(home.keep(session("p"), LONG));
        assertTrue(get(away.take("/", "q")).isPresent());
        reads.countDown();
        publisher.join();
        slow.await(new Told.Taken("/", "q"));
        assertEquals(1, slow.told(Told.Taken.class).size(), "p is at home");
        assertTrue(get(away.take("/", "p")).isPresent());
        slow.await(new Told.Taken("/", "p"));
    }

    /** A node that waits in the first message that it is given. */
    private static Node held(Probe probe, CountDownLatch go) {
        return (Node)
                Proxy.newProxyInstance(
                        Node.class.getClassLoader(),
                        new Class<?>[] {Node.class},
                        (proxy, method, arguments) -> {
                            Object result = method.invoke(probe, arguments);
                            if (method.getName().equals("deliver")) {
                                go.await();
                            }
                            return result;
                        });
    }

    private static Session version(Session session, long version) {
        return new Session(
                session.namespace(),
                session.pid(),
                session.client(),
                session.user(),
                session.since(),
                session.rooms(),
                session.tags(),
                session.replayed(),
                version);
    }

    private static Session.Change change(
            String pid,
            long base,
            long version,
            List<String> joined,
            String left,
            Map<String, String> tags) {
        List<String> leaves = left.isEmpty() ? List.of() : List.of(left);
        return new Session.Change("/", pid, base, version, Replays.rooms(joined), leaves, tags);
    }

    @Test
    void twoNodesThatTakeASessionAtTheSameTimeAreOneTooMany() throws Exception {
        Broker home = node(new Probe());
        List<Broker> nodes = List.of(node(new Probe()), node(new Probe()));
        for (int i = 0; i < 200; i++) {
            String pid = "p" + i;
            get(home.keep(session(pid), LONG));
            var start = new CountDownLatch(1);
            try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
                List<Future<Optional<Session>>> taken = new ArrayList<>();
                for (Broker node : nodes) {
                    taken.add(
                            threads.submit(
                                    () -> {
                                        start.await();
                                        return get(node.take("/", pid));
                                    }));
                }
                start.countDown();
                int found = 0;
                for (Future<Optional<Session>> one : taken) {
                    found += one.get(60, TimeUnit.SECONDS).isPresent() ? 1 : 0;
                }
                assertEquals(1, found);
            }
        }
    }

    @Test
    void aSessionEndsWithItsTimeOrWhenItIsForgotten() throws Exception {
        Broker node = node(new Probe());
        get(node.keep(session("short"), Duration.ofMillis(20)));
        get(node.keep(session("renewed"), Duration.ofMillis(20)));
        get(node.keep(session("renewed"), LONG));
        get(node.keep(session("forgotten"), LONG));
        get(node.forget("/", "forgotten"));
        pass(node, Duration.ofMillis(50));
        assertEquals(Optional.empty(), get(node.take("/", "short")));
        assertEquals(Optional.empty(), get(node.take("/", "forgotten")));
        assertTrue(get(node.take("/", "renewed")).isPresent());
    }

    // ---- presence

    @Test
    void presenceIsSaidWithTheFirstAndTheLastConnectionOfAUser() throws Exception {
        var probe = new Probe();
        Broker one = node(probe);
        Broker two = node(new Probe());
        var phone = new Member("c1", "ada", "{\"on\":\"phone\"}");
        var desk = new Member("c2", "ada", "");
        var nobody = new Member("c3", "", "");
        var nobodyElse = new Member("c4", "", "");
        get(one.join(KITCHEN, phone));
        get(one.join(KITCHEN, phone));
        get(two.join(KITCHEN, desk));
        get(two.join(KITCHEN, nobody));
        get(one.join(KITCHEN, nobodyElse));
        get(one.join(new Room("/", "hall"), phone));
        get(two.join(new Room("/admin", "kitchen"), desk));
        List<Member> members = get(two.members(KITCHEN));
        assertEquals(3, members.size(), members.toString());
        assertTrue(members.containsAll(List.of(nobody, nobodyElse)));
        assertTrue(members.contains(phone) || members.contains(desk));

        get(one.leave(KITCHEN, phone));
        assertEquals(Set.of(desk, nobody, nobodyElse), Set.copyOf(get(one.members(KITCHEN))));
        get(one.leave(KITCHEN, phone));
        get(two.leave(KITCHEN, nobody));
        get(two.leave(KITCHEN, desk));
        assertEquals(List.of(nobodyElse), get(two.members(KITCHEN)));
        get(one.publish(toAll("end")));
        probe.awaitEvent("end");
        assertEquals(
                List.of(
                        new Told.Joined(KITCHEN, phone),
                        new Told.Joined(KITCHEN, nobody),
                        new Told.Joined(KITCHEN, nobodyElse)),
                probe.told(Told.Joined.class).stream()
                        .filter(joined -> joined.room().equals(KITCHEN))
                        .toList());
        assertEquals(
                List.of(new Told.Left(KITCHEN, nobody), new Told.Left(KITCHEN, desk)),
                probe.told(Told.Left.class));
    }

    @Test
    void aClientThatBecomesSomebodyElseLeavesAndJoins() throws Exception {
        var probe = new Probe();
        Broker node = node(probe);
        var before = new Member("c", "", "");
        var after = new Member("c", "ada", "");
        get(node.join(KITCHEN, before));
        get(node.join(KITCHEN, after));
        assertEquals(List.of(after), get(node.members(KITCHEN)));
        probe.await(new Told.Joined(KITCHEN, after));
        probe.await(new Told.Left(KITCHEN, before));
        get(node.leave(KITCHEN, after));
        probe.await(new Told.Left(KITCHEN, after));
        assertEquals(List.of(), get(node.members(KITCHEN)));
    }

    @Test
    void aClientThatComesBackToAnotherNodeWasNeverAway() throws Exception {
        var probe = new Probe();
        Broker one = node(probe);
        Broker two = node(new Probe());
        var ada = new Member("c", "", "");
        get(one.join(KITCHEN, ada));
        get(two.join(KITCHEN, ada));
        get(one.leave(KITCHEN, ada));
        assertEquals(List.of(ada), get(one.members(KITCHEN)));
        get(two.publish(toAll("end")));
        probe.awaitEvent("end");
        assertEquals(1, probe.told(Told.Joined.class).size());
        assertEquals(0, probe.told(Told.Left.class).size());
    }

    @Test
    void theMembersOfANodeThatStopsLeave() throws Exception {
        var probe = new Probe();
        Broker stays = node(probe);
        Broker stops = node(new Probe());
        List<Member> gone = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            var member = new Member("c" + i, "", "");
            gone.add(member);
            get(stops.join(KITCHEN, member));
        }
        var ada = new Member("ada", "", "");
        get(stays.join(KITCHEN, ada));
        stops.close();
        probe.await(
                "that all have left",
                told -> told.stream().filter(Told.Left.class::isInstance).count() == 300);
        assertEquals(List.of(ada), get(stays.members(KITCHEN)));
        assertEquals(
                Set.copyOf(gone),
                Set.copyOf(probe.told(Told.Left.class).stream().map(Told.Left::member).toList()));
    }

    // ---- tickets and limits

    @Test
    void aTicketIsSpentOnceOnAllNodesTogether() throws Exception {
        Broker one = node(new Probe());
        Broker two = node(new Probe());
        String ticket = UUID.randomUUID().toString();
        assertTrue(get(one.spend(ticket, LONG)));
        assertFalse(get(two.spend(ticket, LONG)));
        assertFalse(get(one.spend(ticket, LONG)));
        assertTrue(get(two.spend(ticket + "x", LONG)));
    }

    @Test
    void aBucketHasItsTokensForAllNodesTogetherAndFillsAgain() throws Exception {
        Broker one = node(new Probe());
        Broker two = node(new Probe());
        var limit = new Limit.Bucket(5, LONG);
        for (int i = 0; i < 5; i++) {
            assertTrue(get((i % 2 == 0 ? one : two).count("a", limit)));
        }
        assertFalse(get(one.count("a", limit)));
        assertFalse(get(two.count("a", limit)));
        assertTrue(get(two.count("b", limit)));

        var quick = new Limit.Bucket(1, Duration.ofMillis(50));
        assertTrue(get(one.count("c", quick)));
        for (int i = 0; i < 100; i++) { // refused tries do not take from it
            get(one.count("c", quick));
        }
        pass(one, Duration.ofMillis(100));
        assertTrue(get(one.count("c", quick)));
    }

    @Test
    void untilSilenceEachTryCountsAlsoOneThatIsRefused() throws Exception {
        Broker one = node(new Probe());
        Broker two = node(new Probe());
        var limit = new Limit.UntilSilence(3, Duration.ofMillis(400));
        for (int i = 0; i < 3; i++) {
            assertTrue(get((i % 2 == 0 ? one : two).count("a", limit)));
        }
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(900);
        long tried = System.nanoTime();
        while (tried < end) { // longer than the silence, but never silent
            long begun = System.nanoTime();
            boolean allowed = get(two.count("a", limit));
            long silence = System.nanoTime() - tried; // or less: this machine may be busy
            assertTrue(!allowed || silence >= TimeUnit.MILLISECONDS.toNanos(390));
            tried = begun;
        }
        pass(one, Duration.ofMillis(450));
        assertTrue(get(one.count("a", limit)));
    }

    // ---- the end

    @Test
    void aBrokerThatIsNotStartedOrIsClosedRefuses() throws Exception {
        var probe = new Probe();
        Broker broker = broker();
        failure(broker.publish(toAll("early")));
        start(broker, probe);
        get(broker.publish(toAll("1")));
        probe.awaitEvent("1");
        broker.close();
        broker.close();
        failure(broker.publish(toAll("late")));
        failure(broker.take("/", "p"));
        failure(broker.join(KITCHEN, new Member("c", "", "")));
        assertThrows(IllegalStateException.class, () -> broker.start(new Probe()));
        Broker other = node(new Probe());
        get(other.publish(toAll("2")));
        assertEquals(List.of("1"), probe.events());
    }

    // ----

    /** Returns when so much time has passed for the broker. */
    protected void pass(Broker node, Duration time) throws Exception {
        String ticket = UUID.randomUUID().toString();
        get(node.spend(ticket, time));
        while (!get(node.spend(ticket, time))) {
            LockSupport.parkNanos(200_000);
        }
    }

    protected static List<String> events(Replay replay) {
        return replay.messages().stream().map(one -> one.publication().event()).toList();
    }

    protected static Session session(String pid) {
        return Replays.session(pid, "client of " + pid, "", List.of("kitchen"), Map.of());
    }

    /** Hears messages only. */
    private record Listening(String id, BiConsumer<Position, Publication> hears) implements Node {
        @Override
        public void deliver(Position position, Publication publication) {
            hears.accept(position, publication);
        }

        @Override
        public void gap(String why) {}

        @Override
        public void taken(String namespace, String pid) {}

        @Override
        public void joined(Room room, Member member) {}

        @Override
        public void left(Room room, Member member) {}
    }

    private static Publication except(String event, String... clients) {
        return new Publication("/", Set.of(), Set.of(clients), event, List.of(), true, List.of());
    }

    private static Publication notKept(String event) {
        return new Publication("/", Set.of(), Set.of(), event, List.of(), false, List.of());
    }

    private static Publication elsewhere(String event) {
        return new Publication("/admin", Set.of(), Set.of(), event, List.of(), true, List.of());
    }
}
