// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Response;

/** Why a request is answered with 400; the code is its place here, as Engine.IO numbers them. */
enum Refusal {
    TRANSPORT("Transport unknown"),
    SESSION("Session ID unknown"),
    METHOD("Bad handshake method"),
    REQUEST("Bad request"),
    FORBIDDEN("Forbidden"),
    VERSION("Unsupported protocol version");

    private final Response response;

    Refusal(String message) {
        this.response = Engine.refuse(400, ordinal(), message);
    }

    Response response() {
        return response;
    }
}
