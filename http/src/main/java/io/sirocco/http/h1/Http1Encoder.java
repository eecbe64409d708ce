// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.Status;
import io.sirocco.http.exchange.Content;
import io.sirocco.http.exchange.ResponseMessage;
import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.net.Chunk;
import io.sirocco.net.Connection;
import io.sirocco.net.OpenFile;
import io.sirocco.net.ReceivedBytes;

/**
 * Responses as bytes of HTTP/1.1 (RFC 9112). A response that is returned again and again is encoded
 * once a second, as a whole. Any thread, except what writes to a connection.
 */
final class Http1Encoder {
    /** The length is not sent. */
    static final long NO_LENGTH = -1;

    /** The body is chunked. */
    static final long CHUNKED = -2;

    private static final byte[] CONTENT_LENGTH = "Content-Length: ".getBytes(ISO_8859_1);
    private static final byte[] TRANSFER_ENCODING =
            "Transfer-Encoding: chunked\r\n".getBytes(ISO_8859_1);
    private static final byte[][] STATUS_LINES = new byte[600][];
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(ISO_8859_1);
    private static final byte[] LAST_LINE = "0\r\n".getBytes(ISO_8859_1); // of chunks
    private static final byte[] CRLF = {'\r', '\n'};
    private static final int LARGEST = 12 << 10;
    private static final int FRAMING = 48; // bytes, of Content-Length or Transfer-Encoding
    private static final int LARGEST_WHOLE = 16 << 10; // a connection has room for it at once

    /** An encoded response with its body, valid while {@code date} is the current array. */
    private record Whole(byte[] date, byte[] bytes) {}

    static {
        for (int status = 100; status < 600; status++) {
            STATUS_LINES[status] =
                    ("HTTP/1.1 " + status + " " + Status.reason(status) + "\r\n")
                            .getBytes(ISO_8859_1);
        }
    }

    private Http1Encoder() {}

    /**
     * Writes the headers.
     *
     * @param dateAndServer these headers, except those that the response sets itself
     * @param last the line that ends the headers, with {@code Connection} before it if necessary
     */
    static void writeHead(
            ResponseMessage response,
            long length,
            byte[] dateAndServer,
            byte[] last,
            Connection connection) {
        writeOwn(response, length, connection);
        Chunk chunk = connection.reserve(dateAndServer.length + last.length);
        chunk.put(dateAndServer);
        chunk.put(last);
    }

    private static void writeOwn(ResponseMessage response, long length, Connection connection) {
        byte[] statusLine = STATUS_LINES[response.status()];
        byte[] lines = CheckedHeaders.lines(response.headers());
        if (lines.length > LARGEST) { // does not fit one chunk
            connection.write(statusLine, 0, statusLine.length);
            connection.write(lines, 0, lines.length);
            writeFraming(length, connection.reserve(FRAMING));
            return;
        }
        Chunk chunk = connection.reserve(statusLine.length + lines.length + FRAMING);
        chunk.put(statusLine);
        chunk.put(lines);
        writeFraming(length, chunk);
    }

    private static void writeFraming(long length, Chunk chunk) {
        if (length >= 0) {
            chunk.put(CONTENT_LENGTH);
            chunk.putDecimal(length);
            chunk.put(CRLF);
        } else if (length == CHUNKED) {
            chunk.put(TRANSFER_ENCODING);
        }
    }

    /** Returns the headers with {@code dateAndServer} and the blank line. */
    static byte[] head(ResponseMessage response, long length, byte[] dateAndServer) {
        return joined(encode(response, length), dateAndServer, CRLF);
    }

    private static byte[] encode(ResponseMessage response, long length) {
        byte[] statusLine = STATUS_LINES[response.status()];
        byte[] lines = CheckedHeaders.lines(response.headers());
        String framing =
                length >= 0
                        ? "Content-Length: " + length + "\r\n"
                        : length == CHUNKED ? "Transfer-Encoding: chunked\r\n" : "";
        return joined(statusLine, lines, framing.getBytes(ISO_8859_1));
    }

    private static byte[] joined(byte[]... parts) {
        int size = 0;
        for (byte[] part : parts) {
            size += part.length;
        }
        byte[] all = new byte[size];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    /**
     * Returns headers and body for a connection that stays open; null if the response is large, or
     * is sent for the first time, when it is not known whether keeping them pays.
     */
    static byte[] whole(ResponseMessage response, byte[] dateAndServer) {
        if (response.encoded() instanceof Whole known && known.date == dateAndServer) {
            return known.bytes;
        }
        if (!response.wasEncoded()
                || !(response.content() instanceof Content.Bytes(byte[] body))
                || body.length > LARGEST_WHOLE
                || response.ownDateOrServer()
                || response.bodiless()) {
            return null;
        }
        byte[] head = head(response, body.length, dateAndServer);
        byte[] bytes = joined(head, body);
        if (bytes.length > LARGEST_WHOLE) {
            return null;
        }
        response.encoded(new Whole(dateAndServer, bytes));
        return bytes;
    }

    /** Writes a chunk of a body: RFC 9112 7.1. */
    static void writeChunk(byte[] bytes, int from, int to, Connection connection) {
        Chunk chunk = connection.reserve(20);
        chunk.putHex(to - from);
        chunk.put(CRLF);
        connection.write(bytes, from, to);
        connection.reserve(2).put(CRLF);
    }

    /** Writes a chunk with what another connection has received. */
    static void writeChunk(ReceivedBytes input, int count, Connection connection) {
        Chunk chunk = connection.reserve(20);
        chunk.putHex(count);
        chunk.put(CRLF);
        input.writeTo(connection, count);
        connection.reserve(2).put(CRLF);
    }

    /** Writes a chunk with a region of a file. */
    static void writeChunk(OpenFile file, long from, long length, Connection connection) {
        Chunk chunk = connection.reserve(20);
        chunk.putHex(length);
        chunk.put(CRLF);
        connection.write(file, from, length);
        connection.reserve(2).put(CRLF);
    }

    /** Writes the last chunk, and the trailers behind it: RFC 9112 7.1.2. */
    static void writeLastChunk(Headers trailers, Connection connection) {
        if (trailers.size() == 0) {
            connection.reserve(LAST_CHUNK.length).put(LAST_CHUNK);
            return;
        }
        byte[] bytes = joined(LAST_LINE, CheckedHeaders.lines(trailers), CRLF);
        connection.write(bytes, 0, bytes.length);
    }

    /** Returns an interim response: RFC 9110 15.2. */
    static byte[] interim(int status, Headers headers) {
        return joined(STATUS_LINES[status], CheckedHeaders.lines(headers), CRLF);
    }
}
