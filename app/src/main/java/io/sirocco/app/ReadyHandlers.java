// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.admin.ChannelNames;
import io.sirocco.app.config.Live.Publishing;
import io.sirocco.live.Arguments;
import io.sirocco.live.Client;
import io.sirocco.live.History;
import io.sirocco.live.Live;
import io.sirocco.live.Message;
import io.sirocco.live.RequestException;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Position;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;

/**
 * The built-in request handlers of {@code sirocco live}.
 *
 * <pre>
 * echo     ARGUMENT ...            the same arguments
 * join     ROOM ...                nothing
 * leave    ROOM ...                nothing
 * publish  ROOM EVENT ARGUMENT ... nothing, once the broker has accepted the event
 * history  ROOM [COUNT [BEFORE]]   the newest events of a room with a history, oldest first: with
 *                                  BEFORE, a position, the newest of those before it
 * </pre>
 *
 * <p>Clients take {@link Live#MAX_BYTE_ARRAYS} in one answer, and an answer with several events has
 * 256 KB at most, so a longer history comes in parts: the list is shorter than COUNT, and its first
 * position asks for the part before it. The last part is an empty list.
 *
 * <p>Any thread.
 */
final class ReadyHandlers {
    private static final int MAX_MESSAGES = 1_000;

    /** Of one answer with events of a history, about: a quarter of what may wait for a client. */
    private static final int MAX_BYTES = 256 << 10;

    private final Live live;
    private final Publishing publishing;

    ReadyHandlers(Live live, Publishing publishing) {
        this.live = live;
        this.publishing = publishing;
    }

    void add() {
        live.onRequest("echo", (client, arguments) -> arguments);
        live.onRequest("join", ReadyHandlers::join);
        live.onRequest("leave", (client, rooms) -> each(rooms, client::leave));
        live.onRequest("publish", this::publish);
        live.onRequest("history", ReadyHandlers::history);
    }

    private interface OfRoom {
        void run(String room);
    }

    private static Arguments each(Arguments rooms, OfRoom action) {
        if (rooms.size() == 0) {
            throw bad("a room is missing");
        }
        for (int i = 0; i < rooms.size(); i++) {
            room(rooms, i); // checks all of them before the first action
        }
        for (int i = 0; i < rooms.size(); i++) {
            action.run(rooms.asString(i));
        }
        return Arguments.none();
    }

    private static Arguments join(Client client, Arguments rooms) {
        for (int i = 0; i < rooms.size(); i++) {
            if (!client.mayJoin(room(rooms, i))) {
                throw RequestException.refused(
                        "forbidden", "your token does not include this room");
            }
        }
        return each(rooms, room -> enter(client, room));
    }

    private static void enter(Client client, String room) {
        try {
            client.join(room);
        } catch (IllegalStateException e) {
            throw RequestException.refused("limited", e.getMessage());
        }
    }

    private Arguments publish(Client client, Arguments arguments) {
        String room = room(arguments, 0);
        String event = named(arguments.asString(1), ChannelNames::event);
        boolean allowed =
                switch (publishing) {
                    case ALL -> true;
                    case MEMBERS -> client.rooms().contains(room);
                    case NONE -> false;
                };
        if (!allowed || !client.mayJoin(room)) {
            throw RequestException.refused("forbidden", "you may not publish to this room");
        }
        try {
            client.room(room).send(event, arguments.values(2)).toCompletableFuture().join();
            return Arguments.none();
        } catch (IllegalArgumentException e) { // what no client could take
            throw bad(e.getMessage());
        } catch (CompletionException e) {
            throw RequestException.refused(
                    "unavailable", "the broker is not available; the event may be lost");
        }
    }

    private static Object history(Client client, Arguments arguments) {
        String room = room(arguments, 0);
        int most = arguments.has(1) ? arguments.asInt(1) : 50;
        if (!client.rooms().contains(room)) {
            throw RequestException.refused("forbidden", "join the room to read its history");
        }
        try {
            Optional<Position> before =
                    arguments.has(2) ? Optional.of(position(arguments, 2)) : Optional.empty();
            int count = Math.clamp(most, 0, MAX_MESSAGES);
            History page = client.namespace().room(room).page(before, count, MAX_BYTES);
            if (page.gap()) {
                throw RequestException.refused(
                        "gap", "the history has no such position any more: begin anew without one");
            }
            return part(page.messages());
        } catch (IllegalStateException e) {
            throw RequestException.refused("no_history", "this room keeps no history");
        } catch (BrokerException e) {
            throw RequestException.refused("unavailable", "the broker is not available");
        }
    }

    private static Position position(Arguments arguments, int at) {
        try {
            return Position.parse(arguments.asString(at));
        } catch (IllegalArgumentException e) {
            throw bad(e.getMessage());
        }
    }

    /** Returns the newest of them: as many as have the byte arrays of one answer. */
    private static List<Told> part(List<Message> messages) {
        int first = messages.size();
        int byteArrays = 0;
        while (first > 0) {
            byteArrays += messages.get(first - 1).arguments().byteArrays();
            if (byteArrays > Live.MAX_BYTE_ARRAYS) {
                break;
            }
            first--;
        }
        return messages.subList(first, messages.size()).stream().map(Told::of).toList();
    }

    /** An event of the history. */
    private record Told(String event, Object[] arguments, String position) {
        static Told of(Message message) {
            return new Told(
                    message.event(), message.arguments().values(0), message.position().toString());
        }
    }

    private static String room(Arguments arguments, int at) {
        return named(arguments.asString(at), ChannelNames::room);
    }

    private static String named(String name, UnaryOperator<String> check) {
        try {
            return check.apply(name);
        } catch (IllegalArgumentException e) {
            throw bad(e.getMessage());
        }
    }

    private static RequestException bad(String message) {
        return RequestException.refused("bad_arguments", message);
    }
}
