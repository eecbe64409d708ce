// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Address;
import io.sirocco.live.broker.Position;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The clients that are in one of some rooms, or named by their ids, on all nodes. Immutable. */
public final class Room {
    private final Namespace namespace;
    private final Set<String> names;
    private final Set<String> except;

    Room(Namespace namespace, Set<String> names, Set<String> except) {
        this.namespace = namespace;
        this.names = names;
        this.except = except;
    }

    /**
     * And the clients in this one.
     *
     * @throws RequestException as {@link Namespace#room}
     */
    public Room room(String name) {
        return new Room(namespace, with(names, named(name)), except);
    }

    /** And the client with this id, in whatever room it is. */
    public Room direct(String clientId) {
        return new Room(namespace, with(names, Address.client(clientId)), except);
    }

    /** The name, if a room may have it: clients may have chosen it. */
    static String named(String name) {
        try {
            return Address.room(name);
        } catch (IllegalArgumentException e) {
            throw RequestException.refused("bad_arguments", e.getMessage());
        }
    }

    /** But for the client with this id. */
    public Room except(String id) {
        return new Room(namespace, names, with(except, id));
    }

    private static Set<String> with(Set<String> some, String one) {
        var all = new HashSet<>(some);
        all.add(one);
        return Set.copyOf(all);
    }

    /**
     * Sends an event.
     *
     * @throws IllegalArgumentException as {@link Client#send}
     * @return ends when it is certain to be delivered; exceptionally with a {@link
     *     io.sirocco.live.broker.BrokerException} when that is not certain. On any thread, the
     *     broker's for example: what is hung on it must not block
     */
    public CompletionStage<Position> send(String event, Object... arguments) {
        return namespace.publish(names, except, event, arguments);
    }

    /**
     * The newest messages of its history, oldest first; waits for the broker, so it must not be
     * called on a loop. Only their number bounds them: for a client, take a {@link #page}.
     *
     * @throws IllegalStateException when it is not one room that keeps a history
     */
    public List<Message> history(int most) {
        return namespace.history(one(), Optional.empty(), most).messages();
    }

    /**
     * A part of its history that is small enough for a client, oldest first: the newest messages,
     * or those before the first position of the part before. Waits for the broker as {@link
     * #history} does.
     *
     * @param before empty for the newest. What is before a message that is forgotten is forgotten,
     *     too; a position of another epoch is a gap
     * @param most how many messages
     * @param bytes of memory, about, which they do not exceed; but one message there is
     * @throws IllegalStateException as {@link #history}
     */
    public History page(Optional<Position> before, int most, int bytes) {
        return namespace.page(one(), before, most, bytes);
    }

    /** What came behind a position; waits for the broker as {@link #history} does. */
    public History since(Position position) {
        return namespace.history(one(), Optional.of(position), Integer.MAX_VALUE);
    }

    private String one() {
        if (names.size() != 1 || names.stream().anyMatch(Address::isClient)) {
            throw new IllegalStateException(
                    "A history is that of one room, not of several rooms or of a client.");
        }
        return names.iterator().next();
    }
}
