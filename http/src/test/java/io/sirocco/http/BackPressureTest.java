// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.http.body.RequestBody;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Whoever is slower sets the pace: what waits in memory is bounded, other connections of the loop
 * do not notice, and a client that goes away leaves nothing behind.
 */
class BackPressureTest {
    static final List<TransportKind> TRANSPORTS = OnTheWire.TRANSPORTS;
    private static final List<Mode> BLOCKING = List.of(Mode.VIRTUAL, Mode.UNCARRIED, Mode.POOL);
    private static final int LARGE = 64 << 20;

    /** What a client can get rid of while nobody reads: see the bound where it is used. */
    private static final int KERNEL = 16 << 20;

    private final BlockingQueue<CompletableFuture<Void>> stops = new LinkedBlockingQueue<>();
    private final BlockingQueue<Throwable> ends = new LinkedBlockingQueue<>();

    private void routes(Routes routes) {
        routes.get("/", request -> Response.text("here"));
        routes.route(
                        "POST",
                        "/upload",
                        request -> {
                            try {
                                return upload(request.body().inputStream());
                            } catch (IOException e) {
                                ends.add(e);
                                throw e;
                            }
                        })
                .maxBodyBytes(-1);
        routes.get("/download", request -> Response.stream(this::download));
        routes.get(
                "/events",
                request ->
                        Response.events(
                                sink -> {
                                    try {
                                        while (true) {
                                            stop();
                                            sink.send("tick");
                                        }
                                    } catch (IOException e) {
                                        ends.add(e);
                                        throw e;
                                    }
                                }));
    }

    /** Reads one byte, stops until it is told to go on, and counts the rest. */
    private Response upload(InputStream in) throws IOException {
        long all = in.read() < 0 ? 0 : 1;
        stop();
        byte[] piece = new byte[8192];
        for (int n; (n = in.read(piece)) >= 0; ) {
            all += n;
        }
        return Response.text("counted " + all);
    }

    private void download(java.io.OutputStream out) throws IOException {
        byte[] piece = new byte[100_000];
        try {
            while (true) {
                out.write(piece);
            }
        } catch (IOException e) {
            ends.add(e);
            throw e;
        }
    }

    private void stop() {
        var go = new CompletableFuture<Void>();
        stops.add(go);
        go.join();
    }

    private Serving start(TransportKind transport, Mode mode) {
        stops.clear();
        ends.clear();
        return new Serving(transport, mode, config -> {}, this::routes);
    }

    private static void othersAreServed(Serving serving) {
        try (Client other = serving.client()) {
            other.send("GET / HTTP/1.1\nHost: a\nConnection: close\n\n");
            assertTrue(other.untilEnd().endsWith("\r\n\r\nhere"));
        }
    }

    /**
     * While the handler reads nothing the server takes no more than it may hold: what is in {@link
     * RequestBody}, what the connection keeps, and one delivery of each.
     */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void anUploadWaitsForItsHandler(TransportKind transport) throws Exception {
        byte[] piece = new byte[64 << 10];
        for (Mode mode : BLOCKING) {
            for (String framing :
                    List.of("Content-Length: " + LARGE, "Transfer-Encoding: chunked")) {
                boolean chunked = framing.endsWith("chunked");
                try (Serving serving = start(transport, mode);
                        Client client = serving.client()) {
                    client.send("POST /upload HTTP/1.1\nHost: a\n" + framing + "\n\n");
                    client.send(chunked ? "%x\n".formatted(LARGE) : "");
                    long sent = client.sendDeaf(piece, 0, piece.length);
                    var go = stops.poll(5, TimeUnit.SECONDS);
                    assertNotNull(go, "the handler was not called");
                    sent += sendUntilStuck(serving, client, piece);
                    long taken = serving.stats().net().bytesIn();
                    assertTrue(
                            taken < RequestBody.FULL + (64 << 10) + 3 * (128 << 10),
                            () -> serving + " has taken " + taken);
                    assertTrue(sent < KERNEL, "the client could send " + sent);
                    othersAreServed(serving);
                    go.complete(null);
                    while (sent < LARGE) {
                        int n = (int) Math.min(piece.length, LARGE - sent);
                        client.send(piece, 0, n);
                        sent += n;
                    }
                    client.send(chunked ? "\n0\n\n" : "");
                    client.until("\r\n\r\ncounted " + LARGE);
                }
            }
        }
    }

    /** Sends until nothing has moved for a while; meanwhile others are served. */
    private static long sendUntilStuck(Serving serving, Client client, byte[] piece)
            throws IOException {
        long sent = 0;
        for (int still = 0; still < 20; ) {
            int n = client.sendDeaf(piece, 0, piece.length);
            still = n == 0 ? still + 1 : 0;
            sent += n;
            if (n == 0) {
                othersAreServed(serving);
            }
        }
        return sent;
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aClientThatGoesAwayInMidUploadEndsTheHandler(TransportKind transport) throws Exception {
        for (Mode mode : BLOCKING) {
            try (Serving serving = start(transport, mode)) {
                Client client = serving.client();
                client.send("POST /upload HTTP/1.1\nHost: a\nContent-Length: 100\n\nxxx");
                stops.take().complete(null);
                client.abort();
                assertInstanceOf(IOException.class, ends.poll(5, TimeUnit.SECONDS), mode.name());
                serving.awaitQuiet();
                assertEquals(List.of(), serving.failures(), "a client's fault is not ours");
            }
        }
    }

    /** It may still read: it is told what is wrong. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aClientThatEndsItsSideInMidUploadIsTold(TransportKind transport) throws Exception {
        for (Mode mode : Mode.values()) {
            try (Serving serving = start(transport, mode);
                    Client client = serving.client()) {
                client.send("POST /upload HTTP/1.1\nHost: a\nContent-Length: 100\n\nxxx");
                if (mode != Mode.INLINE) {
                    stops.take().complete(null);
                }
                client.end();
                String answer = client.untilEnd();
                assertTrue(answer.startsWith("HTTP/1.1 400 Bad Request\r\n"), mode + answer);
                serving.awaitQuiet();
                assertEquals(List.of(RequestError.BODY_CUT_OFF), serving.rules());
                assertEquals(List.of(), serving.failures());
            }
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aClientThatGoesAwayInMidDownloadEndsTheHandler(TransportKind transport) throws Exception {
        for (Mode mode : Mode.values()) {
            try (Serving serving = start(transport, mode)) {
                Client client = new Client(serving.server, 4096);
                client.send("GET /download HTTP/1.1\nHost: a\n\n").until(1 << 20);
                othersAreServed(serving);
                client.abort();
                assertInstanceOf(IOException.class, ends.poll(5, TimeUnit.SECONDS), mode.name());
                serving.awaitQuiet();
                assertEquals(List.of(), serving.failures());
                assertEquals(false, serving.answers().stream().allMatch(Serving.Told::complete));
            }
        }
    }

    /** Nothing is written meanwhile beyond what the connection and the kernel hold. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aDownloadWaitsForItsClient(TransportKind transport) throws Exception {
        for (Mode mode : Mode.values()) {
            try (Serving serving = start(transport, mode);
                    Client client = new Client(serving.server, 4096)) {
                client.send("GET /download HTTP/1.1\nHost: a\n\n");
                long[] before = {-1, 0};
                serving.await(
                        "the download to stall",
                        () -> {
                            othersAreServed(serving);
                            long now = serving.stats().net().bytesOut();
                            before[1] = now - before[0] < 1000 ? before[1] + 1 : 0;
                            before[0] = now;
                            return before[1] == 10;
                        });
                assertTrue(before[0] < KERNEL, () -> serving.toString());
                assertTrue(serving.stats().net().writeMemory() < 2 << 20, () -> serving.toString());
                client.until((int) before[0] + (1 << 20)); // it goes on when it is read
            }
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void theWriterOfEventsLearnsThatItsClientIsGone(TransportKind transport) throws Exception {
        for (Mode mode : Mode.values()) {
            try (Serving serving = start(transport, mode)) {
                Client client = serving.client();
                client.send("GET /events HTTP/1.1\nHost: a\n\n").until("\r\n\r\n");
                stops.take().complete(null);
                client.until("data: tick\n\n");
                client.close();
                // The first event behind the client's end is the one that is answered by a reset.
                for (CompletableFuture<Void> go;
                        (go = stops.poll(200, TimeUnit.MILLISECONDS)) != null; ) {
                    go.complete(null);
                }
                assertInstanceOf(IOException.class, ends.poll(5, TimeUnit.SECONDS), mode.name());
                serving.awaitQuiet();
                assertEquals(List.of(), serving.failures());
            }
        }
    }

    /** A server that is stopped ends its handlers, and none waits for a loop that is gone. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aStopEndsWhoWaitsForABody(TransportKind transport) throws Exception {
        for (Mode mode : BLOCKING) {
            try (Serving serving = start(transport, mode);
                    Client client = serving.client()) {
                client.send("POST /upload HTTP/1.1\nHost: a\nContent-Length: 100\n\nxxx");
                stops.take().complete(null);
                serving.server.stop(java.time.Duration.ZERO);
                assertInstanceOf(IOException.class, ends.poll(5, TimeUnit.SECONDS), mode.name());
                client.untilEnd();
            }
        }
    }
}
