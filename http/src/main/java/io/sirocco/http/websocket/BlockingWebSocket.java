// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocket.Binary;
import io.sirocco.http.WebSocket.Closed;
import io.sirocco.http.WebSocket.Message;
import io.sirocco.http.WebSocket.Text;
import io.sirocco.http.WebSocketHandler;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.loop.LoopTasks;
import io.sirocco.net.TaskKind;
import io.sirocco.net.log.LinkedErrors;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/**
 * Adapts a WebSocket to the blocking handler on its thread. Buffers received messages, at most
 * {@link #FULL} bytes and one message; then the server stops reading from the peer. They count in
 * the loop's memory until the handler has received them or has ended. Loop-confined, unless a
 * method says otherwise.
 */
public final class BlockingWebSocket implements WebSocketListener {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private static final int FULL = 64 << 10;

    private final WebSocketHandler handler;
    private final WebSocketContext context;
    private final TaskKind kind;
    private final ArrayDeque<Message> inbox = new ArrayDeque<>(2);
    private WebSocketConnection socket;
    private boolean receives; // has done so at least once
    private int size;
    private CompletableFuture<Message> receiver; // null unless the thread waits
    private Closed closed; // null until the end
    private volatile Thread thread; // while it talks
    private volatile boolean over;

    /** {@code kind} identifies the handler to the loop; null if it never moves. */
    public BlockingWebSocket(WebSocketHandler handler, WebSocketContext context, TaskKind kind) {
        this.handler = handler;
        this.context = context;
        this.kind = kind;
    }

    @Override
    public void onOpen(WebSocket opened) {
        socket = (WebSocketConnection) opened;
        if (context.loop.carries(kind)) {
            context.loop.startMovable(kind, this::run);
        } else {
            context.loop.startVirtual(kind, this::run); // elsewhere
        }
    }

    private void run() {
        thread = Thread.currentThread();
        try {
            handler.handle(socket);
            socket.close();
        } catch (Throwable e) {
            boolean quiet =
                    !socket.isOpen()
                            && (e instanceof IOException || e instanceof InterruptedException);
            if (!quiet) {
                context.failed(socket.id(), e);
            }
            socket.close(CloseCode.INTERNAL_ERROR, "");
        } finally {
            over = true;
            synchronized (this) {
                thread = null;
            }
            context.execute(this::discard);
        }
    }

    /** Drops the messages that will not be received. */
    private void discard() {
        inbox.clear();
        context.loop.memory().release(size);
        size = 0;
    }

    /** Interrupts the handler's thread. Any thread. */
    synchronized void cancel() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public void onText(WebSocket socket, String text) {
        add(new Text(text));
    }

    @Override
    public void onBinary(WebSocket socket, byte[] bytes) {
        add(new Binary(bytes));
    }

    private void add(Message message) {
        if (receiver != null) {
            answer(message);
            return;
        }
        int bytes = size(message);
        if (over || !socket.reserve(bytes)) {
            return;
        }
        inbox.add(message);
        size += bytes;
        if (size >= FULL) {
            socket.pause();
        }
    }

    private static int size(Message message) {
        return WebSocketConnection.MESSAGE_COST
                + switch (message) {
                    case Text(String text) -> text.length();
                    case Binary(byte[] bytes) -> bytes.length;
                    case Closed _ -> 0;
                };
    }

    @Override
    public void onClose(WebSocket socket, Closed end) {
        closed = end;
        if (receiver != null) {
            answer(end);
        }
    }

    private void answer(Message message) {
        CompletableFuture<Message> waiting = receiver;
        receiver = null;
        waiting.complete(message);
    }

    /** Waits for the next message. On the handler's thread. */
    Message receive() throws IOException {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "Only the thread of the WebSocketHandler may call receive.");
        }
        CompletableFuture<Message> next;
        if (context.loop.enter()) {
            try {
                next = take();
            } finally {
                context.loop.exit();
            }
        } else {
            next = new CompletableFuture<>();
            if (!context.execute(() -> take(next))) {
                next.completeExceptionally(new IOException("the server has stopped"));
            }
        }
        try {
            return LoopTasks.join(next);
        } catch (InterruptedIOException e) {
            context.execute(() -> putBack(next));
            throw e;
        }
    }

    private CompletableFuture<Message> take() {
        var next = new CompletableFuture<Message>();
        take(next);
        return next;
    }

    /**
     * Returns whether the handler may still send something in response to buffered messages. The
     * peer's close frame is answered after that.
     */
    boolean stillAnswers() {
        return receiver == null && (receives || !inbox.isEmpty()) && !over;
    }

    private void take(CompletableFuture<Message> next) {
        receives = true;
        Message first = inbox.poll();
        if (first != null) {
            boolean wasFull = size >= FULL;
            size -= size(first);
            context.loop.memory().release(size(first));
            if (wasFull && size < FULL) {
                socket.resume();
            }
            next.complete(first);
            return;
        }
        if (socket.peerClosed()) {
            socket.answerClose(); // which sets it
        }
        if (closed != null) {
            next.complete(closed);
        } else {
            receiver = next;
        }
    }

    /** Returns a message to the buffer that its receiver no longer waits for. */
    private void putBack(CompletableFuture<Message> abandoned) {
        if (receiver == abandoned) {
            receiver = null;
        } else if (abandoned.isDone() && !abandoned.isCompletedExceptionally()) {
            Message message = abandoned.join();
            if (!(message instanceof Closed) && !over) {
                inbox.addFirst(message);
                size += size(message);
                context.loop.memory().add(size(message));
            }
        }
    }
}
