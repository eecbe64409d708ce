// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.Arguments;
import java.util.Optional;

/**
 * A server does not want us in a namespace. Immutable.
 *
 * @param code the member {@code code} of the data; {@code http_403} and the like when the very
 *     request for a connection was refused; else empty
 * @param message of the server
 * @param data that came with it; empty for none
 */
public record Refused(String code, String message, Optional<Arguments> data) {
    /** The code of those who are not who they should be: trying again would not help. */
    public static final String UNAUTHORIZED = "unauthorized";

    /** Whether it is so to stay: what {@link LiveClientSettings#stopWhen} says unless set. */
    public boolean unauthorized() {
        return code.equals(UNAUTHORIZED) || code.equals("http_401") || code.equals("http_403");
    }
}
