// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.RequestError;
import io.sirocco.http.body.BodyRefused;
import io.sirocco.http.body.RequestBody;
import io.sirocco.http.message.RequestHead;
import io.sirocco.http.message.Trailers;
import io.sirocco.http.route.FilteredHandler;
import io.sirocco.http.route.PathParams;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.net.CloseCause;
import io.sirocco.net.ScheduledTask;
import io.sirocco.net.log.LinkedErrors;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import jdk.jfr.FlightRecorder;

/**
 * One request and its response, whatever version of HTTP carries them: between the {@link
 * HttpStream}, which lives on a loop, and the handler, which runs where its route says. It decides
 * when the handler runs, which timeouts apply, and with which error a request is refused.
 *
 * <pre>
 *   start ─┬─ refused ──────────────────────────────────────────▶ response written ─▶ over
 *          └─ handler ─▶ response, by {@link Responder} ────────────────▲
 *                          └─ timeout, body refused, memory short ──────┘
 * </pre>
 *
 * <p>Methods say where they run; fields are loop-confined unless they say otherwise.
 */
public final class Exchange extends HandlerThread implements Runnable {
    static {
        LinkedErrors.link(Throwable.class, OutOfMemoryError.class);
    }

    /**
     * How long an asynchronous response of a client that has disconnected counts as a request in
     * progress where there is no handler timeout, in milliseconds.
     */
    private static final long UNLIMITED_ASYNC = 60_000;

    /** A request of which a handler keeps no more than so many bytes begins without room. */
    private static final int SMALL = 4 << 10;

    final HttpStream stream;
    final LoopContext context;
    public final RequestMessage request;
    public final RouteTarget routeTarget;
    public final RequestBody body; // null when there is none
    public final boolean headOnly; // HEAD was requested
    final long began; // in the loop's nanoseconds

    /** Null unless it is being recorded. Its class is not loaded before a recording is possible. */
    final RequestEvent event = FlightRecorder.isInitialized() ? RequestEvent.start() : null;

    Handler handler; // to be called next; handed on with the exchange
    private boolean awaitsFirstPiece; // of the body, before the handler is called
    boolean responded; // the response has begun; a later one is dropped
    boolean early; // its headers were sent before its writer wrote anything
    public boolean ended; // all of the response is written
    boolean brokenOff; // in the middle of its response
    boolean awaitsResponse; // the handler has returned, but its response is not known yet
    volatile boolean isEventStream; // which a server that stops interrupts
    private boolean gone; // the client has closed its sending side before the response was complete
    private boolean over; // the connection may serve the next one
    private boolean left; // it is no longer in progress, but for its handler
    private boolean running; // its handler is, or has promised a response that is to come
    private RunningOn runningOn; // null unless the handler runs on behind the end of the exchange
    private ClientListeners listeners; // null until one waits for the client
    private BodyPump pump; // null unless a source produces the response
    int status;
    long bytesOut;
    RequestError rule; // by which the request was refused; null if it was not
    private String id; // of the handler's thread; of the loop's, when it is over

    Exchange(
            HttpStream stream,
            LoopContext context,
            RequestHead head,
            Forwarded forwarded,
            long bodyLength,
            PathParams params,
            RouteTarget routeTarget) {
        this.stream = stream;
        this.context = context;
        this.routeTarget = routeTarget;
        this.handler = routeTarget.handler();
        this.request = new RequestMessage(this, head, params, forwarded);
        this.body = bodyLength == 0 ? null : new RequestBody(bodyLength);
        this.headOnly = head.isHead();
        this.began = context.loop.nanos();
    }

    // ---- called by the stream: the request

    /** Decides whether the request is served; calls its handler, or waits for its body first. */
    public void start() {
        context.inProgress++;
        stream.pace(routeTarget.bandwidth());
        if (body != null
                && routeTarget.limits().body() >= 0
                && body.length() > routeTarget.limits().body()) {
            refuse(RequestError.BODY_TOO_LARGE);
        } else if (rule != null) {
            refuse(rule);
        } else if (context.inProgress > context.limits.requests()) {
            refuse(RequestError.SLOTS_FULL);
        } else if (context.loop.memory().exhausted() || lacksRoom()) {
            refuse(RequestError.MEMORY_SHORT);
        } else if (body == null || !routeTarget.readsBody()) {
            call();
        } else {
            awaitsFirstPiece = true;
        }
    }

    /**
     * Reserves what a handler may keep of the request, while memory is short; returns whether there
     * is no room; a small request needs none. If that were found out behind the handler, its copies
     * would be there until the connection is released, at the end of the turn, and a turn may have
     * hundreds of requests.
     */
    private boolean lacksRoom() {
        int most = request.mostStored();
        return most > SMALL && context.loop.memory().tight() && !stream.stores(most);
    }

    /** Returns the maximum number of bytes of the body. */
    public long bodyLimit() {
        return routeTarget.limits().body() < 0 ? Long.MAX_VALUE : routeTarget.limits().body();
    }

    /** Called when {@code bytes[from..to)} of the body were received. */
    public void received(byte[] bytes, int from, int to) {
        body.add(bytes, from, to);
        if (body.received() > bodyLimit() && body.expected()) {
            refuseBody(RequestError.BODY_TOO_LARGE);
        }
    }

    /** Called when the last byte of the body was received. */
    public void bodyEnded(Headers trailers) {
        body.end(context.loop.now(), trailers);
        if (routeTarget.collectsBody() && !ended && pending()) {
            call();
        }
    }

    /**
     * Called when everything that arrived at once was received. A handler that reads its body is
     * called after its first segment, which is usually all of it, so that the handler need not
     * wait.
     */
    public void delivered() {
        if (body == null || ended && !body.expected()) {
            return;
        }
        if (awaitsFirstPiece) {
            awaitsFirstPiece = false;
            if (!routeTarget.collectsBody()) {
                call();
            } else if (body.expected()) {
                demand();
            }
        }
        if (body.expected() && !waitsForBody()) {
            body.clock().stop(context.loop.now());
        }
        schedule();
    }

    /**
     * Returns whether no more of the body should be read for now. An inline handler takes all of it
     * at the end.
     */
    public boolean bodyFull() {
        return body.full() && !routeTarget.collectsBody();
    }

    /** Refuses the rest of the body, whose end is unknown or which is no longer needed. */
    public void refuseBody(RequestError refusal) {
        boolean handlerWaits = !routeTarget.collectsBody() && body.wanted();
        boolean onlyTold = handlerWaits || !pending(); // the handler's exception is responded to
        if (onlyTold) {
            rejected(refusal);
        }
        stream.abandonBody();
        body.fail(new BodyRefused(refusal));
        if (!onlyTold && pending()) { // code that has waited for the body may have responded
            refuse(refusal);
            return;
        }
        if (!ended) {
            schedule();
        }
    }

    // ---- called by the stream: the response, and the ends

    /** Called when the whole response was written. */
    public void responseWritten() {
        ended = true;
        if (event != null || context.monitored()) {
            brokenOff |= !stream.open(); // already closed: the output is dropped
            stream.reportWhenSent(this);
        }
    }

    /**
     * Called when the response is complete while the client is still sending the body, which is
     * dropped.
     */
    public void discardBody() {
        body.discard();
        body.clock().start(context.loop.now());
        schedule();
    }

    /** Called when the connection was upgraded to another protocol. */
    public void upgraded() {
        ended = true;
        request.detach(); // the WebSocket may still look at it
        if (event != null || context.monitored()) {
            ExchangeReport.of(this, 0).deliverLater(true);
        }
        dropBody();
        leave();
        runWhenOver();
    }

    /** Called when both messages are complete, or the rest of the request is not read. */
    public void over() {
        request.over();
        dropBody();
        leave();
        runWhenOver();
    }

    private void dropBody() {
        if (body != null) {
            body.discard();
        }
    }

    /** Called when the client can take output again. */
    public void drained() {
        if (listeners != null) {
            listeners.drained();
        }
    }

    /** Called when the client has closed its side of the connection, or all of it. */
    public void clientGone() {
        if (!ended) {
            notifyGone();
        }
    }

    private void notifyGone() {
        if (gone) {
            return;
        }
        gone = true;
        if (listeners != null) {
            listeners.disconnected(this::runListenerLater);
        }
        if (pump != null) {
            pump.clientGone();
        }
    }

    /** Called when the stream ended before both messages were complete. */
    public void closed(CloseCause cause) {
        failWritable();
        closePump();
        if (!ended) {
            responded = true;
            ended = true;
            notifyGone();
            if (event != null || context.monitored()) {
                bytesOut = Math.max(0, bytesOut - stream.unsent());
                ExchangeReport.of(this, 0).deliverLater(false);
            }
        }
        if (body != null) {
            body.fail(clientIsGone());
        }
        leave();
        if (cause == CloseCause.MEMORY_SHORT) {
            rule = rule == null ? RequestError.MEMORY_SHORT : rule; // for the log
            cancel(); // or what it keeps would stay
        } else if (cause == CloseCause.STOPPED) {
            cancel();
        }
        runWhenOver();
    }

    // ---- a handler that runs on behind the end of the exchange

    /**
     * A handler that runs on although its client has disconnected or its timeout has passed. It
     * counts as a request in progress, and the memory that it keeps is counted, until it returns.
     */
    private static final class RunningOn {
        private final long memory;
        private ScheduledTask timeout;
        private boolean timedOut;

        RunningOn(long memory) {
            this.memory = memory;
        }
    }

    /** The request is no longer in progress, unless its handler is. */
    private void leave() {
        if (left) {
            return;
        }
        left = true;
        boolean timedOut = awaitsResponse && rule == RequestError.LATER_DEADLINE;
        if (!running || timedOut) {
            context.inProgress--;
            return;
        }
        long memory = request.stored() + (body == null ? 0 : body.stored());
        long most = routeTarget.limits().handlerMillis();
        long waited = body == null ? 0 : body.clock().waited(context.loop.now());
        long end = began / 1_000_000 + (most == 0 ? UNLIMITED_ASYNC : most) + waited;
        long left = Math.max(0, end - context.loop.now());
        try {
            var late = new RunningOn(memory);
            late.timeout = context.loop.schedule(left, this::runningTimedOut);
            runningOn = late;
            context.loop.memory().add(memory);
        } catch (OutOfMemoryError e) {
            context.inProgress--; // rather than for ever
        }
    }

    /** Interrupts the handler, or waits no longer for its asynchronous response. */
    private void runningTimedOut() {
        runningOn.timedOut = true;
        if (awaitsResponse) {
            handlerEnded();
        } else if (routeTarget.limits().handlerMillis() > 0) {
            rule = rule == null ? RequestError.HANDLER_DEADLINE : rule; // for the log
            cancel();
        }
    }

    /**
     * Called when the handler has returned, with its response or without one: to be called before
     * that is sent. On the loop.
     */
    void handlerEnded() {
        running = false;
        RunningOn late = runningOn;
        if (late != null) {
            runningOn = null;
            late.timeout.cancel();
            context.loop.memory().release(late.memory);
            context.inProgress--;
        }
    }

    /** Called when the handler has returned, and its response is to come. On the loop. */
    void awaitResponse() {
        awaitsResponse = true;
        threadReturned();
        if (runningOn != null && runningOn.timedOut) {
            handlerEnded();
        }
    }

    /**
     * Called when the handler could not even fail, above all for lack of heap: ends the stream. On
     * the handler's thread.
     */
    void handlerLost(Throwable thrown) {
        while (true) {
            try {
                context.responder.onLoop(this, this::abandon);
                break;
            } catch (OutOfMemoryError e) { // or the request would be in progress for ever
                Thread.yield();
            }
        }
        context.failed(this, "", thrown);
    }

    private void abandon() {
        handlerEnded();
        if (!ended) {
            stream.abort(CloseCause.ABORTED);
        }
    }

    /** Called when the server stops: ends a response that has no end of its own. */
    public void drain() {
        if (isEventStream) {
            cancel();
        }
    }

    // ---- refusals

    /** Responds instead of the handler, which has not begun to. */
    private void refuse(RequestError refusal) {
        if (refusal != RequestError.SLOTS_FULL && refusal != RequestError.MISDIRECTED) {
            stream.closeAfterResponse();
        }
        ResponseMessage page = finished(context.page(refusal));
        if (pending()) { // the filters may have waited, and the client may have gone
            refuse(refusal, page);
        }
    }

    /** Returns the response to an exception. Any thread that may use the request. */
    ResponseMessage failure(Throwable thrown) {
        return finished(Failures.response(this, thrown));
    }

    /**
     * Returns an error page with the headers that the filters of the route add: the one place that
     * all responses pass which no handler or filter has returned. Any thread that may use the
     * request.
     */
    public ResponseMessage finished(ResponseMessage page) {
        if (!(routeTarget.handler() instanceof FilteredHandler chain) || ended) {
            return page;
        }
        try {
            var whole = (ResponseMessage) chain.finish(request, page);
            if (whole.content() instanceof Content.Bytes) {
                return whole;
            }
            throw new IllegalStateException("Filter.finish has changed the body of an error page");
        } catch (Throwable e) {
            if (stream.open()) { // else the request may be over
                context.failed(this, " in Filter.finish", e);
            }
            return page;
        }
    }

    /** Responds to an error with this page. */
    void refuse(RequestError refusal, ResponseMessage page) {
        responded = true;
        status = refusal.status();
        rejected(refusal);
        closePump();
        byte[] bytes = ((Content.Bytes) page.content()).bytes();
        send(page, bytes);
    }

    /** Counts the refusal, and reports it to the monitor. */
    private void rejected(RequestError refusal) {
        context.rejected++;
        rule = refusal;
        if (context.monitored()) {
            context.reportRejected(
                    refusal,
                    id(),
                    request.remoteAddress(),
                    request.isSecure(),
                    request.method(),
                    request.target(),
                    false,
                    0);
        }
    }

    // ---- memory

    /** Called when the memory of the exchange has changed. */
    public void stored() {
        if (!stream.stores(request.stored() + (body == null ? 0 : body.stored()))) {
            if (!context.mayReportMemoryShort()) {
                stream.abort(CloseCause.MEMORY_SHORT);
            } else if (body != null && body.expected()) {
                refuseBody(RequestError.MEMORY_SHORT);
            } else if (pending()) {
                refuse(RequestError.MEMORY_SHORT);
                cancel();
            }
        }
    }

    /** Refuses a body for which there is no memory. */
    public void refuseBodyForMemory() {
        if (!pending() || !context.mayReportMemoryShort()) {
            stream.abort(CloseCause.MEMORY_SHORT);
        } else {
            refuseBody(RequestError.MEMORY_SHORT);
        }
    }

    /**
     * Returns whether reading the body is suspended because its buffer is full, while the handler
     * is not waiting for the client to take output.
     */
    public boolean bodyWaitsForHandler() {
        return body != null
                && body.expected()
                && body.full()
                && !waitsForBody()
                && !awaitsOutput()
                && !stream.congested();
    }

    // ---- time

    /** Schedules the next deadline of this exchange. */
    private void schedule() {
        long at =
                waitsForBody()
                        ? body.clock().deadline(routeTarget.limits(), body.received())
                        : handlerDeadline();
        if (awaitsOutput() || ended) {
            at = Math.min(at, stream.outputDeadline());
        }
        stream.deadline(at);
    }

    /**
     * Returns the time by which the handler must respond, excluding the time that the client took.
     */
    private long handlerDeadline() {
        long most = routeTarget.limits().handlerMillis();
        if (!pending() || most == 0) {
            return Long.MAX_VALUE;
        }
        long waited = body == null ? 0 : body.clock().waited(context.loop.now());
        return began / 1_000_000 + most + waited;
    }

    private boolean waitsForBody() {
        return body != null
                && body.expected()
                && (body.wanted() || ended || routeTarget.collectsBody() && pending());
    }

    /** Called at the scheduled time. */
    public void expired() {
        long now = context.loop.now();
        if (waitsForBody()) {
            if (now >= body.clock().deadline(routeTarget.limits(), body.received())) {
                refuseBody(RequestError.BODY_DEADLINE);
            } else if (ended) {
                stream.abortIfStalled();
            } else {
                schedule();
            }
        } else if (now >= handlerDeadline()) {
            refuse(awaitsResponse ? RequestError.LATER_DEADLINE : RequestError.HANDLER_DEADLINE);
            cancel();
        } else if (awaitsOutput() || ended) {
            stream.abortIfStalled();
        } else {
            schedule();
        }
    }

    // ---- the handler

    private void call() {
        dispatch();
        if (!ended) {
            schedule();
        }
    }

    /** Runs the handler where its route says. */
    void dispatch() {
        running = true;
        try {
            switch (routeTarget.mode()) {
                case INLINE -> callInline();
                case VIRTUAL, LOOP -> context.virtual(this);
                case POOL -> {
                    request.detach();
                    context.pool(this);
                }
            }
        } catch (Throwable e) { // it could not be called, or not send its response
            handlerEnded();
            throw e;
        }
    }

    private void callInline() {
        try {
            callHandler();
        } finally {
            context.clearThread();
        }
    }

    /** Calls the handler on a thread that belongs to it meanwhile. */
    @Override
    public void run() {
        threadBegins();
        try {
            callHandler();
        } catch (Throwable e) {
            handlerLost(e);
        } finally {
            threadEnds();
        }
    }

    /**
     * Calls the handler and sends its response, unless the exchange has ended before its turn came.
     * On the handler's thread.
     */
    private void callHandler() {
        if (!pending()) {
            context.responder.onLoop(this, this::handlerEnded);
            return;
        }
        ResponseMessage response;
        try {
            response = (ResponseMessage) handler.handle(request);
            if (response == null) {
                throw new NullPointerException(
                        "the handler of " + routeTarget.path() + " returned null");
            }
        } catch (Throwable e) {
            response = failure(e);
        }
        context.responder.respond(this, response);
    }

    /**
     * Returns whether the handler has not begun to respond; another thread may see it a little
     * late.
     */
    boolean pending() {
        return !responded;
    }

    // ---- the body, for the handler

    /** Takes the next bytes of the body, for {@link MessageBody}. On the loop. */
    CompletableFuture<byte[]> takeOfBody(boolean keeps) {
        CompletableFuture<byte[]> bytes = body.take(keeps);
        if (!ended) {
            if (body.expected()) {
                demand();
            }
            stored();
        }
        return bytes;
    }

    private void demand() {
        stream.demand();
        if (waitsForBody()) {
            body.clock().start(context.loop.now());
            schedule();
        }
    }

    // ---- the response, for Responder and BodyStream, on the loop

    /** Begins the response. Returns false if another one has begun. */
    boolean begin(ResponseMessage response, long length) {
        if (responded) {
            return false;
        }
        responded = true;
        status = response.status();
        stream.begin(response, response.trailers() == null ? length : -1);
        if (!ended) {
            schedule();
        }
        if (context.draining) {
            drain();
        }
        return true;
    }

    /** Sends a whole response. */
    void send(ResponseMessage response, byte[] bytes) {
        boolean none = headOnly || response.bodiless() || !stream.open();
        bytesOut = none ? 0 : bytes.length;
        if (response.trailers() == null || none) {
            stream.send(response, bytes);
            return;
        }
        stream.begin(response, -1);
        if (bytes.length > 0) {
            stream.piece(bytes);
        }
        end(response);
    }

    /** Ends the body, and with it the response, unless the client has gone. */
    void end(ResponseMessage response) {
        Headers trailers = Headers.none();
        if (response.trailers() != null && !ended) {
            try {
                trailers = Trailers.checked(response.trailers().get());
            } catch (Throwable e) {
                context.failed(this, ": its trailers cannot be sent", e);
                breakOff();
                return;
            }
        }
        if (!ended) { // while the trailers were made, too
            stream.end(trailers);
        }
    }

    /** Sends an interim response, unless the response has begun or the client does not read. */
    void interim(int interimStatus, Headers headers) {
        context.responder.onLoop(
                this,
                () -> {
                    if (!responded && stream.open() && !stream.congested()) {
                        stream.interim(interimStatus, headers);
                    }
                });
    }

    /** Ends the stream in the middle of the response, at once. */
    void breakOff() {
        breakOff(stream::reset); // the end of the stream may mean the end of the response
    }

    /** Ends the stream in the middle of the response, behind what was written. */
    void cutOff() {
        breakOff(stream::cutOff);
    }

    private void breakOff(Runnable how) {
        if (ended) {
            return;
        }
        brokenOff = true;
        if (!stream.open()) {
            notifyGone(); // the writer met its end before closed() is called, which then does not
        }
        closePump();
        responseWritten();
        how.run();
        over();
        failWritable();
    }

    /**
     * Returns a stage that completes when more may be written; exceptionally if the client has
     * disconnected.
     */
    CompletableFuture<Void> writable() {
        if (!stream.open()) {
            return CompletableFuture.failedFuture(clientIsGone());
        }
        if (!stream.congested()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> drained = listeners().onDrained();
        schedule();
        return drained;
    }

    /** Returns whether a writer waits for the client to take output. */
    private boolean awaitsOutput() {
        return listeners != null && listeners.awaitOutput();
    }

    private void failWritable() {
        if (awaitsOutput()) {
            listeners.failDrained(clientIsGone());
        }
    }

    /** Has {@code pump} closed when its response is not sent, or not to its end. */
    void pumpedBy(BodyPump pump) {
        this.pump = pump;
        if (gone) {
            pump.clientGone();
        }
    }

    private void closePump() {
        if (pump != null) {
            context.runLater(pump::close);
            pump = null;
        }
    }

    private ClientListeners listeners() {
        if (listeners == null) {
            listeners = new ClientListeners();
        }
        return listeners;
    }

    static IOException clientIsGone() {
        return new IOException("the client has disconnected");
    }

    // ---- facts, on any thread unless they say otherwise

    /**
     * Returns the id of the request. On the handler's thread, or on the loop when that has ended.
     */
    String id() {
        if (id == null) {
            id = context.nextId();
        }
        return id;
    }

    /** Returns whether the client disconnected before the response was complete. */
    boolean gone() {
        return gone;
    }

    /** Runs {@code task} on the loop when the exchange is over. Any thread. */
    void whenOver(Runnable task) {
        context.responder.onLoop(
                this,
                () -> {
                    if (over) {
                        runListenerLater(task);
                    } else {
                        listeners().onOver(task);
                    }
                });
    }

    private void runWhenOver() {
        over = true;
        if (listeners != null) {
            listeners.over(this::runListenerLater);
        }
    }

    /** Runs {@code task} on the loop when the client disconnects. */
    void whenGone(Runnable task) {
        context.responder.onLoop(
                this,
                () -> {
                    if (gone) {
                        runListenerLater(task);
                    } else if (!ended) {
                        listeners().onDisconnect(task);
                    }
                });
    }

    private void runListenerLater(Runnable task) {
        context.runLater(() -> runListener(task));
    }

    private void runListener(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            context.failed(id(), e);
        } finally {
            context.clearThread();
        }
    }
}
