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
    private Exchange untold; // the first that is over, but not yet taken by the system; mostly null
    private int flags;

    /** What was unsent when the client's progress was looked at last. */
    private long unsentBefore;

    Http1(Connection connection, Worker worker) {
        this.connection = connection;
        this.worker = worker;
        worker.opened(connection);
        // Who has shaken hands while we drain asks at once; nobody else is waited for.
        connection.deadline(
                after(worker.draining ? worker.limits.headMillis() : worker.limits.idleMillis()));
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
            } else if (at > from && worker.loop.isTurnLong()) {
                connection.suspend(); // others first; what is pipelined goes on in the next turn
                connection.resume();
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
            stored();
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
                if (!hearProxies(head)) {
                    reject(Rule.BAD_FORWARDED, head.method(), head.target());
                    return to;
                }
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

    /** Notes what trusted proxies say of the client; false when that is malformed. */
    private boolean hearProxies(Head head) {
        TrustedProxies proxies = worker.setup.proxies();
        worker.forwarded = null;
        if (proxies.readsFields() && proxies.trusts(connection.remote())) {
            try {
                worker.forwarded = Forwarded.read(proxies, connection.remote(), head);
            } catch (Forwarded.Malformed e) {
                return false;
            }
        }
        return true;
    }

    private void begin(Head head) {
        worker.requests++;
        flags =
                flags & PACED
                        | (head.minor() == 0 ? HTTP_1_0 : 0)
                        | (head.keepAlive() ? KEEP_ALIVE : 0)
                        | (head.expectContinue() ? EXPECTS_CONTINUE : 0);
        boolean headOnly = isHead(head);
        if (misdirected(head)) {
            start(head, PathParams.NONE, worker.setup.notFound(), headOnly, Rule.MISDIRECTED);
            return;
        }
        switch (route(head)) {
            case Found<Endpoint>(Endpoint endpoint, PathParams params) ->
                    start(head, params, endpoint, headOnly);
            case NotFound<Endpoint> none ->
                    start(
                            head,
                            PathParams.NONE,
                            behindFilters(head, worker.setup.notFound()),
                            headOnly);
            case MethodNotAllowed<Endpoint>(List<String> allow) ->
                    start(
                            head,
                            PathParams.NONE,
                            behindFilters(head, worker.setup.notAllowed(head.method(), allow)),
                            headOnly);
        }
    }

    /** With the filters before it that see what no route matches. */
    private Endpoint behindFilters(Head head, Endpoint unmatched) {
        Unmatched filters = worker.setup.unmatched();
        return filters.none() ? unmatched : filters.before(unmatched, head);
    }

    /**
     * RFC 9110 7.4: a request for an https resource must have come over a connection that is
     * secured by a certificate for its host. No names are compared of an address, for which
     * certificates are rare, nor where the check is off.
     */
    private boolean misdirected(Head head) {
        if (worker.forwarded != null) {
            return false; // the client's own connection ended at a trusted proxy
        }
        if (connection.secure()) {
            int from = head.hostFrom();
            int to = head.hostTo();
            if (to > from && head.bytes()[to - 1] == '.') {
                to--;
            }
            return to > from
                    && worker.setup.sniHostCheck()
                    && !isAddress(head.bytes(), from, to)
                    && !connection.authoritative(head.bytes(), from, to);
        }
        int scheme = head.targetFrom();
        return head.form() == TargetForm.ABSOLUTE
                && (head.bytes()[scheme + 4] | 0x20) == 's'; // "http" stands before it
    }

    private static boolean isAddress(byte[] bytes, int from, int to) {
        if (bytes[from] == '[') {
            return true;
        }
        for (int i = from; i < to; i++) {
            if (bytes[i] > '9') {
                return false;
            }
        }
        return true;
    }

    private Router.Match<Endpoint> route(Head head) {
        Router<Endpoint> router = worker.setup.router();
        Forwarded forwarded = worker.forwarded;
        boolean hasPath = head.form() == TargetForm.ORIGIN || head.form() == TargetForm.ABSOLUTE;
        if (hasPath && forwarded != null && !forwarded.authority().isEmpty()) {
            return router.match(head.method(), forwarded.host(), head.path());
        }
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
        start(head, params, endpoint, headOnly, null);
    }

    /** The same; it is refused by {@code refusal} unless that is null. */
    private void start(
            Head head, PathParams params, Endpoint endpoint, boolean headOnly, Rule refusal) {
        exchange = new Exchange(this, worker, head, params, endpoint, headOnly);
        exchange.forwarded = worker.forwarded;
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
        if (refusal != null) {
            answerRule(refusal);
        } else if (worker.inProgress > worker.limits.requests()) {
            answerRule(Rule.SLOTS_FULL);
        } else if (worker.loop.memory().exhausted()) {
            answerRule(Rule.MEMORY_SHORT);
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
            Endpoint.Buckets buckets = endpoint.bandwidth();
            connection.paceAlso(
                    buckets.reads(), buckets.writes(), buckets.eachRead(), buckets.eachWrite());
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

    // ---- memory

    @Override
    public void stored() {
        Exchange stores = exchange;
        if (!connection.stores(stores == null ? 0 : stores.stored()) && stores != null) {
            refuseForMemory();
        }
    }

    /** What it stores is too much: a body is not read on, and a handler not waited for. */
    private void refuseForMemory() {
        if (!worker.tellsOfMemory()) {
            connection.abort(CloseCause.MEMORY_SHORT);
        } else if (body != null) {
            refuseBody(Rule.MEMORY_SHORT);
        } else if (exchange.pending()) {
            Exchange late = exchange;
            answerRule(Rule.MEMORY_SHORT);
            late.cancel();
        }
    }

    @Override
    public boolean memoryShort(Connection connection) {
        if (exchange == null) {
            if (!is(HEAD_BEGUN) && connection.held() > 0 && !connection.congested()) {
                return false; // its next request is left to the next turn, by us
            }
            worker.requests++;
            if (is(HEAD_BEGUN) && worker.tellsOfMemory()) {
                worker.requests--;
                reject(Rule.MEMORY_SHORT, "", "");
            } else {
                worker.rejected++;
                connection.abort(CloseCause.MEMORY_SHORT);
            }
        } else if (bodyWaitsForHandler()) {
            return false;
        } else if (body != null) {
            refuseBodyForMemory();
        } else if (connection.held() > 0) { // it asks on, and has not waited for the answer
            connection.abort(CloseCause.MEMORY_SHORT);
        } else {
            return false;
        }
        return true;
    }

    /** A body that is read too late, or not at all, has filled what there is: it is refused. */
    @Override
    public boolean inputLost(Connection connection) {
        if (exchange == null || !bodyWaitsForHandler()) return memoryShort(connection);
        refuseBodyForMemory();
        return true;
    }

    private void refuseBodyForMemory() {
        if (!exchange.pending() || !worker.tellsOfMemory()) {
            connection.abort(CloseCause.MEMORY_SHORT);
        } else {
            refuseBody(Rule.MEMORY_SHORT);
        }
    }

    /**
     * Returns whether we read no more of the body, since the handler has not taken what is here,
     * and the handler does not wait for the client to take output either.
     */
    private boolean bodyWaitsForHandler() {
        return body != null
                && exchange.incoming.full()
                && !waitsForBody()
                && exchange.writable == null
                && !connection.congested();
    }

    /** Refuses a head, of which so much was read. */
    private void reject(Rule rule, String method, String target) {
        worker.requests++;
        worker.rejected++;
        flags &= ~KEEP_ALIVE;
        Response page = worker.page(rule);
        byte[] bytes = ((Content.Bytes) page.content()).bytes();
        if (worker.monitored()) {
            tellRejected(
                    rule,
                    worker.nextId(),
                    connection.remote(),
                    connection.secure(),
                    method,
                    target,
                    true,
                    bytes.length);
        }
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
            tellRejected(
                    rule,
                    refused.id(),
                    refused.remote(),
                    refused.secure(),
                    request.method(),
                    request.target(),
                    false,
                    0);
        }
    }

    private void tellRejected(
            Rule rule,
            String id,
            SocketAddress remote,
            boolean secure,
            String method,
            String target,
            boolean alone,
            long bytesOut) {
        var rejected =
                new Monitor.Rejected(
                        worker.loop.index(),
                        id,
                        worker.loop.clock().wallMillis(),
                        remote,
                        secure,
                        rule,
                        method,
                        target,
                        alone,
                        bytesOut);
        worker.tell(() -> worker.setup.monitor().rejected(rejected));
    }

    /**
     * Answers the exchange for the handler, which has not begun to; the connection may go on if the
     * request's end is known.
     */
    private void answerRule(Rule rule) {
        tellRejected(exchange, rule);
        Response page = worker.page(rule);
        if (rule != Rule.SLOTS_FULL && rule != Rule.MISDIRECTED) {
            closeBehind();
        }
        exchange.responded = true;
        exchange.status = rule.status();
        sendPage(page);
    }

    /** Nobody knows where the body ends, or nobody waits for it any longer. */
    private void refuseBody(Rule rule) {
        Exchange refused = exchange;
        boolean handlerWaits = !refused.endpoint.collectsBody() && refused.incoming.wanted();
        body = null;
        closeBehind();
        connection.discardInput();
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
        if (!connection.open()) {
            exchange.bytesOut = 0; // nobody gets any of it
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
            if (response.sentBefore()) { // a constant: one array for all who ask
                connection.writeShared(bytes, 0, bytes.length);
            } else {
                connection.writeStable(bytes, 0, bytes.length);
            }
        }
        responseEnded();
    }

    @Override
    public void refuse(Rule rule, Response page) {
        tellRejected(exchange, rule);
        sendPage(page);
    }

    private void sendPage(Response page) {
        byte[] bytes = ((Content.Bytes) page.content()).bytes();
        exchange.bytesOut = exchange.headOnly() || page.bodiless() ? 0 : bytes.length;
        send(page, bytes);
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
        if (exchange.forwarded != null) {
            connection.remote(exchange.forwarded.client());
        }
        WebSocketConnection socket = next.apply(connection);
        exchange.ended = true;
        exchange.request.detach(); // whoever talks may still look at it
        while (untold != null) { // what comes from now on is told to another protocol
            tellFirst(true);
        }
        tell(exchange, true);
        exchange = null;
        connection.stores(0);
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
    public void piece(byte[] bytes) {
        if (is(CHUNKED_OUT)) {
            data(bytes, 0, bytes.length);
        } else {
            connection.writeStable(bytes, 0, bytes.length);
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
            Exchange cut = exchange;
            cut.ended = true;
            cut.brokenOff = true;
            toBeTold(cut);
            keepHead(cut);
            exchange = null;
            worker.inProgress--;
            if (cut.writable != null) {
                cut.writable.completeExceptionally(gone());
                cut.writable = null;
            }
        }
        connection.reset(); // the end of the stream may mean the end of the response
    }

    private void responseEnded() {
        exchange.ended = true;
        toBeTold(exchange);
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
        keepHead(exchange);
        long idleMillis = exchange.endpoint.idleMillis();
        exchange = null;
        connection.stores(0);
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
        connection.deadline(after(unsentBefore > 0 ? worker.limits.writeMillis() : idleMillis));
        connection.resume();
    }

    private void finish() {
        unsentBefore = 0;
        connection.deadline(after(worker.limits.writeMillis()));
        connection.finish();
    }

    // ---- what is told of responses: not before the system has taken them

    private boolean tells(Exchange over) {
        return over.event != null || worker.monitored();
    }

    /** Its response is written; it is told of when that has left, behind those before it. */
    private void toBeTold(Exchange over) {
        if (!tells(over)) {
            return;
        }
        over.brokenOff |= !connection.open(); // closed already: what is written now goes nowhere
        over.end = connection.outputEnd();
        if (untold == null && connection.unsentBefore(over.end) == 0) { // it has left already
            tell(over, true);
            return;
        }
        over.untold = true;
        if (untold == null) {
            untold = over;
            connection.tellSent();
        } else {
            untold.lastUntold.nextUntold = over;
        }
        untold.lastUntold = over;
    }

    /** Its request is over, and the bytes of its head will be others. */
    private void keepHead(Exchange over) {
        if (over.untold) {
            // A copy that a thread of the handler may know is never given to another request.
            over.keptCopy = !over.request.detached();
            over.kept = over.keptCopy ? worker.keep(over.request.peek()) : over.request.peek();
        }
        over.request.over();
    }

    @Override
    public void sent(Connection connection) {
        while (untold != null && connection.unsentBefore(untold.end) == 0) {
            tellFirst(true);
        }
    }

    private void tellFirst(boolean complete) {
        Exchange first = untold;
        untold = first.nextUntold;
        if (untold != null) {
            untold.lastUntold = first.lastUntold;
        }
        first.untold = false;
        first.nextUntold = null;
        first.lastUntold = null;
        tell(first, complete);
        if (first.keptCopy) {
            worker.giveBack(first.kept);
        }
        first.keptCopy = false;
        first.kept = null;
    }

    private void tell(Exchange over, boolean complete) {
        Monitor.Answered answered = over.over(complete);
        if (over.event != null) {
            over.event.commit(over, over.complete(), worker.loop);
        }
        if (worker.monitored()) {
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
    public SocketAddress peer() {
        return connection.peer();
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
        exchange.writable = new CompletableFuture<>();
        setDeadline();
        return exchange.writable;
    }

    @Override
    public void drained(Connection connection) {
        CompletableFuture<Void> waiting = exchange == null ? null : exchange.writable;
        if (waiting != null) {
            exchange.writable = null;
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
        long at = waitsForBody() ? body.deadline(exchange.endpoint) : handlerDeadline();
        if (exchange.writable != null || exchange.ended) {
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
            if (now >= body.deadline(exchange.endpoint)) {
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
        } else if (exchange.writable != null || exchange.ended) {
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
        worker.closed(connection, cause);
        tellLast();
        if (exchange != null) {
            Exchange cut = exchange;
            if (cut.writable != null) {
                cut.writable.completeExceptionally(gone());
                cut.writable = null;
            }
            if (!cut.ended) {
                cut.ended = true;
                cut.responded = true;
                cut.gone();
                if (tells(cut)) {
                    cut.bytesOut = Math.max(0, cut.bytesOut - connection.unsent());
                    tell(cut, false);
                }
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

    /** What is still unsent will be for ever. */
    private void tellLast() {
        while (untold != null) {
            long unsent = connection.unsentBefore(untold.end);
            untold.bytesOut = Math.max(0, untold.bytesOut - unsent);
            tellFirst(unsent == 0);
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
