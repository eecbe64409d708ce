// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.nio.file.Path;

/**
 * A server that listens on a Unix-domain socket, for programs of the same machine.
 *
 * <pre>
 *   curl --unix-socket hello.sock http://localhost/
 * </pre>
 */
public final class UnixSocket {

    static Server start(Path socket) {
        return Server.start(
                config -> config.unixSocket(socket).loops(1),
                routes -> routes.get("/", request -> Response.text("Hello from a file\n")));
    }

    void main() {
        start(Path.of("hello.sock"));
        IO.println("curl --unix-socket hello.sock http://localhost/");
    }
}
