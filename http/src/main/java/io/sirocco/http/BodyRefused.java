// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;

/**
 * Thrown when the rest of a body will not be read, because it is too long, malformed or too slow.
 */
final class BodyRefused extends IOException {
    private static final long serialVersionUID = 1L;

    private final RequestError rule;

    BodyRefused(RequestError rule) {
        super("the body of the request was refused: " + rule);
        this.rule = rule;
    }

    RequestError rule() {
        return rule;
    }
}
