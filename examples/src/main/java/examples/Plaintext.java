// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import java.util.Locale;

/** Responds with the same thirteen bytes to every request, on one event loop, for benchmarks. */
public final class Plaintext {
    private Plaintext() {}

    /**
     * Starts the server. Arguments: a port (8080), {@code io_uring|epoll|nio} (the best that the
     * machine has), {@code inline|virtual|pool} (inline).
     */
    public static void main(String[] arguments) {
        int port = arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]);
        TransportKind transport =
                TransportKind.valueOf(
                        arguments.length < 2 ? "AUTO" : arguments[1].toUpperCase(Locale.ROOT));
        ExecutionMode mode =
                ExecutionMode.valueOf(
                        arguments.length < 3 ? "INLINE" : arguments[2].toUpperCase(Locale.ROOT));
        IO.println("http://127.0.0.1:" + start(transport, mode, port).port() + "/plaintext");
    }

    /** Starts the server without output. */
    public static Server start(TransportKind transport, ExecutionMode handling, int port) {
        Response hello = Response.text("Hello, World!").contentType("text/plain");
        return Server.start(
                config -> config.port(port).loops(1).transport(transport).executionMode(handling),
                routes -> routes.get("/plaintext", request -> hello));
    }
}
