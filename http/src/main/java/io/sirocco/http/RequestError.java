// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * The reasons for which the server refuses a request. Each has a name for logs and metrics, the
 * status of the response, and the clause that requires or permits the refusal. Reported by {@link
 * Monitor#rejected}.
 *
 * <p>After an error of framing (most of those with status 400) the connection is closed, because
 * the start of the next request is unknown. A {@link BadRequest} thrown by a handler is not a
 * {@code RequestError}.
 *
 * <p>Immutable.
 */
public enum RequestError {
    // Lines and bytes of a head.

    /** A line ends with LF without CR. */
    BARE_LF(400, "RFC 9112 2.2"),
    /** A CR is not followed by LF. */
    BARE_CR(400, "RFC 9112 2.2"),
    /** More than one empty line before the request line. */
    LEADING_EMPTY_LINE(400, "RFC 9112 2.2"),
    /** NUL or another control character in the target or the value of a header. */
    CONTROL_CHARACTER(400, "RFC 9110 5.5"),

    // The request line.

    /** The method is not a token, or nothing follows it. */
    BAD_METHOD(400, "RFC 9110 9.1"),
    /**
     * The target has none of the four forms, or contains a byte or a percent-encoding that is
     * invalid in a URI.
     */
    BAD_TARGET(400, "RFC 9112 3.2"),
    /** The target exceeds the {@linkplain Config#headerLimits limit}. */
    TARGET_TOO_LONG(414, "RFC 9110 15.5.15"),
    /** The version is missing (HTTP/0.9) or malformed. */
    BAD_VERSION(400, "RFC 9112 2.3"),
    /** The major version is not 1. */
    UNKNOWN_VERSION(505, "RFC 9110 15.6.6"),
    /** The connection preface of HTTP/2. */
    HTTP_2_PREFACE(505, "RFC 9113 3.4"),

    // Header fields.

    /** The request line and headers exceed the {@linkplain Config#headerLimits limit}. */
    HEAD_TOO_LARGE(431, "RFC 6585 5"),
    /** More headers than the {@linkplain Config#headerLimits limit}, or more than 32 trailers. */
    TOO_MANY_HEADERS(431, "RFC 6585 5"),
    /** The name of a header is empty, not a token, or not followed by a colon. */
    BAD_HEADER_NAME(400, "RFC 9112 5"),
    /** Whitespace between the name of a header and its colon. */
    SPACE_BEFORE_COLON(400, "RFC 9112 5.1"),
    /** A header line begins with whitespace. */
    OBSOLETE_FOLD(400, "RFC 9112 5.2"),
    /** An HTTP/1.1 request without {@code Host}. */
    HOST_MISSING(400, "RFC 9112 3.2"),
    /** More than one {@code Host}. */
    HOST_TWICE(400, "RFC 9112 3.2"),
    /**
     * {@code Host} is not {@code uri-host [":" port]}, or is empty although the target needs an
     * authority.
     */
    BAD_HOST(400, "RFC 9112 3.2"),
    /**
     * An {@code https} target on a connection without TLS, or a host that the connection's
     * certificate does not cover ({@link Config#sniHostCheck}).
     */
    MISDIRECTED(421, "RFC 9110 7.4"),
    /**
     * A {@code Forwarded} or {@code X-Forwarded-*} header of a {@linkplain Config#trustedProxies
     * trusted proxy} is malformed.
     */
    BAD_FORWARDED(400, "RFC 7239 4"),
    /** An expectation other than {@code 100-continue}. */
    UNKNOWN_EXPECTATION(417, "RFC 9110 10.1.1"),

    // Framing of the body.

    /**
     * {@code Content-Length} is not a number of 1 to 18 digits; a list of equal numbers is refused,
     * too.
     */
    BAD_LENGTH(400, "RFC 9112 6.3"),
    /** More than one {@code Content-Length}, equal or not. */
    TWO_LENGTHS(400, "RFC 9112 6.3"),
    /** Both {@code Content-Length} and {@code Transfer-Encoding}. */
    LENGTH_AND_CODING(400, "RFC 9112 6.1"),
    /** A transfer coding other than {@code chunked}. */
    UNKNOWN_CODING(501, "RFC 9112 6.1"),
    /** {@code chunked} occurs twice, in one {@code Transfer-Encoding} or several. */
    CODING_TWICE(400, "RFC 9112 7.1"),
    /** The last transfer coding is not {@code chunked}, so the end of the body is unknown. */
    CHUNKED_NOT_LAST(400, "RFC 9112 6.3"),
    /** {@code Transfer-Encoding} in an HTTP/1.0 request. */
    CODING_IN_HTTP_1_0(400, "RFC 9112 6.1"),
    /** The body exceeds the {@linkplain Config#maxBodyBytes limit}. */
    BODY_TOO_LARGE(413, "RFC 9110 15.5.14"),
    /** The client closed its side of the connection before the end of the body. */
    BODY_CUT_OFF(400, "RFC 9112 8"),

    // The chunked coding.

    /** The size of a chunk is not a number of 1 to 16 hexadecimal digits, or is 2^60 or more. */
    BAD_CHUNK_SIZE(400, "RFC 9112 7.1"),
    /** A chunk extension is malformed. */
    BAD_CHUNK_EXTENSION(400, "RFC 9112 7.1.1"),
    /** The size line of a chunk, with its extensions, exceeds the limit of 256 bytes. */
    CHUNK_LINE_TOO_LONG(400, "RFC 9112 7.1.1"),
    /** The size lines of all chunks are out of proportion to their data. */
    CHUNK_LINES_TOO_LONG(400, "RFC 9112 7.1.1"),
    /** No CRLF after the data of a chunk. */
    BAD_CHUNK_END(400, "RFC 9112 7.1"),
    /** A trailer is malformed. */
    BAD_TRAILER(400, "RFC 9112 7.1.2"),
    /** The trailers exceed the limit of 4 KiB. */
    TRAILERS_TOO_LARGE(431, "RFC 6585 5"),

    // The opening handshake of WebSocket.

    /** A WebSocket route was requested without an upgrade to WebSocket. */
    UPGRADE_MISSING(426, "RFC 9110 15.5.22"),
    /** An upgrade with a method other than GET, with a body, or in HTTP/1.0. */
    BAD_UPGRADE(400, "RFC 6455 4.2.1"),
    /** {@code Sec-WebSocket-Version} is not 13. */
    UNKNOWN_WEBSOCKET_VERSION(426, "RFC 6455 4.4"),
    /** {@code Sec-WebSocket-Key} is not 16 bytes in base64. */
    BAD_WEBSOCKET_KEY(400, "RFC 6455 4.2.1"),
    /** A WebSocket request from a page of another origin ({@link WebSocketSettings#origins}). */
    FOREIGN_ORIGIN(403, "RFC 6455 10.2"),

    // Time and load: the connection applies these.

    /** The headers did not arrive within the {@linkplain Config#headerTimeout timeout}. */
    HEAD_DEADLINE(408, "RFC 9110 15.5.9"),
    /** The body did not arrive within the {@linkplain Config#bodyTimeout timeout}. */
    BODY_DEADLINE(408, "RFC 9110 15.5.9"),
    /** The response did not begin within the {@linkplain Config#handlerTimeout timeout}. */
    HANDLER_DEADLINE(503, "RFC 9110 15.6.4"),
    /**
     * An {@linkplain Response#async asynchronous} response did not complete within the {@linkplain
     * Config#handlerTimeout timeout}.
     */
    LATER_DEADLINE(504, "RFC 9110 15.6.5"),
    /**
     * The loop is processing its {@linkplain Config#maxConcurrentRequests maximum number} of
     * requests.
     */
    SLOTS_FULL(503, "RFC 9110 15.6.4"),
    /**
     * The loop's {@linkplain Config#memoryLimit memory budget} is exhausted, and this client has
     * kept the server waiting longest, or holds too large a share itself.
     */
    MEMORY_SHORT(503, "RFC 9110 15.6.4");

    private final int status;
    private final String source;

    RequestError(int status, String source) {
        this.status = status;
        this.source = source;
    }

    /** Returns the status of the response. */
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

    /** Returns the document and clause, such as {@code RFC 9112 2.2}. */
    public String source() {
        return source;
    }
}
