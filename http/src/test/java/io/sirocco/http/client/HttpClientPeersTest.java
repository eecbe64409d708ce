// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Connection;
import io.sirocco.net.Loops;
import io.sirocco.net.Protocol;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The client against the servers of others: Node and nginx. */
@Tag("peers")
@ParameterizedClass
@EnumSource(
        value = TransportKind.class,
        names = {"IO_URING", "EPOLL"})
@Timeout(60)
class HttpClientPeersTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Loops loops;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException {
        loops = Loops.start(s -> s.loops(1).transport(transport).longTurnMillis(0));
        client = HttpClient.on(loops, s -> {});
    }

    @AfterEach
    void stop() {
        client.close(Duration.ZERO);
        loops.close();
    }

    /** First what was received, then what was sent comes back. */
    private record Echo(StringBuilder all, CompletableFuture<String> done) implements Protocol {
        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            if (all.isEmpty()) {
                byte[] more = "second".getBytes(ISO_8859_1);
                connection.write(more, 0, more.length);
            }
            all.append(new String(bytes, from, to - from, ISO_8859_1));
            if (all.length() == 12) {
                done.complete(all.toString());
                connection.finish();
            }
            return to;
        }
    }

    @Test
    void node() throws Exception {
        try (PeerServer node = PeerServer.node(folder)) {
            String url = node.url();
            for (int i = 0; i < 20; i++) {
                assertEquals("hello", client.send(ClientRequest.get(url + "/hello")).body().text());
            }
            assertEquals(1, client.stats().opened());
            byte[] bytes = new byte[1_000_000];
            new Random(1).nextBytes(bytes);
            var echo = ClientRequest.post(url + "/echo");
            assertArrayEquals(bytes, client.send(echo.body(bytes)).body().bytes());
            assertArrayEquals(
                    bytes, client.send(echo.body(out -> out.write(bytes))).body().bytes());
            assertArrayEquals(bytes, client.send(echo.body(bytes).expectContinue()).body().bytes());
            assertEquals(1, client.stats().opened());
            ClientResponse trailers = client.send(ClientRequest.get(url + "/trailers"));
            assertEquals("body", trailers.body().text());
            assertEquals("7", trailers.trailers().first("Checksum").orElseThrow());
            var hints = new ConcurrentLinkedQueue<Integer>();
            var hinted = ClientRequest.get(url + "/hints").onInterim((s, headers) -> hints.add(s));
            assertEquals("hinted", client.send(hinted).body().text());
            assertEquals(List.of(103), List.copyOf(hints));
            HttpClientException cut =
                    assertThrows(
                            HttpClientException.class,
                            () -> client.send(ClientRequest.get(url + "/cut")).body().text());
            assertEquals(Reason.BODY_TRUNCATED, cut.reason());
            var early =
                    ClientRequest.post(url + "/refuse")
                            .body(
                                    out -> {
                                        while (true) {
                                            out.write(bytes);
                                        }
                                    });
            assertEquals(403, client.send(early).status());
            var done = new CompletableFuture<String>();
            var upgrade =
                    ClientRequest.get(url)
                            .upgrade("echo", each -> new Echo(new StringBuilder(), done));
            assertEquals(101, client.send(upgrade).status());
            assertEquals("first!second", done.get());
            ClientResponse flood = client.send(ClientRequest.get(url + "/flood/64"));
            var none = OutputStream.nullOutputStream();
            assertEquals(64L << 20, flood.body().inputStream().transferTo(none));
        }
    }

    @Test
    void nginx() throws Exception {
        long big = 3L << 30;
        try (PeerServer nginx = PeerServer.nginx(folder, big)) {
            String url = nginx.url();
            var all = new ArrayList<CompletableFuture<ClientResponse>>();
            for (int i = 0; i < 300; i++) {
                all.add(client.sendAsync(ClientRequest.get(url + "/hello")));
            }
            for (CompletableFuture<ClientResponse> each : all) {
                assertEquals("hello", each.get().body().text());
            }
            assertTrue(client.stats().opened() <= 64);
            ClientResponse head = client.send(ClientRequest.of("HEAD", url + "/big"));
            assertEquals(big, head.body().length().orElseThrow());
            String etag = head.header("ETag").orElseThrow();
            var same = ClientRequest.get(url + "/big").header("If-None-Match", etag);
            assertEquals(304, client.send(same).status());
            var range = ClientRequest.get(url + "/big").header("Range", "bytes=5-14");
            ClientResponse part = client.send(range);
            assertEquals("206 10", part.status() + " " + part.body().bytes().length);
            var gzip = ClientRequest.get(url + "/gzip").header("Accept-Encoding", "gzip");
            ClientResponse packed = client.send(gzip);
            assertEquals("gzip", packed.header("Content-Encoding").orElseThrow());
            assertEquals(0x1f, packed.body().bytes()[0]);
            assertEquals("hello", client.send(ClientRequest.get(url + "/one")).body().text());
            var posted = ClientRequest.post(url + "/post").body("abc");
            assertEquals("posted", client.send(posted).body().text());
            byte[] much = new byte[3_000_000];
            assertEquals(413, client.send(ClientRequest.post(url + "/post").body(much)).status());
            assertEquals(404, client.send(ClientRequest.get(url + "/nowhere")).status());
        }
    }
}
