// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A client as it was, for when it comes back.
 *
 * @param namespace where it was
 * @param pid a secret between it and us, unguessable
 * @param client its id
 * @param user who it was authenticated as; empty for nobody in particular
 * @param since where the newest message was when it came: see {@link Audience#since}
 * @param rooms which it is in, each with where the newest message was when it joined
 * @param tags what handlers have put to it
 * @param replayed how often it has come back to the same place; empty if it has never missed
 *     anything
 * @param version of what its node has written of it; a later one is greater. A session that was
 *     taken has none, which is 0
 */
public record Session(
        String namespace,
        String pid,
        String client,
        String user,
        Position since,
        Map<String, Position> rooms,
        Map<String, String> tags,
        Optional<Replayed> replayed,
        long version) {

    /**
     * So often in a row it came back and was sent what it had missed.
     *
     * @param from the position behind which that was
     * @param times 1 or more
     */
    public record Replayed(Position from, int times) {}

    /** One without a version, that has never missed anything. */
    public Session(
            String namespace,
            String pid,
            String client,
            String user,
            Position since,
            Map<String, Position> rooms,
            Map<String, String> tags) {
        this(namespace, pid, client, user, since, rooms, tags, Optional.empty(), 0);
    }

    /**
     * What has become of a session since it was written.
     *
     * @param namespace of the session
     * @param pid of the session
     * @param base the version that this changes
     * @param version the next
     * @param joined rooms, as in a session
     * @param left rooms
     * @param tags that were put to it
     */
    public record Change(
            String namespace,
            String pid,
            long base,
            long version,
            Map<String, Position> joined,
            List<String> left,
            Map<String, String> tags) {}

    /** As it is given to a node that takes it. */
    Session unversioned() {
        return new Session(namespace, pid, client, user, since, rooms, tags, replayed, 0);
    }

    /** This one with a change. */
    public Session with(Change change) {
        var nextRooms = new HashMap<>(rooms);
        change.left.forEach(nextRooms::remove);
        nextRooms.putAll(change.joined);
        var nextTags = new HashMap<>(tags);
        nextTags.putAll(change.tags);
        return new Session(
                namespace,
                pid,
                client,
                user,
                since,
                Map.copyOf(nextRooms),
                Map.copyOf(nextTags),
                replayed,
                change.version);
    }
}
