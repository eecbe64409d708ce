// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.Arguments;
import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.ScheduledTask;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Whether a {@link Channel} is joined, over a {@link Link} that comes and goes.
 *
 * <pre>
 *           connect           the link is open, CONNECT sent            CONNECT answered
 *   IDLE ──────────▶ WAITING ───────────────────────────────▶ ASKING ─────────────────────▶ JOINED
 *    ▲                 ▲ │ ▲                                    │ │                           │ │
 *    │                 │ │ └──── refused, but not for good ─────┘ │                           │ │
 *    │                 │ │        the link is lost                │                           │ │
 *    │                 └─┼────────────────────────────────────────┴───────────────────────────┘ │
 *    └───────────────────┴── left, refused for good, or DISCONNECT of the server ───────────────┘
 * </pre>
 *
 * <p>Loop-confined, but for {@link #id}.
 */
final class Membership {
    private enum Phase {
        IDLE,
        WAITING,
        ASKING,
        JOINED
    }

    private final LiveClient client;
    private final Channel channel;
    private volatile String id; // null unless it is joined. Any thread

    private Phase phase = Phase.IDLE;
    private long session; // counts those that were joined
    private int round; // tells answers that come too late
    private ScheduledTask alarm; // null unless something is waited for, alone
    private final Backoff backoff;
    private CompletableFuture<Connected> joining = new CompletableFuture<>();
    private final Resumption resumption = new Resumption();
    private final Departure departure = new Departure();
    private final Early early = new Early();

    Membership(LiveClient client, Channel channel) {
        this.client = client;
        this.channel = channel;
        this.backoff = client.backoff();
    }

    /** The server's name for us, while it is joined. Any thread. */
    Optional<String> id() {
        return Optional.ofNullable(id);
    }

    /** Tells one membership from the next; from 1. */
    long session() {
        return session;
    }

    /** A message has gone on its way. */
    void polled() {
        departure.sent();
    }

    // ---- the way in

    /** Somebody wants to be in it. */
    void connect(CompletableFuture<Connected> outcome) {
        departure.end();
        if (client.isClosing()) {
            tell(() -> outcome.completeExceptionally(new IllegalStateException("It is closed.")));
        } else if (phase == Phase.JOINED) {
            String joined = id;
            tell(() -> outcome.complete(new Connected(joined, false)));
        } else {
            joining.whenComplete(
                    (connected, thrown) -> {
                        if (thrown == null) {
                            outcome.complete(connected);
                        } else {
                            outcome.completeExceptionally(thrown);
                        }
                    });
            if (phase == Phase.IDLE) {
                phase = Phase.WAITING;
                backoff.reset();
                join();
            }
        }
    }

    boolean wanted() {
        return phase != Phase.IDLE && !departure.hasBegun();
    }

    boolean joined() {
        return phase == Phase.JOINED;
    }

    private void join() {
        if (client.link.isOpen()) {
            ask();
        } else {
            client.link.want();
        }
    }

    /** The link is open. */
    void opened() {
        if (wanted()) {
            ask();
        }
    }

    private void ask() {
        phase = Phase.ASKING;
        early.take(); // of the last attempt
        int mine = ++round;
        quiet();
        alarm =
                client.loop.schedule(
                        client.settings.connect.toMillis(),
                        () -> client.link.fail("no answer to CONNECT has come"));
        client.loop.startVirtual(
                () -> {
                    try {
                        JsonNode auth =
                                client.json.mapper().valueToTree(client.settings.auth.get());
                        client.execute(() -> ask(mine, auth));
                    } catch (Throwable e) {
                        client.execute(() -> cannotAsk(mine, e));
                    }
                });
    }

    private void ask(int ofRound, JsonNode auth) {
        if (round != ofRound) {
            return;
        }
        ObjectNode data = client.json.mapper().createObjectNode();
        resumption.addTo(data);
        if (auth instanceof ObjectNode object) {
            data.setAll(object);
        }
        write(Packet.Type.CONNECT, data.toString());
    }

    private void write(Packet.Type type, String data) {
        client.link.write("4" + Packet.of(type, channel.name(), data));
    }

    private void cannotAsk(int ofRound, Throwable thrown) {
        if (round == ofRound) {
            client.turns.add(() -> channel.handlers.failed(thrown), 0);
            client.link.fail("what gives the auth threw " + thrown);
        }
    }

    private void quiet() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }

    // ---- in

    void received(Incoming packet) throws WireException {
        switch (packet.packet().type()) {
            case CONNECT -> connected(packet.data());
            case CONNECT_ERROR -> refused(refusal(packet.data()));
            case DISCONNECT -> kicked();
            case EVENT, BINARY_EVENT -> {
                if (phase == Phase.JOINED) {
                    event(packet);
                } else if (phase == Phase.ASKING) {
                    early.add(packet); // what was missed comes before the word that we have joined
                }
            }
            case ACK, BINARY_ACK -> channel.answer(packet);
        }
    }

    private void connected(JsonNode data) throws WireException {
        if (phase != Phase.ASKING) {
            return; // we have left meanwhile, or it says so twice
        }
        if (data == null || !data.path("sid").isString()) {
            throw new WireException("a CONNECT without a sid, as of Socket.IO 2");
        }
        quiet();
        boolean recovered = resumption.joined(data);
        phase = Phase.JOINED;
        session++;
        channel.outbox.joined(true); // before anybody hears that we have joined, and sends
        id = data.get("sid").stringValue();
        backoff.reset();
        client.link.joined();
        var connected = new Connected(id, recovered);
        client.turns.add(() -> channel.handlers.tell(channel.handlers.connected, connected), 0);
        outcome(joined -> joined.complete(connected));
        early.take().forEach(this::event);
        client.link.pump();
    }

    /** Whoever waits for the outcome may block as a handler may, but is none. */
    private void outcome(Consumer<CompletableFuture<Connected>> tells) {
        CompletableFuture<Connected> known = joining;
        joining = new CompletableFuture<>();
        tell(() -> tells.accept(known));
    }

    private void tell(Runnable task) {
        client.loop.startVirtual(task);
    }

    private Refused refusal(JsonNode data) {
        if (data.isString()) {
            return new Refused("", data.stringValue(), Optional.empty());
        }
        JsonNode more = data.path("data");
        String message = data.path("message").asString("");
        return new Refused(more.path("code").asString(""), message, arguments(more));
    }

    private Optional<Arguments> arguments(JsonNode one) {
        if (one.isMissingNode()) {
            return Optional.empty();
        }
        JsonMapper mapper = client.json.mapper();
        return Optional.of(new Arguments(mapper, mapper.createArrayNode().add(one), 0));
    }

    /** The server does not want us here. */
    void refused(Refused refused) {
        if (phase != Phase.ASKING && phase != Phase.WAITING) {
            return;
        }
        quiet();
        round++;
        client.turns.add(() -> channel.handlers.tell(channel.handlers.refused, refused), 0);
        if (client.settings.stop.test(refused) || !client.settings.reconnects) {
            idle("refused: " + refused.message());
            outcome(joined -> joined.completeExceptionally(new RefusedException(refused)));
            client.link.release();
            return;
        }
        phase = Phase.WAITING;
        long delay = backoff.next();
        alarm =
                client.loop.schedule(
                        delay,
                        () -> {
                            alarm = null;
                            if (client.link.isOpen()) { // else that says when it is
                                ask();
                            }
                        });
        client.reconnecting(backoff.attempts(), delay, "refused: " + refused.message());
    }

    private void kicked() {
        if (phase == Phase.JOINED) {
            left(Cause.KICKED, "", false);
            client.link.release();
        }
    }

    private void event(Incoming packet) {
        resumption.heard(packet);
        channel.event(packet);
    }

    // ---- ends

    /** The link is lost. */
    void lost(Cause cause, String why) {
        quiet();
        round++;
        if (phase == Phase.JOINED) {
            boolean ours = departure.hasBegun() || client.isClosing();
            boolean returns = !ours && client.settings.reconnects;
            left(ours ? Cause.CLOSED : cause, why, returns);
        } else if (phase == Phase.ASKING) {
            phase = Phase.WAITING;
        }
    }

    /** No further attempt will be made. */
    void givenUp(String why) {
        if (phase != Phase.IDLE) {
            idle(why);
            outcome(joined -> joined.completeExceptionally(new IOException(why)));
        }
    }

    private void left(Cause cause, String why, boolean returns) {
        var disconnected = new Disconnected(cause, why, returns);
        id = null;
        channel.outbox.joined(false);
        channel.requests.closeSent("the connection is " + cause);
        if (returns) {
            phase = Phase.WAITING;
        } else {
            idle("the connection is " + cause);
        }
        client.turns.add(
                () -> channel.handlers.tell(channel.handlers.disconnected, disconnected), 0);
    }

    private void idle(String why) {
        phase = Phase.IDLE;
        departure.end();
        round++;
        quiet();
        channel.requests.close(why);
    }

    /** Begins to leave: what was sent up to now goes first. */
    void leave() {
        if (phase == Phase.JOINED) {
            departure.begin(channel.outbox.size());
            client.link.pump();
        } else if (phase != Phase.IDLE) {
            idle("it was left");
            outcome(
                    joined ->
                            joined.completeExceptionally(
                                    new IllegalStateException("It was left before.")));
            client.link.release();
        }
    }

    /** Says good-bye if it is time. */
    void leaveWhenFlushed() {
        if (phase == Phase.JOINED && departure.asks(channel.outbox.isEmpty())) {
            int mine = round;
            client.link.whenTaken(
                    () -> {
                        if (departure.waits() && round == mine) {
                            sayGoodBye();
                        }
                    });
        }
    }

    private void sayGoodBye() {
        write(Packet.Type.DISCONNECT, "");
        left(Cause.CLOSED, "", false);
        client.link.release();
        client.link.pump();
    }
}
