// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.util.Locale;

/** A request has no good answer; {@link #kind} says why. Immutable. */
public final class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Why there is no answer, or none that can be used. */
    public enum Kind {
        /** None has come in time. */
        TIMEOUT,
        /** The connection was lost, or closed, before it came. */
        CLOSED,
        /** Whoever was asked has refused; {@link #code} and the message are theirs. */
        REFUSED,
        /** It is not what was wanted. */
        MALFORMED
    }

    private final Kind kind;
    private final String code;

    private RequestException(Kind kind, String code, String message) {
        super(message);
        this.kind = kind;
        this.code = code;
    }

    /** Of another kind than {@link Kind#REFUSED}. */
    static RequestException of(Kind kind, String message) {
        return new RequestException(kind, kind.name().toLowerCase(Locale.ROOT), message);
    }

    /** What a handler throws to refuse a request: whoever has asked is told both. */
    public static RequestException refused(String code, String message) {
        return new RequestException(Kind.REFUSED, code, message);
    }

    /** Why there is no answer. */
    public Kind kind() {
        return kind;
    }

    /** Of a refusal: {@code unknown_event}, {@code bad_arguments} and the like; else its kind. */
    public String code() {
        return code;
    }
}
