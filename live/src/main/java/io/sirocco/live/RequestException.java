// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/**
 * A request was not answered as it was meant to be; and what a handler throws to refuse one.
 * Immutable.
 */
public final class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Kind kind;
    private final String code;

    /** What became of it. */
    public enum Kind {
        /** No answer has come in time. */
        TIMEOUT,
        /** Whoever was asked has gone, or the connection was lost or closed before. */
        CLOSED,
        /** It was answered with an error, of which {@link #code} and the message tell. */
        REFUSED,
        /** The answer is not what was wanted. */
        MALFORMED
    }

    private RequestException(Kind kind, String code, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.code = code;
    }

    /** What a handler throws to refuse: the other side is told the code and the message. */
    public static RequestException refused(String code, String message) {
        return new RequestException(Kind.REFUSED, code, message, null);
    }

    static RequestException refused(String code, String message, Throwable cause) {
        return new RequestException(Kind.REFUSED, code, message, cause);
    }

    /** No answer has come in time. */
    public static RequestException timeout(String message) {
        return new RequestException(Kind.TIMEOUT, "timeout", message, null);
    }

    /** None will come any more. */
    public static RequestException closed(String message) {
        return new RequestException(Kind.CLOSED, "closed", message, null);
    }

    /** One has come that is none. */
    public static RequestException malformed(String message, Throwable cause) {
        return new RequestException(Kind.MALFORMED, "malformed", message, cause);
    }

    /** What became of it. */
    public Kind kind() {
        return kind;
    }

    /** Of an error that was answered, {@code unknown_event} for example; else its kind. */
    public String code() {
        return code;
    }
}
