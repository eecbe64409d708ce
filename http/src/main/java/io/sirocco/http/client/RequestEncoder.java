// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.http.message.Trailers;
import io.sirocco.net.Chunk;
import io.sirocco.net.Connection;

/** Writes requests and the framing of their bodies: RFC 9112 3, 6 and 7.1. Any thread. */
final class RequestEncoder {
    private static final byte[] CRLF = {'\r', '\n'};
    private static final byte[] LAST_CHUNK = {'0', '\r', '\n'};

    private RequestEncoder() {}

    /** Returns whether the body is in chunks. */
    static boolean chunked(ClientRequest request) {
        return request.hasBody() && (request.content.length() < 0 || request.trailers != null);
    }

    /** Writes the request line and the header section. */
    static void head(Connection to, ClientRequest request, Headers common) {
        Headers own = request.headers;
        var start = new StringBuilder(request.method.length() + request.target.length() + 80);
        start.append(request.method).append(' ').append(request.target).append(" HTTP/1.1\r\n");
        if (!request.host.isEmpty()) {
            field(start, "Host", request.host);
            own = own.without("Host");
        } else if (!own.has("Host") && !common.has("Host")) {
            field(start, "Host", request.authority);
        }
        write(to, start);
        write(to, CheckedHeaders.lines(own));
        for (int i = 0; i < common.size(); i++) {
            if (!own.has(common.name(i))) {
                write(to, field(new StringBuilder(), common.name(i), common.value(i)));
            }
        }
        write(to, options(framing(new StringBuilder(2), request), request, common).append("\r\n"));
    }

    private static void write(Connection to, CharSequence text) {
        write(to, text.toString().getBytes(ISO_8859_1));
    }

    private static void write(Connection to, byte[] bytes) {
        to.write(bytes, 0, bytes.length);
    }

    private static StringBuilder field(StringBuilder text, String name, String value) {
        return text.append(name).append(": ").append(value).append("\r\n");
    }

    private static StringBuilder framing(StringBuilder text, ClientRequest request) {
        if (chunked(request)) {
            text.append("Transfer-Encoding: chunked\r\n");
        } else if (request.hasBody() || request.method.startsWith("P")) {
            // RFC 9110 8.6: a length of 0 where the method anticipates a body: POST, PUT, PATCH
            text.append("Content-Length: ").append(request.content.length()).append("\r\n");
        }
        if (request.expects && request.hasBody()) {
            text.append("Expect: 100-continue\r\n");
        }
        return text;
    }

    private static StringBuilder options(
            StringBuilder text, ClientRequest request, Headers common) {
        String options = request.closes ? "close" : "";
        if (!request.protocol.isEmpty()) {
            field(text, "Upgrade", request.protocol);
            options += options.isEmpty() ? "Upgrade" : ", Upgrade";
        }
        if (request.headers.has("TE") || common.has("TE")) { // RFC 9110 10.1.4
            options += options.isEmpty() ? "TE" : ", TE";
        }
        return options.isEmpty() ? text : field(text, "Connection", options);
    }

    /** Writes a piece of a body, which is not empty and must not change any more. */
    static void piece(Connection to, byte[] piece, boolean chunked) {
        if (chunked) {
            Chunk size = to.reserve(20);
            size.putHex(piece.length);
            size.put(CRLF);
        }
        to.writeStable(piece, 0, piece.length);
        if (chunked) {
            to.reserve(CRLF.length).put(CRLF);
        }
    }

    /** Writes the last chunk and the trailers. */
    static void lastChunk(Connection to, Headers trailers) {
        to.reserve(LAST_CHUNK.length).put(LAST_CHUNK);
        byte[] fields = (Trailers.checked(trailers) + "\r\n").getBytes(ISO_8859_1);
        to.write(fields, 0, fields.length);
    }
}
