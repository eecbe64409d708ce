// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.WebSocket;
import io.sirocco.live.wire.EnginePacket;
import io.sirocco.live.wire.EnginePacket.Kind;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.Loop;
import io.sirocco.net.MemoryBudget;
import io.sirocco.net.ScheduledTask;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * A session of Engine.IO 4.
 *
 * <pre>
 *   POLLING ── 2probe, 3probe ──▶ UPGRADING ── 5 ──▶ WEBSOCKET       a WebSocket may be the first, too
 *      └──────────────┬───────────────┴──────────────────┘
 *      finish: what waits is delivered first  ──▶ FINISHING ──▶ CLOSED ◀── close, lost, too slow
 * </pre>
 *
 * <p>It lives on the loop of its first request, to which is handed over what comes on others. When
 * a WebSocket on another loop takes the place of polling it moves there:
 *
 * <pre>
 *   here                                        there
 *   move    the WebSocket is paused      ──────▶ says so, behind all that it has handed over
 *   {@link Channel#move} what stands on it does its part ◀─┘
 *   {@link #leave}                                ──────▶ {@link #arrive}
 * </pre>
 *
 * <p>While it is idle it holds no more than its fields and one alarm. Loop-confined, but for {@link
 * #run}, and for what HTTP calls.
 */
public final class Session implements Runnable {
    private static final LazyLogger LOG = LazyLogger.of(Session.class);
    private static final Parcel PING = Parcel.of("2");
    private static final VarHandle OUTBOX = outboxField();
    private static final int RESTART = 1012;
    private static final int POLICY = 1008;
    private static final int TOO_LARGE = 1009;
    private static final int MOVE_AGAIN_MILLIS = 100;
    private static final int MAX_BEFORE_ADMISSION = 16 << 10;

    private static final int MOVING = 1;
    private static final int FINISHING = 1 << 1;
    private static final int CLOSED = 1 << 2;
    private static final int PINGED = 1 << 3;
    private static final int PAUSED = 1 << 4;

    private final Engine engine;
    private volatile Peer peer; // set where it lives
    private String id; // by which requests name it; null if it began with a WebSocket
    private volatile Home home;
    private Channel channel;
    private volatile WebSocket socket; // null while it polls
    private Polling polling; // null when it does not
    private Outbox outbox; // null while nothing waits; others look at its size
    private ScheduledTask alarm;
    private int flags;
    private int head; // bytes that the engine counts for the headers of its first request

    Session(Engine engine, Home home, Peer peer) {
        this.engine = engine;
        this.home = home;
        this.peer = peer;
    }

    /** Returns its key among the sessions of the engine: its id if requests name it. */
    Object key() {
        return id == null ? this : id;
    }

    /** Where it lives. Any thread. */
    public Home home() {
        return home;
    }

    /** The loop of that. Any thread. */
    public Loop loop() {
        return home.loop();
    }

    /** Who is at the other end. Any thread. */
    public Peer peer() {
        return peer;
    }

    /** Forgets the headers of its first request, but for these: see {@link Peer#only}. */
    public void keepHeaders(Map<String, Integer> longest) {
        peer = engine.shared(peer.only(longest));
        forgetHead();
    }

    private void forgetHead() {
        engine.forgotten(head);
        head = 0;
    }

    /** {@code websocket} or {@code polling}. Any thread. */
    public String transport() {
        return polls() ? "polling" : "websocket";
    }

    /** What stands on it. Any thread, once it is open. */
    public Channel channel() {
        return channel;
    }

    private static VarHandle outboxField() {
        try {
            return MethodHandles.lookup().findVarHandle(Session.class, "outbox", Outbox.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    boolean polls() {
        return socket == null;
    }

    private boolean is(int flag) {
        return (flags & flag) != 0;
    }

    /** Has {@code task} run on its loop: at once, if that is where we are. Any thread. */
    public void run(Runnable task) {
        Loop at = loop();
        if (at.runInLoop(task)) {
            return;
        }
        try {
            at.execute(() -> run(task)); // it may have moved meanwhile
        } catch (RejectedExecutionException e) {
            LOG.get().log(Level.DEBUG, "too late: {0}", e.getMessage());
        }
    }

    // ---- life

    /** Opens it over long polling; answers what the client is told. */
    String openPolling(String mark) {
        polling = new Polling(this, mark);
        id = Engine.newId();
        open();
        return opening(id, true);
    }

    private String opening(String id, boolean upgrades) {
        String rest = engine.opening;
        return "0{\"sid\":\"" + id + (upgrades ? rest : rest.replace("[\"websocket\"]", "[]"));
    }

    private void open() {
        head = peer.size();
        engine.add(this, head);
        setAlarm(engine.settings.pingMillis());
        channel = engine.upper.open(this);
    }

    private void setAlarm(long millis) {
        alarm = loop().schedule(millis, this);
    }

    /** Its alarm; an object less than a task for each of the three. */
    @Override
    public void run() {
        if (is(FINISHING)) {
            close();
        } else if (is(PINGED)) {
            silent();
        } else {
            ping();
        }
    }

    private void ping() {
        flags |= PINGED;
        setAlarm(engine.settings.pongMillis());
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
            setAlarm(engine.settings.pingMillis());
        }
    }

    /** Closes it when all that waits has been delivered, or the time for that is over. */
    public void finish() {
        if (is(FINISHING | CLOSED)) {
            return;
        }
        flags |= FINISHING;
        alarm.cancel();
        setAlarm(engine.settings.closeMillis());
        if (polling != null) {
            polling.flush();
        } else {
            flush();
        }
    }

    /** All that waited has been delivered. */
    void drained() {
        if (is(FINISHING)) {
            close();
        }
    }

    /** Closes it at once: the peer has broken the protocol, or a limit. */
    public void cut(String why) {
        end(End.LOST, POLICY, why);
    }

    void cut(WireException e) {
        if (e.isLimit()) {
            end(End.LIMITED, TOO_LARGE, e.getMessage());
        } else {
            cut(e.getMessage());
        }
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
        forgetHead();
        if (outbox != null) {
            outbox.clear();
            outbox = null;
        }
        if (polling != null) {
            polling.close();
        }
        if (socket != null) {
            socket.close(code, why);
        }
        channel.closed(end);
    }

    // ---- what comes over long polling, and over both

    /** A request waits for packets. Any thread. */
    Response poll(Request request) {
        String mark = Engine.mark(request);
        boolean gzip = PollCompression.accepts(request);
        return later(request, answer -> polling.poll(mark, gzip, answer));
    }

    /** A request brings packets, of which none has been read. Any thread. */
    Response data(Request request) {
        String mark = Engine.mark(request);
        return later(request, answer -> polling.post(request, mark, answer));
    }

    /** Returns how many bytes one post may bring: little, while nobody is admitted. */
    int mostInPost() {
        int most = engine.settings.maxPayload();
        return channel.isAdmitted() ? most : Math.min(most, MAX_BEFORE_ADMISSION);
    }

    long postWindowMillis() {
        return engine.settings.postWindowMillis();
    }

    private Response later(Request request, Consumer<CompletableFuture<Response>> then) {
        var answer = new CompletableFuture<Response>();
        run(
                () -> {
                    if (mayPoll(answer)) {
                        then.accept(answer);
                    }
                });
        request.onDisconnect(() -> run(this::cutOff));
        return Response.async(answer);
    }

    /** A client has gone that waited for an answer: whatever that was, it is lost. */
    private void cutOff() {
        if (polling != null) {
            end(is(FINISHING) ? End.OURS : End.LOST, POLICY, "a request was cut off");
        }
    }

    private boolean mayPoll(CompletableFuture<Response> answer) {
        if (is(CLOSED)) {
            answer.complete(Refusal.SESSION.response());
        } else if (polling == null) {
            answer.complete(Refusal.REQUEST.response());
        }
        return !answer.isDone();
    }

    void receive(EnginePacket packet) throws WireException {
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

    boolean paused() {
        return is(PAUSED);
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
            readAgain();
            if (polling != null) {
                polling.resume();
            }
        }
    }

    private void readAgain() {
        if (socket != null && !is(PAUSED | MOVING)) {
            socket.resume();
        }
    }

    // ---- what comes over a WebSocket

    /**
     * It begins with this one, on our loop. The protocol has an id for it as well, but no request
     * ever names it, so nothing keeps it.
     */
    void openSocket(WebSocket first) {
        socket = first;
        first.trySend(opening(Engine.newId(), false));
        open();
    }

    /** There is room again. */
    void flushSocket() {
        run(this::flush);
    }

    /** One has come to its end, with this code. */
    void lost(WebSocket one, int code) {
        if (one == socket) {
            End why = code == TOO_LARGE ? End.LIMITED : End.LOST;
            end(is(FINISHING) ? End.OURS : why, RESTART, "");
        } else if (polling != null) {
            polling.goOn();
        }
    }

    /** One is there, and shall say what it wants. */
    void awaitUpgrade(WebSocket candidate) {
        loop().schedule(
                        engine.settings.upgradeMillis(),
                        () -> {
                            if (candidate != socket) {
                                candidate.close(POLICY, "no upgrade has come");
                            }
                        });
    }

    void receive(Line line, WebSocket from, String text) {
        try {
            EnginePacket.Text packet = EnginePacket.parse(text);
            if (text.length() > MAX_BEFORE_ADMISSION && !channel.isAdmitted()) {
                throw new WireException("a long message has come before anybody was admitted");
            } else if (from == socket) {
                receive(packet);
            } else {
                probe(line, from, packet);
            }
        } catch (WireException e) {
            broken(from, e);
        }
    }

    void receive(WebSocket from, EnginePacket.Binary packet) {
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
            cut(e);
        } else {
            from.close(POLICY, e.getMessage());
        }
    }

    private void probe(Line line, WebSocket from, EnginePacket.Text packet) throws WireException {
        if (is(CLOSED) || polling == null) {
            from.close(POLICY, "the session is over, or upgraded");
        } else if (polling.probed(from, packet)) {
            upgrade(line, from);
        }
    }

    private void upgrade(Line line, WebSocket to) {
        polling.upgraded();
        polling = null;
        socket = to;
        if (is(PAUSED)) {
            to.pause();
        }
        flush();
        if (line.home != home) {
            move(line.home);
        }
    }

    // ---- moving

    private void move(Home to) {
        if (is(CLOSED | FINISHING)) {
            return;
        }
        flags |= MOVING;
        socket.pause();
        socket.execute(() -> run(() -> handOver(to)));
    }

    /** Nothing that has come over the WebSocket is under way any more. */
    private void handOver(Home to) {
        if (!is(CLOSED) && !channel.move(to)) {
            flags &= ~MOVING;
            readAgain();
            loop().schedule(MOVE_AGAIN_MILLIS, () -> move(to));
        }
    }

    /**
     * It lives there from now on, and with it all that goes by {@link #home}: nothing here may
     * touch it any more.
     *
     * @return false when it has ended meanwhile
     */
    public boolean leave(Home to) {
        if (is(CLOSED)) {
            return false;
        }
        alarm.cancel();
        home = to;
        return true;
    }

    /** It is there. */
    public void arrive() {
        flags &= ~MOVING;
        if (is(CLOSED)) {
            return;
        }
        if (is(FINISHING)) {
            setAlarm(engine.settings.closeMillis());
        } else if (is(PINGED)) {
            setAlarm(engine.settings.pongMillis());
        } else {
            setAlarm(engine.settings.pingMillis());
        }
        readAgain();
    }

    // ---- what goes out

    /** Sends a message, now or as soon as the peer takes it; a slow one may be closed over it. */
    public void send(Parcel parcel) {
        if (!is(CLOSED | FINISHING)) {
            put(parcel);
        }
    }

    /**
     * Returns whether a long message may wait for the peer: whether the output of all peers and the
     * memory of the loop, where a WebSocket holds a whole message, have room. Any thread.
     */
    public boolean mayAnswer() {
        MemoryBudget sockets = loop().memory();
        return !engine.output.isExhausted() && sockets.used() < sockets.limit();
    }

    private void put(Parcel parcel) {
        int sent = 0;
        if (socket != null && outbox == null) {
            sent = parcel.writeTo(socket, 0);
            if (sent == parcel.parts()) {
                return;
            }
        }
        if (outbox == null) {
            outbox = new Outbox(engine.output, engine.outboxBudget());
        }
        long dropped = outbox.dropped();
        if (!outbox.add(parcel, sent, engine.settings.overflow())) {
            tooSlow();
            engine.endSlowest();
            return;
        }
        if (outbox.dropped() > dropped) {
            channel.dropped(outbox.dropped() - dropped);
        }
        if (polling != null) {
            polling.wake();
        }
        engine.endSlowest(); // this one, perhaps
    }

    private void tooSlow() {
        end(End.SLOW, 1013, "it is too slow");
    }

    /** Closes it because others need what waits for it. Any thread. */
    void giveUp() {
        run(this::tooSlow);
    }

    /** Bytes that would be free without it. Any thread; a moment old perhaps. */
    long holds() {
        var some = (Outbox) OUTBOX.getOpaque(this);
        return some == null ? 0 : some.holds();
    }

    private void flush() {
        if (is(CLOSED) || socket == null) {
            return;
        }
        while (outbox != null) { // to be told of a gap may need one again
            if (!outbox.writeTo(socket)) {
                return;
            }
            emptied();
        }
        drained();
    }

    /** What one poll may answer of that which waits; empty when nothing does. */
    String takePayload() {
        var body = new StringBuilder();
        while (outbox != null) {
            outbox.addTo(body, engine.settings.maxPayload());
            if (!outbox.isEmpty()) {
                break;
            }
            emptied();
        }
        return body.toString();
    }

    private void emptied() {
        long dropped = outbox.dropped();
        outbox = null;
        if (dropped > 0) {
            channel.gap(dropped);
        }
        channel.room();
    }

    /**
     * Whether the peer takes more at once, or in its next poll: for what waits to be sent elsewhere
     * and need not be here.
     */
    public boolean hasRoom() {
        if (is(CLOSED | FINISHING)) {
            return false;
        }
        return outbox == null || polling != null && outbox.size() < engine.roomForPolls();
    }

    /**
     * Whether less than half of what may wait for the peer does, with {@code more} bytes. Any
     * thread; on others than its own what it says is a moment old.
     */
    public boolean isHalfEmpty(long more) {
        var some = (Outbox) OUTBOX.getOpaque(this);
        long waiting = some == null ? 0 : some.size();
        return waiting + more < Math.max(1, engine.outboxAllowed() / 2);
    }
}
