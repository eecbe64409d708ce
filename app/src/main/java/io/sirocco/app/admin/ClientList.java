// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.live.Client;
import io.sirocco.live.ClientInfo;
import io.sirocco.live.Live;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The largest rooms, and some of the clients. Immutable.
 *
 * @param roomCount the number of all rooms that match
 * @param rooms the largest of them
 * @param clientCount the number of all clients that match
 * @param clients some of them
 */
record ClientList(int roomCount, List<RoomRow> rooms, int clientCount, List<ClientRow> clients) {
    private static final int MAX = 100;
    private static final int MAX_OF_CLIENT = 8;

    /** A room. */
    record RoomRow(String name, int members) {}

    /**
     * A client.
     *
     * @param rooms some of its rooms
     * @param roomCount the number of all its rooms
     */
    record ClientRow(
            String id,
            String user,
            String address,
            String transport,
            boolean connected,
            Map<String, String> tags,
            List<String> rooms,
            int roomCount) {

        static ClientRow of(Client client) {
            ClientInfo info = client.info();
            List<String> rooms = client.rooms().stream().sorted().toList();
            return new ClientRow(
                    client.id(),
                    client.user().orElse(""),
                    info.address(),
                    info.transport(),
                    client.isConnected(),
                    tagsOf(client, info),
                    rooms.subList(0, Math.min(MAX_OF_CLIENT, rooms.size())),
                    rooms.size());
        }
    }

    /** Returns the tags of the client, overridden by those of handlers. */
    private static Map<String, String> tagsOf(Client client, ClientInfo info) {
        var tags = new TreeMap<>(info.tags());
        tags.putAll(client.tags());
        return tags;
    }

    /**
     * Searches the rooms and clients of this node.
     *
     * @param search part of the name of a room; of the id, user, address, a tag or a room of a
     *     client; empty for all
     */
    static ClientList of(Live live, String search) {
        String wanted = search.toLowerCase(Locale.ROOT);
        List<RoomRow> rooms =
                live.rooms().entrySet().stream()
                        .filter(room -> has(room.getKey(), wanted))
                        .map(room -> new RoomRow(room.getKey(), room.getValue()))
                        .sorted(
                                Comparator.comparingInt(RoomRow::members)
                                        .reversed()
                                        .thenComparing(RoomRow::name))
                        .toList();
        Collection<Client> all = live.clients();
        List<Client> clients =
                wanted.isEmpty()
                        ? List.copyOf(all)
                        : all.stream().filter(client -> matches(client, wanted)).toList();
        return new ClientList(
                rooms.size(),
                rooms.subList(0, Math.min(MAX, rooms.size())),
                clients.size(),
                clients.stream()
                        .limit(MAX)
                        .map(ClientRow::of)
                        .sorted(Comparator.comparing(ClientRow::id))
                        .toList());
    }

    private static boolean matches(Client client, String wanted) {
        ClientInfo info = client.info();
        Stream<String> own = Stream.of(client.id(), client.user().orElse(""), info.address());
        Stream<String> tags = tagsOf(client, info).values().stream();
        return Stream.of(own, tags, client.rooms().stream())
                .flatMap(each -> each)
                .anyMatch(text -> has(text, wanted));
    }

    private static boolean has(String text, String wanted) {
        return wanted.isEmpty() || text.toLowerCase(Locale.ROOT).contains(wanted);
    }
}
