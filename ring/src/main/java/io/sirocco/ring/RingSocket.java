// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.IFn;
import clojure.lang.Util;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A WebSocket of a Ring handler. At most 1,024 asynchronous sends of 4 MiB wait; further ones fail.
 * Any thread.
 */
public final class RingSocket implements WebSocketListener {
    /** Messages with callbacks that may wait for room; further ones fail. */
    private static final int MAX_WAITING = 1_024;

    /** Their bytes. */
    private static final long MAX_WAITING_BYTES = 4 << 20;

    private static final System.Logger LOG = System.getLogger("sirocco.ring");
    private static final byte[] NONE = {};

    private final WebSocketCallbacks callbacks;
    private final ConcurrentLinkedQueue<Later> later = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger(); // of them, and the one being sent
    private final AtomicLong waitingBytes = new AtomicLong();
    private boolean failed; // a callback has thrown; of the thread that calls them
    private volatile WebSocket socket; // null before it is open

    /** The data of a ping while its callback runs and has not answered it; else null. */
    private final AtomicReference<byte[]> answered = new AtomicReference<>();

    private record Later(Object message, long size, IFn succeed, IFn fail) {
        Later(Object message, IFn succeed, IFn fail) {
            this(message, size(message), succeed, fail);
        }

        private static long size(Object message) {
            return switch (message) {
                case CharSequence text -> 2L * text.length();
                case byte[] bytes -> bytes.length;
                case ByteBuffer buffer -> buffer.remaining();
                case null, default -> 0;
            };
        }
    }

    RingSocket(WebSocketCallbacks callbacks) {
        this.callbacks = callbacks;
    }

    private interface Callback {
        void call() throws Exception;
    }

    // ---- called by the server, one at a time

    @Override
    public void onRefused() {
        callbacks.refused();
    }

    @Override
    public void onOpen(WebSocket opened) {
        socket = opened;
        call(() -> callbacks.open(this));
    }

    @Override
    public void onText(WebSocket from, String text) {
        callUnlessFailed(() -> callbacks.message(this, text));
    }

    @Override
    public void onBinary(WebSocket from, byte[] bytes) {
        callUnlessFailed(() -> callbacks.message(this, ByteBuffer.wrap(bytes)));
    }

    @Override
    public void onPing(WebSocket from, byte[] payload) {
        answered.set(payload.clone());
        try {
            callUnlessFailed(() -> callbacks.ping(this, ByteBuffer.wrap(payload)));
        } finally {
            answered.set(null);
        }
    }

    @Override
    public void onPong(WebSocket from, byte[] payload) {
        callUnlessFailed(() -> callbacks.pong(this, ByteBuffer.wrap(payload)));
    }

    @Override
    public void onClose(WebSocket closed, WebSocket.Closed why) {
        call(() -> callbacks.close(this, why.code(), why.reason()));
    }

    /** Drops what had arrived already when a callback threw: the socket is being closed. */
    private void callUnlessFailed(Callback callback) {
        if (!failed) {
            call(callback);
        }
    }

    /** Reports what a callback throws, to the listener and then to the server. */
    private void call(Callback callback) {
        try {
            callback.call();
        } catch (Throwable e) {
            failed = true;
            try {
                callbacks.error(this, e);
            } catch (Throwable another) {
                e.addSuppressed(another);
            }
            throw Util.sneakyThrow(e);
        }
    }

    // ---- called by the program

    /**
     * Sends a message: text for a {@code CharSequence}, binary for {@code byte[]} and {@code
     * ByteBuffer}. Waits while the output buffer is full.
     *
     * @throws IOException if the socket is closed
     */
    public void send(Object message) throws IOException {
        WebSocket to = open();
        to.awaitRoom(); // before the message is copied
        switch (message) {
            case CharSequence text -> to.send(text.toString());
            case byte[] bytes -> to.send(bytes.clone());
            case ByteBuffer buffer -> to.send(bytes(buffer));
            case null, default -> throw notAMessage(message);
        }
    }

    /** Sends a message unless it would have to wait or the socket is closed. */
    boolean trySend(Object message) {
        WebSocket to = socket;
        return to != null
                && switch (message) {
                    case CharSequence text -> to.trySend(text.toString());
                    case byte[] bytes -> to.trySend(bytes.clone());
                    case ByteBuffer buffer -> to.trySend(bytes(buffer));
                    case null, default -> throw notAMessage(message);
                };
    }

    /**
     * Sends a message without waiting, and calls {@code succeed} when it is accepted or {@code
     * fail} with an exception. These messages keep their order.
     */
    public void send(Object message, IFn succeed, IFn fail) {
        if (waiting.get() > MAX_WAITING || waitingBytes.get() > MAX_WAITING_BYTES) {
            fail.invoke(
                    new IOException(
                            "more than "
                                    + MAX_WAITING
                                    + " messages wait, or more than "
                                    + (MAX_WAITING_BYTES >> 20)
                                    + " MiB"));
            return;
        }
        var added = new Later(message, succeed, fail);
        waitingBytes.addAndGet(added.size);
        later.add(added);
        if (waiting.getAndIncrement() == 0) {
            Thread.startVirtualThread(this::sendWaiting);
        }
    }

    private void sendWaiting() {
        do {
            Later next = later.remove();
            Throwable failure = null;
            try {
                send(next.message);
            } catch (Throwable e) {
                failure = e;
            }
            waitingBytes.addAndGet(-next.size);
            try {
                if (failure == null) {
                    next.succeed.invoke();
                } else {
                    next.fail.invoke(failure);
                }
            } catch (Throwable e) {
                LOG.log(Level.WARNING, "A callback of send has thrown an exception.", e);
            }
        } while (waiting.decrementAndGet() > 0);
    }

    /**
     * Sends a ping; {@code data} is null without any.
     *
     * @throws IllegalArgumentException if there are more than 125 bytes
     * @throws IOException if the socket is not open yet
     */
    public void ping(Object data) throws IOException {
        open().ping(payload(data));
    }

    /**
     * Sends a pong; {@code data} is null without any. The server has answered each ping already:
     * the first pong with the data of the ping while the callback of that ping runs is that answer,
     * and is not sent again.
     *
     * @throws IllegalArgumentException if there are more than 125 bytes
     * @throws IOException if the socket is not open yet
     */
    public void pong(Object data) throws IOException {
        WebSocket to = open();
        byte[] payload = payload(data);
        byte[] sent = answered.get();
        boolean isAnswer = sent != null && Arrays.equals(payload, sent);
        if (!isAnswer || !answered.compareAndSet(sent, null)) {
            to.pong(payload);
        }
    }

    /** Closes the socket. Does nothing if it is closed. */
    public void close(int code, String reason) throws IOException {
        open().close(code, reason);
    }

    /** Returns whether neither side has closed the socket. */
    public boolean isOpen() {
        WebSocket now = socket;
        return now != null && now.isOpen();
    }

    private WebSocket open() throws IOException {
        WebSocket now = socket;
        if (now == null) {
            throw new IOException("The WebSocket is not open yet.");
        }
        return now;
    }

    private static byte[] payload(Object data) {
        return switch (data) {
            case null -> NONE;
            case byte[] bytes -> bytes.clone();
            case ByteBuffer buffer -> bytes(buffer);
            default -> throw notAMessage(data);
        };
    }

    static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }

    static IllegalArgumentException notAMessage(Object message) {
        return new IllegalArgumentException(
                "A WebSocket sends a CharSequence, byte[] or ByteBuffer, not an object of "
                        + (message == null ? "null" : message.getClass().getName()));
    }
}
