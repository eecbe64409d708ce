// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Sends a file as a download. Reading from a disk does not park a virtual thread, so this route
 * runs in the pool: a slow disk blocks a thread of the pool, not an event loop.
 *
 * <pre>
 *   curl -OJ http://localhost:8080/download/README.md
 * </pre>
 */
public final class FileDownload {

    static Server start(int port) {
        return start(port, Path.of("."));
    }

    static Server start(int port, Path folder) {
        return Server.start(
                config -> config.port(port),
                routes ->
                        routes.route("GET", "/download/{name}", request -> send(request, folder))
                                .executionMode(ExecutionMode.POOL));
    }

    private static Response send(Request request, Path folder) throws IOException {
        String name = request.param("name");
        // The client chooses the name: accept a plain file name only.
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) return Response.empty(404);
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file)) return Response.empty(404);
        return Response.file(file)
                .header("Content-Disposition", "attachment; filename=\"" + name + "\"");
    }

    void main(String[] arguments) {
        Server server = start(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]));
        IO.println("http://127.0.0.1:" + server.port() + "/download/README.md");
    }
}
