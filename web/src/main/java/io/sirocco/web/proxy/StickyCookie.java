// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Cookie;

/** Keeps a client on the server that responded first, by a cookie of its id. Immutable. */
record StickyCookie(String name) {

    /** Returns the id of the server that the client was kept on; empty for none. */
    String of(InboundRequest request) {
        return name.isEmpty() ? "" : request.cookie(name);
    }

    /** Returns the value of {@code Set-Cookie}; empty if the client has it. */
    String set(String before, UpstreamServer server, boolean secure) {
        if (name.isEmpty() || before.equals(server.id)) {
            return "";
        }
        return Cookie.of(name, server.id)
                .withPath("/")
                .withHttpOnly(true)
                .withSecure(secure)
                .withSameSite(Cookie.SameSite.LAX)
                .encode();
    }
}
