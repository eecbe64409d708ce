// SPDX-License-Identifier: Apache-2.0

/** HTTP/1.1 on the event core: server, router, requests, responses. */
module io.sirocco.http {
    requires transitive io.sirocco.net;
    requires jdk.jfr;

    exports io.sirocco.http;
    exports io.sirocco.http.client;
}
