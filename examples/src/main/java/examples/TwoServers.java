// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Two independent servers in one JVM: one for everyone, and one for this machine alone, which can
 * stop the first.
 */
public final class TwoServers {

    record Both(Server open, Server admin) implements AutoCloseable {
        @Override
        public void close() {
            if (open.isRunning()) open.close();
            admin.close();
        }
    }

    static Both start(int port, int adminPort) {
        Server open =
                Server.start(
                        config -> config.port(port).name("open"),
                        routes -> routes.get("/", request -> Response.text("welcome")));
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), adminPort);
        Server admin =
                Server.start(
                        config -> config.listen(loopback).loops(1).name("admin"),
                        routes ->
                                routes.get("/running", r -> Response.text("" + open.isRunning()))
                                        .post(
                                                "/stop",
                                                request -> {
                                                    open.close(); // returns when it has drained
                                                    return Response.text("stopped");
                                                }));
        return new Both(open, admin);
    }

    void main(String[] arguments) {
        int port = arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]);
        Both both = start(port, port == 0 ? 0 : port + 1);
        IO.println("http://127.0.0.1:" + both.open().port() + "/");
        IO.println("http://127.0.0.1:" + both.admin().port() + "/running");
    }
}
