// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.net.TaskKind;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Queues the calls of one WebSocket's listener that may block, or has blocked a loop. They run in
 * order, one at a time, on a virtual thread that exists while there are any: carried by the loop,
 * or by the JDK's scheduler for a listener that has blocked a loop. While more than {@link #FULL}
 * bytes are queued, the server does not read from the peer until half of them are consumed.
 * Messages count in the loop's memory until the listener has consumed them.
 *
 * <p>Calls are added on the loop.
 */
final class ListenerQueue implements Runnable {
    private static final int FULL = 64 << 10;

    private final WebSocketConnection socket;
    private final TaskKind kind;
    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong taken = new AtomicLong(); // that the loop's memory is yet to get back

    private record Call(int cost, Runnable what) {}

    ListenerQueue(WebSocketConnection socket, TaskKind kind) {
        this.socket = socket;
        this.kind = kind;
    }

    /**
     * Adds a call, whose {@code cost} in bytes is reserved. It may have run when this returns:
     * whether the queue {@link #isFull is full} is to be asked behind it.
     */
    void add(int cost, Runnable what) {
        bytes.addAndGet(cost);
        calls.add(new Call(cost, what));
        if (waiting.getAndIncrement() == 0) {
            start();
        }
    }

    private void start() {
        if (kind != null && kind.moved()) {
            kind.startElsewhere(this);
        } else {
            socket.context.loop.startMovable(kind, this);
        }
    }

    /** Returns whether reading must wait for the listener. Any thread. */
    boolean isFull() {
        return bytes.get() >= FULL;
    }

    /** Returns whether a call is queued or running. Any thread. */
    boolean isBusy() {
        return waiting.get() > 0;
    }

    @Override
    public void run() {
        do {
            Call call = calls.remove();
            socket.callNow(call.what);
            release(call.cost);
            long left = bytes.addAndGet(-call.cost);
            if (left < FULL / 2 && left + call.cost >= FULL / 2) {
                socket.caughtUp();
            }
        } while (waiting.decrementAndGet() > 0);
        socket.answerCloseLater();
    }

    /** Returns the memory of all calls that have run so far in a single task of the loop. */
    private void release(int cost) {
        if (cost > 0 && taken.getAndAdd(cost) == 0) {
            socket.execute(() -> socket.context.loop.memory().release(taken.getAndSet(0)));
        }
    }
}
