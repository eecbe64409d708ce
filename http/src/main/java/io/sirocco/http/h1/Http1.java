// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.RequestError;
import io.sirocco.http.exchange.Content;
import io.sirocco.http.exchange.Exchange;
import io.sirocco.http.exchange.ExchangeReport;
import io.sirocco.http.exchange.HttpStream;
import io.sirocco.http.exchange.LoopContext;
import io.sirocco.http.exchange.ReportQueue;
import io.sirocco.http.exchange.ResponseMessage;
import io.sirocco.http.loop.ServerProtocol;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.OpenFile;
import io.sirocco.net.TlsSession;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * HTTP/1.1 on one connection (RFC 9112). Reads requests one after the other, and completes the
 * response to each before it looks at the next, so that responses to pipelined requests are in
 * order.
 *
 * <pre>
 *              headers complete                  response complete, body read or discarded
 *   ┌─▶ IDLE ───────────────▶ exchange in progress ──────────────────────────────┐
 *   │    │  headers refused       │ body refused, timeout, client gone           │
 *   │    ▼                        ▼                                              │
 *   │   respond, finish         respond if still possible, finish                │
 *   └────────────────────────────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>While it is idle it holds no more than its fields. Loop-confined.
 */
public final class Http1 implements ServerProtocol, HttpStream {
    /**
     * The maximum number of bytes of an unread body that are read and dropped; after more, the
     * connection is closed.
     */
    private static final int DISCARD = 256 << 10;

    private static final byte[] CRLF = {'\r', '\n'};
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
    private static final int OUR_END = 1 << 6; // we close, and the client may not expect it
    private static final int UPGRADED = 1 << 7; // what follows is no HTTP

    private final Connection connection;
    private final Http1Context shared;
    private final LoopContext worker;

    private Exchange exchange; // null while idle
    private Http1Body body; // null when the request has none, or all of it was read
    private ReportQueue reports; // null while there are none
    private int flags;

    /** The unsent bytes when the client's progress was last checked. */
    private long unsentBefore;

    Http1(Connection connection, Http1Context shared) {
        this.connection = connection;
        this.shared = shared;
        this.worker = shared.loop;
        worker.opened(connection);
        // A client that has shaken hands while we drain sends its request at once; no other is
        // waited for.
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
        while (at < to && connection.isOpen() && !is(UPGRADED)) {
            if (exchange != null) {
                if (body == null) {
                    break;
                }
                at = readBody(bytes, at, to);
                if (exchange != null) {
                    exchange.delivered();
                }
                if (exchange != null && noMoreForNow()) {
                    break;
                }
            } else if (connection.isCongested()) { // responses are not taken: no more requests
                connection.suspend();
                break;
            } else if (at > from && worker.loop.isTurnLong()) {
                connection.suspend(); // others first; pipelined requests continue in the next turn
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
        if (exchange != null) {
            exchange.delivered();
        }
        if (exchange != null) {
            if (noMoreForNow()) {
                connection.suspend();
            }
            exchange.request.detach();
            exchange.stored();
        }
        return connection.isOpen() ? at : to;
    }

    private boolean noMoreForNow() {
        return body == null || exchange.bodyFull();
    }

    /** Returns where the headers end, or -1 when they do not yet. */
    private int readHead(byte[] bytes, int from, int to) {
        Head head = shared.head;
        Parsed parsed = head.parse(bytes, from, to, worker.limits.head());
        switch (parsed) {
            case COMPLETE -> {
                int end = head.end();
                begin(head);
                return end;
            }
            case INCOMPLETE -> {
                if (!is(HEAD_BEGUN)) {
                    flags |= HEAD_BEGUN; // their timeout runs from the first byte on
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

    private void begin(Head head) {
        flags =
                flags & PACED
                        | (head.minor() == 0 ? HTTP_1_0 : 0)
                        | (head.keepAlive() ? KEEP_ALIVE : 0)
                        | (head.expectContinue() ? EXPECTS_CONTINUE : 0);
        long length = head.chunked() ? -1 : Math.max(0, head.contentLength());
        exchange = worker.dispatcher.open(this, head, length);
        if (length != 0) {
            body = new Http1Body(head.chunked(), head.contentLength(), exchange.bodyLimit());
        }
        exchange.start();
    }

    private int readBody(byte[] bytes, int from, int to) {
        Exchange current = exchange;
        Http1Body reads = body;
        int next = reads.read(bytes, from, to, current);
        if (body != reads) { // it was given up meanwhile, and so is the connection
            return to;
        }
        if (reads.rule() != null) {
            current.refuseBody(reads.rule());
            return to;
        }
        if (reads.ended()) {
            body = null;
            boolean responded = current.ended;
            current.bodyEnded(reads.trailers());
            if (responded) {
                over();
            }
        } else if (reads.discarded() > DISCARD) {
            closeBehind(); // we said that the connection would go on, yet this is too much
            over();
        }
        return next;
    }

    /** Refuses a request by its headers, as far as they were read. */
    private void reject(RequestError rule, String method, String target) {
        worker.requests++;
        worker.rejected++;
        flags &= ~KEEP_ALIVE;
        ResponseMessage page = worker.page(rule);
        byte[] bytes = ((Content.Bytes) page.content()).bytes();
        if (worker.monitored()) {
            worker.tellRejected(
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
        unsentBefore = 0;
        connection.deadline(after(worker.limits.writeMillis()));
        connection.finish();
    }

    // ---- the body of the request

    @Override
    public void demand() {
        if (body == null) {
            return;
        }
        if (is(EXPECTS_CONTINUE)) {
            flags &= ~EXPECTS_CONTINUE;
            if (!body.begun()) {
                connection.reserve(CONTINUE.length).put(CONTINUE);
            }
        }
        if (!exchange.body.full()) {
            connection.resume();
        }
    }

    @Override
    public void abandonBody() {
        body = null;
        closeBehind();
        connection.discardInput();
        if (exchange.ended) {
            over();
        }
    }

    @Override
    public void pace(RouteTarget.Buckets limits) {
        if (limits != RouteTarget.Buckets.NONE) {
            flags |= PACED;
            connection.limitRouteRates(
                    limits.reads(), limits.writes(), limits.eachRead(), limits.eachWrite());
        } else if (is(PACED)) {
            flags &= ~PACED;
            connection.limitRouteRates(List.of(), List.of());
        }
    }

    // ---- the response

    @Override
    public void closeBehind() {
        flags = flags & ~KEEP_ALIVE | OUR_END;
    }

    @Override
    public void interim(int status, Headers headers) {
        if (!is(HTTP_1_0)) { // RFC 9110 15.2
            byte[] bytes = Http1Encoder.interim(status, headers);
            connection.write(bytes, 0, bytes.length);
        }
    }

    @Override
    public void send(ResponseMessage response, byte[] bytes) {
        if (response.closes() || worker.draining) {
            closeBehind();
        }
        decideOnUnreadBody();
        if ((flags & (KEEP_ALIVE | HTTP_1_0)) == KEEP_ALIVE && !exchange.headOnly) {
            byte[] whole = Http1Encoder.whole(response, worker.dateAndServer());
            if (whole != null) {
                connection.reserve(whole.length).put(whole);
                responseWritten();
                return;
            }
        }
        writeHead(response, response.bodiless() ? Http1Encoder.NO_LENGTH : bytes.length);
        if (!response.bodiless() && !exchange.headOnly) {
            if (response.sentBefore()) { // a constant: one array for all clients
                connection.writeShared(bytes, 0, bytes.length);
            } else {
                connection.writeStable(bytes, 0, bytes.length);
            }
        }
        responseWritten();
    }

    @Override
    public void begin(ResponseMessage response, long length) {
        if (response.closes() || worker.draining) {
            closeBehind();
        }
        decideOnUnaskedBody(); // the handler may still read bytes in flight
        long framing = length;
        if (response.bodiless()) {
            framing = Http1Encoder.NO_LENGTH;
        } else if (length < 0 && is(HTTP_1_0)) {
            flags &= ~KEEP_ALIVE; // the close ends the body
            framing = Http1Encoder.NO_LENGTH;
        } else if (length < 0) {
            flags |= CHUNKED_OUT;
            framing = Http1Encoder.CHUNKED;
        }
        writeHead(response, framing);
    }

    private void writeHead(ResponseMessage response, long length) {
        Http1Encoder.writeHead(
                response, length, dateAndServer(response), connectionLine(), connection);
    }

    private byte[] dateAndServer(ResponseMessage response) {
        return response.ownDateOrServer()
                ? worker.dateAndServerBeside(response.headers())
                : worker.dateAndServer();
    }

    /** Returns the header {@code Connection} where it is needed, and the blank line. */
    private byte[] connectionLine() {
        if (!is(KEEP_ALIVE)) {
            return CONNECTION_CLOSE;
        }
        return is(HTTP_1_0) ? CONNECTION_KEEP_ALIVE : CRLF;
    }

    /** Discards an unread body before the next request if it is short. */
    private void decideOnUnreadBody() {
        decideOnUnaskedBody();
        if (body != null && body.left() > DISCARD) {
            closeBehind();
        }
    }

    /**
     * Decides on the body of a client that waits for 100, which may or may not send it after
     * another response.
     */
    private void decideOnUnaskedBody() {
        if (is(EXPECTS_CONTINUE) && body != null && !body.begun()) {
            closeBehind();
        }
        flags &= ~EXPECTS_CONTINUE; // 100 behind the headers of a response would be a part of it
    }

    @Override
    public void data(byte[] bytes, int from, int to) {
        if (is(CHUNKED_OUT)) {
            Http1Encoder.writeChunk(bytes, from, to, connection);
        } else {
            connection.write(bytes, from, to);
        }
    }

    @Override
    public void piece(byte[] bytes) {
        if (bytes.length > 0 && is(CHUNKED_OUT)) {
            data(bytes, 0, bytes.length);
        } else {
            connection.writeStable(bytes, 0, bytes.length);
        }
    }

    @Override
    public void file(OpenFile file, long from, long length) {
        if (is(CHUNKED_OUT) && length > 0) {
            Http1Encoder.writeChunk(file, from, length, connection);
        } else {
            connection.write(file, from, length);
        }
    }

    @Override
    public void end(Headers trailers) {
        if (is(CHUNKED_OUT) && !exchange.headOnly) {
            Http1Encoder.writeLastChunk(trailers, connection);
        }
        responseWritten();
    }

    private void responseWritten() {
        exchange.responseWritten();
        if (body != null && body.left() > DISCARD) {
            closeBehind();
        }
        if (body == null || !is(KEEP_ALIVE)) {
            over();
        } else {
            body.discard();
            connection.resume();
            exchange.discardBody();
        }
    }

    @Override
    public void reset() {
        exchange = null;
        connection.reset();
    }

    @Override
    public void abort(CloseCause cause) {
        connection.abort(cause);
    }

    @Override
    public void upgrade(ResponseMessage head, Function<Connection, ServerProtocol> next) {
        // All of it is made before any of it is written: what a carried thread may wait for on the
        // way, such as a class that another loop initialises, must not part it.
        byte[] bytes = Http1Encoder.head(head, Http1Encoder.NO_LENGTH, dateAndServer(head));
        connection.write(bytes, 0, bytes.length);
        ServerProtocol protocol = next.apply(connection);
        if (reports != null) {
            reports.upgraded(); // later output is reported to another protocol
            reports = null;
        }
        exchange.upgraded();
        exchange = null;
        connection.reserveMemory(0);
        flags = UPGRADED;
        connection.protocol(protocol);
        connection.resume();
        protocol.begin();
        if (worker.draining) {
            protocol.drain();
        }
    }

    // ---- the end of an exchange

    /** Continues with the next request, or ends the connection. */
    private void over() {
        Exchange done = exchange;
        long idleMillis = done.endpoint.limits().idleMillis();
        exchange = null;
        connection.reserveMemory(0);
        boolean unread = body != null || is(OUR_END) || connection.bufferedInput() > 0;
        body = null;
        done.over();
        boolean keep = is(KEEP_ALIVE);
        flags &= PACED;
        unsentBefore = connection.isCongested() ? connection.unsent() : 0;
        if (!keep || worker.draining) {
            connection.deadline(after(worker.limits.writeMillis()));
            connection.finish(unread);
            return;
        }
        connection.deadline(after(unsentBefore > 0 ? worker.limits.writeMillis() : idleMillis));
        connection.resume();
    }

    @Override
    public void reportWhenSent(Exchange done) {
        if (reports == null && connection.unsentBefore(connection.outputEnd()) == 0) {
            ExchangeReport.now(done).tell(true); // it has left already
            return;
        }
        if (reports == null) {
            reports = new ReportQueue(connection, worker);
        }
        reports.add(done);
    }

    @Override
    public void sent(Connection connection) {
        if (reports != null) {
            reports.sent();
            if (reports.isEmpty()) {
                reports = null;
            }
        }
    }

    @Override
    public void ended(Connection connection) {
        if (exchange == null) { // earlier input was already delivered
            connection.finish(false);
            return;
        }
        flags &= ~KEEP_ALIVE; // the response may still be read
        exchange.clientGone();
        if (exchange != null && body != null) {
            exchange.refuseBody(RequestError.BODY_CUT_OFF);
        }
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        worker.closed(connection, cause);
        if (reports != null) {
            reports.closed();
            reports = null;
        }
        if (exchange != null) {
            exchange.closed(cause);
            exchange = null;
        }
    }

    @Override
    public void drain() {
        if (exchange != null) {
            exchange.drain();
        } else if (connection.bufferedInput() == 0) {
            connection.finish(false);
        }
    }

    // ---- memory

    @Override
    public boolean stores(long bytes) {
        return connection.reserveMemory(bytes);
    }

    @Override
    public boolean memoryShort(Connection connection) {
        if (exchange == null) {
            return idleMemoryShort();
        }
        if (exchange.bodyWaitsForHandler()) {
            return false;
        }
        if (body != null) {
            exchange.refuseBodyForMemory();
        } else if (connection.bufferedInput()
                > 0) { // it sends on, and has not waited for the response
            connection.abort(CloseCause.MEMORY_SHORT);
        } else {
            return false;
        }
        return true;
    }

    private boolean idleMemoryShort() {
        if (!is(HEAD_BEGUN) && connection.bufferedInput() > 0 && !connection.isCongested()) {
            return false; // its next request is left to the next turn, by us
        }
        if (is(HEAD_BEGUN) && worker.tellsOfMemory()) {
            reject(RequestError.MEMORY_SHORT, "", "");
        } else {
            worker.requests++;
            worker.rejected++;
            connection.abort(CloseCause.MEMORY_SHORT);
        }
        return true;
    }

    /** Refuses a body that is not read in time and has filled its buffer. */
    @Override
    public boolean inputLost(Connection connection) {
        if (exchange == null || !exchange.bodyWaitsForHandler()) {
            return memoryShort(connection);
        }
        exchange.refuseBodyForMemory();
        return true;
    }

    // ---- output and time

    @Override
    public boolean congested() {
        return connection.isCongested();
    }

    @Override
    public long unsent() {
        return connection.unsent();
    }

    @Override
    public void drained(Connection connection) {
        if (exchange != null) {
            exchange.drained();
        }
        if (exchange == null) {
            connection.resume();
        }
    }

    private long after(long millis) {
        return millis == 0 ? Long.MAX_VALUE : worker.loop.now() + millis;
    }

    @Override
    public void deadline(long at) {
        connection.deadline(at);
    }

    @Override
    public long outputDeadline() {
        unsentBefore = connection.unsent();
        return after(worker.limits.writeMillis());
    }

    /** Disconnects a client that reads nothing at all, but not a slow one. */
    @Override
    public void abortIfStalled() {
        long unsent = connection.unsent();
        if (unsent > 0 && unsent >= unsentBefore && unsentBefore > 0) {
            connection.abort();
        } else {
            connection.deadline(outputDeadline());
        }
    }

    @Override
    public void expired(Connection connection) {
        if (!connection.isOpen() || exchange == null && connection.unsent() > 0) {
            abortIfStalled();
        } else if (exchange != null) {
            exchange.expired();
        } else if (is(HEAD_BEGUN)) {
            reject(RequestError.HEAD_DEADLINE, "", "");
        } else if (unsentBefore > 0) { // the client has taken the last response, slowly
            unsentBefore = 0;
            connection.deadline(after(worker.limits.idleMillis()));
        } else {
            connection.finish(false);
        }
    }

    // ---- facts of the connection

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
    public boolean secure() {
        return connection.secure();
    }

    @Override
    public boolean authoritative(byte[] bytes, int from, int to) {
        return connection.authoritative(bytes, from, to);
    }

    @Override
    public boolean open() {
        return connection.isOpen();
    }
}
