// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Bodies that break off, for clients of HTTP/1.0, where only the end of the connection marks that
 * of a body without a length: each client reads an error, over TLS as well.
 */
@Timeout(60)
class CutBodiesTest {
    private static void part(OutputStream out) throws IOException {
        out.write("a part".getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    /** A source whose second piece fails, late or at once. */
    private static BodySource source(boolean late) {
        return new BodySource() {
            private boolean first = true;

            @Override
            public CompletionStage<byte[]> next() {
                if (first) {
                    first = false;
                    return CompletableFuture.completedFuture(new byte[] {'a'});
                }
                var failed = new IOException("no more");
                return late
                        ? CompletableFuture.supplyAsync(
                                () -> {
                                    throw new IllegalStateException(failed);
                                })
                        : CompletableFuture.failedFuture(failed);
            }
        };
    }

    private static void routes(Routes routes) {
        routes.get(
                "/writer",
                r ->
                        Response.stream(
                                out -> {
                                    part(out);
                                    throw new IOException("broken");
                                }));
        routes.get(
                "/filtered",
                r ->
                        Response.stream(
                                        (BodyWriter)
                                                out -> {
                                                    part(out);
                                                    throw new IOException("broken");
                                                })
                                .transformBody(GZIPOutputStream::new));
        routes.get(
                "/events",
                r ->
                        Response.events(
                                sink -> {
                                    sink.send("a");
                                    throw new IllegalStateException("broken");
                                }));
        routes.get("/source", r -> Response.stream(source(false)));
        routes.get("/late", r -> Response.stream(source(true)));
    }

    private static String read(Socket socket, String path) throws IOException {
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        var all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (IOException e) {
            throw new IOException(all.toString(StandardCharsets.ISO_8859_1), e);
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void theirClientsReadAnError() throws Exception {
        for (TransportKind transport : List.of(TransportKind.NIO, TransportKind.AUTO)) {
            for (boolean secure : new boolean[] {false, true}) {
                try (var serving =
                        new Serving(
                                transport, Mode.VIRTUAL, secure, c -> {}, CutBodiesTest::routes)) {
                    for (String path :
                            List.of("/writer", "/filtered", "/events", "/source", "/late")) {
                        try (Socket plain = new Socket("127.0.0.1", serving.server.port());
                                Socket socket =
                                        secure
                                                ? TlsLink.CONTEXT
                                                        .getSocketFactory()
                                                        .createSocket(plain, "localhost", 1, true)
                                                : plain) {
                            String what = serving + path;
                            IOException cut =
                                    assertThrows(IOException.class, () -> read(socket, path), what);
                            assertTrue(
                                    cut.getMessage().isEmpty() || cut.getMessage().contains("200"),
                                    what + cut);
                        }
                    }
                }
            }
        }
    }
}
