// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * A queue of many producers and one consumer: a stack that any thread pushes to with one atomic
 * operation (Treiber, 1986), and that the consumer takes whole and turns around. Any thread, except
 * {@link #drain} and {@link #close}: the consumer's.
 */
final class MpscQueue<T> {
    private static final VarHandle NEWEST;

    static {
        try {
            NEWEST = MethodHandles.lookup().findVarHandle(MpscQueue.class, "newest", Node.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static final Node CLOSED = new Node(null);

    private volatile Node newest; // CLOSED once it takes no more

    private static final class Node {
        final Object item;
        Node next; // the older one; from drain on the newer one
        long depth; // of the stack below, and itself

        Node(Object item) {
            this.item = item;
        }
    }

    /**
     * Appends {@code item} unless {@code limit} items wait, or it is closed.
     *
     * @return whether it was appended
     */
    boolean offer(T item, long limit) {
        var node = new Node(item);
        while (true) {
            Node top = newest;
            if (top == CLOSED || top != null && top.depth >= limit) {
                return false;
            }
            node.next = top;
            node.depth = top == null ? 1 : top.depth + 1;
            if (NEWEST.compareAndSet(this, top, node)) {
                return true;
            }
        }
    }

    boolean isEmpty() {
        return newest == null;
    }

    boolean isClosed() {
        return newest == CLOSED;
    }

    /** Gives all items to {@code consumer}, oldest first. */
    void drain(Consumer<? super T> consumer) {
        if (newest != null && newest != CLOSED) { // it is the consumer who closes it
            give((Node) NEWEST.getAndSet(this, (Node) null), consumer);
        }
    }

    /** Takes no items any more, and gives the last ones to {@code consumer}. */
    void close(Consumer<? super T> consumer) {
        give((Node) NEWEST.getAndSet(this, CLOSED), consumer);
    }

    @SuppressWarnings("unchecked") // offer takes nothing else
    private void give(Node newest, Consumer<? super T> consumer) {
        if (newest == CLOSED) {
            return;
        }
        Node oldest = null;
        for (Node node = newest; node != null; ) {
            Node older = node.next;
            node.next = oldest;
            oldest = node;
            node = older;
        }
        for (; oldest != null; oldest = oldest.next) {
            consumer.accept((T) oldest.item);
        }
    }
}
