// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Connection;
import java.util.ArrayDeque;

/**
 * The connections of one loop to one origin, and the requests that wait for one. A connection that
 * is being opened is for whichever request waits the longest then; one that fails to open fails
 * that request.
 *
 * <p>A connection that began with a PROXY header is only for requests with the same one. Where
 * these are used, an idle connection is closed for a request that would have to wait for another.
 * Loop-confined.
 */
final class OriginPool {
    final LoopPool pool;
    final HttpOrigin origin;
    private final ArrayDeque<ClientConnection> idle = new ArrayDeque<>(); // used last, first
    private final ArrayDeque<ClientExchange> waiting = new ArrayDeque<>();
    private int open; // with those that are being opened
    private int opening;
    private int settling; // free in a turn
    private boolean proxied; // requests have PROXY headers

    OriginPool(LoopPool pool, HttpOrigin origin) {
        this.pool = pool;
        this.origin = origin;
    }

    void begin(ClientExchange exchange) {
        proxied |= exchange.request.proxyHeader != null;
        ClientConnection free = proxied ? fitting(exchange.request) : idle.pollFirst();
        if (free != null) {
            pool.idle--;
            free.start(exchange);
            return;
        }
        if (pool.waiting >= pool.settings.waiting()) {
            exchange.failed(
                    Reason.QUEUE_FULL,
                    pool.settings.waiting() + " requests wait for a connection already",
                    null);
            return;
        }
        waiting.addLast(exchange);
        queued(exchange);
    }

    /** Takes an idle connection for a request, or returns null. */
    private ClientConnection fitting(ClientRequest request) {
        for (ClientConnection each : idle) {
            if (each.fits(request)) {
                idle.remove(each);
                return each;
            }
        }
        return null;
    }

    /** Returns the first that waits for a connection like this one, or null. */
    private ClientExchange fitting(ClientConnection connection) {
        for (ClientExchange each : waiting) {
            if (connection.fits(each.request)) {
                return each;
            }
        }
        return null;
    }

    /** Sends a request once more, before all that wait. */
    void retry(ClientExchange exchange) {
        if (pool.closed) {
            exchange.failed(Reason.CLIENT_CLOSED, "the client is closed", null);
            return;
        }
        pool.keep(this);
        waiting.addFirst(exchange);
        queued(exchange);
    }

    private void queued(ClientExchange exchange) {
        pool.waiting++;
        exchange.waitIn(this);
        openMore();
    }

    /** Called when an exchange does not wait any more. */
    void dequeued(ClientExchange exchange) {
        if (waiting.remove(exchange)) {
            pool.waiting--;
            dropIfEmpty();
        }
    }

    /** Returns whether all that wait do so for connections that are being opened, or soon free. */
    boolean isOpeningForAll() {
        return opening + settling >= waiting.size();
    }

    /** Opens as many connections as are waited for and may be. */
    void openMore() {
        while (proxied && isFull() && !isOpeningForAll() && closeOne()) {
            // which opens one in its place
        }
        while (!pool.closed && !isOpeningForAll() && !isFull()) {
            if (!pool.hasRoom()) {
                pool.starves(this);
                return;
            }
            open++;
            opening++;
            pool.open++;
            new Connecting(this).begin();
        }
    }

    private boolean isFull() {
        return open >= pool.settings.perOrigin();
    }

    /** Called when a connection is open. Returns its protocol. */
    ClientConnection opened(Connection connection) {
        opening--;
        pool.opened++;
        var opened = new ClientConnection(this, connection);
        pool.connections.add(opened);
        return opened;
    }

    /** Called when a connection will be free in a turn, or gone. */
    void settles() {
        settling++;
        pool.settling++;
    }

    void settled() {
        settling--;
        pool.settling--;
    }

    /** Serves the next request by {@code connection}, which is free. */
    void released(ClientConnection connection) {
        ClientExchange next = proxied ? fitting(connection) : waiting.peekFirst();
        if (next != null) {
            connection.start(next); // which takes it off the queue
        } else if (pool.closed || pool.isStarving() || isFull() && !waiting.isEmpty()) {
            connection.close();
        } else {
            idle.addFirst(connection);
            pool.idle++;
            openMore();
        }
    }

    void failedToOpen(Reason reason, String why, Throwable cause) {
        opening--;
        open--;
        pool.open--;
        ClientExchange first = waiting.peekFirst();
        if (first != null) {
            first.failed(reason, why, cause);
        }
        openMore();
        dropIfEmpty();
        pool.roomMade();
    }

    /** Called when a connection is gone, or carries another protocol from now on. */
    void gone(ClientConnection connection) {
        if (idle.remove(connection)) {
            pool.idle--;
        }
        pool.connections.remove(connection);
        open--;
        pool.open--;
        openMore();
        dropIfEmpty();
        pool.roomMade();
    }

    /** Closes the idle connection that was used the longest ago; returns whether there was one. */
    boolean closeOne() {
        ClientConnection last = idle.peekLast();
        if (last != null) {
            last.close();
        }
        return last != null;
    }

    /** Fails all that wait. */
    void refuseAll(Reason reason, String why) {
        while (!waiting.isEmpty()) {
            waiting.peekFirst().failed(reason, why, null);
        }
    }

    /** Returns its connections. Any thread, to which they may be a little out of date. */
    OriginStats stats() {
        int all = Math.max(0, open);
        return new OriginStats(all, Math.clamp(idle.size() + settling, 0, all));
    }

    private void dropIfEmpty() {
        if (open == 0 && waiting.isEmpty()) {
            pool.drop(this);
        }
    }
}
