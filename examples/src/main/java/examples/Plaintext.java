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

    /** Starts the server: {@code io_uring|nio}, {@code inline|virtual|pool}, a port. */
    public static void main(String[] arguments) {
        start(
                TransportKind.valueOf(arguments[0].toUpperCase(Locale.ROOT)),
                ExecutionMode.valueOf(arguments[1].toUpperCase(Locale.ROOT)),
                Integer.parseInt(arguments[2]));
    }

    /** Starts the server without output. */
    public static Server start(TransportKind transport, ExecutionMode handling, int port) {
        Response hello = Response.text("Hello, World!").contentType("text/plain");
        return Server.start(
                config -> config.port(port).loops(1).transport(transport).executionMode(handling),
                routes -> routes.get("/plaintext", request -> hello));
    }
}
