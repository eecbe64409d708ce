// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.exchange.ConnectionStream;
import io.sirocco.http.exchange.Exchange;
import io.sirocco.http.exchange.LoopContext;
import io.sirocco.http.exchange.ResponseMessage;
import io.sirocco.net.Connection;
import io.sirocco.net.OpenFile;
import io.sirocco.net.ReceivedBytes;

/**
 * The half of {@link Http1} that writes responses: their framing (RFC 9112 6 and 7), and whether
 * the connection goes on behind them (RFC 9112 9.3). Loop-confined.
 */
abstract class Http1Output extends ConnectionStream {
    /**
     * The maximum number of bytes of an unread body that are read and dropped; after more, the
     * connection is closed.
     */
    static final int DISCARD = 256 << 10;

    private static final byte[] CRLF = {'\r', '\n'};
    private static final byte[] CONNECTION_CLOSE = "Connection: close\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] CONNECTION_KEEP_ALIVE =
            "Connection: keep-alive\r\n\r\n".getBytes(ISO_8859_1);

    static final int HTTP_1_0 = 1;
    static final int KEEP_ALIVE = 1 << 1; // as far as the request is concerned
    static final int EXPECTS_CONTINUE = 1 << 2;
    static final int CHUNKED_OUT = 1 << 3;
    static final int PACED = 1 << 4;
    static final int HEAD_BEGUN = 1 << 5;
    static final int OUR_END = 1 << 6; // we close, and the client may not expect it
    static final int UPGRADED = 1 << 7; // what follows is no HTTP
    static final int BEHIND =
            1 << 8; // the last response was over before the client had taken most of it
    static final int ENDED_BY_CLOSE = 1 << 9; // the body of the response

    Exchange exchange; // null while idle
    Http1Body body; // null when the request has none, or all of it was read
    int flags;

    Http1Output(Connection connection, LoopContext context) {
        super(connection, context);
    }

    final boolean is(int flag) {
        return (flags & flag) != 0;
    }

    /** Called when both messages are complete, or the rest of the request is not read. */
    abstract void over();

    @Override
    public void closeAfterResponse() {
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
        if (response.closes() || context.endsConnections()) {
            closeAfterResponse();
        }
        decideOnUnreadBody();
        if ((flags & (KEEP_ALIVE | HTTP_1_0)) == KEEP_ALIVE && !exchange.headOnly) {
            byte[] whole = Http1Encoder.whole(response, context.dateAndServer());
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
        if (response.closes() || context.endsConnections()) {
            closeAfterResponse();
        }
        decideOnUnaskedBody(); // the handler may still read bytes in flight
        long framing = length;
        if (response.bodiless()) {
            framing = Http1Encoder.NO_LENGTH;
        } else if (length < 0 && is(HTTP_1_0)) {
            flags = flags & ~KEEP_ALIVE | ENDED_BY_CLOSE;
            framing = Http1Encoder.NO_LENGTH;
        } else if (length < 0) {
            flags |= CHUNKED_OUT;
            framing = Http1Encoder.CHUNKED;
        }
        writeHead(response, framing);
    }

    final void writeHead(ResponseMessage response, long length) {
        Http1Encoder.writeHead(
                response, length, dateAndServer(response), connectionLine(), connection);
    }

    final byte[] dateAndServer(ResponseMessage response) {
        return response.ownDateOrServer()
                ? context.dateAndServerBeside(response.headers())
                : context.dateAndServer();
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
            closeAfterResponse();
        }
    }

    /**
     * Decides on the body of a client that waits for 100, which may or may not send it after
     * another response.
     */
    private void decideOnUnaskedBody() {
        if (is(EXPECTS_CONTINUE) && body != null && !body.begun()) {
            closeAfterResponse();
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
    public void data(ReceivedBytes input, int count) {
        if (is(CHUNKED_OUT)) {
            Http1Encoder.writeChunk(input, count, connection);
        } else {
            input.writeTo(connection, count);
        }
    }

    @Override
    public void piece(byte[] bytes, int from, int to) {
        if (from < to && is(CHUNKED_OUT)) {
            data(bytes, from, to);
        } else {
            connection.writeStable(bytes, from, to);
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
            closeAfterResponse();
        }
        if (body == null || !is(KEEP_ALIVE)) {
            over();
        } else {
            body.discard();
            connection.resume();
            exchange.discardBody();
        }
    }
}
