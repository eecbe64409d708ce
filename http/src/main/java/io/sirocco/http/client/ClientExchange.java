// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Headers;
import io.sirocco.http.body.PushSource;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.http.h1.ResponseHead;
import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.http.message.Fields;
import io.sirocco.net.Loop;
import io.sirocco.net.ScheduledTask;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * One request and its response.
 *
 * <pre>
 *   begin ─▶ waiting ──────────────▶ sent ─────────────▶ responded ────────▶ over
 *              │     a connection     │ ▲   the head      │   all of the body
 *              │                      │ └ once: closed    │
 *              └─ timeout, refused    │   before a byte   │
 *                 canceled ───────────┴───────────────────┴─ failed ───────▶ over
 * </pre>
 *
 * Loop-confined, except where it says otherwise.
 */
final class ClientExchange {
    final ClientRequest request;
    final LoopPool pool;
    final Outcome outcome = new Outcome();
    final BodyBuffer body = new BodyBuffer();
    long deadline; // of the total timeout, in milliseconds of the loop
    boolean retried;
    boolean over;
    ClientConnection connection; // null while it has none
    OriginPool waitsIn; // null unless it waits for a connection
    private ScheduledTask queueTimer; // while it waits
    private Headers headers; // of the response; null before these are there
    private int status;
    private String version;
    private long length;
    private boolean switched;
    private volatile Headers trailers = Headers.none();
    private volatile Headers seen = Headers.none();

    /** The response to come, whose cancellation cancels the request. Any thread. */
    final class Outcome extends CompletableFuture<ClientResponse> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean pending = !isDone();
            boolean cancelled = super.cancel(mayInterrupt);
            if (pending && cancelled) {
                ClientExchange.this.cancel();
            }
            return cancelled;
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }

    ClientExchange(LoopPool pool, ClientRequest request) {
        this.pool = pool;
        this.request = request;
    }

    /** Returns the loop that it is on. Any thread. */
    Loop loop() {
        return pool.loop;
    }

    void begin() {
        long total = request.totalMillis > 0 ? request.totalMillis : pool.settings.total();
        deadline = loop().now() + total;
        pool.begin(this);
    }

    // ---- waiting for a connection

    void waitIn(OriginPool origin) {
        waitsIn = origin;
        scheduleQueueTimeout(Math.min(pool.settings.queue(), deadline - loop().now()));
    }

    private void scheduleQueueTimeout(long millis) {
        queueTimer = loop().schedule(Math.max(1, millis), this::queueTimeoutPassed);
    }

    private void queueTimeoutPassed() {
        queueTimer = null;
        if (waitsIn == null) {
            return;
        }
        if (loop().now() >= deadline) {
            boolean others = !waitsIn.isOpeningForAll(); // have the connections
            overdue("it had no connection within the total timeout", others);
        } else if (waitsIn.isOpeningForAll()) {
            // connecting has a timeout of its own
            scheduleQueueTimeout(Math.min(1000, deadline - loop().now()));
        } else {
            failed(
                    Reason.QUEUE_TIMEOUT,
                    "no connection became free for " + pool.settings.queue() + " ms",
                    null);
        }
    }

    /** Called when it has a connection. */
    void served(ClientConnection by) {
        leaveQueue();
        connection = by;
    }

    private void leaveQueue() {
        if (waitsIn != null) {
            waitsIn.dequeued(this);
            waitsIn = null;
        }
        if (queueTimer != null) {
            queueTimer.cancel();
            queueTimer = null;
        }
    }

    // ---- the response

    void head(ResponseHead head, long length, boolean switched) {
        this.status = head.status();
        this.version = head.minor() == 0 ? "HTTP/1.0" : "HTTP/1.1";
        this.headers = headers(head);
        this.seen = headers;
        this.length = length;
        this.switched = switched;
    }

    boolean responded() {
        return headers != null;
    }

    static Headers headers(Fields fields) {
        return fields == null ? Headers.none() : CheckedHeaders.of(fields);
    }

    void end(Headers behind) {
        trailers = behind;
        body.end(behind);
        over = true;
        connection = null;
        pool.responses++;
    }

    /** Completes the response when its headers have been read, and wakes the reader of its body. */
    void deliver() {
        if (headers != null && !outcome.isDone()) {
            byte[] whole = switched ? new byte[0] : body.whole();
            var content = new ResponseBody(this, length, whole, pool.settings.bodyBytes());
            var response = new ClientResponse(this, status, version, headers, content);
            if (!outcome.complete(response)) {
                cancelHere();
            }
        }
        body.wake();
    }

    void take(CompletableFuture<byte[]> to) {
        body.take(to);
        roomForBody();
    }

    /** Passes the body to {@code sink} from now on. */
    void pushTo(PushSource.Sink sink) {
        body.pushTo(sink);
        roomForBody();
    }

    /** Called when the sink can take more. */
    void resume() {
        body.resume();
        roomForBody();
    }

    private void roomForBody() {
        if (connection != null && !body.full()) {
            connection.roomForBody();
        }
    }

    // ---- failures

    void failed(Reason reason, String why, Throwable cause) {
        failed(error(reason, why, cause));
    }

    /**
     * Called when the total timeout has passed; {@code waitedForCaller} says whether it waited for
     * the caller, not for the server.
     */
    void overdue(boolean waitedForCaller) {
        overdue("it was not complete within the total timeout", waitedForCaller);
    }

    private void overdue(String why, boolean waitedForCaller) {
        String message = request + ": " + why;
        failed(new HttpClientException(Reason.TOTAL_TIMEOUT, message, null, waitedForCaller));
    }

    void failed(HttpClientException why) {
        if (over) {
            return;
        }
        over = true;
        pool.failures++;
        leaveQueue();
        connection = null;
        body.fail(why);
        outcome.completeExceptionally(why);
        body.wake();
    }

    /** Returns a failure whose message names the request. Any thread. */
    HttpClientException error(Reason reason, String why, Throwable cause) {
        return new HttpClientException(reason, request + ": " + why, cause);
    }

    /** Returns the failure of a loop that has stopped. Any thread. */
    HttpClientException stopped() {
        return error(Reason.CLIENT_CLOSED, "the loop of the client has stopped", null);
    }

    /** Cancels the request on behalf of its caller. Any thread. */
    void cancel() {
        giveUp(null);
    }

    /** Fails the request with {@code why}; null for a cancellation. Any thread. */
    void giveUp(HttpClientException why) {
        try {
            loop().execute(() -> giveUpHere(why));
        } catch (RejectedExecutionException e) {
            // the loop has ended, and the connection with it
        }
    }

    private void cancelHere() {
        giveUpHere(null);
    }

    private void giveUpHere(HttpClientException given) {
        if (over) {
            return;
        }
        HttpClientException why =
                given != null ? given : error(Reason.CANCELED, "it was given up", null);
        ClientConnection by = connection;
        body.discard();
        failed(why);
        if (by != null) {
            by.abandon();
        }
    }

    /** Returns the trailers; none before the end of the body. Any thread. */
    Headers trailers() {
        return trailers;
    }

    /** Returns a header of the response. Any thread. */
    Optional<String> responseHeader(String name) {
        return seen.first(name);
    }
}
