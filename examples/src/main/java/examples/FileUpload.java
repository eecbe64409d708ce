// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.Part;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A form with files. Each part is read while it arrives and goes straight to the disk. A file gets
 * a name of ours: the one that the client sends may be anything.
 *
 * <pre>
 *   curl -F title=Cat -F picture=@cat.jpg http://localhost:8080/upload
 * </pre>
 */
public final class FileUpload {

    static Server start(int port) {
        try {
            return start(port, Files.createTempDirectory("uploads-"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Server start(int port, Path folder) {
        return Server.start(
                config -> config.port(port),
                routes -> {
                    routes.get("/", request -> Response.html(FORM));
                    routes.route("POST", "/upload", request -> save(request, folder))
                            .maxBodyBytes(100 << 20);
                });
    }

    private static Response save(Request request, Path folder) throws IOException {
        var said = new StringBuilder();
        for (Part part : request.multipart()) {
            if (part.filename().isPresent()) {
                Path file = Files.createTempFile(folder, "upload-", ".bin");
                try (var out = Files.newOutputStream(file)) {
                    long bytes = part.stream().transferTo(out);
                    said.append("%s: %d bytes\n".formatted(part.name(), bytes));
                }
            } else {
                said.append("%s: %s\n".formatted(part.name(), part.text()));
            }
        }
        return Response.text(said.toString());
    }

    private static final String FORM =
            """
            <!doctype html>
            <title>Upload</title>
            <form action="upload" method="post" enctype="multipart/form-data">
              <input name="title"> <input name="picture" type="file"> <button>Send</button>
            </form>
            """;

    void main() {
        start(8080);
    }
}
