// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Replays for tests. */
public final class Replays {
    private static final Position BEFORE_ALL = new Position("0", "0");

    private Replays() {}

    /** A client of the namespace "/" that has been in these rooms for ever. */
    public static Audience audience(String client, List<String> rooms) {
        return new Audience("/", client, BEFORE_ALL, rooms(rooms));
    }

    /** Rooms that somebody has been in for ever. */
    public static Map<String, Position> rooms(List<String> rooms) {
        var all = new HashMap<String, Position>();
        rooms.forEach(room -> all.put(room, BEFORE_ALL));
        return all;
    }

    /** A session of {@code client of PID}, which has been in these rooms for ever. */
    public static Session session(
            String pid, String client, String user, List<String> rooms, Map<String, String> tags) {
        var replayed = Optional.of(new Session.Replayed(new Position("e", "5"), 3));
        return new Session("/", pid, client, user, BEFORE_ALL, rooms(rooms), tags, replayed, 0);
    }

    /** All parts as one; the newest, and a gap, if there are more than {@code most}. */
    public static CompletionStage<Replay> whole(
            Broker broker, Position after, String client, List<String> rooms, int most) {
        return rest(broker, after, audience(client, rooms), new ArrayList<>())
                .thenApply(
                        all -> {
                            List<Replay.Message> found = all.messages();
                            int more = Math.max(0, found.size() - most);
                            return new Replay(
                                    found.subList(more, found.size()),
                                    all.gap() || more > 0,
                                    all.end());
                        });
    }

    private static CompletionStage<Replay> rest(
            Broker broker, Position after, Audience audience, List<Replay.Message> found) {
        return broker.replay(after, audience, 1_000, 1 << 20)
                .thenCompose(
                        part -> {
                            found.addAll(part.messages());
                            return part.more()
                                    ? rest(broker, part.end(), audience, found)
                                    : CompletableFuture.completedFuture(
                                            new Replay(found, part.gap(), part.end()));
                        });
    }
}
