// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Router.Found;
import io.sirocco.http.Router.MethodNotAllowed;
import io.sirocco.http.Router.NotFound;
import io.sirocco.http.h1.Head;
import io.sirocco.http.h1.Parsed;
import io.sirocco.http.h1.TargetForm;
import io.sirocco.net.Chunk;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.Protocol;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * HTTP/1.1 on one connection (RFC 9112): reads requests one after the other, and answers each
 * before it looks at the next, so that pipelined ones are answered in order.
 *
 * <pre>
 *              head complete                     response complete, body read or discarded
 *   ┌─▶ IDLE ───────────────▶ exchange in progress ──────────────────────────────┐
 *   │    │  head refused          │ body refused, deadline, client gone          │
 *   │    ▼                        ▼                                              │
 *   │   answer, finish          answer if still possible, finish                 │
 *   └────────────────────────────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>While it is idle it holds no more than its fields. Loop-confined.
 */
final class Http1 implements Protocol, Wire {
    /**
     * What is read and thrown away of a body that no handler wanted, before the connection is given
     * up instead.
     */
    private static final int DISCARD = 256 << 10;

    private static final byte[] CRLF = {'\r', '\n'};
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] CONNECTION_CLOSE = "Connection: close\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] CONNECTION_KEEP_ALIVE =
            "Connection: keep-alive\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1);

    private static final byte HTTP_1_0 = 1;
    private static final byte KEEP_ALIVE = 1 << 1; // as far as the request is concerned
    private static final byte EXPECTS_CONTINUE = 1 << 2;
    private static final byte CHUNKED_OUT = 1 << 3;
    private static final byte PACED = 1 << 4;
    private static final byte HEAD_BEGUN = 1 << 5;
    private static final byte NOT_STARTED = 1 << 6;

    private final Connection connection;
    private final Worker worker;

    private Exchange exchange; // null while idle
    private BodyReader body; // null when the request has none, or all of it was read
    private CompletableFuture<Void> writable; // somebody waits for the client to take more
    private byte flags;

    /** What was unsent when the client's progress was looked at last. */
    private long unsentBefore;

    Http1(Connection connection, Worker worker) {
        this.connection = connection;
        this.worker = worker;
        worker.opened();
        connection.deadline(after(worker.limits.idleMillis()));
    }

    private boolean is(int flag) {
        return (flags & flag) != 0;
    }

    // ---- input

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && connection.open()) {
            if (exchange != null) {
                if (body == null) {
                    break;
                }
                at = readBody(bytes, at, to);
                startIfReady();
                if (exchange != null && noMoreForNow()) {
                    break;
                }
            } else if (connection.congested()) { // answers are not taken: no more questions
                connection.suspend();
                break;
            } else {
                int next = readHead(bytes, at, to);
                if (next < 0) {
                    break;
                }
                at = next;
            }
        }
        startIfReady();
        if (exchange != null) {
            if (noMoreForNow()) {
                connection.suspend();
            }
            exchange.request.detach();
        }
        return connection.open() ? at : to;
    }

    /**
     * The handler is called behind the first piece of the body: mostly that is all of it, and it
     * need not wait.
     */
    private void startIfReady() {
        if (is(NOT_STARTED)) {
            flags &= ~NOT_STARTED;
            if (exchange != null) {
                run();
            }
        }
    }

    /**
     * Whether the body is complete, or the handler has not taken what came; an inline one takes all
     * of it at the end.
     */
    private boolean noMoreForNow() {
        return body == null
                || exchange.incoming.full() && exchange.endpoint.handling() != Handling.INLINE;
    }

    /** Answers where the head ends, or -1 when it does not yet. */
    private int readHead(byte[] bytes, int from, int to) {
        Head head = worker.head;
        Parsed parsed = head.parse(bytes, from, to, worker.limits.head());
        switch (parsed) {
            case COMPLETE -> {
                int end = head.end();
                begin(head);
                return end;
            }
            case INCOMPLETE -> {
                if (!is(HEAD_BEGUN)) {
                    flags |= HEAD_BEGUN; // the head's deadline runs from its first byte on
                    connection.deadline(after(worker.limits.headMillis()));
                }
                return -1;
            }
            case REJECTED -> {
                reject(head.rule());
                return to;
            }
        }
        throw new AssertionError(parsed);
    }

    private int readBody(byte[] bytes, int from, int to) {
        int next = body.read(bytes, from, to);
        if (body.rule() != null) {
            refuseBody(body.rule());
            return to;
        }
        if (body.ended() || !waitsForBody()) {
            body.served(worker.loop.now());
            exchange.waited = body.waited();
        }
        if (body.ended()) {
            body = null;
            exchange.incoming.end();
            if (exchange.ended) {
                over();
            } else if (exchange.endpoint.handling() == Handling.INLINE && exchange.pending()) {
                run();
            }
        } else if (body.discarded() > DISCARD) {
            flags &= ~KEEP_ALIVE; // we said that the connection would go on, yet this is too much
            over();
        }
        setDeadline();
        return next;
    }

    // ---- from head to handler

    private void begin(Head head) {
        worker.requests++;
        flags =
                (byte)
                        (flags & PACED
                                | (head.minor() == 0 ? HTTP_1_0 : 0)
                                | (head.keepAlive() && !worker.draining ? KEEP_ALIVE : 0)
                                | (head.expectContinue() ? EXPECTS_CONTINUE : 0));
        boolean headOnly = isHead(head);
        switch (route(head)) {
            case Found<Endpoint>(Endpoint endpoint, PathParams params) ->
                    start(head, params, endpoint, headOnly);
            case NotFound<Endpoint> none ->
                    start(head, PathParams.NONE, worker.setup.notFound(), headOnly);
            case MethodNotAllowed<Endpoint>(List<String> allow) ->
                    start(
                            head,
                            PathParams.NONE,
                            worker.setup.notAllowed(head.method(), allow),
                            headOnly);
        }
    }

    private Router.Match<Endpoint> route(Head head) {
        Router<Endpoint> router = worker.setup.router();
        if (head.form() == TargetForm.ORIGIN
                || head.form() == TargetForm.ABSOLUTE && head.pathFrom() < head.pathTo()) {
            return router.match(
                    head.bytes(),
                    head.methodFrom(),
                    head.methodTo(),
                    head.pathFrom(),
                    head.pathTo(),
                    head.hostFrom(),
                    head.hostTo());
        }
        return switch (head.form()) {
            case ASTERISK -> new Found<>(worker.setup.asterisk(), PathParams.NONE);
            case AUTHORITY -> new Found<>(worker.setup.tunnel(), PathParams.NONE);
            case ORIGIN, ABSOLUTE ->
                    router.match(head.method(), head.hasHost() ? head.host() : "", head.path());
        };
    }

    private static boolean isHead(Head head) {
        byte[] b = head.bytes();
        int m = head.methodFrom();
        return head.methodTo() - m == 4
                && b[m] == 'H'
                && b[m + 1] == 'E'
                && b[m + 2] == 'A'
                && b[m + 3] == 'D';
    }

    private void start(Head head, PathParams params, Endpoint endpoint, boolean headOnly) {
        exchange = new Exchange(this, worker, head, params, endpoint, headOnly);
        worker.inProgress++;
        pace(endpoint);
        if (head.chunked() || head.contentLength() > 0) {
            long most = endpoint.body() < 0 ? Long.MAX_VALUE : endpoint.body();
            body = new BodyReader(head.chunked(), head.contentLength(), most, exchange.incoming);
            if (head.contentLength() > most) {
                answerRule(Rule.BODY_TOO_LARGE);
                return;
            }
        } else if (exchange.incoming != null) {
            exchange.incoming.end();
        }
        if (worker.inProgress > worker.limits.requests()) {
            answerRule(Rule.SLOTS_FULL);
        } else if (body == null) {
            run();
        } else if (endpoint.handling() == Handling.INLINE) {
            wantBody(); // the handler is called when all of it is here
        } else {
            flags |= NOT_STARTED;
        }
    }

    private void pace(Endpoint endpoint) {
        if (endpoint.paced()) {
            flags |= PACED;
            connection.paceAlso(
                    endpoint.reads().stream().toList(), endpoint.writes().stream().toList());
        } else if (is(PACED)) {
            flags &= ~PACED;
            connection.paceAlso(List.of(), List.of());
        }
    }

    private void run() {
        switch (exchange.endpoint.handling()) {
            case INLINE -> exchange.run();
            case VIRTUAL -> worker.virtual(exchange, exchange);
            case POOL -> {
                exchange.request.detach();
                worker.pool(exchange);
            }
        }
        if (exchange != null && !exchange.ended) {
            setDeadline();
        }
    }

    // ---- refusals

    private void reject(Rule rule) {
        worker.rejected++;
        worker.requests++;
        flags &= ~KEEP_ALIVE;
        if (worker.monitored()) {
            worker.tell(
                    () ->
                            worker.setup
                                    .monitor()
                                    .rejected(new Monitor.Rejected(connection.remote(), rule)));
        }
        Response page = worker.page(rule.status(), Status.reason(rule.status()));
        byte[] bytes = ((Content.Bytes) page.content()).bytes();
        writeHead(page, bytes.length);
        connection.write(bytes, 0, bytes.length);
        finish();
    }

    /**
     * Answers the exchange for the handler; the connection may go on if the request's end is known.
     */
    private void answerRule(Rule rule) {
        worker.rejected++;
        if (rule != Rule.SLOTS_FULL) {
            flags &= ~KEEP_ALIVE;
        }
        if (worker.monitored()) {
            worker.tell(
                    () ->
                            worker.setup
                                    .monitor()
                                    .rejected(new Monitor.Rejected(connection.remote(), rule)));
        }
        if (exchange.pending()) {
            exchange.responded = true;
            exchange.status = rule.status();
            Response page = worker.page(rule.status(), Status.reason(rule.status()));
            if (rule == Rule.SLOTS_FULL) {
                page = page.header("Retry-After", "1");
            }
            send(page, ((Content.Bytes) page.content()).bytes());
        } else if (!exchange.ended) {
            breakOff();
        }
    }

    private void refuseBody(Rule rule) {
        Exchange refused = exchange;
        body = null;
        flags &= ~KEEP_ALIVE;
        boolean handlerRuns = refused.endpoint.handling() != Handling.INLINE && refused.pending();
        if (handlerRuns
                && refused.incoming
                        .wanted()) { // it hears of it, and may answer; what it throws is answered
            worker.rejected++;
            if (worker.monitored()) {
                worker.tell(
                        () ->
                                worker.setup
                                        .monitor()
                                        .rejected(new Monitor.Rejected(connection.remote(), rule)));
            }
            refused.incoming.fail(new BodyRefused(rule));
        } else {
            refused.incoming.fail(new BodyRefused(rule));
            answerRule(rule);
        }
    }

    // ---- the response

    @Override
    public void send(Response response, byte[] bytes) {
        boolean bodiless = response.bodiless();
        boolean withBody = !bodiless && !exchange.headOnly();
        Response.Encoded encoded = bodiless ? null : response.encoded(bytes);
        if (response.closes()) {
            flags &= ~KEEP_ALIVE;
        }
        decideOnNextRequest();
        if (encoded != null && encoded.head().length + bytes.length < 8 << 10) {
            Chunk chunk = connection.room(encoded.head().length + bytes.length + 256);
            chunk.put(encoded.head());
            chunk.put(worker.dateAndServer());
            chunk.put(connectionLine());
            if (withBody) {
                chunk.put(bytes);
            }
        } else {
            writeHead(response, bodiless ? ResponseHead.NO_LENGTH : bytes.length);
            if (withBody) {
                connection.writeStable(bytes, 0, bytes.length);
            }
        }
        responseEnded();
    }

    private void writeHead(Response response, long length) {
        ResponseHead.write(response, length, connection);
        byte[] date = worker.dateAndServer();
        byte[] line = connectionLine();
        Chunk chunk = connection.room(date.length + line.length);
        chunk.put(date);
        chunk.put(line);
    }

    /** The field {@code Connection} where it says something, and the blank line. */
    private byte[] connectionLine() {
        if (!is(KEEP_ALIVE)) {
            return CONNECTION_CLOSE;
        }
        return is(HTTP_1_0) ? CONNECTION_KEEP_ALIVE : CRLF;
    }

    /**
     * A body that was not read is in the way of the next request: is it short enough to be skipped?
     * And while the server stops, the last answer says that it is the last.
     */
    private void decideOnNextRequest() {
        boolean unskippable = body != null && (is(EXPECTS_CONTINUE) || body.left() > DISCARD);
        if (unskippable || worker.draining && connection.held() == 0) {
            flags &= ~KEEP_ALIVE;
        }
    }

    @Override
    public void begin(Response response, long length) {
        if (response.closes()) {
            flags &= ~KEEP_ALIVE;
        }
        decideOnNextRequest();
        long framing = length;
        if (response.bodiless()) {
            framing = ResponseHead.NO_LENGTH;
        } else if (length < 0 && is(HTTP_1_0)) {
            flags &= ~KEEP_ALIVE; // the close ends the body
            framing = ResponseHead.NO_LENGTH;
        } else if (length < 0) {
            flags |= CHUNKED_OUT;
            framing = ResponseHead.CHUNKED;
        }
        writeHead(response, framing);
        setDeadline();
    }

    @Override
    public void data(byte[] bytes, int from, int to) {
        if (is(CHUNKED_OUT)) {
            Chunk chunk = connection.room(20);
            chunk.putHex(to - from);
            chunk.put(CRLF);
            connection.write(bytes, from, to);
            connection.room(2).put(CRLF);
        } else {
            connection.write(bytes, from, to);
        }
    }

    @Override
    public void end() {
        if (is(CHUNKED_OUT) && !exchange.headOnly()) {
            connection.room(LAST_CHUNK.length).put(LAST_CHUNK);
        }
        responseEnded();
    }

    @Override
    public void breakOff() {
        if (exchange != null) {
            exchange.ended = true;
            tellAnswered(false);
            exchange = null;
            worker.inProgress--;
        }
        connection.abort();
    }

    private void responseEnded() {
        exchange.ended = true;
        tellAnswered(true);
        if (body == null) {
            over();
        } else if (is(KEEP_ALIVE)) {
            exchange.incoming.discard(); // the rest of the body is skipped as it comes
            body.discard();
            body.waiting(worker.loop.now());
            connection.resume();
            setDeadline();
        } else {
            over();
        }
    }

    /** Request and response are complete: on to the next, or good-bye. */
    private void over() {
        exchange.request.over();
        exchange = null;
        boolean unreadBody = body != null;
        body = null;
        worker.inProgress--;
        boolean keep = is(KEEP_ALIVE);
        flags &= PACED;
        if (!keep || connection.ended() || worker.draining && connection.held() == 0) {
            if (unreadBody || connection.held() > 0) {
                finish();
            } else {
                connection.deadline(after(worker.limits.writeMillis()));
                connection.finish(false);
            }
            return;
        }
        connection.deadline(after(worker.limits.idleMillis()));
        connection.resume();
    }

    private void finish() {
        unsentBefore = 0;
        connection.deadline(after(worker.limits.writeMillis()));
        connection.finish();
    }

    private void tellAnswered(boolean complete) {
        if (exchange.event != null) {
            exchange.event.commit(exchange, complete, worker.loop);
        }
        if (worker.monitored()) {
            Exchange x = exchange;
            var answered =
                    new Monitor.Answered(
                            connection.remote(),
                            x.request.method(),
                            x.request.target(),
                            x.endpoint.path(),
                            x.status,
                            x.bytesIn(),
                            x.bytesOut,
                            worker.loop.clock().nanos() - x.began,
                            complete);
            worker.tell(() -> worker.setup.monitor().answered(answered));
        }
    }

    // ---- what the exchange asks of its wire

    @Override
    public Loop loop() {
        return worker.loop;
    }

    @Override
    public SocketAddress remote() {
        return connection.remote();
    }

    @Override
    public boolean connected() {
        return connection.open();
    }

    @Override
    public void wantBody() {
        if (is(EXPECTS_CONTINUE) && body != null) {
            flags &= ~EXPECTS_CONTINUE;
            if (body.received() == 0) {
                connection.room(CONTINUE.length).put(CONTINUE);
            }
        }
        if (body != null && !exchange.incoming.full()) {
            connection.resume();
            body.waiting(worker.loop.now());
            setDeadline();
        }
    }

    @Override
    public CompletableFuture<Void> writable() {
        if (!connection.open()) {
            return CompletableFuture.failedFuture(new IOException("the client is gone"));
        }
        if (!connection.congested()) {
            return CompletableFuture.completedFuture(null);
        }
        writable = new CompletableFuture<>();
        setDeadline();
        return writable;
    }

    @Override
    public void drained(Connection connection) {
        CompletableFuture<Void> waiting = writable;
        if (waiting != null) {
            writable = null;
            waiting.complete(null);
        }
        if (exchange == null) {
            connection.resume();
        }
    }

    // ---- time

    private long after(long millis) {
        return millis == 0 ? Long.MAX_VALUE : worker.loop.now() + millis;
    }

    /** The next moment to look at the exchange. */
    private void setDeadline() {
        if (exchange == null) {
            return;
        }
        long at = handlerDeadline();
        if (waitsForBody()) {
            at = Math.min(at, body.deadline(worker.limits));
        }
        if (writable != null || exchange.ended) {
            unsentBefore = connection.unsent();
            at = Math.min(at, after(worker.limits.writeMillis()));
        }
        connection.deadline(at);
    }

    /** The time that the handler spends waiting for the client's body is not its own. */
    private long handlerDeadline() {
        long millis = exchange.endpoint.deadlineMillis();
        return exchange.pending() && millis > 0 && !waitsForBody()
                ? exchange.began / 1_000_000 + millis + exchange.waited
                : Long.MAX_VALUE;
    }

    private boolean waitsForBody() {
        return body != null
                && (exchange.incoming.wanted() || exchange.ended || waitsForWholeBody());
    }

    private boolean waitsForWholeBody() {
        return exchange.endpoint.handling() == Handling.INLINE && exchange.pending();
    }

    @Override
    public void expired(Connection connection) {
        long now = worker.loop.now();
        if (!connection.open() || exchange == null && connection.unsent() > 0) {
            abortUnlessItTakes();
        } else if (exchange == null) {
            if (is(HEAD_BEGUN)) {
                reject(Rule.HEAD_DEADLINE);
            } else {
                connection.finish(false);
            }
        } else if (now >= handlerDeadline()) {
            Exchange late = exchange;
            answerRule(late.waitsForLater ? Rule.LATER_DEADLINE : Rule.HANDLER_DEADLINE);
            late.cancel();
        } else if (waitsForBody() && now >= body.deadline(worker.limits)) {
            refuseBody(Rule.BODY_DEADLINE);
        } else if (writable != null || exchange.ended) {
            abortUnlessItTakes();
        } else {
            setDeadline();
        }
    }

    /** A client that takes nothing at all is given up; a slow one is not. */
    private void abortUnlessItTakes() {
        long unsent = connection.unsent();
        if (unsent > 0 && unsent >= unsentBefore && unsentBefore > 0) {
            connection.abort();
        } else {
            unsentBefore = unsent;
            connection.deadline(after(worker.limits.writeMillis()));
        }
    }

    // ---- ends

    @Override
    public void ended(Connection connection) {
        if (exchange == null) {
            connection.finish(false);
        } else if (body != null) { // half a request
            body = null;
            exchange.incoming.fail(new IOException("the client ended in the middle of the body"));
            flags &= ~KEEP_ALIVE;
            if (exchange.endpoint.handling() == Handling.INLINE || exchange.ended) {
                breakOff();
            }
        } else {
            flags &= ~KEEP_ALIVE; // the response may still be read
        }
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        worker.closed();
        var gone = new IOException("the client is gone");
        if (writable != null) {
            writable.completeExceptionally(gone);
            writable = null;
        }
        if (exchange != null) {
            Exchange cut = exchange;
            exchange = null;
            worker.inProgress--;
            if (!cut.ended) {
                cut.ended = true;
                cut.responded = true;
                exchange = cut;
                tellAnswered(false);
                exchange = null;
            }
            if (cut.incoming != null) {
                cut.incoming.fail(gone);
            }
            if (cause == CloseCause.STOPPED) {
                cut.cancel();
            }
        }
    }

    /** The server stops: an idle connection ends now, a busy one with its response. */
    void drain() {
        if (exchange == null && connection.held() == 0) {
            connection.finish(false);
        }
    }
}
