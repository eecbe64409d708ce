// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.RequestError;
import io.sirocco.http.exchange.Content;
import io.sirocco.http.exchange.Exchange;
import io.sirocco.http.exchange.ResponseMessage;
import io.sirocco.http.loop.ServerProtocol;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import java.util.List;
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
final class Http1 extends Http1Output implements ServerProtocol {
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1);

    /** Requests of a connection that a turn of the loop serves in a row. */
    private static final int MAX_PER_TURN = 32;

    /** Bytes of begun headers, enough for the method, that are read while memory is short. */
    private static final int METHOD_SEEN = 64;

    private final Http1Context shared;

    Http1(Connection connection, Http1Context shared) {
        super(connection, shared.loop);
        this.shared = shared;
        context.opened(connection);
        // While we drain, we wait only for a client that has just completed its handshake: it sends
        // its request at once.
        connection.deadline(
                after(
                        context.draining
                                ? context.limits.headMillis()
                                : context.limits.idleMillis()));
    }

    // ---- input

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        int at = from;
        shared.head.forget(); // what it was parsed from may have been overwritten
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
            } else if (connection.mustYield(MAX_PER_TURN)) {
                connection.yieldInput();
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
        Parsed parsed =
                head.repeatedAt(bytes, from, to)
                        ? Parsed.COMPLETE
                        : head.parse(bytes, from, to, context.limits.head());
        switch (parsed) {
            case COMPLETE -> {
                int end = head.end();
                begin(head);
                return end;
            }
            case INCOMPLETE -> {
                if (!is(HEAD_BEGUN)) {
                    flags |= HEAD_BEGUN; // their timeout runs from the first byte on
                    connection.deadline(after(context.limits.headMillis()));
                }
                return -1;
            }
            case REJECTED -> {
                refused(head, bytes, from, to);
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
        exchange = context.dispatcher.open(this, head, length);
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
            closeAfterResponse(); // we said that the connection would go on, yet this is too much
            over();
        }
        return next;
    }

    /** Refuses a request by its headers, with a page that the filters of its route have seen. */
    private void refused(Head head, byte[] bytes, int from, int to) {
        RequestError rule = head.rule();
        reject(rule, head, finished(rule, head, bytes, from, to));
    }

    /** Returns the page of a refusal as the filters of the route leave it, if that is known. */
    private ResponseMessage finished(RequestError rule, Head head, byte[] bytes, int from, int to) {
        ResponseMessage page = context.page(rule);
        Head excerpt = HeadExcerpt.of(head, bytes, from, to, context.limits.head());
        return excerpt == null ? page : context.dispatcher.refused(this, excerpt).finished(page);
    }

    /** Refuses a request whose headers have not arrived in time. */
    private void refuseLateHead() {
        byte[] bytes = connection.copyBufferedInput(context.limits.head().head());
        Head head = begun(bytes);
        ResponseMessage page =
                head.hasRequestLine()
                        ? finished(RequestError.HEAD_DEADLINE, head, bytes, 0, bytes.length)
                        : context.page(RequestError.HEAD_DEADLINE);
        reject(RequestError.HEAD_DEADLINE, head, page);
    }

    /** Returns what is known of headers that have not arrived as a whole. */
    private Head begun(byte[] bytes) {
        var head = new Head();
        head.parse(bytes, 0, bytes.length, context.limits.head());
        return head;
    }

    /** Refuses a request by its headers, as far as they were read. */
    private void reject(RequestError rule, Head head, ResponseMessage page) {
        String method = head.methodSeen();
        context.requests++;
        context.rejected++;
        flags &= ~KEEP_ALIVE;
        byte[] bytes = ((Content.Bytes) page.content()).bytes();
        int content = method.equals("HEAD") ? 0 : bytes.length; // RFC 9110 9.3.2
        if (context.monitored()) {
            context.reportRejected(
                    rule,
                    context.nextId(),
                    connection.remote(),
                    connection.secure(),
                    method,
                    head.pathAndQuerySeen(),
                    true,
                    content);
        }
        writeHead(page, bytes.length);
        connection.write(bytes, 0, content);
        connection.watchOutput(false);
        connection.deadline(after(context.limits.writeMillis()));
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
        closeAfterResponse();
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

    @Override
    public void reset() {
        exchange = null;
        connection.reset();
    }

    @Override
    public void cutOff() {
        if (is(ENDED_BY_CLOSE) || !connection.isOpen()) {
            reset();
        } else {
            exchange = null;
            body = null;
            connection.reserveMemory(0);
            connection.deadline(after(context.limits.writeMillis()));
            connection.finish(true);
        }
    }

    @Override
    public void upgrade(ResponseMessage head, Function<Connection, ServerProtocol> next) {
        // All of it is made before any of it is written: what a carried thread may wait for on the
        // way, such as a class that another loop initialises, must not split it.
        byte[] bytes = Http1Encoder.head(head, Http1Encoder.NO_LENGTH, dateAndServer(head));
        connection.write(bytes, 0, bytes.length);
        Exchange done = exchange;
        ServerProtocol protocol = next.apply(connection);
        if (exchange != done) { // that has waited, and the connection is gone
            protocol.dropped(connection);
            return;
        }
        reportUpgraded();
        exchange = null;
        done.upgraded();
        connection.reserveMemory(0);
        flags = UPGRADED;
        connection.protocol(protocol);
        connection.resume();
        protocol.begin();
        if (context.draining) {
            protocol.drain();
        }
    }

    // ---- the end of an exchange

    /** Continues with the next request, or ends the connection. */
    @Override
    void over() {
        Exchange done = exchange;
        long idleMillis = done.routeTarget.limits().idleMillis();
        exchange = null;
        connection.reserveMemory(0);
        boolean unread = body != null || is(OUR_END) || connection.bufferedInput() > 0;
        body = null;
        boolean keep = is(KEEP_ALIVE);
        flags &= PACED;
        boolean behind = connection.isCongested();
        connection.watchOutput(behind);
        if (behind) {
            flags |= BEHIND;
        }
        if (!keep || context.draining) {
            connection.deadline(after(context.limits.writeMillis()));
            connection.finish(unread);
        } else {
            connection.deadline(after(behind ? context.limits.writeMillis() : idleMillis));
            connection.resume();
        }
        done.over(); // its listeners may wait, and the next request be served meanwhile
    }

    @Override
    public void sent(Connection connection) {
        reportSent();
    }

    @Override
    public void ended(Connection connection) {
        if (exchange == null) { // earlier input was already delivered
            connection.finish(false);
            return;
        }
        flags &= ~KEEP_ALIVE; // the response may still be read
        exchange.clientGone();
        context.deliverNotifications(); // the program may respond otherwise than we do
        if (exchange != null && body != null) {
            exchange.refuseBody(RequestError.BODY_CUT_OFF);
        }
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        context.closed(connection, cause);
        reportClosed();
        if (exchange != null) {
            exchange.closed(cause);
            exchange = null;
        }
        context.deliverNotifications();
    }

    @Override
    public void drain() {
        if (exchange != null) {
            exchange.drain();
        } else if (connection.bufferedInput() == 0) {
            connection.finish(false);
        }
    }

    @Override
    public boolean isServedBy(Thread thread) {
        return exchange != null && exchange.isServedBy(thread);
    }

    // ---- memory

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
        if (is(HEAD_BEGUN) && context.mayReportMemoryShort()) {
            Head head = begun(connection.copyBufferedInput(METHOD_SEEN));
            reject(RequestError.MEMORY_SHORT, head, context.page(RequestError.MEMORY_SHORT));
        } else {
            context.requests++;
            context.rejected++;
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

    /** Closes it while it is idle, or waits for headers or for a body. */
    @Override
    public boolean replaced(Connection connection) {
        if (exchange != null && (body == null || exchange.bodyWaitsForHandler())) {
            return false;
        }
        connection.abort(CloseCause.TOO_MANY);
        return true;
    }

    // ---- output and time

    @Override
    public void drained(Connection connection) {
        if (exchange != null) {
            exchange.drained();
        }
        if (exchange == null) {
            connection.resume();
        }
    }

    @Override
    public void expired(Connection connection) {
        if (!connection.isOpen() || exchange == null && connection.unsent() > 0) {
            abortIfStalled();
        } else if (exchange != null) {
            exchange.expired();
        } else if (is(HEAD_BEGUN)) {
            refuseLateHead();
        } else if (is(BEHIND)) { // the client has taken the last response, slowly
            flags &= ~BEHIND;
            connection.deadline(after(context.limits.idleMillis()));
        } else {
            connection.finish(false);
        }
    }
}
