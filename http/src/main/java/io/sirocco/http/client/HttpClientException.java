// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.h1.ResponseError;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

/**
 * Thrown when a request has no response, or only a part of one. {@link #reason} names the error;
 * the message names the request and says what happened. Immutable.
 */
public final class HttpClientException extends IOException {
    private static final long serialVersionUID = 1;

    private final Reason reason;
    private final boolean waitedForCaller;

    HttpClientException(Reason reason, String message, Throwable cause) {
        this(reason, message, cause, false);
    }

    HttpClientException(Reason reason, String message, Throwable cause, boolean waitedForCaller) {
        super(message + " [" + reason + ", " + reason.source() + "]", cause);
        this.reason = reason;
        this.waitedForCaller = waitedForCaller;
    }

    private HttpClientException(HttpClientException same) {
        super(same.getMessage(), same.getCause());
        this.reason = same.reason;
        this.waitedForCaller = same.waitedForCaller;
    }

    /** Returns a copy with the stack trace of the calling thread, which waits for the response. */
    HttpClientException here() {
        return new HttpClientException(this);
    }

    /** Returns the name of the error. */
    public Reason reason() {
        return reason;
    }

    /**
     * Returns whether the server cannot have seen the request, so that a request of any method may
     * be sent again. See {@link Reason#retryable}.
     */
    public boolean isRetryable() {
        return reason.retryable();
    }

    /**
     * Returns whether the exchange waited for this program when its {@link Reason#TOTAL_TIMEOUT}
     * passed, so that the server is not to blame: for a connection that another request has, for
     * more of the body of the request, or for the response to be read. False for all other reasons.
     */
    public boolean waitedForCaller() {
        return waitedForCaller;
    }

    /** The names of all errors, each with the clause or setting that it follows from. Immutable. */
    public enum Reason {
        // No connection: the server has seen nothing of the request.

        /** No address is known for the host. */
        UNKNOWN_HOST(true, "RFC 9110 4.3.3"),
        /**
         * No address of the host accepts a connection: refused, unreachable, or no descriptor left.
         */
        CONNECT_FAILED(true, "RFC 9110 4.3.3"),
        /** The server did not accept the connection in time. */
        CONNECT_TIMEOUT(true, "RFC 9110 4.3.3"),
        /**
         * The TLS handshake failed: no common version, or a certificate that is not valid for the
         * host.
         */
        TLS_FAILED(true, "RFC 9110 4.3.4"),
        /** The TLS handshake was not complete in time. */
        TLS_TIMEOUT(true, "RFC 9110 4.3.4"),
        /** The maximum number of requests wait for a connection. */
        QUEUE_FULL(true, "limit maxWaitingRequests"),
        /** No connection became free in time. */
        QUEUE_TIMEOUT(true, "limit queueTimeout"),
        /** The client is closed, or its loop has stopped. */
        CLIENT_CLOSED(false, "HttpClient.close"),

        // The request.

        /** The source or writer of the request body failed. */
        REQUEST_BODY_FAILED(false, "RFC 9112 8"),
        /** The request body has another length than announced. */
        REQUEST_BODY_LENGTH(false, "RFC 9110 8.6"),
        /** The server did not read the request in time. */
        WRITE_TIMEOUT(false, "RFC 9112 9.5"),

        // The response.

        /** The connection was closed before any byte of a response. */
        CONNECTION_CLOSED(false, "RFC 9112 9.3.1"),
        /** The headers of the response did not arrive in time. */
        RESPONSE_TIMEOUT(false, "RFC 9112 9.5"),
        /** The server sent nothing of the response body in time. */
        BODY_TIMEOUT(false, "RFC 9112 9.5"),
        /** The response was not complete within the total timeout. */
        TOTAL_TIMEOUT(false, "RFC 9112 9.5"),
        /** The request was canceled, or its response closed before the end. */
        CANCELED(false, "RFC 9112 9.5"),
        /** The memory of the event loop is used up. */
        MEMORY_SHORT(false, "net.MemoryBudget"),
        /** Code of the caller that runs on the event loop threw an exception. */
        LISTENER_FAILED(false, "ClientRequest.onInterim, upgrade"),

        // The server breaks a rule of HTTP.

        /** The status line is not {@code HTTP/1.x SP 3DIGIT [SP reason]}. */
        BAD_STATUS_LINE(ResponseError.BAD_STATUS_LINE),
        /** The major version of HTTP is not 1. */
        UNKNOWN_VERSION(ResponseError.UNKNOWN_VERSION),
        /** A line ends with LF alone. */
        BARE_LF(ResponseError.BARE_LF),
        /** A CR is not followed by LF. */
        BARE_CR(ResponseError.BARE_CR),
        /** A header value or the reason phrase contains a control character. */
        CONTROL_CHARACTER(ResponseError.CONTROL_CHARACTER),
        /** The status line and headers are longer than the limit. */
        HEAD_TOO_LARGE(ResponseError.HEAD_TOO_LARGE),
        /** There are more headers or trailers than the limit. */
        TOO_MANY_HEADERS(ResponseError.TOO_MANY_HEADERS),
        /** A header name is empty, not a token, or not followed by a colon. */
        BAD_HEADER_NAME(ResponseError.BAD_HEADER_NAME),
        /** Whitespace stands between a header name and its colon. */
        SPACE_BEFORE_COLON(ResponseError.SPACE_BEFORE_COLON),
        /** A header line begins with whitespace. */
        OBSOLETE_FOLD(ResponseError.OBSOLETE_FOLD),
        /** Content-Length is not one number. */
        BAD_LENGTH(ResponseError.BAD_LENGTH),
        /** There is more than one Content-Length. */
        TWO_LENGTHS(ResponseError.TWO_LENGTHS),
        /** There is a Content-Length besides a Transfer-Encoding. */
        LENGTH_AND_CODING(ResponseError.LENGTH_AND_CODING),
        /** The transfer coding is not supported. */
        UNKNOWN_CODING(ResponseError.UNKNOWN_CODING),
        /** {@code chunked} is applied twice. */
        CODING_TWICE(ResponseError.CODING_TWICE),
        /** The last transfer coding is not {@code chunked}. */
        CHUNKED_NOT_LAST(ResponseError.CHUNKED_NOT_LAST),
        /** An HTTP/1.0 response has a Transfer-Encoding. */
        CODING_IN_HTTP_1_0(ResponseError.CODING_IN_HTTP_1_0),
        /** A 1xx or 204 response announces a body. */
        UNEXPECTED_BODY(ResponseError.UNEXPECTED_BODY),
        /** The body is longer than the limit of the method that reads it into memory. */
        BODY_TOO_LARGE(ResponseError.BODY_TOO_LARGE),
        /** A chunk size is malformed, or too large. */
        BAD_CHUNK_SIZE(ResponseError.BAD_CHUNK_SIZE),
        /** A chunk extension is malformed. */
        BAD_CHUNK_EXTENSION(ResponseError.BAD_CHUNK_EXTENSION),
        /** A chunk's size and extensions are longer than 256 bytes. */
        CHUNK_LINE_TOO_LONG(ResponseError.CHUNK_LINE_TOO_LONG),
        /** The sizes and extensions of all chunks are much longer than their data. */
        CHUNK_LINES_TOO_LONG(ResponseError.CHUNK_LINES_TOO_LONG),
        /** A chunk does not end with CRLF. */
        BAD_CHUNK_END(ResponseError.BAD_CHUNK_END),
        /** A trailer is malformed. */
        BAD_TRAILER(ResponseError.BAD_TRAILER),
        /** The trailers are longer than 4 KiB. */
        TRAILERS_TOO_LARGE(ResponseError.TRAILERS_TOO_LARGE),
        /** The connection ended within the headers, or after a 1xx response. */
        HEAD_TRUNCATED(ResponseError.HEAD_TRUNCATED),
        /** The connection ended within the body. */
        BODY_TRUNCATED(ResponseError.BODY_TRUNCATED),
        /** There are more interim (1xx) responses than the limit. */
        TOO_MANY_INTERIM(ResponseError.TOO_MANY_INTERIM),
        /** The server responded with 101 for a protocol that the request did not ask for. */
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
         * Returns whether the server cannot have seen the request, so that a request of any method
         * may be sent again.
         */
        public boolean retryable() {
            return retryable;
        }

        /** Returns the clause of the specification, or the setting, that the error follows from. */
        public String source() {
            return source;
        }
    }
}
