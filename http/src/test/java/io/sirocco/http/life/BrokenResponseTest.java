// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.BodyWriter;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnAllTransports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** A response that is cut short must not look whole. */
@OnAllTransports
final class BrokenResponseTest {
    @Parameter TransportKind transport;

    @Test
    void aStreamThatOnlyTheCloseWouldEndIsReset() throws IOException {
        var read = new CountDownLatch(1);
        try (Server server =
                        Server.start(
                                config -> config.port(0).transport(transport).loops(1),
                                routes ->
                                        routes.get(
                                                "/half",
                                                request ->
                                                        Response.stream(
                                                                out -> {
                                                                    out.write("half".getBytes());
                                                                    out.flush();
                                                                    read.await();
                                                                    throw new IOException("cut");
                                                                })));
                Client client = Client.to(server.port()).send("GET /half HTTP/1.0\r\n\r\n")) {
            client.head();
            assertEquals("half", new String(client.read(4)));
            read.countDown();
            var error = assertThrows(IOException.class, () -> client.read(1));
            assertTrue(error.getMessage().contains("reset"), error.getMessage());
        }
    }

    @Test
    void whatWasWrittenBeforeTheFailureArrives() throws Exception {
        byte[] much = new byte[200_000];
        var failed = new CountDownLatch(2);
        BodyWriter writer =
                out -> {
                    out.write(much);
                    out.write("last!".getBytes());
                    failed.countDown();
                    throw new IOException("cut");
                };
        try (Server server =
                Server.start(
                        config -> config.port(0).transport(transport).loops(1),
                        routes -> {
                            routes.get("/chunked", request -> Response.stream(writer));
                            routes.get("/length", request -> Response.stream(300_000, writer));
                        })) {
            try (Client client = Client.to(server.port()).ask("/length")) {
                client.head();
                client.read(much.length);
                assertEquals("last!", new String(client.read(5)));
                assertThrows(IOException.class, () -> client.read(1));
            }
            try (Client client = Client.to(server.port()).ask("/chunked")) {
                client.head();
                int read = 0;
                byte[] chunk = {};
                while (read < much.length + 5) {
                    chunk = client.chunk();
                    read += chunk.length;
                }
                assertEquals("last!", new String(chunk));
                assertThrows(IOException.class, client::chunk);
            }
        }
        assertEquals(0, failed.getCount());
    }

    @Test
    void aDirectoryIsNoFileToSend(@TempDir Path folder) throws IOException {
        var thrown = assertThrows(IOException.class, () -> Response.file(folder));
        assertEquals(folder + ": is a directory", thrown.getMessage());
    }
}
