// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.RequestError;

/**
 * Why a response is refused: the name and the clause that says so. Behind a response that breaks
 * one of these rules nobody knows where the next one begins, so the connection is closed.
 * Immutable.
 */
public enum ResponseError {
    // The status line.

    /** The first line is not {@code HTTP/1.x SP 3DIGIT [SP reason]}. */
    BAD_STATUS_LINE("RFC 9112 4"),
    /** A well-formed version with another major number than 1. */
    UNKNOWN_VERSION("RFC 9112 2.3"),

    // Lines and fields.

    /** A line ends with LF alone. */
    BARE_LF("RFC 9112 2.2"),
    /** A CR is not followed by LF. */
    BARE_CR("RFC 9112 2.2"),
    /** NUL or another control character in a field value or a reason phrase. */
    CONTROL_CHARACTER("RFC 9110 5.5"),
    /** The header section is longer than the limit. */
    HEAD_TOO_LARGE("RFC 9112 2.3"),
    /** The header or trailer section has more fields than the limit. */
    TOO_MANY_HEADERS("RFC 9110 5.4"),
    /** A field name is empty, not a token, or not followed by a colon. */
    BAD_HEADER_NAME("RFC 9112 5"),
    /** Whitespace between a field name and its colon. */
    SPACE_BEFORE_COLON("RFC 9112 5.1"),
    /** A field line begins with whitespace. */
    OBSOLETE_FOLD("RFC 9112 5.2"),

    // Framing of the body.

    /** Content-Length is not 1 to 18 digits; a list of equal numbers is refused too. */
    BAD_LENGTH("RFC 9112 6.3"),
    /** More than one Content-Length, equal or not. */
    TWO_LENGTHS("RFC 9112 6.3"),
    /** Content-Length beside Transfer-Encoding. */
    LENGTH_AND_CODING("RFC 9112 6.1"),
    /** A transfer coding other than {@code chunked}, which was not asked for, stands before it. */
    UNKNOWN_CODING("RFC 9112 7"),
    /** {@code chunked} twice, in one Transfer-Encoding or in several. */
    CODING_TWICE("RFC 9112 7.1"),
    /** The last transfer coding is not {@code chunked}. */
    CHUNKED_NOT_LAST("RFC 9112 6.3"),
    /** Transfer-Encoding in an HTTP/1.0 response. */
    CODING_IN_HTTP_1_0("RFC 9112 6.1"),
    /** A 1xx or 204 response announces a body. */
    UNEXPECTED_BODY("RFC 9110 8.6"),
    /** The body is longer than the limit. */
    BODY_TOO_LARGE("RFC 9110 2.3"),

    // The chunked coding.

    /** A chunk size is not 1 to 16 hexadecimal digits, or is 2^60 and more. */
    BAD_CHUNK_SIZE("RFC 9112 7.1"),
    /** A chunk extension is malformed. */
    BAD_CHUNK_EXTENSION("RFC 9112 7.1.1"),
    /** A chunk's size and extensions are longer than the limit. */
    CHUNK_LINE_TOO_LONG("RFC 9112 7.1.1"),
    /** The sizes and extensions of all chunks are out of proportion to their data. */
    CHUNK_LINES_TOO_LONG("RFC 9112 7.1.1"),
    /** No CRLF where the chunk's size says that its data end. */
    BAD_CHUNK_END("RFC 9112 7.1"),
    /** A trailer field is malformed. */
    BAD_TRAILER("RFC 9112 7.1.2"),
    /** The trailer section is longer than the limit. */
    TRAILERS_TOO_LARGE("RFC 9112 7.1.2"),

    // The end of the connection.

    /** The connection ended within the status line or the header section. */
    HEAD_TRUNCATED("RFC 9112 8"),
    /** The connection ended before the length, or the last chunk, that was announced. */
    BODY_TRUNCATED("RFC 9112 8"),

    // Sequences of messages.

    /** More interim (1xx) responses than the limit. */
    TOO_MANY_INTERIM("RFC 9110 15.2"),
    /** 101 for a protocol that the request did not ask for. */
    UNEXPECTED_UPGRADE("RFC 9110 15.2.2");

    private final String source;

    ResponseError(String source) {
        this.source = source;
    }

    /** The document and the clause, such as {@code RFC 9112 6.3}. */
    public String source() {
        return source;
    }

    /** The same rule where it is one that requests and responses share. */
    static ResponseError of(RequestError shared) {
        return switch (shared) {
            case BARE_LF -> BARE_LF;
            case BARE_CR -> BARE_CR;
            case CONTROL_CHARACTER -> CONTROL_CHARACTER;
            case HEAD_TOO_LARGE -> HEAD_TOO_LARGE;
            case TOO_MANY_HEADERS -> TOO_MANY_HEADERS;
            case BAD_HEADER_NAME -> BAD_HEADER_NAME;
            case SPACE_BEFORE_COLON -> SPACE_BEFORE_COLON;
            case OBSOLETE_FOLD -> OBSOLETE_FOLD;
            case BAD_LENGTH -> BAD_LENGTH;
            case TWO_LENGTHS -> TWO_LENGTHS;
            case LENGTH_AND_CODING -> LENGTH_AND_CODING;
            case UNKNOWN_CODING -> UNKNOWN_CODING;
            case CODING_TWICE -> CODING_TWICE;
            case CHUNKED_NOT_LAST -> CHUNKED_NOT_LAST;
            case CODING_IN_HTTP_1_0 -> CODING_IN_HTTP_1_0;
            case BODY_TOO_LARGE -> BODY_TOO_LARGE;
            case BAD_CHUNK_SIZE -> BAD_CHUNK_SIZE;
            case BAD_CHUNK_EXTENSION -> BAD_CHUNK_EXTENSION;
            case CHUNK_LINE_TOO_LONG -> CHUNK_LINE_TOO_LONG;
            case CHUNK_LINES_TOO_LONG -> CHUNK_LINES_TOO_LONG;
            case BAD_CHUNK_END -> BAD_CHUNK_END;
            case BAD_TRAILER -> BAD_TRAILER;
            case TRAILERS_TOO_LARGE -> TRAILERS_TOO_LARGE;
            default -> throw new IllegalArgumentException(shared + " is for requests alone");
        };
    }
}
