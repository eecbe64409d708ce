// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Headers;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.http.h1.ResponseError;
import io.sirocco.http.h1.ResponseHead;
import io.sirocco.http.h1.ResponseReader;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.Protocol;
import io.sirocco.net.ReceivedBytes;
import io.sirocco.net.ScheduledTask;
import java.util.Arrays;
import java.util.Objects;

/**
 * One connection to a server, which carries one exchange after the other (RFC 9112 9.3).
 *
 * <pre>
 *           start                    END, both messages complete              a turn
 *   idle ──────────▶ exchange ───────────────────────────────────▶ settling ────────▶ idle
 *    │ the server ends or sends,        │ a failure, close, an early response │ it ends or sends
 *    │ or nobody needs it for long      │ 101: another protocol takes it over │
 *    └──────────────────────────────────┴─────────────────────────────────────┴─────▶ gone
 * </pre>
 *
 * <p>One deadline serves all timeouts: when it passes, {@link #expired} decides by what the
 * exchange waits for whether it is late. Loop-confined.
 */
final class ClientConnection implements Protocol {
    private static final int HEAD_PIECE = 4 << 10;

    private final OriginPool originPool;
    private final HttpClientSettings.Frozen settings;
    private final Connection connection;
    private final ResponseReader reader;
    private ClientExchange exchange; // null while idle
    private RequestBodySender body; // of the request; null without one
    private ScheduledTask expected; // of 100 (Continue); null while it is not waited for
    private boolean sent; // the request was written
    private boolean begun; // something was sent on it
    private byte[] proxyHeader; // that it began with; null for none
    private boolean used; // has carried an exchange before
    private boolean settling; // its pool waits for what may come behind the response
    private boolean suspended;
    private boolean leftPool; // its pool has forgotten it
    private long lastProgress; // in milliseconds of the loop
    private long keepAlive;

    ClientConnection(OriginPool originPool, Connection connection) {
        this.originPool = originPool;
        this.settings = originPool.pool.settings;
        this.connection = connection;
        this.reader = new ResponseReader(settings.head(), settings.interim());
    }

    // ---- the request

    void start(ClientExchange next) {
        exchange = next;
        next.served(this);
        if (used) {
            originPool.pool.reused++;
        }
        ClientRequest request = next.request;
        reader.begin(request.method, request.protocol);
        if (!begun) {
            begun = true;
            proxyHeader = request.proxyHeader;
            if (proxyHeader != null) {
                connection.write(proxyHeader, 0, proxyHeader.length);
            }
        }
        RequestEncoder.head(connection, request, settings.headers());
        lastProgress = connection.loop().now();
        keepAlive = settings.keepAlive();
        long first =
                request.hasBody()
                        ? Math.min(settings.response(), settings.idle())
                        : settings.response();
        connection.deadline(Math.min(next.deadline, lastProgress + first));
        if (!request.hasBody()) {
            sent = true;
            return;
        }
        sent = false;
        body = new RequestBodySender(this, connection, request);
        if (request.expects) {
            expected = connection.loop().schedule(settings.expect(), this::sendBody);
        } else {
            connection.notifySent();
            body.begin();
        }
    }

    /** Returns whether it may carry a request, since its PROXY header is that of the request. */
    boolean fits(ClientRequest request) {
        return !begun || Arrays.equals(proxyHeader, request.proxyHeader);
    }

    private void sendBody() {
        if (expected != null) {
            expected.cancel();
            expected = null;
            connection.notifySent();
            body.begin();
        }
    }

    /** Called when a part of the request was written, or a part of the response was read. */
    void progress() {
        lastProgress = connection.loop().now();
    }

    /** Called when all of the request was written. */
    void requestSent() {
        sent = true;
        progress();
    }

    @Override
    public void sent(Connection connection) {
        progress();
    }

    @Override
    public void drained(Connection connection) {
        if (body != null) {
            body.drained();
        }
    }

    // ---- the response

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        if (exchange == null) { // RFC 9112 9.2: no request waits for it
            abandon();
            return to;
        }
        if (exchange.responded()) { // the response timeout waits for all of the headers
            progress();
        }
        int p = from;
        while (true) {
            ResponseReader.Event event = reader.read(bytes, p, to);
            p = reader.next();
            switch (event) {
                case MORE -> {
                    exchange.deliver();
                    return p;
                }
                case INTERIM -> {
                    if (!interim()) {
                        return to;
                    }
                }
                case HEAD -> {
                    if (!head()) {
                        return p;
                    }
                }
                case DATA -> {
                    exchange.body.add(bytes, reader.dataFrom(), reader.dataTo());
                    if (!connection.reserveMemory(exchange.body.stored())) {
                        if (exchange != null) {
                            failed(Reason.MEMORY_SHORT, "there is no memory for its body", null);
                        }
                        return to;
                    }
                    if (exchange.body.full() && !reader.done()) {
                        suspended = true;
                        connection.suspend();
                        exchange.deliver();
                        return p;
                    }
                }
                case END -> {
                    complete(p < to);
                    return to;
                }
                case REJECTED -> {
                    broken(reader.error());
                    return to;
                }
            }
        }
    }

    /** Behind the headers there may be a body that does not pass through the heap. */
    @Override
    public int mostReceived() {
        return exchange == null || exchange.responded() ? Integer.MAX_VALUE : HEAD_PIECE;
    }

    /** A body that a sink takes as it comes does not pass through the heap. */
    @Override
    public int relay(Connection connection, ReceivedBytes input) {
        ClientExchange to = exchange;
        if (to == null || !to.body.passes()) {
            return 0;
        }
        int count = reader.skip(input.length());
        if (count == 0) {
            return 0;
        }
        progress();
        to.body.pass(input, count);
        if (exchange != to) {
            return input.length(); // the sink has given the exchange up
        }
        if (reader.done()) {
            complete(count < input.length());
        } else if (to.body.full()) {
            suspended = true;
            connection.suspend();
        }
        return input.length();
    }

    /** Passes a 1xx response on; returns whether the exchange goes on. */
    private boolean interim() {
        ResponseHead head = reader.head();
        if (head.status() == 100) {
            sendBody();
        }
        ClientExchange to = exchange;
        if (to == null) {
            return false; // its body has failed at once
        }
        try {
            to.request.interim.interim(head.status(), ClientExchange.headers(head));
        } catch (Throwable e) {
            failed(Reason.LISTENER_FAILED, "the listener of interim responses failed: " + e, e);
        }
        return exchange == to;
    }

    /** The response begins; returns whether it goes on as HTTP. */
    private boolean head() {
        ResponseHead head = reader.head();
        if (reader.switched() && !sent) { // RFC 9110 7.8: the rest is not of the next protocol
            String why = "the server switches protocols before it has the whole request";
            failed(Reason.UNEXPECTED_UPGRADE, why, null);
            return false;
        }
        exchange.head(head, reader.length(), reader.switched());
        if (reader.switched()) {
            switchProtocol();
            return false;
        }
        if (expected != null) { // a final response instead of 100: the body is not sent
            expected.cancel();
            expected = null;
        }
        if (!sent && head.status() >= 300) { // RFC 9112 9.5: the server ignores the rest of it
            body.stop();
        }
        int announced = head.find("Keep-Alive");
        if (announced >= 0) {
            keepAlive = Math.min(keepAlive, millis(head.value(announced)));
        }
        progress();
        connection.deadline(Math.min(exchange.deadline, lastProgress + settings.idle()));
        return true;
    }

    /**
     * Returns how long an idle connection is kept for {@code Keep-Alive: timeout=5}: one second
     * less, so that the next request arrives before the server closes the connection.
     */
    private static long millis(String keepAlive) {
        for (String parameter : keepAlive.split(",")) {
            String each = parameter.strip();
            if (each.startsWith("timeout=") && each.length() < 18) {
                try {
                    return Math.max(0, Long.parseLong(each.substring(8)) * 1000 - 1000);
                } catch (NumberFormatException e) {
                    return Long.MAX_VALUE;
                }
            }
        }
        return Long.MAX_VALUE;
    }

    private void switchProtocol() {
        ClientExchange done = exchange;
        Protocol next;
        try {
            next =
                    Objects.requireNonNull(
                            done.request.upgrade.apply(connection), "the protocol is null");
        } catch (Throwable e) {
            failed(Reason.LISTENER_FAILED, "the protocol to switch to failed: " + e, e);
            return;
        }
        exchange = null;
        leavePool();
        connection.clearDeadline();
        connection.protocol(next);
        done.end(Headers.none());
        done.deliver();
    }

    /** Both messages are complete, or the response is. */
    private void complete(boolean surplus) {
        ClientExchange done = exchange;
        boolean lasting =
                reader.lasting() && sent && !surplus && !done.request.closes && connection.isOpen();
        exchange = null;
        used = true;
        if (body != null) {
            body.stop();
            body = null;
        }
        connection.reserveMemory(0);
        suspended = false;
        done.end(ClientExchange.headers(reader.trailers()));
        if (lasting && keepAlive > 0) {
            connection.deadline(connection.loop().now() + keepAlive);
            settle();
        } else {
            leavePool();
            if (sent && !surplus) {
                connection.finish();
            } else {
                connection.abort();
            }
        }
        done.deliver();
    }

    /**
     * Waits until the loop has read once more before the next request is sent: bytes behind the
     * response may be in the socket still, where a read ended with the response. RFC 9112 9.2: they
     * are no response to a request that is sent later.
     */
    private void settle() {
        settling = true;
        originPool.settles();
        Loop loop = connection.loop();
        loop.execute(() -> loop.execute(this::settled)); // the first is in this turn still
    }

    private void settled() {
        if (settling) {
            settling = false;
            originPool.settled();
            originPool.released(this);
        }
    }

    /** Called when the reader of the body has room for more. */
    void roomForBody() {
        connection.reserveMemory(exchange.body.stored());
        if (suspended) {
            suspended = false;
            progress();
            connection.resume();
        }
    }

    // ---- time

    @Override
    public void expired(Connection connection) {
        if (exchange == null) {
            close();
            return;
        }
        long now = connection.loop().now();
        if (now >= exchange.deadline) {
            overdue();
            return;
        }
        boolean unsent = connection.unsent() > 0;
        boolean ours = suspended || expected != null || body != null && body.waitsForSource();
        long patience = exchange.responded() || unsent ? settings.idle() : settings.response();
        long late = (ours ? now : lastProgress) + (ours ? settings.idle() : patience);
        if (now < late) {
            connection.deadline(Math.min(exchange.deadline, late));
            return;
        }
        if (exchange.responded()) {
            failed(
                    Reason.BODY_TIMEOUT,
                    "the server sent nothing of the body for " + settings.idle() + " ms",
                    null);
        } else if (unsent) {
            failed(
                    Reason.WRITE_TIMEOUT,
                    "the server took nothing of the request for " + settings.idle() + " ms",
                    null);
        } else {
            failed(
                    Reason.RESPONSE_TIMEOUT,
                    "the server did not respond for " + settings.response() + " ms",
                    null);
        }
    }

    // ---- failures

    private void overdue() {
        boolean waitsForCaller = suspended || body != null && body.waitsForSource();
        ClientExchange lost = exchange;
        abandon();
        lost.overdue(waitsForCaller);
    }

    private void broken(ResponseError error) {
        failed(Reason.of(error), what(error), null);
    }

    private static String what(ResponseError error) {
        return switch (error) {
            case HEAD_TRUNCATED -> "the server closed the connection within the headers";
            case BODY_TRUNCATED -> "the server closed the connection before the end of the body";
            case TOO_MANY_INTERIM -> "the server sent more 1xx responses than the limit";
            case HEAD_TOO_LARGE, TOO_MANY_HEADERS -> "the headers of the response exceed the limit";
            default -> "the response is malformed";
        };
    }

    /** The exchange is over, and the connection with it. */
    void failed(Reason reason, String why, Throwable cause) {
        ClientExchange lost = exchange;
        abandon();
        if (lost != null) {
            lost.failed(reason, why, cause);
        }
    }

    /** Gives the connection up. */
    void abandon() {
        release();
        connection.abort();
    }

    /** The connection is idle, and not needed. */
    void close() {
        leavePool();
        connection.finish();
    }

    private void release() {
        exchange = null;
        if (body != null) {
            body.stop();
            body = null;
        }
        if (expected != null) {
            expected.cancel();
            expected = null;
        }
        leavePool();
    }

    private void leavePool() {
        if (!leftPool) {
            leftPool = true;
            if (settling) {
                settling = false;
                originPool.settled();
            }
            originPool.gone(this);
        }
    }

    @Override
    public void ended(Connection connection) {
        if (exchange == null) {
            close();
            return;
        }
        if (!reader.begun()) {
            closedBeforeResponse("the server closed the connection before it responded");
        } else if (reader.end() == ResponseReader.Event.END) {
            complete(false);
        } else {
            broken(reader.error());
        }
    }

    /** RFC 9112 9.3.1: once more, where that does no harm. */
    private void closedBeforeResponse(String why) {
        ClientExchange lost = exchange;
        boolean again = used && !lost.retried && lost.request.mayBeSentAgain();
        abandon();
        if (again) {
            lost.connection = null;
            lost.retried = true;
            originPool.pool.retries++;
            originPool.retry(lost);
        } else {
            lost.failed(Reason.CONNECTION_CLOSED, why, null);
        }
    }

    @Override
    public boolean memoryShort(Connection connection) {
        if (exchange == null) {
            abandon();
        } else {
            failed(Reason.MEMORY_SHORT, "the memory of the loop is short", null);
        }
        return true;
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        if (cause == CloseCause.STOPPED) {
            originPool.pool.stopped();
        }
        ClientExchange lost = exchange;
        if (lost == null) {
            release();
            return;
        }
        String why = "the connection was lost: " + cause;
        if (cause == CloseCause.STOPPED) {
            failed(Reason.CLIENT_CLOSED, "the loop of the client has stopped", null);
        } else if (cause == CloseCause.MEMORY_SHORT) {
            failed(Reason.MEMORY_SHORT, "the memory of the loop is short", null);
        } else if (!reader.begun()) {
            closedBeforeResponse(why);
        } else {
            failed(lost.responded() ? Reason.BODY_TRUNCATED : Reason.HEAD_TRUNCATED, why, null);
        }
    }
}
