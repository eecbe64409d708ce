// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.net.InetSocketAddress;

/** A program that joins an upstream and serves until it is killed: {@code UPSTREAM TOKEN}. */
final class JoiningNode {
    private JoiningNode() {}

    public static void main(String[] args) throws Exception {
        Server server =
                Server.start(
                        config -> config.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes -> routes.get("/*", request -> Response.text("process")));
        server.join(args[0], args[1]);
        Thread.currentThread().join();
    }
}
