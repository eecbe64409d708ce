// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.h1.Chunked;
import io.sirocco.http.h1.Fields;

/** Trailers of messages: RFC 9110 6.5. */
final class Trailers {
    private Trailers() {}

    /** Returns {@code trailers} if all of them may be sent. */
    static Headers checked(Headers trailers) {
        trailers.forEach(
                (name, value) -> {
                    if (!Chunked.mayBeTrailer(name)) {
                        throw new IllegalArgumentException(name + " must not be a trailer.");
                    }
                });
        return trailers;
    }

    /** Returns what was received. */
    static Headers of(Fields fields) {
        Headers headers = Headers.none();
        for (int i = 0; i < fields.count(); i++) {
            headers = headers.with(fields.name(i), fields.value(i));
        }
        return headers;
    }
}
