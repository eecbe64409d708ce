// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.BodySource;
import io.sirocco.http.Headers;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * A response of an {@link Origin}, of which the body follows.
 *
 * @param status 200 to 599
 * @param headers the headers; those of the connection, {@code Content-Length} among them, are
 *     ignored
 * @param length the length of the body, if the origin has said it
 * @param body the body. It must fail if the message is incomplete: only a body that ends with an
 *     empty segment is stored. Used and closed on the loop of the request
 * @param trailers returns the trailers when the body is complete
 */
public record OriginResponse(
        int status,
        Headers headers,
        OptionalLong length,
        BodySource body,
        Supplier<Headers> trailers) {
    public OriginResponse {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException(
                    "The status of a response must be 200 to 599, not " + status + ".");
        }
        Objects.requireNonNull(headers, "headers");
        Objects.requireNonNull(length, "length");
        Objects.requireNonNull(body, "body");
        Objects.requireNonNull(trailers, "trailers");
    }

    /** Creates a response without trailers. */
    public OriginResponse(int status, Headers headers, OptionalLong length, BodySource body) {
        this(status, headers, length, body, Headers::none);
    }
}
