// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.net.Chunk;
import io.sirocco.net.Connection;
import java.util.Arrays;

/**
 * The head of a response as bytes, up to but without what differs from time to time: {@code Date},
 * {@code Server}, {@code Connection} and the blank line. Any thread.
 */
final class ResponseHead {
    /** The length is not stated. */
    static final long NO_LENGTH = -1;

    /** The body comes in chunks. */
    static final long CHUNKED = -2;

    private static final byte[] CONTENT_LENGTH = "Content-Length: ".getBytes(ISO_8859_1);
    private static final byte[] TRANSFER_ENCODING =
            "Transfer-Encoding: chunked\r\n".getBytes(ISO_8859_1);
    private static final byte[][] STATUS_LINES = new byte[600][];
    private static final int LARGEST = 12 << 10;

    static {
        for (int status = 100; status < 600; status++) {
            STATUS_LINES[status] =
                    ("HTTP/1.1 " + status + " " + Status.reason(status) + "\r\n")
                            .getBytes(ISO_8859_1);
        }
    }

    private ResponseHead() {}

    static void write(Response response, long length, Connection connection) {
        int size = size(response.headers());
        if (size > LARGEST) { // does not fit one chunk
            byte[] bytes = encode(response, length);
            connection.write(bytes, 0, bytes.length);
            return;
        }
        Chunk chunk = connection.room(size);
        chunk.put(STATUS_LINES[response.status()]);
        Headers headers = response.headers();
        for (int i = 0, n = headers.size(); i < n; i++) {
            chunk.putLatin(headers.name(i));
            chunk.put((byte) ':');
            chunk.put((byte) ' ');
            chunk.putLatin(headers.value(i));
            chunk.put((byte) '\r');
            chunk.put((byte) '\n');
        }
        if (length >= 0) {
            chunk.put(CONTENT_LENGTH);
            chunk.putDecimal(length);
            chunk.put((byte) '\r');
            chunk.put((byte) '\n');
        } else if (length == CHUNKED) {
            chunk.put(TRANSFER_ENCODING);
        }
    }

    private static int size(Headers headers) {
        int size = 128;
        for (int i = 0, n = headers.size(); i < n; i++) {
            size += headers.name(i).length() + headers.value(i).length() + 4;
        }
        return size;
    }

    static byte[] encode(Response response, long length) {
        var text = new StringBuilder(new String(STATUS_LINES[response.status()], ISO_8859_1));
        response.headers()
                .forEach(
                        (name, value) ->
                                text.append(name).append(": ").append(value).append("\r\n"));
        if (length >= 0) {
            text.append("Content-Length: ").append(length).append("\r\n");
        } else if (length == CHUNKED) {
            text.append("Transfer-Encoding: chunked\r\n");
        }
        return text.toString().getBytes(ISO_8859_1);
    }

    /** A whole response with a body, on a connection that stays open. */
    static byte[] image(Response response, byte[] date, byte[] body) {
        byte[] head = encode(response, body.length);
        byte[] all = Arrays.copyOf(head, head.length + date.length + 2 + body.length);
        System.arraycopy(date, 0, all, head.length, date.length);
        int end = head.length + date.length;
        all[end] = '\r';
        all[end + 1] = '\n';
        System.arraycopy(body, 0, all, end + 2, body.length);
        return all;
    }
}
