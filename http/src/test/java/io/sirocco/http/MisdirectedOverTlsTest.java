// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import org.junit.jupiter.api.Test;

/** Hosts that the certificate of the connection, which is for localhost, is not for. */
class MisdirectedOverTlsTest extends OnTheWire {
    @Override
    boolean secure() {
        return true;
    }

    @Override
    void config(Config config) {
        config.sniHostCheck(true);
    }

    @Override
    void routes(Routes routes) {
        routes.get("/a", request -> Response.text(request.host()));
    }

    private Answer get(String host) {
        return wireWhole(
                "GET /a HTTP/1.1\nHost: "
                        + host
                        + "\n\nGET /a HTTP/1.1\nHost: localhost\nConnection: close\n\n");
    }

    @Test
    void theHostOfTheCertificate() {
        for (String host :
                new String[] {"localhost", "LocalHost", "localhost:8443", "localhost."}) {
            get(host).answers(200, 200).logs();
        }
    }

    @Test
    void anAddressIsNotChecked() {
        for (String host : new String[] {"127.0.0.1", "127.0.0.1:443", "[::1]", "192.0.2.7"}) {
            get(host).answers(200, 200).logs();
        }
    }

    @Test
    void anotherHost() {
        for (String host : new String[] {"a", "evil.example:443", "localhost.evil.example"}) {
            get(host).answers(421, 200).logs(RequestError.MISDIRECTED);
        }
    }

    @Test
    void theTargetGoesBeforeTheField() {
        wireWhole(
                        "GET https://localhost/a HTTP/1.1\nHost: evil.example\n\n"
                                + "GET https://evil.example/a HTTP/1.1\nHost: localhost\n"
                                + "Connection: close\n\n")
                .answers(200, 421)
                .logs(RequestError.MISDIRECTED);
    }
}
