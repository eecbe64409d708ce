// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Position;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rooms of one client: told to its shard, to the one that it moves to, and to the broker where
 * they have presence. Any thread.
 */
final class Rooms {
    private final Client client;
    // each with where the newest message was by then; written with the lock of this held
    private volatile Map<String, Position> joined = Map.of();
    private Shard next; // while the client moves there; with the lock
    private long bytes; // that count in the memory of rooms; with the lock
    private boolean over; // the client is gone for good; with the lock

    Rooms(Client client) {
        this.client = client;
    }

    Set<String> names() {
        return joined.keySet();
    }

    /** The rooms, each with where the newest message was when the client joined. Immutable. */
    Map<String, Position> joined() {
        return joined;
    }

    /** It is one that comes back. */
    synchronized void restore(Map<String, Position> before) {
        joined = Map.copyOf(before);
        for (String room : joined.keySet()) {
            bytes += MembershipMemory.of(room);
        }
        hub().membershipMemory.add(bytes);
    }

    /** The client does not come back to this node: no memory counts for its rooms any more. */
    synchronized void over() {
        over = true;
        hub().membershipMemory.give(bytes);
        bytes = 0;
    }

    /** Answers whether that is a change. */
    boolean join(String name) {
        String room = client.namespace().shared(name);
        Shard here;
        synchronized (this) {
            if (joined.containsKey(room) || over || !client.life.lasts()) {
                return false;
            }
            if (joined.size() >= hub().settings.rooms) {
                throw new IllegalStateException("A client may be in no more rooms.");
            }
            long place = MembershipMemory.of(room);
            if (!hub().membershipMemory.take(place)) {
                throw new IllegalStateException(
                        "All clients together may be in no more rooms: they take a quarter of the"
                                + " heap.");
            }
            bytes += place;
            var more = new HashMap<>(joined);
            more.put(room, hub().newest()); // before the shard knows: nothing is lost between
            joined = Map.copyOf(more);
            here = client.shard();
            tell(here, room, true);
        }
        here.drainHere();
        attend(room);
        return true;
    }

    /** Answers whether that is a change. */
    boolean leave(String room) {
        Shard here;
        synchronized (this) {
            if (!joined.containsKey(room)) {
                return false;
            }
            var fewer = new HashMap<>(joined);
            fewer.remove(room);
            joined = Map.copyOf(fewer);
            if (!over) {
                bytes -= MembershipMemory.of(room);
                hub().membershipMemory.give(MembershipMemory.of(room));
            }
            here = client.shard();
            tell(here, room, false);
        }
        here.drainHere();
        attend(room);
        return true;
    }

    private void tell(Shard here, String room, boolean joins) {
        for (Shard shard : shards(here)) {
            shard.executeLater(
                    () -> {
                        if (joins) {
                            shard.join(client, room);
                        } else {
                            shard.leave(client, room);
                        }
                    });
        }
    }

    /** Where the client is, and where it moves to. */
    synchronized List<Shard> shards() {
        return shards(client.shard());
    }

    private List<Shard> shards(Shard here) {
        return next == null || next == here ? List.of(here) : List.of(here, next);
    }

    /**
     * The client moves: from now on {@code to} is told of changes, too.
     *
     * @return the rooms by then
     */
    synchronized Set<String> moving(Shard to) {
        next = to;
        return joined.keySet();
    }

    /** It has, or has not. */
    synchronized void settled() {
        next = null;
    }

    // ---- presence

    /** The client is here, or has gone: the broker is told of all of them. */
    void attend() {
        joined.keySet().forEach(this::attend);
    }

    /** Tells the broker whether the client is there; again, if that has changed meanwhile. */
    private void attend(String room) {
        if (!hub().hasPresence(room)) {
            return;
        }
        boolean told;
        do {
            told = isIn(room);
            if (told) {
                hub().broker.join(place(room), member());
            } else {
                hub().broker.leave(place(room), member());
            }
        } while (told != isIn(room));
    }

    private boolean isIn(String room) {
        Client now = client.namespace().client(client.id()).orElse(client); // it may be back
        return now.life.lasts() && now.rooms().contains(room);
    }

    private Hub hub() {
        return client.namespace().hub;
    }

    private io.sirocco.live.broker.Room place(String room) {
        return new io.sirocco.live.broker.Room(client.namespace().name(), room);
    }

    private Member member() {
        return new Member(client.id(), client.user().orElse(""), client.nameForMembers());
    }
}
