// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.PreparedMessage;
import io.sirocco.http.WebSocket;
import io.sirocco.http.loop.LoopTasks;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The sending half of a WebSocket, used by any thread.
 *
 * <pre>
 *   any thread                                       the socket's loop
 *   trySend ── encode, compress ── put ── outbox ──▶ run ─▶ write ─▶ Connection ─▶ sent ─▶ kernel
 *                                        │ empty till now: hands the loop a task     │
 *   send ── waits for room ◀─────────────┼────────────────────────── drained ◀───────┤
 *                                     pending: what is between put and sent ◀────────┘
 * </pre>
 *
 * <p>The outbox is a stack that the loop takes whole and reverses, so that many sends cost one task
 * and one write. On the loop itself, an empty outbox is bypassed. Any thread, unless a method says
 * otherwise.
 */
abstract sealed class WebSocketSender implements WebSocket, Runnable permits WebSocketOutput {
    private static final VarHandle OUTBOX = field("outbox", OutgoingMessage.class);
    private static final VarHandle PENDING = field("pending", long.class);
    private static final VarHandle REFUSES = field("refuses", boolean.class);
    private static final VarHandle ROOM = field("room", CompletableFuture.class);

    final WebSocketContext context;
    final WebSocketGroup sockets;
    final Agreement agreement; // null for no compression

    private volatile OutgoingMessage outbox; // newest first
    private volatile long pending;
    private volatile boolean refuses; // it was closed
    private volatile boolean refused; // a send was: onDrained is owed
    private volatile CompletableFuture<Void> room; // for those who wait to send

    private final String subprotocol;
    private final String id;
    private volatile Object attachment;

    WebSocketSender(
            WebSocketContext context,
            WebSocketGroup sockets,
            Agreement agreement,
            String subprotocol,
            String id) {
        this.context = context;
        this.sockets = sockets;
        this.agreement = agreement;
        this.subprotocol = subprotocol;
        this.id = id;
    }

    /** Writes a frame as described by {@link OutgoingMessage}. On the loop. */
    abstract void write(int first, byte[] bytes, long size);

    /** Called when something was written. On the loop. */
    abstract void written();

    /** Calls the listener if {@link #owesDrained}. On the loop. */
    abstract void notifyDrained();

    @Override
    public boolean trySend(String text) {
        return offer(Frame.TEXT, text.getBytes(UTF_8));
    }

    @Override
    public boolean trySend(byte[] bytes) {
        return offer(Frame.BINARY, bytes);
    }

    @Override
    public boolean trySend(PreparedMessage message) {
        return trySend((EncodedMessage) message, null);
    }

    /**
     * Like {@link #trySend(PreparedMessage)}; the task for the loop is added to {@code later},
     * unless that is null.
     */
    boolean trySend(EncodedMessage message, Map<WebSocketContext, List<Runnable>> later) {
        if (full()) {
            return false;
        }
        if (agreement == null || message.payload().length < sockets.terms.compressFrom()) {
            plain(message, later);
        } else if (agreement.context(context.role)) {
            put(Frame.FIN | message.opcode(), message.payload(), later);
        } else if (context.role == Role.CLIENT) {
            return offer(message.opcode(), message.payload());
        } else {
            put(0, message.compressed(agreement.serverBits()), later);
        }
        return true;
    }

    /**
     * Sends the message for this socket alone: a client masks each frame with a different key, so
     * frames cannot be shared.
     */
    private void plain(EncodedMessage message, Map<WebSocketContext, List<Runnable>> later) {
        if (context.role == Role.CLIENT) {
            put(Frame.FIN | message.opcode(), message.payload(), later);
        } else {
            put(0, message.frame(), later);
        }
    }

    private boolean offer(int opcode, byte[] payload) {
        if (full()) {
            return false;
        }
        byte[] bytes = payload;
        int first = Frame.FIN | opcode;
        if (compresses(payload.length) && !agreement.context(context.role)) {
            bytes = Deflation.deflate(payload, agreement.bits(context.role));
            first |= Frame.COMPRESSED;
        }
        put(first, bytes, null);
        return true;
    }

    final boolean compresses(int length) {
        return agreement != null && length >= sockets.terms.compressFrom();
    }

    private boolean full() {
        if (refuses) {
            return true;
        }
        if (pending < sockets.terms.maxPending()) {
            return false;
        }
        refused = true;
        if (drained()) { // meanwhile, and maybe before the loop could see that it owes a call
            context.execute(this::notifyDrained);
        }
        return true;
    }

    /** Returns whether half of the output buffer is free. */
    final boolean drained() {
        return pending <= sockets.terms.maxPending() / 2;
    }

    /** Writes a frame now if it does not overtake others, or else adds it to the outbox. */
    private void put(int first, byte[] bytes, Map<WebSocketContext, List<Runnable>> later) {
        long size = first == 0 ? bytes.length : Frame.size(context.role, bytes.length);
        pend(size);
        if (outbox == null && context.loop.enter()) {
            try {
                write(first, bytes, size);
                written();
            } finally {
                context.loop.exit();
            }
            return;
        }
        var mine = new OutgoingMessage(bytes, first, size);
        OutgoingMessage top;
        do {
            top = outbox;
            mine.next = top;
        } while (!OUTBOX.compareAndSet(this, top, mine));
        if (top != null) {
            return; // the first sender has submitted a task
        }
        if (later == null) {
            context.execute(this);
        } else {
            later.computeIfAbsent(context, _ -> new ArrayList<>()).add(this);
        }
    }

    @Override
    public void send(String text) throws IOException {
        do {
            awaitRoom();
        } while (!offer(Frame.TEXT, text.getBytes(UTF_8))); // not encoded while it waits
    }

    @Override
    public void send(byte[] bytes) throws IOException {
        while (!offer(Frame.BINARY, bytes)) {
            awaitRoom();
        }
    }

    @Override
    public void send(PreparedMessage message) throws IOException {
        while (!trySend((EncodedMessage) message, null)) {
            awaitRoom();
        }
    }

    @Override
    public void awaitRoom() throws IOException {
        while (full()) {
            awaitOnce();
        }
    }

    private void awaitOnce() throws IOException {
        if (refuses) {
            throw new IOException("the WebSocket is closed");
        }
        if (context.isOwnThread()) {
            throw new IllegalStateException(
                    "The output buffer is full, and a listener cannot wait on its event loop:"
                            + " use trySend and onDrained.");
        }
        var mine = new CompletableFuture<Void>();
        CompletableFuture<Void> known;
        do {
            known = room;
        } while (known == null && !ROOM.compareAndSet(this, null, mine));
        if (refuses || pending < sockets.terms.maxPending()) {
            giveRoom(); // the loop may not have seen that this thread waits
        }
        LoopTasks.join(known == null ? mine : known);
    }

    /** Wakes the threads that wait to send. */
    final void giveRoom() {
        if (room == null) {
            return;
        }
        @SuppressWarnings("unchecked")
        var waiting = (CompletableFuture<Void>) ROOM.getAndSet(this, null);
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    @Override
    public void ping(byte[] payload) {
        putControl(Frame.PING, "A ping", payload);
    }

    @Override
    public void pong(byte[] payload) {
        putControl(Frame.PONG, "A pong", payload);
    }

    private void putControl(int opcode, String name, byte[] payload) {
        if (payload.length > Frame.CONTROL) {
            throw new IllegalArgumentException(
                    name
                            + " carries at most 125 bytes (RFC 6455 5.5), not "
                            + payload.length
                            + ".");
        }
        if (!refuses) {
            put(Frame.FIN | opcode, payload, null);
        }
    }

    @Override
    public void close(int code, String reason) {
        if (!CloseCode.mayBeSent(code)) {
            throw new IllegalArgumentException(
                    "A close code is 1000 to 1003, 1007 to 1014 or 3000 to 4999 (RFC 6455 7.4), not "
                            + code
                            + ".");
        }
        if (REFUSES.compareAndSet(this, false, true)) {
            put(Frame.FIN | Frame.CLOSE, Frame.closing(code, reason), null);
            giveRoom();
        }
    }

    @Override
    public long pending() {
        return Math.max(0, pending);
    }

    @Override
    public void execute(Runnable task) {
        if (context.loop.enter()) {
            try {
                task.run();
            } finally {
                context.loop.exit();
            }
        } else {
            context.execute(task);
        }
    }

    @Override
    public boolean isOpen() {
        return !refuses;
    }

    @Override
    public String subprotocol() {
        return subprotocol;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public void attach(Object attachment) {
        this.attachment = attachment;
    }

    @Override
    public Optional<Object> attachment() {
        return Optional.ofNullable(attachment);
    }

    @Override
    public String toString() {
        return "WebSocket " + id + (isOpen() ? "" : ", closed");
    }

    // ---- for the loop

    /** Writes the outbox. */
    @Override
    public void run() {
        var newest = (OutgoingMessage) OUTBOX.getAndSet(this, (OutgoingMessage) null);
        for (OutgoingMessage each = OutgoingMessage.oldestOf(newest);
                each != null;
                each = each.next) {
            write(each.first, each.bytes, each.size);
        }
        written();
    }

    final void pend(long bytes) {
        PENDING.getAndAdd(this, bytes);
    }

    /** Called when the socket is closed: wakes the threads that wait to send. */
    final void refuseMore() {
        refuses = true;
        giveRoom();
    }

    /** Returns whether a send was refused and there is room again; true once. */
    final boolean owesDrained() {
        boolean owes = refused && drained();
        if (owes) {
            refused = false;
        }
        return owes;
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(WebSocketSender.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
