// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.RequestError;
import java.io.IOException;

/**
 * Thrown when the rest of a body will not be read, because it is too long, malformed or too slow.
 */
public final class BodyRefused extends IOException {
    private static final long serialVersionUID = 1L;

    private final RequestError rule;

    public BodyRefused(RequestError rule) {
        super("the body of the request was refused: " + rule);
        this.rule = rule;
    }

    public RequestError rule() {
        return rule;
    }
}
