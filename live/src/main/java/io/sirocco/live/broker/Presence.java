// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who is in which room, and by which connections. What is to be said of a change is returned.
 * Confined to the lock of {@link Memory}.
 */
final class Presence {
    /** What a node is told. */
    interface Delivery {
        void to(Node node);
    }

    private record Connection(Node node, String client) {}

    private static final class Occupants {
        private final Map<Connection, Member> connections = new LinkedHashMap<>();
        private final Map<String, Integer> counts = new HashMap<>(); // of connections, by identity
    }

    private final Map<Room, Occupants> rooms = new HashMap<>();

    List<Delivery> join(Node node, Room room, Member member) {
        Occupants occupants = rooms.computeIfAbsent(room, any -> new Occupants());
        Member before = occupants.connections.put(new Connection(node, member.client()), member);
        if (before != null && before.identity().equals(member.identity())) {
            return List.of();
        }
        List<Delivery> said = new ArrayList<>();
        if (occupants.counts.merge(member.identity(), 1, Integer::sum) == 1) {
            said.add(each -> each.joined(room, member));
        }
        if (before != null) { // the connection is somebody else's now
            said.addAll(oneLess(room, occupants, before));
        }
        return said;
    }

    List<Delivery> leave(Node node, Room room, String client) {
        Occupants occupants = rooms.get(room);
        if (occupants == null) {
            return List.of();
        }
        Member member = occupants.connections.remove(new Connection(node, client));
        if (occupants.connections.isEmpty()) {
            rooms.remove(room);
        }
        return member == null ? List.of() : oneLess(room, occupants, member);
    }

    /** All of a node leave. */
    List<Delivery> leave(Node node) {
        List<Delivery> said = new ArrayList<>();
        for (Room room : List.copyOf(rooms.keySet())) {
            for (Connection connection : List.copyOf(rooms.get(room).connections.keySet())) {
                if (connection.node == node) {
                    said.addAll(leave(node, room, connection.client));
                }
            }
        }
        return said;
    }

    List<Member> members(Room room) {
        Map<String, Member> found = new LinkedHashMap<>();
        Occupants occupants = rooms.getOrDefault(room, new Occupants());
        occupants
                .connections
                .values()
                .forEach(member -> found.putIfAbsent(member.identity(), member));
        return List.copyOf(found.values());
    }

    private static List<Delivery> oneLess(Room room, Occupants occupants, Member member) {
        boolean last = occupants.counts.merge(member.identity(), -1, Integer::sum) == 0;
        if (!last) {
            return List.of();
        }
        occupants.counts.remove(member.identity());
        return List.of(each -> each.left(room, member));
    }
}
