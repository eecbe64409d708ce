// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.live.Live;
import io.sirocco.live.Room;
import io.sirocco.live.broker.Position;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Publishes an event for programs in any language.
 *
 * <pre>
 * POST /live/publish
 * {"room": "kitchen", "event": "smell", "arguments": ["toast"]}
 *
 * {"position": "..."}                                            if the broker has accepted it
 * {"error": {"code": "bad_arguments", "message": "..."}}         otherwise
 * </pre>
 *
 * <p>Any thread.
 */
final class Publish {
    /** The maximum size of a body. */
    static final int LONGEST = 1 << 20;

    private static final int MAX_ROOMS = 1_000;
    private static final int SECONDS = 10;
    private static final Set<String> KEYS =
            Set.of("namespace", "room", "rooms", "client", "all", "except", "event", "arguments");
    private final Live live;

    Publish(Live live) {
        this.live = live;
    }

    /** Responds when the broker has accepted the event or failed; call it on a virtual thread. */
    Response answer(Request request) throws IOException, InterruptedException {
        try {
            Position position =
                    send(JsonBody.read(request, KEYS))
                            .toCompletableFuture()
                            .get(SECONDS, TimeUnit.SECONDS);
            return Response.json(
                    JsonMapper.shared().writeValueAsString(new Done(position.toString())));
        } catch (Refused e) {
            return e.response();
        } catch (ExecutionException e) {
            return ErrorObject.response(
                    503, "unavailable", "the broker failed; the event may or may not arrive");
        } catch (TimeoutException e) {
            return ErrorObject.response(
                    504,
                    "timeout",
                    "the broker did not respond in time; the event may or may not arrive");
        }
    }

    private record Done(String position) {}

    private CompletionStage<Position> send(JsonBody body) throws Refused {
        String namespace = body.text("namespace").orElse("/");
        if (!namespace.equals(live.name())) {
            throw new Refused(404, "unknown_namespace", "unknown namespace");
        }
        String event = name(body.get("event"), "event", ChannelNames::event);
        Object[] arguments = arguments(body.get("arguments"));
        Room room = rooms(body);
        try {
            return room == null ? live.broadcast(event, arguments) : room.send(event, arguments);
        } catch (IllegalArgumentException e) { // no client could take it
            throw JsonBody.bad(e.getMessage());
        }
    }

    private static Object[] arguments(JsonNode node) throws Refused {
        if (node.isMissingNode()) {
            return new Object[0];
        }
        if (!node.isArray()) {
            throw JsonBody.bad("\"arguments\" must be a list");
        }
        return node.valueStream().toArray();
    }

    /** Returns the receivers; null for everyone. */
    private Room rooms(JsonBody body) throws Refused {
        boolean all = body.flag("all");
        boolean one = body.has("room");
        boolean several = body.has("rooms");
        boolean client = body.has("client");
        if ((all ? 1 : 0) + (one ? 1 : 0) + (several ? 1 : 0) + (client ? 1 : 0) != 1) {
            throw JsonBody.bad(
                    "exactly one of \"room\", \"rooms\", \"client\" or \"all\": true is required");
        }
        JsonNode except = body.get("except");
        if ((all || client) && !except.isMissingNode()) {
            throw JsonBody.bad("\"except\" needs \"room\" or \"rooms\"");
        }
        if (all) {
            return null;
        }
        if (client) { // by its id, which is not a room, as clients could join a room of that name
            return live.direct(name(body.get("client"), "client", ChannelNames::room));
        }
        Room room = null;
        for (JsonNode each : one ? List.of(body.get("room")) : list(body.get("rooms"), "rooms")) {
            String name = name(each, one ? "room" : "rooms", ChannelNames::room);
            room = room == null ? live.room(name) : room.room(name);
        }
        if (room == null) {
            throw JsonBody.bad("\"rooms\" is empty");
        }
        for (JsonNode each : list(except, "except")) {
            room = room.except(name(each, "except", ChannelNames::room));
        }
        return room;
    }

    private static List<JsonNode> list(JsonNode node, String key) throws Refused {
        if (node.isMissingNode()) {
            return List.of();
        }
        if (!node.isArray() || node.size() > MAX_ROOMS) {
            throw JsonBody.bad("\"" + key + "\" must be a list of at most " + MAX_ROOMS + " names");
        }
        return node.valueStream().toList();
    }

    private static String name(JsonNode node, String key, UnaryOperator<String> check)
            throws Refused {
        try {
            return check.apply(node.isString() ? node.stringValue() : "");
        } catch (IllegalArgumentException e) {
            throw JsonBody.bad("\"" + key + "\": " + e.getMessage());
        }
    }
}
