// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.live.client.Packet.Kind;
import io.sirocco.net.Alarm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
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

    /** Bytes of events that a server may send before it has answered CONNECT. */
    private static final long MOST_EARLY = 4 << 20;

    private final LiveClient client;
    private final Channel channel;
    private volatile String id; // null unless it is joined. Any thread

    private Phase phase = Phase.IDLE;
    private long session; // counts those that were joined
    private int round; // tells answers that come too late
    private Alarm alarm; // null unless something is waited for, alone
    private final Backoff backoff;
    private CompletableFuture<Connected> joining = new CompletableFuture<>();
    private String pid; // null when the session cannot be recovered
    private String offset; // of the last event; null for none
    private boolean leaving;
    private int toFlush; // messages that go before a good-bye
    private boolean parting; // they have gone; the good-bye waits for the server's having them
    private final List<Packet> early = new ArrayList<>(0); // events before CONNECT was answered
    private long earlySize;

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
        toFlush = Math.max(0, toFlush - 1);
    }

    // ---- the way in

    /** Somebody wants to be in it. */
    void connect(CompletableFuture<Connected> outcome) {
        leaving = false;
        parting = false;
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
        return phase != Phase.IDLE && !leaving;
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
        forgetEarly();
        int mine = ++round;
        quiet();
        alarm =
                client.loop.after(
                        client.settings.connect.toMillis(),
                        () -> client.link.fail("no answer to CONNECT has come"));
        client.loop.startVirtual(
                () -> {
                    try {
                        JsonNode auth = client.json.tree(client.settings.auth.get());
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
        if (pid != null && offset != null) {
            data.put("pid", pid).put("offset", offset);
        }
        if (auth instanceof ObjectNode object) {
            data.setAll(object);
        }
        client.link.write(
                Packet.encode(Kind.CONNECT, channel.name(), Packet.NO_ID, data.toString(), 0));
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

    void received(Packet packet) throws MalformedException {
        switch (packet.kind()) {
            case CONNECT -> connected(packet.data());
            case CONNECT_ERROR -> refused(refusal(packet.data()));
            case DISCONNECT -> kicked();
            case EVENT -> {
                if (phase == Phase.JOINED) {
                    event(packet);
                } else if (phase == Phase.ASKING) {
                    tooEarly(packet);
                }
            }
            case ANSWER -> channel.answer(packet);
            case BINARY_EVENT, BINARY_ANSWER -> throw new AssertionError(packet);
        }
    }

    private void connected(JsonNode data) throws MalformedException {
        if (phase != Phase.ASKING) {
            return; // we have left meanwhile, or it says so twice
        }
        if (data == null || !data.path("sid").isString()) {
            throw new MalformedException("a CONNECT without a sid, as of Socket.IO 2");
        }
        quiet();
        String stated = data.path("pid").isString() ? data.get("pid").stringValue() : null;
        boolean recovered = stated != null && stated.equals(pid);
        if (!recovered) {
            offset = null;
        }
        pid = stated;
        phase = Phase.JOINED;
        session++;
        id = data.get("sid").stringValue();
        backoff.reset();
        client.link.joined();
        var connected = new Connected(id, recovered);
        client.turns.add(() -> channel.handlers.tell(channel.handlers.connected, connected), 0);
        outcome(joined -> joined.complete(connected));
        channel.outbox.joined(true);
        List<Packet> missed = List.copyOf(early);
        forgetEarly();
        missed.forEach(this::event);
        client.link.pump();
    }

    private void forgetEarly() {
        early.clear();
        earlySize = 0;
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
        return new Refused(
                more.path("code").asString(""),
                data.path("message").asString(""),
                more.isMissingNode()
                        ? Optional.empty()
                        : Optional.of(new Arguments(client.json, List.of(more))));
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
                client.loop.after(
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

    /** What was missed comes before the word that we have joined again. */
    private void tooEarly(Packet packet) throws MalformedException {
        earlySize += packet.size();
        if (earlySize > MOST_EARLY) {
            throw new MalformedException("too many events before CONNECT is answered");
        }
        early.add(packet);
    }

    private void event(Packet packet) {
        var arguments = new Arguments(client.json, packet.values());
        if (pid != null && packet.id() == Packet.NO_ID && arguments.lastText() != null) {
            offset = arguments.lastText();
        }
        channel.event(packet, arguments);
    }

    // ---- ends

    /** The link is lost. */
    void lost(Cause cause, String why) {
        quiet();
        round++;
        if (phase == Phase.JOINED) {
            boolean ours = leaving || client.isClosing();
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
        leaving = false;
        parting = false;
        round++;
        quiet();
        channel.requests.close(why);
    }

    /** Begins to leave: what was sent up to now goes first. */
    void leave() {
        if (phase == Phase.JOINED) {
            leaving = true;
            toFlush = channel.outbox.size();
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

    /**
     * Says good-bye if it is time. The official server forgets events that it has not looked at yet
     * when a good-bye comes, so that comes when it has taken them.
     */
    void leaveWhenFlushed() {
        boolean flushed = toFlush == 0 || channel.outbox.isEmpty();
        if (leaving && !parting && phase == Phase.JOINED && flushed) {
            parting = true;
            int mine = round;
            client.link.whenTaken(
                    () -> {
                        if (parting && round == mine) {
                            sayGoodBye();
                        }
                    });
        }
    }

    private void sayGoodBye() {
        client.link.write(Packet.encode(Kind.DISCONNECT, channel.name(), Packet.NO_ID, "", 0));
        left(Cause.CLOSED, "", false);
        client.link.release();
        client.link.pump();
    }
}
