// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

/** A request was not answered as it was meant to be. Immutable. */
public final class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Kind kind;
    private final String code;

    /** What became of it. */
    public enum Kind {
        /** No answer has come in time. */
        TIMEOUT,
        /** The client has gone. */
        CLOSED,
        /** It was answered with an error. */
        REFUSED,
        /** The answer is not what was wanted. */
        MALFORMED
    }

    private RequestException(Kind kind, String code, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.code = code;
    }

    /** An error with a code and a message, which the other side is told. */
    public static RequestException refused(String code, String message) {
        return new RequestException(Kind.REFUSED, code, message, null);
    }

    static RequestException refused(String code, String message, Throwable cause) {
        return new RequestException(Kind.REFUSED, code, message, cause);
    }

    static RequestException timeout(String message) {
        return new RequestException(Kind.TIMEOUT, "timeout", message, null);
    }

    static RequestException closed(String message) {
        return new RequestException(Kind.CLOSED, "closed", message, null);
    }

    static RequestException malformed(String message, Throwable cause) {
        return new RequestException(Kind.MALFORMED, "malformed", message, cause);
    }

    /** What became of it. */
    public Kind kind() {
        return kind;
    }

    /** Of an error that was answered; else what kind it is of. */
    public String code() {
        return code;
    }
}
