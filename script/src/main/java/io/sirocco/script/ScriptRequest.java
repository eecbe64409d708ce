// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.graalvm.polyglot.Value;

/**
 * One request that scripts see. It connects two sides: the thread of the handler, which alone may
 * use the {@link Request}, and the {@link Worker}, which alone may use the context.
 *
 * <pre>
 *   WAITING -> RUNNING -> RESULT ----------------------> OVER
 *                            |-> STREAMING -> ... ------> OVER   parts of a body are written
 *                            '-> INSPECTING -> RESULT --> OVER   the handler has responded
 * </pre>
 *
 * The worker posts steps, which are handlers: the server calls each where the handlers of the route
 * run ({@link Response#asyncHandler}), and no thread waits meanwhile. Any thread.
 */
final class ScriptRequest {
    /** What scripts want to know of a response: as in runtime.js. */
    private static final int INSPECTS = 1;

    private static final int COMPLETES = 2;
    private static final String ACCEPT_ENCODING = "Accept-Encoding";

    /** A body that stays as it is: as in runtime.js. */
    static final int SAME = 5;

    private static final Object END = new Object();

    private enum Phase {
        WAITING,
        RUNNING,
        RESULT,
        STREAMING,
        INSPECTING,
        OVER
    }

    final String path;
    final String sentPath; // not decoded
    final String head;
    final String id;
    private final ScriptPool pool;
    private final Handler next;

    // Of the worker:
    volatile Worker worker; // null until one takes the request
    int number; // in the context of the worker
    volatile String file; // the first script that was called, for the log
    volatile long allocated; // since the request or the part of the stream began
    int timers; // of the thread of the worker

    // Guarded by this:
    private Phase phase = Phase.WAITING;
    private CompletableFuture<Handler> awaited; // null unless the server waits for a step
    private final Queue<Handler> steps = new ArrayDeque<>(2);
    private BlockingQueue<Object> parts; // null unless the body is a stream
    private CompletableFuture<Response> inspection;
    private ResponseReader reader; // null unless a response is inspected

    private boolean completes; // an inspected response has a responseCompleted
    private String accepted; // codings of the client, before they are limited; of the handler

    private volatile long deadline;
    private volatile long cleanupEnd; // 0 unless the request is over and something is to be ended
    private final BodyReader body;
    private volatile boolean gone; // the client has disconnected

    ScriptRequest(ScriptPool pool, Request request, String path, Handler next) {
        this.pool = pool;
        this.path = path;
        this.sentPath = request.path();
        this.file = path;
        this.next = next;
        this.id = request.id();
        this.body = new BodyReader(pool.settings.maxBodyBytes());
        this.head = Lines.head(request);
        begin();
    }

    private void begin() {
        deadline = System.nanoTime() + pool.settings.timeoutNanos();
        allocated = 0;
    }

    static Response unavailable() {
        return Response.text("Service Unavailable\n").status(503).header("Retry-After", "1");
    }

    static Response timedOut() {
        return Response.text("Gateway Timeout\n").status(504);
    }

    static Response failed() {
        return Response.text("Internal Server Error\n").status(500);
    }

    // ---- steps, from the worker to the server

    /** Returns the response that the next step makes. Called by the handler's thread. */
    Response await() {
        var step = new CompletableFuture<Handler>();
        synchronized (this) {
            Handler known = steps.poll();
            if (known != null) {
                step.complete(known);
            } else {
                awaited = step;
            }
        }
        return Response.asyncHandler(step);
    }

    private void post(Handler step) {
        CompletableFuture<Handler> to;
        synchronized (this) {
            to = awaited;
            awaited = null;
            if (to == null) {
                steps.add(step);
            }
        }
        if (to != null) {
            to.complete(step);
        }
    }

    private synchronized boolean enter(Phase from, Phase to) {
        if (phase != from) {
            return false;
        }
        phase = to;
        return true;
    }

    private synchronized Phase phase() {
        return phase;
    }

    /** A worker has taken this request; returns false if it is too late. */
    boolean taken(Worker by, int itsNumber) {
        worker = by;
        number = itsNumber;
        return enter(Phase.WAITING, Phase.RUNNING);
    }

    /** Returns whether nothing more is to be done for this request. */
    boolean isOver() {
        return phase() == Phase.OVER;
    }

    /** Gives what the request has left behind, such as a finally block, a time to end. */
    private void allowCleanup() {
        cleanupEnd = System.nanoTime() + pool.settings.timeoutNanos() | 1;
    }

    /** Returns whether code of a request that is over may still run. */
    boolean mayCleanUp() {
        return mayCleanUpAt(System.nanoTime());
    }

    boolean mayCleanUpAt(long nanos) {
        long end = cleanupEnd;
        return end != 0 && nanos - end < 0;
    }

    /** Posts the result of the script. */
    private boolean result(Phase then, Handler step) {
        if (!enter(Phase.RUNNING, then) && !enter(Phase.WAITING, then)) {
            return false;
        }
        pool.timed.remove(this);
        if (then == Phase.OVER) {
            release();
        }
        post(step);
        return true;
    }

    private void release() {
        Worker of = worker;
        if (of != null && !of.releaseHere(this)) {
            of.post(null, () -> of.release(this));
        }
    }

    /** Drops what the context holds of this request. */
    private void forget() {
        Worker of = worker;
        if (of != null) {
            of.post(
                    null,
                    () -> {
                        of.context().forget(number);
                        of.release(this);
                    });
        }
    }

    // ---- results of scripts; called by the worker

    /** No script has taken the request, or one lets it pass. */
    void passed(Worker by, int itsNumber, int flags) {
        if (by == null) {
            result(Phase.OVER, next);
            return;
        }
        follow(flags, next);
    }

    void forwarded(int flags, Upstreams.Forward to) {
        Upstreams upstreams = pool.settings.upstreams();
        boolean inspects = (flags & INSPECTS) != 0 && to.headers().has(ACCEPT_ENCODING);
        follow(flags, request -> upstreams.forward(request, inspects ? readable(request, to) : to));
    }

    /**
     * Returns what is forwarded, with codings of the response that scripts can read; as it is, if a
     * script asks for others than the client.
     */
    private Upstreams.Forward readable(Request request, Upstreams.Forward to) {
        if (!String.join(", ", to.headers().all(ACCEPT_ENCODING)).equals(accepted)) {
            return to;
        }
        Headers rest = to.headers().without(ACCEPT_ENCODING);
        return new Upstreams.Forward(
                to.upstream(),
                to.target(),
                request.headerList(ACCEPT_ENCODING)
                        .map(codings -> rest.with(ACCEPT_ENCODING, codings))
                        .orElse(rest));
    }

    /** Calls a handler, whose response scripts may inspect. */
    private void follow(int flags, Handler handler) {
        if ((flags & COMPLETES) != 0) {
            completions();
        }
        if ((flags & INSPECTS) == 0) {
            finish((flags & COMPLETES) != 0, handler);
            return;
        }
        boolean waits = (flags & COMPLETES) != 0;
        result(
                Phase.RESULT,
                request -> {
                    accepted = request.headerList(ACCEPT_ENCODING).orElse("");
                    request.limitCodings(ResponseReader.CODINGS);
                    try {
                        return handler.handle(request)
                                .map(
                                        response ->
                                                response.status() == 101
                                                        ? switched(response, waits)
                                                        : Response.async(
                                                                inspect(request, response, waits)));
                    } catch (Exception e) {
                        if (enter(Phase.RESULT, Phase.OVER)) {
                            forget();
                        }
                        throw e;
                    }
                });
    }

    /** Ends this request before the WebSocket that follows, of which scripts see nothing. */
    private Response switched(Response response, boolean completes) {
        if (enter(Phase.RESULT, Phase.OVER)) {
            if (completes && pool.completions.used) {
                release();
            } else {
                forget();
            }
        }
        return response;
    }

    private void finish(boolean completes, Handler step) {
        if (result(Phase.OVER, step) && completes && !pool.completions.used) {
            forget();
        }
    }

    /** Has the context notified of the end of the response, if a monitor notifies us. */
    private void completions() {
        if (pool.completions.used && !isOver()) {
            pool.completions.await(id, this);
            if (gone) {
                pool.completions.remove(id);
            }
        }
    }

    /** A script responds. */
    void responded(int flags, Response response) {
        boolean completes = (flags & COMPLETES) != 0;
        if (completes) {
            completions();
        }
        finish(completes, request -> response);
    }

    /**
     * A script responds with a body that is a stream.
     *
     * @param early whether the headers are sent before the first part of the body
     */
    void streamed(int flags, Response response, boolean early) {
        if ((flags & COMPLETES) != 0) {
            completions();
        }
        synchronized (this) {
            parts = new LinkedBlockingQueue<>();
        }
        result(
                Phase.RESULT,
                request -> {
                    if (request.method().equals("HEAD") || bodiless(response.status())) {
                        closeStream();
                        return Response.empty(response.status()).headers(response.headers());
                    }
                    return Response.stream(out -> write(request, out, early))
                            .status(response.status())
                            .headers(response.headers());
                });
    }

    private static boolean bodiless(int status) {
        return status == 204 || status == 304;
    }

    /** Ends this request: by a step if the server waits for one. Any thread. */
    void fail(Handler step) {
        Phase before;
        CompletableFuture<Response> stage = null;
        synchronized (this) {
            before = phase;
            if (before == Phase.RESULT || before == Phase.OVER) {
                return;
            }
            phase = Phase.OVER;
            stage = inspection;
        }
        pool.timed.remove(this);
        if (reader != null) {
            reader.cancel();
        }
        allowCleanup();
        if (before != Phase.STREAMING) { // whose writer closes it
            forget();
        }
        switch (before) {
            case WAITING, RUNNING -> post(step);
            case STREAMING ->
                    parts.add(
                            gone
                                    ? new CancellationException("the client has disconnected")
                                    : new IOException("the script did not complete the body"));
            case INSPECTING -> {
                try {
                    stage.complete(step.handle(null));
                } catch (Exception e) {
                    stage.completeExceptionally(e);
                }
            }
            default -> {}
        }
    }

    /** The script has thrown. */
    void failed(ScriptException thrown, int status, String message, boolean ofBody) {
        Exception failure = this.body.failure();
        if (phase() == Phase.STREAMING) {
            parts.add(new IOException(thrown));
            return;
        }
        if (ofBody && failure != null) {
            fail(
                    request -> {
                        throw failure;
                    });
        } else if (status != 0) {
            fail(
                    request -> {
                        throw new BadRequest(status, message);
                    });
        } else {
            fail(
                    request -> {
                        throw thrown;
                    });
        }
    }

    void checkTimeout(long now) {
        if (now - deadline < 0) {
            return;
        }
        Worker of = worker;
        if (of == null) {
            fail(request -> unavailable()); // it has waited for a context
            return;
        }
        of.run.timedOut(this);
        ScriptPool.report(file, Run.Limit.TIMEOUT.reason, null);
        fail(request -> timedOut());
    }

    /** The client has disconnected. */
    void disconnected() {
        gone = true;
        fail(request -> Response.empty(500)); // which nobody reads
        if (pool.completions.remove(id)) {
            completed(0, false, 0, 0);
        }
    }

    // ---- the body of the request

    /** A script reads the body. Called by the worker. */
    void read(int kind, Value resolve, Value reject) {
        var read = new BodyReader.Read(kind, resolve, reject);
        synchronized (this) {
            if (phase == Phase.STREAMING) {
                parts.add(read);
                return;
            }
        }
        if (phase() == Phase.RUNNING) {
            post(
                    request -> {
                        body.read(request, read, this);
                        return await();
                    });
        } else {
            reject.executeVoid("The body can be read until the response has ended.", 500);
        }
    }

    // ---- a body that is a stream

    /** Writes the body. Called by the handler's thread. */
    private void write(Request request, OutputStream out, boolean early)
            throws IOException, InterruptedException {
        try {
            if (early) {
                out.flush();
            }
            while (enter(Phase.RESULT, Phase.STREAMING)) {
                begin();
                pool.time(this);
                worker.post(this, () -> worker.context().next(number));
                Object part = parts.take();
                while (part instanceof BodyReader.Read read) {
                    body.read(request, read, this);
                    part = parts.take();
                }
                pool.timed.remove(this);
                enter(Phase.STREAMING, Phase.RESULT);
                switch (part) {
                    case byte[] bytes -> {
                        out.write(bytes);
                        out.flush();
                    }
                    case CancellationException e -> throw e; // which is not logged
                    case IOException e when e.getCause() != null -> throw unchecked(e.getCause());
                    case IOException e -> throw e;
                    default -> {
                        return;
                    }
                }
            }
            throw new IOException("the script did not complete the body");
        } finally {
            closeStream();
        }
    }

    /** The server logs what a writer throws unless the client has disconnected. */
    private static RuntimeException unchecked(Throwable thrown) {
        var failure = new IllegalStateException(thrown.getMessage());
        failure.setStackTrace(thrown.getStackTrace());
        return failure;
    }

    private void closeStream() {
        pool.timed.remove(this);
        allowCleanup();
        synchronized (this) {
            phase = Phase.OVER;
        }
        Worker of = worker;
        of.post(this, () -> of.context().close(number));
        of.post(
                null,
                () -> {
                    if (!pool.completions.used) {
                        of.context().forget(number);
                    }
                    of.release(this);
                });
    }

    /** A part of the body; null at the end. Called by the worker. */
    void part(byte[] bytes) {
        parts.add(bytes == null ? END : bytes);
    }

    void partFailed(ScriptException thrown) {
        parts.add(new IOException(thrown));
    }

    // ---- responses that scripts inspect

    private CompletableFuture<Response> inspect(
            Request request, Response response, boolean completes) {
        var stage = new CompletableFuture<Response>();
        synchronized (this) {
            if (phase != Phase.RESULT) {
                stage.complete(unavailable());
                return stage;
            }
            phase = Phase.INSPECTING;
            inspection = stage;
            reader = new ResponseReader(request, response, pool.settings.maxBodyBytes());
        }
        begin();
        pool.time(this);
        this.completes = completes;
        Worker of = worker;
        String flat = Lines.of(response.headers());
        of.post(this, () -> of.context().inspect(number, response.status(), flat));
        return stage;
    }

    /** A script reads the body of the response that it inspects. Called by the worker. */
    void readResponse(Value resolve, Value reject) {
        ResponseReader of;
        synchronized (this) {
            of = phase == Phase.INSPECTING ? reader : null;
        }
        if (of == null) {
            reject.executeVoid("The body can be read until inspectResponse has returned.");
        } else {
            of.read(this, resolve, reject);
        }
    }

    /** The scripts have inspected the response. Called by the worker. */
    void inspected(int status, Headers headers, int kind, byte[] body) {
        CompletableFuture<Response> stage;
        ResponseReader of;
        synchronized (this) {
            of = reader;
            if (phase != Phase.INSPECTING) {
                return;
            }
            phase = Phase.OVER;
            stage = inspection;
        }
        pool.timed.remove(this);
        if (completes && !pool.completions.used) {
            forget();
        } else {
            release();
        }
        try {
            if (kind == SAME && of.isBroken()) {
                stage.complete(failed());
                return;
            }
            Response response = of.response();
            if (kind != SAME && of.isRead()) {
                response = Response.forwarded(response.status(), response.headers(), body);
            } else if (kind != SAME) {
                // The old body may be an open file, which is released when it is written.
                response = response.transformBody(out -> new Replaced(out, body));
            }
            Headers sent = kind == SAME ? headers : of.ofAnotherBody(headers);
            stage.complete(response.status(status).headers(sent));
        } catch (RuntimeException e) {
            stage.completeExceptionally(e);
        }
    }

    /** Writes another body instead of what it gets. */
    private static final class Replaced extends OutputStream {
        private final OutputStream out;
        private final byte[] body;
        private boolean closed;

        Replaced(OutputStream out, byte[] body) {
            this.out = out;
            this.body = body;
        }

        @Override
        public void write(int b) {}

        @Override
        public void write(byte[] bytes, int from, int length) {}

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                out.write(body);
                out.close();
            }
        }
    }

    /** The response has ended. Called on a loop. */
    void completed(int status, boolean complete, long bytes, double millis) {
        Worker of = worker;
        if (of != null) {
            allowCleanup();
            of.post(this, () -> of.context().completed(number, status, complete, bytes, millis));
        }
    }
}
