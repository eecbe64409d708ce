// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
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
        var text = new StringBuilder(256);
        text.append(request.method).append(' ').append(request.target).append(" HTTP/1.1\r\n");
        if (!request.headers.has("Host") && !common.has("Host")) {
            text.append("Host: ").append(request.authority).append("\r\n");
        }
        request.headers.forEach((name, value) -> field(text, name, value));
        common.forEach(
                (name, value) -> {
                    if (!request.headers.has(name)) {
                        field(text, name, value);
                    }
                });
        framing(text, request);
        options(text, request, common);
        byte[] bytes = text.append("\r\n").toString().getBytes(ISO_8859_1);
        to.write(bytes, 0, bytes.length);
    }

    private static void field(StringBuilder text, String name, String value) {
        text.append(name).append(": ").append(value).append("\r\n");
    }

    private static void framing(StringBuilder text, ClientRequest request) {
        if (chunked(request)) {
            text.append("Transfer-Encoding: chunked\r\n");
        } else if (request.hasBody() || request.method.startsWith("P")) {
            // RFC 9110 8.6: a length of 0 where the method anticipates a body: POST, PUT, PATCH
            text.append("Content-Length: ").append(request.content.length()).append("\r\n");
        }
        if (request.expects && request.hasBody()) {
            text.append("Expect: 100-continue\r\n");
        }
    }

    private static void options(StringBuilder text, ClientRequest request, Headers common) {
        var options = new StringBuilder();
        if (request.closes) {
            options.append("close");
        }
        if (!request.protocol.isEmpty()) {
            field(text, "Upgrade", request.protocol);
            options.append(options.isEmpty() ? "" : ", ").append("Upgrade");
        }
        if (request.headers.has("TE") || common.has("TE")) { // RFC 9110 10.1.4
            options.append(options.isEmpty() ? "" : ", ").append("TE");
        }
        if (!options.isEmpty()) {
            field(text, "Connection", options.toString());
        }
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
