// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * Why a request is refused: the name that the access log prints, the status that the client gets
 * and the clause that says so. Immutable.
 *
 * <p>After a rule of framing (most of those with status 400) nobody knows where the next request
 * begins, so the connection is closed behind the answer.
 */
public enum RequestError {
    // Lines and bytes of a head.

    /** A line ends with LF alone. */
    BARE_LF(400, "RFC 9112 2.2"),
    /** A CR is not followed by LF. */
    BARE_CR(400, "RFC 9112 2.2"),
    /** More than the one empty line that may stand before a request line. */
    LEADING_EMPTY_LINE(400, "RFC 9112 2.2"),
    /** NUL or another control character, in a target or a field value. */
    CONTROL_CHARACTER(400, "RFC 9110 5.5"),

    // The request line.

    /** The method is not a token, or nothing follows it. */
    BAD_METHOD(400, "RFC 9110 9.1"),
    /** The target has none of the four forms, or a byte or a percent triplet that no URI has. */
    BAD_TARGET(400, "RFC 9112 3.2"),
    /** The target is longer than the limit. */
    TARGET_TOO_LONG(414, "RFC 9110 15.5.15"),
    /** The request line has no version (HTTP/0.9), or its version is malformed. */
    BAD_VERSION(400, "RFC 9112 2.3"),
    /** A well-formed version with another major number than 1. */
    UNKNOWN_VERSION(505, "RFC 9110 15.6.6"),
    /** The first line of HTTP/2, where HTTP/1.1 is spoken. */
    HTTP_2_PREFACE(505, "RFC 9113 3.4"),

    // Header fields.

    /** The head is longer than the limit. */
    HEAD_TOO_LARGE(431, "RFC 6585 5"),
    /** The head, or the trailer section, has more fields than the limit. */
    TOO_MANY_HEADERS(431, "RFC 6585 5"),
    /** A field name is empty, not a token, or not followed by a colon. */
    BAD_HEADER_NAME(400, "RFC 9112 5"),
    /** Whitespace between a field name and its colon. */
    SPACE_BEFORE_COLON(400, "RFC 9112 5.1"),
    /** A field line begins with whitespace. */
    OBSOLETE_FOLD(400, "RFC 9112 5.2"),
    /** An HTTP/1.1 request without Host. */
    HOST_MISSING(400, "RFC 9112 3.2"),
    /** More than one Host. */
    HOST_TWICE(400, "RFC 9112 3.2"),
    /** Host is not {@code uri-host [":" port]}, or is empty where the target needs an authority. */
    BAD_HOST(400, "RFC 9112 3.2"),
    /**
     * An {@code https} target on a connection without TLS, or over TLS a host that the certificate
     * of the connection is not for.
     */
    MISDIRECTED(421, "RFC 9110 7.4"),
    /**
     * What a trusted proxy says of its client in Forwarded, or in an X-Forwarded field, is
     * malformed.
     */
    BAD_FORWARDED(400, "RFC 7239 4"),
    /** An expectation other than {@code 100-continue}. */
    UNKNOWN_EXPECTATION(417, "RFC 9110 10.1.1"),

    // Framing of the body.

    /** Content-Length is not 1 to 18 digits; a list of equal numbers is refused too. */
    BAD_LENGTH(400, "RFC 9112 6.3"),
    /** More than one Content-Length, equal or not. */
    TWO_LENGTHS(400, "RFC 9112 6.3"),
    /** Content-Length beside Transfer-Encoding. */
    LENGTH_AND_CODING(400, "RFC 9112 6.1"),
    /** A transfer coding other than {@code chunked} stands before it. */
    UNKNOWN_CODING(501, "RFC 9112 6.1"),
    /** {@code chunked} twice, in one Transfer-Encoding or in several. */
    CODING_TWICE(400, "RFC 9112 7.1"),
    /** The last transfer coding is not {@code chunked}: where the body ends is anyone's guess. */
    CHUNKED_NOT_LAST(400, "RFC 9112 6.3"),
    /** Transfer-Encoding in an HTTP/1.0 request. */
    CODING_IN_HTTP_1_0(400, "RFC 9112 6.1"),
    /** The body is longer than the limit. */
    BODY_TOO_LARGE(413, "RFC 9110 15.5.14"),
    /** The client ended its side of the connection within the body. */
    BODY_CUT_OFF(400, "RFC 9112 8"),

    // The chunked coding.

    /** A chunk size is not 1 to 16 hexadecimal digits, or is 2^60 and more. */
    BAD_CHUNK_SIZE(400, "RFC 9112 7.1"),
    /** A chunk extension is malformed. */
    BAD_CHUNK_EXTENSION(400, "RFC 9112 7.1.1"),
    /** A chunk's size and extensions are longer than the limit. */
    CHUNK_LINE_TOO_LONG(400, "RFC 9112 7.1.1"),
    /** The sizes and extensions of all chunks are out of proportion to their data. */
    CHUNK_LINES_TOO_LONG(400, "RFC 9112 7.1.1"),
    /** No CRLF where the chunk's size says that its data end. */
    BAD_CHUNK_END(400, "RFC 9112 7.1"),
    /** A trailer field is malformed. */
    BAD_TRAILER(400, "RFC 9112 7.1.2"),
    /** The trailer section is longer than the limit. */
    TRAILERS_TOO_LARGE(431, "RFC 6585 5"),

    // The opening handshake of WebSocket.

    /** No upgrade to WebSocket is asked for where there is nothing else. */
    UPGRADE_MISSING(426, "RFC 9110 15.5.22"),
    /** An upgrade by another method than GET, with a body, or in HTTP/1.0. */
    BAD_UPGRADE(400, "RFC 6455 4.2.1"),
    /** Sec-WebSocket-Version is not 13. */
    UNKNOWN_WEBSOCKET_VERSION(426, "RFC 6455 4.4"),
    /** Sec-WebSocket-Key is not 16 bytes in base64. */
    BAD_WEBSOCKET_KEY(400, "RFC 6455 4.2.1"),
    /** A page of another origin asks. */
    FOREIGN_ORIGIN(403, "RFC 6455 10.2"),

    // Time and load: the connection applies these.

    /** The head did not arrive in time. */
    HEAD_DEADLINE(408, "RFC 9110 15.5.9"),
    /** The body did not arrive in time. */
    BODY_DEADLINE(408, "RFC 9110 15.5.9"),
    /** The handler did not answer in time. */
    HANDLER_DEADLINE(503, "RFC 9110 15.6.4"),
    /** A response that was promised for later did not come in time. */
    LATER_DEADLINE(504, "RFC 9110 15.6.5"),
    /** The loop serves as many requests as it has slots. */
    SLOTS_FULL(503, "RFC 9110 15.6.4"),
    /**
     * The memory of the loop is short: of those that hold some of it, this client had kept the
     * server waiting for the longest, or held too large a part itself.
     */
    MEMORY_SHORT(503, "RFC 9110 15.6.4");

    private final int status;
    private final String source;

    RequestError(int status, String source) {
        this.status = status;
        this.source = source;
    }

    /** The status code of the answer. */
    public int status() {
        return status;
    }

    /**
     * Returns whether the same request may be served a moment later: the response then has a {@code
     * Retry-After}.
     */
    public boolean isTemporary() {
        return this == SLOTS_FULL || this == MEMORY_SHORT;
    }

    /** The document and the clause, such as {@code RFC 9112 2.2}. */
    public String source() {
        return source;
    }
}
