// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.live.client.Packet.Kind;
import io.sirocco.net.Alarm;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A namespace over a {@link Link} that comes and goes.
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
 * <p>What is private is loop-confined, unless it says otherwise; the rest is as the interface has
 * it.
 */
final class Channel implements LiveNamespace {
    private enum Phase {
        IDLE,
        WAITING,
        ASKING,
        JOINED
    }

    /** Those that mean something to the other end itself. */
    private static final Set<String> RESERVED =
            Set.of(
                    "connect",
                    "connect_error",
                    "disconnect",
                    "disconnecting",
                    "newListener",
                    "removeListener");

    /** Bytes of events that a server may send before it has answered CONNECT. */
    private static final long MOST_EARLY = 4 << 20;

    private final LiveClient client;
    private final String name;

    // Any thread.
    private final Outbox outbox;
    private final Handlers handlers = new Handlers();
    private final Map<Long, Asked> asked = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private volatile String id; // null unless it is joined
    private volatile long session; // counts those that were joined

    // On the loop.
    private Phase phase = Phase.IDLE;
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

    Channel(LiveClient client, String name) {
        this.client = client;
        this.name = name;
        LiveClientSettings settings = client.settings;
        this.outbox = new Outbox(settings.offline, settings.offlineBytes, settings.overflow);
        this.backoff = client.backoff();
    }

    // ---- what a program may ask for

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<String> id() {
        return Optional.ofNullable(id);
    }

    @Override
    public boolean isConnected() {
        return id != null;
    }

    @Override
    public CompletableFuture<Connected> connect() {
        var outcome = new CompletableFuture<Connected>();
        if (!client.execute(() -> connect(outcome))) {
            outcome.completeExceptionally(new IllegalStateException("The client is closed."));
        }
        return outcome;
    }

    private void connect(CompletableFuture<Connected> outcome) {
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

    @Override
    public void leave() {
        client.execute(this::beginLeaving);
    }

    @Override
    public <T> LiveNamespace on(String event, Class<T> type, Handler<? super T> handler) {
        return on(event, arguments -> handler.handle(arguments.as(0, type)));
    }

    @Override
    public LiveNamespace on(String event, Handler<Arguments> handler) {
        handlers.on(event, handler);
        return this;
    }

    @Override
    public LiveNamespace off(String event) {
        handlers.off(event);
        return this;
    }

    @Override
    public <T> LiveNamespace onRequest(String event, Class<T> type, Answerer<? super T> answerer) {
        return onRequest(event, arguments -> answerer.answer(arguments.as(0, type)));
    }

    @Override
    public LiveNamespace onRequest(String event, Answerer<Arguments> answerer) {
        handlers.onRequest(event, answerer);
        return this;
    }

    @Override
    public LiveNamespace onConnected(Handler<Connected> handler) {
        handlers.connected.add(handler);
        return this;
    }

    @Override
    public LiveNamespace onDisconnected(Handler<Disconnected> handler) {
        handlers.disconnected.add(handler);
        return this;
    }

    @Override
    public LiveNamespace onRefused(Handler<Refused> handler) {
        handlers.refused.add(handler);
        return this;
    }

    @Override
    public LiveNamespace onError(Consumer<Throwable> handler) {
        handlers.onError(handler);
        return this;
    }

    @Override
    public boolean send(String event, Object... arguments) {
        try {
            return put(event(event, arguments, Packet.NO_ID));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public <T> T request(String event, Duration longest, Class<T> type, Object... arguments) {
        if (asked.size() >= client.settings.requests) {
            throw RequestException.refused(
                    "limited", asked.size() + " requests wait for an answer already");
        }
        long number = ids.getAndIncrement();
        Message message = event(event, arguments, number);
        var mine = new Asked(event);
        asked.put(number, mine);
        try {
            if (!put(message)) {
                mine.closed(client.isClosing() ? "the client is closed" : "there is no room");
            }
            return mine.await(longest, type);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RequestException.of(
                    RequestException.Kind.CLOSED, "interrupted before '" + event + "' was sent");
        } finally {
            asked.remove(number);
            if (!mine.isSent()) {
                outbox.remove(message);
            }
        }
    }

    @Override
    public long dropped() {
        return outbox.dropped();
    }

    Handlers handlers() {
        return handlers;
    }

    // ---- out

    private Message event(String event, Object[] arguments, long number) {
        if (RESERVED.contains(event)) {
            throw new IllegalArgumentException(
                    "'" + event + "' is reserved by the protocol: choose another name.");
        }
        var values = new ArrayList<>(arguments.length + 1);
        values.add(event);
        values.addAll(Arrays.asList(arguments));
        return message(Kind.EVENT, event, values, number, number, 0);
    }

    private Message message(
            Kind kind, String event, List<?> values, long onWire, long number, long ofSession) {
        Json.Text text = client.json.array(values);
        String encoded = Packet.encode(kind, name, onWire, text.json(), text.attachments().size());
        return new Message(event, encoded, text.attachments(), number, ofSession);
    }

    /** Any thread but the loop's. */
    private boolean put(Message message) throws InterruptedException {
        var displaced = new ArrayList<Message>(0);
        boolean taken = outbox.put(message, displaced);
        for (Message each : displaced) {
            close(each, "newer ones have taken its place");
        }
        if (taken) {
            client.wake();
        }
        return taken;
    }

    private void close(Message message, String why) {
        Asked waits = message.id() == Packet.NO_ID ? null : asked.get(message.id());
        if (waits != null) {
            waits.closed(why);
        }
    }

    /** The next message for the link; null when there is none for now. */
    Message next() {
        if (phase != Phase.JOINED) {
            return null;
        }
        for (Message message; (message = outbox.poll()) != null; ) {
            toFlush = Math.max(0, toFlush - 1);
            if (message.session() != 0 && message.session() != session) {
                continue; // who has asked is not there any more
            }
            if (message.id() != Packet.NO_ID) {
                Asked waits = asked.get(message.id());
                if (waits == null) {
                    continue; // nobody waits for the answer any more
                }
                waits.sent();
            }
            return message;
        }
        return null;
    }

    /** It cannot be sent. */
    void unsendable(Message message, String why) {
        close(message, why);
        if (message.id() == Packet.NO_ID) {
            var error = new IllegalArgumentException("'" + message.event() + "': " + why);
            client.turns.add(() -> handlers.failed(error), 0);
        }
    }

    /** Whether there are requests under way. Any thread. */
    boolean asks() {
        return !asked.isEmpty();
    }

    // ---- the way in

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
        client.link.write(Packet.encode(Kind.CONNECT, name, Packet.NO_ID, data.toString(), 0));
    }

    private void cannotAsk(int ofRound, Throwable thrown) {
        if (round == ofRound) {
            client.turns.add(() -> handlers.failed(thrown), 0);
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
            case ANSWER -> answer(packet);
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
        client.turns.add(() -> handlers.tell(handlers.connected, connected), 0);
        outcome(joined -> joined.complete(connected));
        outbox.joined(true);
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
        client.turns.add(() -> handlers.tell(handlers.refused, refused), 0);
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
        String event = packet.event();
        long ofSession = session;
        client.turns.add(
                () -> {
                    if (packet.id() == Packet.NO_ID) {
                        handlers.tell(event, arguments);
                    } else {
                        answer(event, arguments, packet.id(), ofSession);
                    }
                },
                packet.size());
    }

    /** On the thread of handlers. */
    private void answer(String event, Arguments arguments, long number, long ofSession) {
        List<?> values;
        try {
            Answerer<Arguments> answerer = handlers.answerer(event);
            if (answerer != null) {
                Object answer = answerer.answer(arguments);
                values = Arrays.asList(answer);
            } else if (handlers.tell(event, arguments)) {
                values = List.of();
            } else {
                values = error("unknown_event", "nobody handles '" + event + "'");
            }
        } catch (RequestException e) {
            boolean ours = e.kind() == RequestException.Kind.REFUSED;
            values = ours ? error(e.code(), e.getMessage()) : failed(e);
        } catch (Throwable e) {
            values = failed(e);
        }
        try {
            put(message(Kind.ANSWER, event, values, number, Packet.NO_ID, ofSession));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<?> failed(Throwable thrown) {
        handlers.failed(thrown);
        return error("failed", "the handler has failed");
    }

    private static List<?> error(String code, String message) {
        return List.of(Map.of("error", Map.of("code", code, "message", message)));
    }

    private void answer(Packet packet) {
        Asked waits = asked.remove(packet.id());
        if (waits != null) { // else it has come too late
            waits.answered(new Arguments(client.json, packet.values()));
        }
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
        outbox.joined(false);
        asked.values().stream()
                .filter(Asked::isSent)
                .forEach(waits -> waits.closed("the connection is " + cause));
        if (returns) {
            phase = Phase.WAITING;
        } else {
            idle("the connection is " + cause);
        }
        client.turns.add(() -> handlers.tell(handlers.disconnected, disconnected), 0);
    }

    private void idle(String why) {
        phase = Phase.IDLE;
        leaving = false;
        parting = false;
        round++;
        quiet();
        asked.values().forEach(waits -> waits.closed(why));
    }

    /** Begins to leave: what was sent up to now goes first. */
    void beginLeaving() {
        if (phase == Phase.JOINED) {
            leaving = true;
            toFlush = outbox.size();
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
        boolean flushed = toFlush == 0 || outbox.isEmpty();
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
        client.link.write(Packet.encode(Kind.DISCONNECT, name, Packet.NO_ID, "", 0));
        left(Cause.CLOSED, "", false);
        client.link.release();
        client.link.pump();
    }

    /** The client is being closed. Any thread. */
    void refuseMore() {
        outbox.close();
    }

    /** Nothing of it will be sent or answered any more. */
    void end() {
        outbox.clear();
        asked.values().forEach(waits -> waits.closed("the client is closed"));
    }
}
