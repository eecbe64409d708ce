// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.live.wire.EnginePacket;
import io.sirocco.live.wire.EnginePacket.Kind;
import io.sirocco.live.wire.Payload;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.Alarm;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * A session of Engine.IO 4.
 *
 * <pre>
 *   POLLING ── 2probe, 3probe ──▶ UPGRADING ── 5 ──▶ WEBSOCKET       a WebSocket may be the first, too
 *      └──────────────┬───────────────┴──────────────────┘
 *      finish: what waits is delivered first  ──▶ FINISHING ──▶ CLOSED ◀── close, lost, too slow
 * </pre>
 *
 * <p>It lives on the loop of its first request: what comes over others is handed over. While it is
 * idle it holds no more than its fields and one alarm. Loop-confined, but for {@link #run}, and for
 * what HTTP calls.
 */
public final class Session implements WebSocketListener {
    private static final LazyLogger LOG = LazyLogger.of(Session.class);
    private static final Parcel PING = Parcel.of("2");
    private static final String NOOP = "6";
    private static final String CLOSE = "1";
    private static final int RESTART = 1012;
    private static final int POLICY = 1008;

    private static final int UPGRADING = 1;
    private static final int FINISHING = 1 << 1;
    private static final int CLOSED = 1 << 2;
    private static final int PINGED = 1 << 3;
    private static final int FLUSHES = 1 << 4; // has a task to
    private static final int PAUSED = 1 << 5;
    private static final int POLLING = 1 << 6; // began so

    private final Engine engine;
    private final Loop loop;
    private final Peer peer;
    private final String id = Engine.newId();
    private Channel channel;
    private volatile WebSocket socket; // null while it polls
    private CompletableFuture<Response> poll; // that waits
    private CompletableFuture<Response> post; // whose answer is held back
    private Outbox outbox; // null while nothing waits
    private Alarm alarm;
    private int flags;

    Session(Engine engine, Loop loop, Peer peer) {
        this.engine = engine;
        this.loop = loop;
        this.peer = peer;
    }

    /** A secret between it and us. Any thread. */
    public String id() {
        return id;
    }

    /** Where it lives. Any thread. */
    public Loop loop() {
        return loop;
    }

    /** Who is at the other end. Any thread. */
    public Peer peer() {
        return peer;
    }

    /** {@code websocket} or {@code polling}. Any thread. */
    public String transport() {
        return polls() ? "polling" : "websocket";
    }

    /** What stands on it. Any thread, once it is open. */
    public Channel channel() {
        return channel;
    }

    boolean polls() {
        return socket == null;
    }

    private boolean is(int flag) {
        return (flags & flag) != 0;
    }

    /** Has {@code task} run on its loop: at once, if that is where we are. Any thread. */
    public void run(Runnable task) {
        if (loop.inLoop()) {
            task.run();
            return;
        }
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.get().log(Level.DEBUG, "too late: {0}", e.getMessage());
        }
    }

    // ---- life

    /** Opens it over long polling; answers what the client is told. */
    String openPolling() {
        flags |= POLLING;
        open();
        return opening(true);
    }

    private String opening(boolean upgrades) {
        String rest = engine.opening;
        return "0{\"sid\":\"" + id + (upgrades ? rest : rest.replace("[\"websocket\"]", "[]"));
    }

    private void open() {
        engine.add(this);
        alarm = loop.after(engine.settings.pingMillis(), this::ping);
        channel = engine.upper.open(this);
    }

    private void ping() {
        flags |= PINGED;
        alarm = loop.after(engine.settings.pongMillis(), this::silent);
        put(PING);
    }

    private void silent() {
        end(End.LOST, 1001, "no pong has come");
    }

    private void pong() throws WireException {
        if (!is(PINGED)) {
            throw new WireException("a pong has come that nobody has asked for");
        }
        flags &= ~PINGED;
        if (!is(FINISHING)) {
            alarm.cancel();
            alarm = loop.after(engine.settings.pingMillis(), this::ping);
        }
    }

    /** Closes it when all that waits has been delivered, or the time for that is over. */
    public void finish() {
        if (is(FINISHING | CLOSED)) {
            return;
        }
        flags |= FINISHING;
        alarm.cancel();
        alarm = loop.after(engine.settings.closeMillis(), () -> end(End.OURS, RESTART, ""));
        if (polls()) {
            flushPoll();
        } else {
            flush();
        }
    }

    /** Closes it at once: the peer has broken the protocol, or a limit. */
    public void cut(String why) {
        end(End.LOST, POLICY, why);
    }

    /** The same because we want so. */
    public void close() {
        end(End.OURS, RESTART, "");
    }

    private void end(End end, int code, String why) {
        if (is(CLOSED)) {
            return;
        }
        flags |= CLOSED;
        if (!why.isEmpty()) {
            LOG.get().log(Level.DEBUG, "session of {0} ends: {1}", peer.address(), why);
        }
        alarm.cancel();
        engine.remove(this);
        outbox = null;
        answerPoll(CLOSE);
        answerPost(Refusal.REQUEST.response());
        if (socket != null) {
            socket.close(code, why);
        }
        channel.closed(end);
    }

    // ---- what comes over a WebSocket, on its loop, which need not be ours

    @Override
    public void onOpen(WebSocket opened) {
        if (!is(POLLING)) { // it is the first thing that happens, on our loop
            socket = opened;
            opened.trySend(opening(false));
            open();
            return;
        }
        run(() -> loop.after(engine.settings.upgradeMillis(), () -> giveUp(opened)));
    }

    private void giveUp(WebSocket candidate) {
        if (candidate != socket) {
            candidate.close(POLICY, "no upgrade has come");
        }
    }

    @Override
    public void onText(WebSocket from, String text) {
        run(() -> receive(from, text));
    }

    @Override
    public void onBinary(WebSocket from, byte[] bytes) {
        run(() -> receive(from, new EnginePacket.Binary(bytes)));
    }

    @Override
    public void onDrained(WebSocket from) {
        run(this::flush);
    }

    @Override
    public void onClose(WebSocket from, WebSocket.Closed closed) {
        run(
                () -> {
                    if (from == socket) {
                        end(is(FINISHING) ? End.OURS : End.LOST, RESTART, "");
                    } else {
                        flags &= ~UPGRADING;
                    }
                });
    }

    private void receive(WebSocket from, String text) {
        try {
            EnginePacket.Text packet = EnginePacket.parse(text);
            if (from == socket) {
                receive(packet);
            } else {
                probe(from, packet);
            }
        } catch (WireException e) {
            broken(from, e);
        }
    }

    private void receive(WebSocket from, EnginePacket.Binary packet) {
        try {
            if (from != socket) {
                throw new WireException("bytes have come before the upgrade");
            }
            receive(packet);
        } catch (WireException e) {
            broken(from, e);
        }
    }

    private void broken(WebSocket from, WireException e) {
        if (from == socket) {
            cut(e.getMessage());
        } else {
            from.close(POLICY, e.getMessage());
        }
    }

    private void receive(EnginePacket packet) throws WireException {
        if (is(CLOSED)) {
            return;
        }
        switch (packet) {
            case EnginePacket.Binary(byte[] bytes) -> channel.binary(bytes);
            case EnginePacket.Text(Kind kind, String data) -> {
                switch (kind) {
                    case MESSAGE -> channel.text(data);
                    case PONG -> pong();
                    case CLOSE -> end(End.LOST, 1000, "");
                    default -> throw new WireException(kind + " is not for us");
                }
            }
        }
    }

    /** A WebSocket that wants to take the place of polling. */
    private void probe(WebSocket candidate, EnginePacket.Text packet) throws WireException {
        if (is(CLOSED) || socket != null) {
            candidate.close(POLICY, "the session is over, or upgraded");
        } else if (packet.kind() == Kind.PING && packet.data().equals("probe")) {
            flags |= UPGRADING;
            candidate.trySend("3probe");
            releasePoll();
        } else if (packet.kind() == Kind.UPGRADE && is(UPGRADING)) {
            flags &= ~UPGRADING;
            answerPoll(NOOP);
            answerPost(Engine.text("ok"));
            socket = candidate;
            if (is(PAUSED)) {
                candidate.pause();
            }
            flush();
        } else {
            throw new WireException("an upgrade begins with 2probe");
        }
    }

    // ---- what comes over long polling

    /** A request waits for packets. Any thread. */
    Response poll(Request request) {
        var answer = new CompletableFuture<Response>();
        run(() -> poll(answer));
        return Response.later(answer);
    }

    private void poll(CompletableFuture<Response> answer) {
        if (is(CLOSED)) {
            answer.complete(Refusal.SESSION.response());
        } else if (socket != null) {
            answer.complete(Refusal.REQUEST.response());
        } else if (poll != null) {
            answer.complete(Refusal.REQUEST.response());
            cut("two polls at once");
        } else {
            poll = answer;
            flushPoll();
            if (is(UPGRADING)) {
                answerPoll(NOOP);
            }
        }
    }

    /** A request brings packets. Any thread. */
    Response data(String body) {
        var answer = new CompletableFuture<Response>();
        run(() -> data(body, answer));
        return Response.later(answer);
    }

    private void data(String body, CompletableFuture<Response> answer) {
        if (is(CLOSED)) {
            answer.complete(Refusal.SESSION.response());
            return;
        }
        if (socket != null || post != null) {
            answer.complete(Refusal.REQUEST.response());
            if (post != null) {
                cut("two posts at once");
            }
            return;
        }
        try {
            List<EnginePacket> packets = Payload.parse(body);
            for (EnginePacket packet : packets) {
                receive(packet);
            }
        } catch (WireException e) {
            answer.complete(Refusal.REQUEST.response());
            cut(e.getMessage());
            return;
        }
        post = answer;
        if (!is(PAUSED)) {
            answerPost(Engine.text("ok"));
        }
    }

    private void answerPost(Response response) {
        if (post != null) {
            post.complete(response);
            post = null;
        }
    }

    private void answerPoll(String body) {
        if (poll != null) {
            poll.complete(Engine.text(body));
            poll = null;
        }
    }

    /** Nothing more is taken from the peer until {@link #resume}. */
    public void pause() {
        if (!is(PAUSED)) {
            flags |= PAUSED;
            if (socket != null) {
                socket.pause();
            }
        }
    }

    /** Takes from the peer again. */
    public void resume() {
        if (is(PAUSED)) {
            flags &= ~PAUSED;
            if (socket != null) {
                socket.resume();
            }
            answerPost(Engine.text("ok"));
        }
    }

    // ---- what goes out

    /** Sends a message, now or as soon as the peer takes it; a slow one may be closed over it. */
    public void send(Parcel parcel) {
        if (!is(CLOSED | FINISHING)) {
            put(parcel);
        }
    }

    private void put(Parcel parcel) {
        int sent = 0;
        if (socket != null && outbox == null) {
            sent = write(parcel, 0);
            if (sent == parcel.parts()) {
                return;
            }
        }
        if (outbox == null) {
            outbox = new Outbox(engine.settings.budget() - engine.window);
        }
        long dropped = outbox.dropped();
        if (!outbox.add(parcel, sent, engine.settings.overflow())) {
            end(End.SLOW, 1013, "it is too slow");
            return;
        }
        if (outbox.dropped() > dropped) {
            channel.dropped(outbox.dropped() - dropped);
        }
        if (polls() && !is(FLUSHES)) {
            flags |= FLUSHES; // what is sent in this turn leaves in one answer
            loop.execute(this::flushPoll);
        }
    }

    /** Writes what a WebSocket has room for; answers how many parts have gone. */
    private int write(Parcel parcel, int from) {
        int part = from;
        while (part < parcel.parts() && socket.trySend(parcel.part(part))) {
            part++;
        }
        return part;
    }

    private void flush() {
        if (is(CLOSED) || socket == null) {
            return;
        }
        while (outbox != null) {
            Parcel first = outbox.first();
            if (first != null) {
                int sent = write(first, outbox.sent());
                if (sent < first.parts()) {
                    outbox.sent(sent);
                    return;
                }
                outbox.removeFirst();
            } else {
                emptied();
            }
        }
        if (is(FINISHING)) {
            end(End.OURS, RESTART, "");
        }
    }

    private void emptied() {
        long dropped = outbox.dropped();
        outbox = null;
        if (dropped > 0) {
            channel.gap(dropped);
        }
    }

    /** An upgrade waits until nobody polls. */
    private void releasePoll() {
        flushPoll();
        answerPoll(NOOP);
    }

    private void flushPoll() {
        flags &= ~FLUSHES;
        if (poll == null || outbox == null && !is(FINISHING)) {
            return;
        }
        var body = new StringBuilder();
        int most = engine.settings.maxPayload();
        while (outbox != null) {
            Parcel first = outbox.first();
            if (first == null) {
                emptied();
            } else if (body.isEmpty() || body.length() + first.pollSize() <= most) {
                first.addTo(body);
                outbox.removeFirst();
            } else {
                break;
            }
        }
        if (!body.isEmpty()) {
            answerPoll(body.toString()); // a close has a poll of its own, or clients overlook this
        } else if (outbox == null && is(FINISHING)) {
            end(End.OURS, RESTART, "");
        }
    }
}
