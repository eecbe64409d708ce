// SPDX-License-Identifier: Apache-2.0
package examples;

import io.sirocco.http.BadRequest;
import io.sirocco.http.MediaType;
import io.sirocco.http.Multipart;
import io.sirocco.http.Part;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A form with files of up to 100 MiB. Each part is read as it arrives and written straight to disk.
 * The server chooses the name of each file, because the client may send any name.
 *
 * <pre>
 *   curl -F title=Cat -F picture=@cat.jpg http://localhost:8080/upload
 * </pre>
 */
public final class FileUpload {
    private static final long MAX_BYTES = 100L << 20;

    /** Without these, a part is limited to 16 MiB. */
    private static final Multipart.Limits LIMITS =
            new Multipart.Limits(100, 8 << 10, MAX_BYTES, MAX_BYTES);

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
                            .maxBodyBytes(MAX_BYTES);
                });
    }

    private static Response save(Request request, Path folder) throws IOException {
        var received = new StringBuilder();
        for (Part part : parts(request)) {
            if (part.filename().isPresent()) {
                Path file = Files.createTempFile(folder, "upload-", ".bin");
                try (var out = Files.newOutputStream(file)) {
                    long bytes = part.stream().transferTo(out);
                    received.append("%s: %d bytes\n".formatted(part.name(), bytes));
                }
            } else {
                received.append("%s: %s\n".formatted(part.name(), part.text()));
            }
        }
        return Response.text(received.toString());
    }

    private static Multipart parts(Request request) {
        MediaType type =
                request.contentType()
                        .orElseThrow(() -> new BadRequest(415, "The body must be a form."));
        return Multipart.of(request.body().inputStream(), type, LIMITS);
    }

    private static final String FORM =
            """
            <!doctype html>
            <title>Upload</title>
            <form action="upload" method="post" enctype="multipart/form-data">
              <input name="title"> <input name="picture" type="file"> <button>Send</button>
            </form>
            """;

    void main(String[] arguments) throws IOException {
        Path folder = Files.createTempDirectory("uploads-");
        int port = arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]);
        IO.println("http://127.0.0.1:" + start(port, folder).port() + "/");
        IO.println("files are saved in " + folder);
    }
}
