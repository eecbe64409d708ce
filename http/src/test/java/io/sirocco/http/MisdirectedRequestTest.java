// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import org.junit.jupiter.api.Test;

/** Targets whose scheme or host the connection has no right to (RFC 9110 7.4). */
class MisdirectedRequestTest extends OnTheWire {
    @Override
    void routes(Routes routes) {
        routes.get("/a", request -> Response.text(request.host()));
        routes.post("/a", request -> Response.text(request.body().text()));
    }

    @Test
    void anHttpsTargetOverPlainText() {
        wire("GET https://localhost/a HTTP/1.1\nHost: localhost\n\n")
                .answers(421, "Misdirected Request")
                .goesOn()
                .logs(RequestError.MISDIRECTED);
        wire("GET HTTPS://localhost/a HTTP/1.1\nHost: localhost\n\n")
                .answers(421, "Misdirected Request")
                .logs(RequestError.MISDIRECTED);
        wireWhole("POST https://a/a HTTP/1.1\nHost: a\nContent-Length: 2\n\nhi")
                .answers(421, "Misdirected Request")
                .goesOn()
                .logs(RequestError.MISDIRECTED);
    }

    @Test
    void anHttpTargetOverPlainText() {
        wire("GET http://any.example/a HTTP/1.1\nHost: b\n\n")
                .answers(200, "any.example")
                .goesOn()
                .logs();
    }
}
