// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.loop.ServerProtocol;
import io.sirocco.http.websocket.MessageReader.Event;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.TaskKind;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/**
 * WebSocket on a connection that has been upgraded.
 *
 * <pre>
 *            we send a close frame              so does the peer
 *   OPEN ─────────────────────▶ CLOSING ─────────────────────────────────▶ OVER ──▶ gone
 *    │ the peer sends one: we reply                timeout, lost             ▲
 *    └── violation: reported, lost ──────────────────────────────────────────┘
 * </pre>
 *
 * <p>While it is idle it holds no more than its fields. Loop-confined, except the methods of {@link
 * WebSocket}.
 */
public final class WebSocketConnection extends WebSocketOutput implements ServerProtocol {
    /** Bytes that a message which waits for the program costs, beside its own. */
    static final int MESSAGE_COST = 64;

    /** Messages and control frames of a WebSocket that a turn of the loop serves in a row. */
    private static final int MAX_PER_TURN = 256;

    private final WebSocketListener listener;
    private final TaskKind kind; // of the listener's calls; null for one that stays on the loop
    private ListenerQueue queue; // null while the listener is called on the loop
    private ArrayDeque<Call> postponed; // that came while the listener is called; null for none
    private MessageReader reader; // null between messages, unless it keeps a context

    private Closed firstClose; // of the side that was first; null while it is open
    private long heard; // when something came last, in the loop's milliseconds
    private long since; // since when a pong or the peer's close frame is expected

    /** A call of the listener, and the bytes that are reserved for it. */
    private record Call(int cost, Runnable what) {}

    public WebSocketConnection(
            Connection connection,
            WebSocketContext context,
            WebSocketGroup sockets,
            Agreement agreement,
            String subprotocol,
            WebSocketListener listener,
            TaskKind kind,
            String id) {
        super(connection, context, sockets, agreement, subprotocol, id);
        this.listener = listener;
        this.kind = kind;
    }

    /** Starts the socket, after output that is already written. */
    @Override
    public void begin() {
        sockets.opened();
        context.socketOpened();
        connection.compactRemote();
        heard = context.loop.now();
        beginOutput();
        setDeadline();
        call(0, () -> listener.onOpen(this));
    }

    // ---- input

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        heard = context.loop.now();
        flags &= ~PINGED;
        int used = read(bytes, from, to);
        if (!connection.reserveMemory(stored())) {
            failForMemory();
        }
        if (reader != null && reader.isAtRest()) {
            reader = null;
        }
        return used;
    }

    private MessageReader reader() {
        if (reader == null) {
            reader =
                    new MessageReader(
                            context.role.other(),
                            agreement,
                            sockets.terms.maxFrame(),
                            sockets.terms.maxMessage());
        }
        return reader;
    }

    /** Returns the bytes that are kept of a message which has come in part. */
    private int stored() {
        return reader == null ? 0 : reader.stored();
    }

    private int read(byte[] bytes, int from, int to) {
        int at = from;
        while (true) {
            if (is(OVER | PEER_CLOSED)) {
                return to;
            }
            if (heldBack()) {
                connection.suspend();
                return at;
            }
            if (at < to && !is(CLOSING) && connection.mustYield(MAX_PER_TURN)) {
                connection.yieldInput();
                return at;
            }
            at = reader().read(bytes, at, to);
            if (reader.event() == Event.NONE) {
                return at;
            }
            act(reader.event());
        }
    }

    private void failForMemory() {
        closeNow(CloseCode.TRY_AGAIN_LATER, "memory is short");
        over(new Closed(CloseCode.TRY_AGAIN_LATER, "memory is short", false));
        connection.finish();
    }

    /**
     * Reserves memory for a complete message that waits for the listener or handler, or closes the
     * WebSocket if there is none.
     */
    boolean reserve(int bytes) {
        connection.reserveMemory(stored()); // no longer the pieces of this message
        if (context.loop.memory().reserve(bytes)) {
            return true;
        }
        failForMemory();
        return false;
    }

    /**
     * Closes the socket, unless only its own handler or listener suspends reading and no part of a
     * message is stored: then it has nothing to give up.
     */
    @Override
    public boolean memoryShort(Connection connection) {
        if (is(PAUSED | BEHIND) && heldBack() && !is(CONGESTED) && stored() == 0) {
            return false;
        }
        boolean called = is(CALLING);
        flags |= CALLING; // the listener is called later: others are waiting for this memory
        failForMemory();
        if (!called) {
            flags &= ~CALLING;
            context.execute(this::callPostponed);
        }
        return true;
    }

    /**
     * Returns whether reading is suspended. Once our close frame waits for the peer's, everything
     * is read. A client reads however much it has to send: a server may stop reading until its
     * output is read, and if both waited, neither could ever continue.
     */
    private boolean heldBack() {
        int reasons = context.role == Role.SERVER ? PAUSED | CONGESTED | BEHIND : PAUSED;
        return is(reasons) && !is(CLOSING);
    }

    private void act(Event event) {
        switch (event) {
            case TEXT -> {
                String text = reader.text();
                deliver(text.length(), () -> listener.onText(this, text));
            }
            case BINARY -> {
                byte[] bytes = reader.payload();
                deliver(bytes.length, () -> listener.onBinary(this, bytes));
            }
            case PONG -> {
                byte[] payload = reader.payload();
                deliver(payload.length, () -> listener.onPong(this, payload));
            }
            case PING -> {
                byte[] payload = reader.payload();
                boolean floods = context.role == Role.CLIENT && refusesPongs();
                if (!is(CLOSING) && !floods) {
                    writeNow(Frame.FIN | Frame.PONG, payload);
                    deliver(payload.length, () -> listener.onPing(this, payload));
                }
            }
            case CLOSE -> peerCloses(reader.closeCode(), reader.closeReason());
            case VIOLATION -> fail(reader.violation());
            case NONE -> throw new AssertionError(event);
        }
    }

    /**
     * Returns whether the peer sends pings and does not read, so that they are not answered: the
     * newest pong suffices (RFC 6455 5.5.3).
     */
    private boolean refusesPongs() {
        return pending() >= 2L * sockets.terms.maxPending();
    }

    private void deliver(int size, Runnable call) {
        if (!is(CLOSING)) { // messages after our close frame are too late
            call(size + MESSAGE_COST, call);
        }
    }

    /**
     * Calls the listener here, unless it may block or has blocked a loop. A {@code cost} of 0 is
     * for an event that is delivered even when memory is short.
     */
    private void call(int cost, Runnable call) {
        boolean mayBlock =
                sockets.terms.blockingListener() && !(listener instanceof BlockingWebSocket);
        if (is(CALLING)) {
            callLater(cost, call);
        } else if (kind == null && !mayBlock) {
            callHere(call);
        } else if (queue == null && !mayBlock && !kind.moved()) {
            TaskKind before = context.loop.beginTask(kind);
            try {
                callHere(call);
            } finally {
                context.loop.endTask(before);
            }
        } else {
            if (queue == null) {
                queue = new ListenerQueue(this, kind);
            }
            if (cost > 0 && !reserve(cost)) {
                return;
            }
            queue.add(cost, call);
            if (queue.isFull()) {
                flags |= BEHIND;
            }
        }
    }

    /** Calls the listener on the loop, and then again for what has come meanwhile. */
    private void callHere(Runnable call) {
        flags |= CALLING;
        callNow(call);
        flags &= ~CALLING;
        callPostponed();
    }

    private void callPostponed() {
        while (postponed != null && !is(CALLING)) {
            Call next = postponed.poll();
            if (next != null) {
                context.loop.memory().release(next.cost);
                call(next.cost, next.what);
                continue;
            }
            postponed = null;
            if (queue == null || !queue.isFull()) {
                flags &= ~BEHIND;
                readAgain();
            }
        }
    }

    /**
     * Calls of one listener do not overlap: one may wait for a lock, on a thread of the loop, while
     * another thread of the loop does something that leads to the next. One more message is read at
     * most.
     */
    private void callLater(int cost, Runnable call) {
        if (cost > 0 && !reserve(cost)) {
            return;
        }
        if (postponed == null) {
            postponed = new ArrayDeque<>(2);
        }
        postponed.add(new Call(cost, call));
        flags |= BEHIND;
    }

    /** Calls the listener, on the loop or on the thread of its queue. */
    void callNow(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            try {
                context.failed(id(), e);
            } finally {
                execute(() -> closeNow(CloseCode.INTERNAL_ERROR, ""));
            }
        } finally {
            context.clearThread();
        }
    }

    /** Called when the listener has caught up. Any thread. */
    void caughtUp() {
        execute(
                () -> {
                    if (!queue.isFull()) {
                        flags &= ~BEHIND;
                        readAgain();
                    }
                });
    }

    /**
     * Called when the listener has consumed everything: answers the peer's close frame. Any thread.
     */
    void answerCloseLater() {
        execute(
                () -> {
                    if (!queue.isBusy()) {
                        answerClose();
                    }
                });
    }

    @Override
    public void pause() {
        execute(() -> flags |= PAUSED);
    }

    @Override
    public void resume() {
        execute(
                () -> {
                    flags &= ~PAUSED;
                    readAgain();
                });
    }

    @Override
    void readAgain() {
        if (!heldBack()) {
            if (is(PINGED) && !is(CLOSING)) {
                since = context.loop.now(); // its pong may be among the unread bytes
            }
            connection.resume();
        }
    }

    @Override
    public void sent(Connection connection) {
        noteSent();
    }

    @Override
    void notifyDrained() {
        if (!is(OVER) && owesDrained()) {
            call(0, () -> listener.onDrained(this));
        }
    }

    // ---- time

    private static long after(long from, long millis) {
        return millis == 0 ? Long.MAX_VALUE : from + millis;
    }

    /**
     * Returns when the close timeout ends. It does not run while the peer still reads what was sent
     * before our close frame, because it cannot have replied yet.
     */
    private long closeDeadline() {
        return (is(PEER_CLOSED) ? since : Math.max(since, progress)) + sockets.terms.closeMillis();
    }

    @Override
    void setDeadline() {
        WebSocketTerms terms = sockets.terms;
        long at = is(CONGESTED) ? after(progress, context.writeMillis()) : Long.MAX_VALUE;
        if (is(CLOSING | PEER_CLOSED)) {
            at = closeDeadline();
        } else if (is(PINGED)) {
            at = Math.min(at, Math.max(since, progress) + terms.pongMillis());
        } else {
            at = Math.min(at, after(heard, terms.pingMillis()));
        }
        connection.deadline(Math.max(at, context.loop.now() + 1));
    }

    @Override
    public void expired(Connection connection) {
        long now = context.loop.now();
        WebSocketTerms terms = sockets.terms;
        if (is(OVER)) {
            connection.abort();
        } else if (is(CLOSING | PEER_CLOSED)) {
            if (now >= closeDeadline()) {
                if (is(PEER_CLOSED)) {
                    answerClose();
                } else {
                    lose(firstClose.code(), firstClose.reason());
                }
            }
        } else if (is(CONGESTED) && now >= after(progress, context.writeMillis())) {
            lose(CloseCode.LOST, "the peer takes nothing");
        } else if (is(PINGED)) {
            if (heldBack()) {
                since = now; // its pong may have come, and not be read
            } else if (now >= Math.max(since, progress) + terms.pongMillis()) {
                lose(CloseCode.LOST, "no pong has come");
            }
        } else if (now >= after(heard, terms.pingMillis())) {
            flags |= PINGED;
            since = now;
            writeNow(Frame.FIN | Frame.PING, NOTHING);
        }
        if (!is(OVER)) {
            setDeadline();
        }
    }

    // ---- ends

    /** Called when the peer sends a close frame, first or in reply to ours. */
    private void peerCloses(int code, String reason) {
        if (is(CLOSING)) {
            over(firstClose);
            finish();
            return;
        }
        firstClose = new Closed(code, reason, true);
        answerWhenAllIsTaken();
    }

    /**
     * Replies to a close frame after the handler has consumed all messages, and after the messages
     * that it sends for them.
     */
    private void answerWhenAllIsTaken() {
        flags |= PEER_CLOSED;
        if (listener instanceof BlockingWebSocket blocking && blocking.stillAnswers()
                || queue != null && queue.isBusy()) {
            since = context.loop.now();
            setDeadline();
        } else {
            answerClose();
        }
    }

    /** Sends a close frame to a peer that has sent one, or that has violated the protocol. */
    void answerClose() {
        if (is(PEER_CLOSED) && !is(CLOSING | OVER)) {
            run(); // earlier messages go first
            if (reader != null && reader.violation() != null) {
                failNow(reader.violation());
                return;
            }
            int code = firstClose.code();
            byte[] answer = code == CloseCode.NONE ? NOTHING : Frame.closing(code, "");
            writeNow(Frame.FIN | Frame.CLOSE, answer);
        }
    }

    /**
     * Ends the connection after both close frames. The server closes it and a client waits for
     * that, so that the client's port is free at once (RFC 6455 7.1.1).
     */
    private void finish() {
        if (context.role == Role.SERVER) {
            connection.finish(false);
        }
    }

    boolean isOf(WebSocketContext other) {
        return context == other;
    }

    boolean peerClosed() {
        return is(PEER_CLOSED);
    }

    /** Called when our close frame is written. */
    @Override
    void closing(byte[] payload) {
        flags |= CLOSING;
        refuseMore();
        if (is(PEER_CLOSED)) {
            over(firstClose);
            finish();
            return;
        }
        since = context.loop.now();
        int code =
                payload.length < 2 ? CloseCode.NONE : (payload[0] & 0xff) << 8 | payload[1] & 0xff;
        String reason = payload.length < 2 ? "" : new String(payload, 2, payload.length - 2, UTF_8);
        firstClose = new Closed(code, reason, true);
        setDeadline();
        connection.resume();
    }

    /** Sends a close frame ahead of the outbox, unless one was sent. */
    private void closeNow(int code, String reason) {
        if (!is(CLOSING | OVER)) {
            writeNow(Frame.FIN | Frame.CLOSE, Frame.closing(code, reason));
        }
    }

    private void fail(Violation why) {
        if (is(CLOSING)) {
            failNow(why);
        } else {
            firstClose = new Closed(why.closeCode(), why.reason(), false);
            answerWhenAllIsTaken();
        }
    }

    private void failNow(Violation why) {
        closeNow(why.closeCode(), why.reason());
        over(new Closed(why.closeCode(), why.reason(), false));
        connection.finish();
    }

    /** Called when the peer can send nothing more. */
    private void lose(int code, String reason) {
        over(new Closed(code, reason, false));
        connection.abort();
    }

    /** Passes the outcome to the listener. */
    private void over(Closed closed) {
        if (is(OVER)) {
            return;
        }
        flags |= OVER;
        refuseMore();
        if (reader != null) {
            reader.end();
        }
        connection.deadline(context.loop.now() + sockets.terms.closeMillis());
        call(0, () -> listener.onClose(this, closed));
    }

    /** Closes the socket because the server or the client stops. */
    @Override
    public void drain() {
        if (!is(CLOSING | OVER)) {
            run(); // earlier messages go first
            closeNow(
                    CloseCode.GOING_AWAY,
                    context.role == Role.SERVER ? "the server stops" : "the client stops");
        }
    }

    @Override
    public void ended(Connection connection) {
        answerClose();
        over(lost());
        connection.finish(false);
    }

    private Closed lost() {
        return is(CLOSING | PEER_CLOSED)
                ? new Closed(firstClose.code(), firstClose.reason(), false)
                : new Closed(CloseCode.LOST, "", false);
    }

    @Override
    public void dropped(Connection connection) {
        sockets.release(agreement, context.role);
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        over(lost());
        endOutput();
        sockets.closed(agreement, context.role);
        context.socketClosed(connection, cause);
        if (cause == CloseCause.STOPPED && listener instanceof BlockingWebSocket blocking) {
            blocking.cancel();
        }
    }

    // ---- state

    @Override
    public Message receive() throws IOException {
        if (listener instanceof BlockingWebSocket blocking) {
            return blocking.receive();
        }
        throw new IllegalStateException(
                "This WebSocket has a listener, which receives its messages.");
    }

    @Override
    public SocketAddress remoteAddress() {
        if (context.loop.enter()) {
            try {
                return connection.remote();
            } finally {
                context.loop.exit();
            }
        }
        var answer = new CompletableFuture<SocketAddress>();
        if (!context.execute(() -> answer.complete(connection.remote()))) {
            throw new IllegalStateException("The connection has ended.");
        }
        return answer.join();
    }
}
