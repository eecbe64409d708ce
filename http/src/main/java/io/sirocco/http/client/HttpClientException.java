// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.h1.ResponseError;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

/**
 * Why a request has no response, or only a part of one. {@link #reason} names it; the message says
 * which request it was and what has happened. Immutable.
 */
public final class HttpClientException extends IOException {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    HttpClientException(Reason reason, String message, Throwable cause) {
        super(message + " [" + reason + ", " + reason.source() + "]", cause);
        this.reason = reason;
    }

    private HttpClientException(HttpClientException same) {
        super(same.getMessage(), same);
        this.reason = same.reason;
    }

    /** The same for the thread that waits: with its stack. */
    HttpClientException here() {
        return new HttpClientException(this);
    }

    /** The name of the error. */
    public Reason reason() {
        return reason;
    }

    /**
     * Whether the server cannot have seen the request, so that it may be sent again whatever its
     * method: the reason's {@link Reason#retryable}.
     */
    public boolean isRetryable() {
        return reason.retryable();
    }

    /** The names of all errors, with the clause that each follows from. Immutable. */
    public enum Reason {
        // No connection: the server has seen nothing of the request.

        /** No address is known for the host. */
        UNKNOWN_HOST(true, "RFC 9110 4.3.3"),
        /**
         * No connection to any address of the host: refused, unreachable, or no descriptor left.
         */
        CONNECT_FAILED(true, "RFC 9110 4.3.3"),
        /** The server did not accept the connection in time. */
        CONNECT_TIMEOUT(true, "RFC 9110 4.3.3"),
        /** No TLS: no common version, or a certificate that is not valid for the host. */
        TLS_FAILED(true, "RFC 9110 4.3.4"),
        /** The TLS handshake was not complete in time. */
        TLS_TIMEOUT(true, "RFC 9110 4.3.4"),
        /** As many requests wait for a connection as may. */
        QUEUE_FULL(true, "limit maxWaitingRequests"),
        /** No connection became free in time. */
        QUEUE_TIMEOUT(true, "limit queueTimeout"),
        /** The client is closed, or its loop has stopped. */
        CLIENT_CLOSED(false, "HttpClient.close"),

        // The request.

        /** The source of the request body failed. */
        REQUEST_BODY_FAILED(false, "RFC 9112 8"),
        /** The request body was not as long as announced. */
        REQUEST_BODY_LENGTH(false, "RFC 9110 8.6"),
        /** The server took nothing of the request for too long. */
        WRITE_TIMEOUT(false, "RFC 9112 9.5"),

        // The response.

        /** The connection was closed before any byte of a response. */
        CONNECTION_CLOSED(false, "RFC 9112 9.3.1"),
        /** No header section of a response in time. */
        RESPONSE_TIMEOUT(false, "RFC 9112 9.5"),
        /** Nothing of the response body for too long. */
        BODY_TIMEOUT(false, "RFC 9112 9.5"),
        /** The whole exchange was not complete in time. */
        TOTAL_TIMEOUT(false, "RFC 9112 9.5"),
        /** The caller gave the request up. */
        CANCELED(false, "RFC 9112 9.5"),
        /** The memory of the loop is short. */
        MEMORY_SHORT(false, "net.MemoryBudget"),
        /** The code of the caller, called on the loop, has thrown. */
        LISTENER_FAILED(false, "ClientRequest.onInterim, upgrade"),

        // The server breaks a rule of HTTP.

        /** The first line is not {@code HTTP/1.x SP 3DIGIT [SP reason]}. */
        BAD_STATUS_LINE(ResponseError.BAD_STATUS_LINE),
        /** Another major version of HTTP than 1. */
        UNKNOWN_VERSION(ResponseError.UNKNOWN_VERSION),
        /** A line ends with LF alone. */
        BARE_LF(ResponseError.BARE_LF),
        /** A CR is not followed by LF. */
        BARE_CR(ResponseError.BARE_CR),
        /** A control character in a field value or a reason phrase. */
        CONTROL_CHARACTER(ResponseError.CONTROL_CHARACTER),
        /** The header section is longer than the limit. */
        HEAD_TOO_LARGE(ResponseError.HEAD_TOO_LARGE),
        /** More header or trailer fields than the limit. */
        TOO_MANY_HEADERS(ResponseError.TOO_MANY_HEADERS),
        /** A field name is empty, not a token, or not followed by a colon. */
        BAD_HEADER_NAME(ResponseError.BAD_HEADER_NAME),
        /** Whitespace between a field name and its colon. */
        SPACE_BEFORE_COLON(ResponseError.SPACE_BEFORE_COLON),
        /** A field line begins with whitespace. */
        OBSOLETE_FOLD(ResponseError.OBSOLETE_FOLD),
        /** Content-Length is not one number. */
        BAD_LENGTH(ResponseError.BAD_LENGTH),
        /** More than one Content-Length. */
        TWO_LENGTHS(ResponseError.TWO_LENGTHS),
        /** Content-Length beside Transfer-Encoding. */
        LENGTH_AND_CODING(ResponseError.LENGTH_AND_CODING),
        /** A transfer coding that was not asked for. */
        UNKNOWN_CODING(ResponseError.UNKNOWN_CODING),
        /** {@code chunked} twice. */
        CODING_TWICE(ResponseError.CODING_TWICE),
        /** The last transfer coding is not {@code chunked}. */
        CHUNKED_NOT_LAST(ResponseError.CHUNKED_NOT_LAST),
        /** Transfer-Encoding in HTTP/1.0. */
        CODING_IN_HTTP_1_0(ResponseError.CODING_IN_HTTP_1_0),
        /** A 1xx or 204 response announces a body. */
        UNEXPECTED_BODY(ResponseError.UNEXPECTED_BODY),
        /** The body is longer than the caller wants to hold in memory. */
        BODY_TOO_LARGE(ResponseError.BODY_TOO_LARGE),
        /** A chunk size is malformed, or too large. */
        BAD_CHUNK_SIZE(ResponseError.BAD_CHUNK_SIZE),
        /** A chunk extension is malformed. */
        BAD_CHUNK_EXTENSION(ResponseError.BAD_CHUNK_EXTENSION),
        /** A chunk's size and extensions are longer than 256 bytes. */
        CHUNK_LINE_TOO_LONG(ResponseError.CHUNK_LINE_TOO_LONG),
        /** The sizes and extensions of all chunks are out of proportion to their data. */
        CHUNK_LINES_TOO_LONG(ResponseError.CHUNK_LINES_TOO_LONG),
        /** No CRLF where a chunk ends. */
        BAD_CHUNK_END(ResponseError.BAD_CHUNK_END),
        /** A trailer field is malformed. */
        BAD_TRAILER(ResponseError.BAD_TRAILER),
        /** The trailer section is longer than 4 KiB. */
        TRAILERS_TOO_LARGE(ResponseError.TRAILERS_TOO_LARGE),
        /** The connection ended within the header section, or behind a 1xx response. */
        HEAD_TRUNCATED(ResponseError.HEAD_TRUNCATED),
        /** The connection ended within the body. */
        BODY_TRUNCATED(ResponseError.BODY_TRUNCATED),
        /** More interim (1xx) responses than the limit. */
        TOO_MANY_INTERIM(ResponseError.TOO_MANY_INTERIM),
        /** 101 that was not asked for. */
        UNEXPECTED_UPGRADE(ResponseError.UNEXPECTED_UPGRADE);

        private static final Map<ResponseError, Reason> BY_ERROR =
                new EnumMap<>(ResponseError.class);

        static {
            for (Reason each : values()) {
                if (each.error != null) {
                    BY_ERROR.put(each.error, each);
                }
            }
        }

        private final ResponseError error; // null where it is not one of the parser's
        private final boolean retryable;
        private final String source;

        Reason(boolean retryable, String source) {
            this.error = null;
            this.retryable = retryable;
            this.source = source;
        }

        Reason(ResponseError error) {
            this.error = error;
            this.retryable = false;
            this.source = error.source();
        }

        static Reason of(ResponseError error) {
            return BY_ERROR.get(error);
        }

        /**
         * Whether the server cannot have seen the request, so that it may be sent again whatever
         * its method.
         */
        public boolean retryable() {
            return retryable;
        }

        /** The document and the clause, or the setting, that it follows from. */
        public String source() {
            return source;
        }
    }
}
