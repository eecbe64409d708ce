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
import io.sirocco.net.OpenFile;
import io.sirocco.net.Protocol;
import io.sirocco.net.TlsSession;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

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

    private static final int HTTP_1_0 = 1;
    private static final int KEEP_ALIVE = 1 << 1; // as far as the request is concerned
    private static final int EXPECTS_CONTINUE = 1 << 2;
    private static final int CHUNKED_OUT = 1 << 3;
    private static final int PACED = 1 << 4;
    private static final int HEAD_BEGUN = 1 << 5;
    private static final int NOT_STARTED = 1 << 6;
    private static final int UPGRADED = 1 << 8; // what follows is no HTTP
    private static final int OUR_END = 1 << 7; // we close, and the client may not expect it

    private final Connection connection;
    private final Worker worker;

    private Exchange exchange; // null while idle
    private BodyReader body; // null when the request has none, or all of it was read
    private CompletableFuture<Void> writable; // somebody waits for the client to take more
    private int flags;

    /** What was unsent when the client's progress was looked at last. */
    private long unsentBefore;

    Http1(Connection connection, Worker worker) {
        this.connection = connection;
        this.worker = worker;
        worker.opened();
        if (worker.monitored()) {
            connection.remote(); // when it is gone it is too late to ask
        }
        connection.deadline(after(worker.limits.idleMillis()));
    }

    private boolean is(int flag) {
        return (flags & flag) != 0;
    }

    // ---- input

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && connection.open() && !is(UPGRADED)) {
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
            if (exchange == null) {
                return;
            }
            if (!exchange.endpoint.collectsBody()) {
                run();
            } else if (body != null) {
                wantBody(); // the handler is called when all of it is here
            }
        }
    }

    /**
     * Whether the body is complete, or the handler has not taken what came; an inline one takes all
     * of it at the end.
     */
    private boolean noMoreForNow() {
        return body == null || exchange.incoming.full() && !exchange.endpoint.collectsBody();
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
                reject(head.rule(), head.methodSeen(), head.targetSeen());
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
        if (body.ended()) {
            exchange.waited = body.waited(worker.loop.now());
            body = null;
            exchange.incoming.end();
            if (exchange.ended) {
                over();
            } else if (exchange.endpoint.collectsBody() && exchange.pending()) {
                run();
            }
        } else if (body.discarded() > DISCARD) {
            closeBehind(); // we said that the connection would go on, yet this is too much
            over();
        } else if (!waitsForBody()) {
            body.served(worker.loop.now());
        }
        setDeadline();
        return next;
    }

    // ---- from head to handler

    private void begin(Head head) {
        worker.requests++;
        flags =
                flags & PACED
                        | (head.minor() == 0 ? HTTP_1_0 : 0)
                        | (head.keepAlive() ? KEEP_ALIVE : 0)
                        | (head.expectContinue() ? EXPECTS_CONTINUE : 0);
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
        } else if (body == null || !endpoint.readsBody()) {
            run();
        } else {
            flags |= NOT_STARTED;
        }
    }

    /** The connection ends with this response, for a reason of ours. */
    private void closeBehind() {
        flags = flags & ~KEEP_ALIVE | OUR_END;
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
        exchange.dispatch();
        if (exchange != null && !exchange.ended) {
            setDeadline();
        }
    }

    // ---- refusals

    /** Refuses a head, of which so much was read. */
    private void reject(Rule rule, String method, String target) {
        worker.requests++;
        worker.rejected++;
        if (worker.monitored()) {
            tellRejected(rule, worker.nextId(), method, target, true);
        }
        flags &= ~KEEP_ALIVE;
        Response page = worker.page(rule.status(), Status.reason(rule.status()));
        byte[] bytes = ((Content.Bytes) page.content()).bytes();
        writeHead(page, bytes.length);
        connection.write(bytes, 0, bytes.length);
        finish();
    }

    /** Refuses a request whose head was good. */
    private void tellRejected(Exchange refused, Rule rule) {
        worker.rejected++;
        refused.rule = rule;
        if (worker.monitored()) {
            Request request = refused.request;
            tellRejected(rule, refused.id(), request.method(), request.target(), false);
        }
    }

    private void tellRejected(Rule rule, String id, String method, String target, boolean alone) {
        var rejected =
                new Monitor.Rejected(
                        worker.loop.index(),
                        id,
                        worker.loop.clock().wallMillis(),
                        connection.remote(),
                        connection.tls().isPresent(),
                        rule,
                        method,
                        target,
                        alone);
        worker.tell(() -> worker.setup.monitor().rejected(rejected));
    }

    /**
     * Answers the exchange for the handler, which has not begun to; the connection may go on if the
     * request's end is known.
     */
    private void answerRule(Rule rule) {
        tellRejected(exchange, rule);
        Response page = worker.page(rule.status(), Status.reason(rule.status()));
        if (rule == Rule.SLOTS_FULL) {
            page = page.header("Retry-After", "1");
        } else {
            closeBehind();
        }
        exchange.responded = true;
        exchange.status = rule.status();
        send(page, ((Content.Bytes) page.content()).bytes());
    }

    /** Nobody knows where the body ends, or nobody waits for it any longer. */
    private void refuseBody(Rule rule) {
        Exchange refused = exchange;
        boolean handlerWaits = !refused.endpoint.collectsBody() && refused.incoming.wanted();
        body = null;
        closeBehind();
        refused.incoming.fail(new BodyRefused(rule));
        if (refused.ended) {
            tellRejected(refused, rule);
            over();
        } else if (handlerWaits || !refused.pending()) {
            tellRejected(refused, rule); // the handler hears of it: what it throws is answered
            setDeadline();
        } else {
            answerRule(rule);
        }
    }

    // ---- the response

    @Override
    public void send(Response response, byte[] bytes) {
        if (response.closes() || worker.draining) {
            closeBehind();
        }
        decideOnUnreadBody();
        if ((flags & (KEEP_ALIVE | HTTP_1_0)) == KEEP_ALIVE && !exchange.headOnly()) {
            byte[] image = response.image(worker.dateAndServer());
            if (image != null) {
                connection.room(image.length).put(image);
                responseEnded();
                return;
            }
        }
        writeHead(response, response.bodiless() ? ResponseHead.NO_LENGTH : bytes.length);
        if (!response.bodiless() && !exchange.headOnly()) {
            connection.writeStable(bytes, 0, bytes.length);
        }
        responseEnded();
    }

    @Override
    public void refuse(Rule rule, Response page) {
        tellRejected(exchange, rule);
        send(page, ((Content.Bytes) page.content()).bytes());
    }

    @Override
    public void upgrade(Response head, Function<Connection, WebSocketConnection> next) {
        // All of it is made before any of it is written: what a carried thread may wait for on the
        // way, such as a class that another loop initialises, must not part it.
        byte[] first = ResponseHead.encode(head, ResponseHead.NO_LENGTH);
        byte[] date =
                head.ownDateOrServer()
                        ? worker.dateAndServerBeside(head.headers())
                        : worker.dateAndServer();
        byte[] all = Arrays.copyOf(first, first.length + date.length + CRLF.length);
        System.arraycopy(date, 0, all, first.length, date.length);
        System.arraycopy(CRLF, 0, all, first.length + date.length, CRLF.length);
        connection.write(all, 0, all.length);
        WebSocketConnection socket = next.apply(connection);
        exchange.ended = true;
        exchange.request.detach(); // whoever talks may still look at it
        tellAnswered(true);
        exchange = null;
        worker.inProgress--;
        flags = UPGRADED;
        connection.protocol(socket);
        connection.resume();
        socket.open();
        if (worker.draining) {
            socket.drain();
        }
    }

    private void writeHead(Response response, long length) {
        ResponseHead.write(response, length, connection);
        byte[] date =
                response.ownDateOrServer()
                        ? worker.dateAndServerBeside(response.headers())
                        : worker.dateAndServer();
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
     */
    private void decideOnUnreadBody() {
        decideOnUnaskedBody();
        if (body != null && body.left() > DISCARD) {
            closeBehind();
        }
    }

    /** A client that waits for 100 may or may not send its body after another answer. */
    private void decideOnUnaskedBody() {
        if (is(EXPECTS_CONTINUE) && body != null && body.received() == 0) {
            closeBehind();
        }
        flags &= ~EXPECTS_CONTINUE; // 100 behind the head of a response would be a part of it
    }

    @Override
    public void begin(Response response, long length) {
        if (response.closes() || worker.draining) {
            closeBehind();
        }
        decideOnUnaskedBody(); // the handler may still read what is on its way
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
        if (worker.draining && exchange.endless) {
            exchange.cancel();
        }
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
    public void file(OpenFile file, long from, long length) {
        connection.write(file, from, length);
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
        connection.reset(); // the end of the stream may mean the end of the response
    }

    private void responseEnded() {
        exchange.ended = true;
        tellAnswered(true);
        if (body != null && body.left() > DISCARD) {
            closeBehind();
        }
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
        boolean unread = body != null || is(OUR_END) || connection.held() > 0;
        body = null;
        worker.inProgress--;
        boolean keep = is(KEEP_ALIVE);
        flags &= PACED;
        unsentBefore = connection.congested() ? connection.unsent() : 0;
        if (!keep || worker.draining) {
            connection.deadline(after(worker.limits.writeMillis()));
            connection.finish(unread);
            return;
        }
        connection.deadline(
                after(unsentBefore > 0 ? worker.limits.writeMillis() : worker.limits.idleMillis()));
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
            Monitor.Answered answered = exchange.over(complete);
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
    public SocketAddress local() {
        return connection.local();
    }

    @Override
    public Optional<TlsSession> tls() {
        return connection.tls();
    }

    @Override
    public boolean connected() {
        return connection.open();
    }

    @Override
    public void wantBody() {
        if (body == null) {
            return;
        }
        if (is(EXPECTS_CONTINUE)) {
            flags &= ~EXPECTS_CONTINUE;
            if (body.received() == 0) {
                connection.room(CONTINUE.length).put(CONTINUE);
            }
        }
        if (!exchange.incoming.full()) {
            connection.resume();
        }
        if (waitsForBody()) {
            body.waiting(worker.loop.now());
            setDeadline();
        }
    }

    @Override
    public CompletableFuture<Void> writable() {
        if (!connection.open()) {
            return CompletableFuture.failedFuture(gone());
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
        long at = waitsForBody() ? body.deadline(worker.limits) : handlerDeadline();
        if (writable != null || exchange.ended) {
            unsentBefore = connection.unsent();
            at = Math.min(at, after(worker.limits.writeMillis()));
        }
        connection.deadline(at);
    }

    /** When the handler should have begun to answer, not counting what it waited for the client. */
    private long handlerDeadline() {
        long most = exchange.endpoint.deadlineMillis();
        if (!exchange.pending() || most == 0) {
            return Long.MAX_VALUE;
        }
        long waited = body == null ? exchange.waited : body.waited(worker.loop.now());
        return exchange.began / 1_000_000 + most + waited;
    }

    private boolean waitsForBody() {
        return body != null
                && (exchange.incoming.wanted() || exchange.ended || waitsForWholeBody());
    }

    private boolean waitsForWholeBody() {
        return exchange.endpoint.collectsBody() && exchange.pending();
    }

    @Override
    public void expired(Connection connection) {
        long now = worker.loop.now();
        if (!connection.open() || exchange == null && connection.unsent() > 0) {
            abortUnlessItTakes();
        } else if (exchange == null) {
            if (is(HEAD_BEGUN)) {
                reject(Rule.HEAD_DEADLINE, "", "");
            } else if (unsentBefore > 0) { // it has taken the last response, slowly
                unsentBefore = 0;
                connection.deadline(after(worker.limits.idleMillis()));
            } else {
                connection.finish(false);
            }
        } else if (waitsForBody()) {
            if (now >= body.deadline(worker.limits)) {
                refuseBody(Rule.BODY_DEADLINE);
            } else if (exchange.ended) {
                abortUnlessItTakes();
            } else {
                setDeadline();
            }
        } else if (now >= handlerDeadline()) {
            Exchange late = exchange;
            answerRule(late.waitsForLater ? Rule.LATER_DEADLINE : Rule.HANDLER_DEADLINE);
            late.cancel();
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

    /** What the client sent before it ended its side is delivered already. */
    @Override
    public void ended(Connection connection) {
        if (exchange == null) {
            connection.finish(false);
            return;
        }
        flags &= ~KEEP_ALIVE; // the response may still be read
        if (!exchange.ended) {
            exchange.gone();
        }
        if (body != null) {
            refuseBody(Rule.BODY_CUT_OFF);
        }
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        worker.closed();
        if (writable != null) {
            writable.completeExceptionally(gone());
            writable = null;
        }
        if (exchange != null) {
            Exchange cut = exchange;
            if (!cut.ended) {
                cut.ended = true;
                cut.responded = true;
                cut.gone();
                cut.bytesOut = Math.max(0, cut.bytesOut - connection.unsent());
                tellAnswered(false);
            }
            exchange = null;
            worker.inProgress--; // behind what is told of it
            if (cut.incoming != null) {
                cut.incoming.fail(gone());
            }
            if (cause == CloseCause.STOPPED) {
                cut.cancel();
            }
        }
    }

    private static IOException gone() {
        return new IOException("the client is gone");
    }

    /** The server stops: an idle connection ends now, a busy one with its response. */
    void drain() {
        if (exchange != null && exchange.endless) {
            exchange.cancel();
        } else if (exchange == null && connection.held() == 0) {
            connection.finish(false);
        }
    }
}
