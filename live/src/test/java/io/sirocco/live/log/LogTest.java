// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Address;
import io.sirocco.live.broker.Audience;
import io.sirocco.live.broker.Depth;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.broker.Replays;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a replay finds in the log, and how much it looks at for that. */
class LogTest {
    private static final int MANY = 60_000;
    private static final int RETURNING = 1_000;

    @Test
    void whoReturnsLooksAtTheirOwnMessagesAndNotAtThoseOfAllRooms() {
        var log = log(new Depth(MANY, 1 << 30, Duration.ofHours(1)));
        for (int i = 1; i <= MANY; i++) {
            log.add(i, at(i), to("m" + i, Set.of(), "room " + i % RETURNING), 0);
        }
        for (int i = 0; i < RETURNING; i++) {
            Audience audience = Replays.audience("c" + i, List.of("room " + i));
            assertEquals(MANY / RETURNING, since(log, 0, audience).messages().size());
        }
        assertEquals(MANY, log.visited(), "each message once, for the one who was in its room");
        var late = Replays.audience("late", List.of("room 1"));
        assertEquals(1, since(log, MANY - 1_000, late).messages().size());
        assertEquals(1, log.replay(at(MANY - 1_000), late, 100, 1 << 20).messages().size());
        assertEquals(MANY + 2, log.visited(), "what they have seen before is found by its number");
    }

    @Test
    void aReplayBeyondItsBoundLooksAtNoMore() {
        var log = log(new Depth(MANY, 1 << 30, Duration.ofHours(1)));
        for (int i = 1; i <= MANY; i++) {
            log.add(i, at(i), to("m" + i, Set.of()), 0);
        }
        Replay oldest = log.replay(at(0), Replays.audience("me", List.of()), 10, 1 << 20);
        assertTrue(oldest.more());
        assertEquals("m1", oldest.messages().getFirst().publication().event());
        assertTrue(log.visited() < 30, log.visited() + " were looked at");
    }

    @Test
    void whatAClientHasSentItselfIsLookedAtInParts() {
        var log = log(new Depth(MANY, 1 << 30, Duration.ofHours(1)));
        for (int i = 1; i < MANY; i++) {
            log.add(i, at(i), to("m" + i, Set.of("me")), 0);
        }
        log.add(MANY, at(MANY), to("last", Set.of()), 0);
        var me = Replays.audience("me", List.of());
        Replay part = log.replay(at(0), me, 10, 1 << 20);
        assertTrue(part.more());
        assertTrue(log.visited() < MANY / 10, log.visited() + " were looked at");
        while (part.more()) {
            part = log.replay(part.end(), me, 10, 1 << 20);
        }
        assertEquals("last", part.messages().getFirst().publication().event());
        assertTrue(log.visited() < MANY + 100, "each once");
    }

    /** The index finds what looking at each message finds. */
    @Test
    void anyReplayIsThatOfLookingAtEachMessage() {
        var random = new Random(12);
        var depth = new Depth(200, 1 << 30, Duration.ofHours(1));
        var log = log(depth);
        var kept = new ArrayDeque<Replay.Message>();
        for (int i = 1; i <= 5_000; i++) {
            Set<String> rooms = new HashSet<>();
            for (int k = random.nextInt(4); k > 0; k--) {
                String room = "r" + random.nextInt(6);
                rooms.add(random.nextInt(8) == 0 ? Address.client(room) : room);
            }
            Set<String> except = random.nextInt(5) == 0 ? Set.of("r1") : Set.of();
            if (random.nextInt(10) == 0) {
                log.pass(i, at(i));
            } else {
                Publication publication = to("" + i, except, rooms.toArray(String[]::new));
                log.add(i, at(i), publication, 0);
                kept.add(new Replay.Message(at(i), publication));
            }
            while (kept.size() > depth.messages()) {
                kept.remove();
            }
            long from = Math.max(0, i - random.nextInt(100));
            var client = "r" + random.nextInt(6);
            var since = at(i - random.nextInt(150));
            var joined = new HashMap<String, Position>();
            for (int k = 0; k < 2; k++) {
                joined.put("r" + random.nextInt(6), at(i - random.nextInt(150)));
            }
            var audience = new Audience("/", client, since, joined);
            List<Replay.Message> expected = new ArrayList<>();
            for (Replay.Message one : kept) {
                if (number(one.position()) > from && isFor(audience, one)) {
                    expected.add(one);
                }
            }
            assertEquals(new Replay(expected, false, at(i)), since(log, from, audience));
            assertEquals(expected, inParts(log, from, audience));
        }
    }

    @Test
    void oldMessagesAreDroppedSomeAtATime() {
        var log = log(new Depth(MANY, 1 << 30, Duration.ofMillis(1)));
        for (int i = 1; i <= 3_500; i++) {
            log.add(i, at(i), to("m" + i, Set.of()), 0);
        }
        var me = Replays.audience("me", List.of());
        log.expire(10);
        assertEquals(2_500, since(log, 1_000, me).messages().size());
        log.expire(10);
        log.expire(10);
        log.expire(10);
        assertTrue(since(log, 3_499, me).gap());
    }

    /** Looks at one message. */
    private static boolean isFor(Audience audience, Replay.Message message) {
        Publication publication = message.publication();
        if (publication.except().contains(audience.client())) {
            return false;
        }
        long number = number(message.position());
        boolean here = number > number(audience.since());
        if (publication.rooms().isEmpty()
                || publication.rooms().contains(Address.client(audience.client()))) {
            if (here) {
                return true;
            }
        }
        return publication.rooms().stream()
                .map(audience.rooms()::get)
                .anyMatch(joined -> joined != null && number > number(joined));
    }

    private static long number(Position position) {
        return Long.parseLong(position.offset());
    }

    private static Replay since(Log log, long number, Audience audience) {
        return log.replay(at(number), audience, MANY, Long.MAX_VALUE);
    }

    private static List<Replay.Message> inParts(Log log, long from, Audience audience) {
        List<Replay.Message> found = new ArrayList<>();
        Replay part = log.replay(at(from), audience, 3, 1_000);
        found.addAll(part.messages());
        while (part.more()) {
            part = log.replay(part.end(), audience, 3, 1_000);
            found.addAll(part.messages());
        }
        return found;
    }

    private static Log log(Depth depth) {
        return new Log(depth, Long::parseLong, 0, at(0));
    }

    private static Position at(long number) {
        return new Position("e", "" + number);
    }

    private static Publication to(String event, Set<String> except, String... rooms) {
        return new Publication("/", Set.of(rooms), except, event, List.of(), true, List.of());
    }
}
