// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Monitor;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

/** Twenty rounds of start and stop, with clients that never let up. */
@OnEachTransport
@Timeout(240)
final class RoundsTest {
    private static final int ROUNDS = 20;
    private static final int CLIENTS = 8;
    private static final byte[] PAGE = Client.bytes(300_000);
    private static final List<String> PATHS = List.of("/hello", "/page", "/stream", "/pool");

    @Parameter TransportKind transport;

    /** What the server believes to have answered in full. */
    private final AtomicLong answered = new AtomicLong();

    private void configure(Config config) {
        config.port(0)
                .transport(transport)
                .loops(2)
                .monitor(
                        new Monitor() {
                            @Override
                            public void completed(CompletedRequest request) {
                                if (request.isComplete()) {
                                    answered.incrementAndGet();
                                }
                            }
                        });
    }

    private static void routes(Routes routes) {
        routes.get("/hello", request -> Response.text("hello"));
        routes.get("/page", request -> Response.bytes(PAGE));
        routes.get("/stream", request -> Response.stream(out -> out.write(PAGE)));
        routes.route("GET", "/pool", request -> Response.text("pool"))
                .executionMode(ExecutionMode.POOL);
    }

    @Test
    void loseNoAnsweredRequestAndLeakNothing() throws Exception {
        round(); // what is made once is made now
        Footprint before = Footprint.now();
        for (int i = 0; i < ROUNDS; i++) {
            round();
        }
        before.isReachedAgain();
    }

    private void round() throws Exception {
        answered.set(0);
        Server server = Server.start(this::configure, RoundsTest::routes);
        int port = server.port();
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<Long>> counts = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int first = i;
                counts.add(clients.submit((Callable<Long>) () -> load(port, first)));
            }
            Eventually.await("the load is on", () -> answered.get() > 100);
            assertTrue(server.stop(Duration.ofSeconds(20)));
            long received = 0;
            for (Future<Long> count : counts) {
                received += count.get();
            }
            assertEquals(answered.get(), received);
        }
    }

    /**
     * Asks, on ever new connections, until there is none to be had; answers how often it got a
     * whole answer.
     */
    private static long load(int port, int first) throws IOException {
        long received = 0;
        while (true) {
            Client client;
            try {
                client = Client.to(port);
            } catch (SocketException e) { // refused, or reset in the backlog
                return received;
            }
            try (client) {
                for (int i = 0; i < 50 && begins(client, PATHS.get((first + i) % 4)); i++) {
                    Client.Answer answer = client.answer(); // throws if it is cut
                    assertEquals(200, answer.status());
                    if (answer.body().length > 10) {
                        assertArrayEquals(PAGE, answer.body());
                    }
                    received++;
                }
            }
        }
    }

    /** Asks; false when there is no answer: the server owes none, then. */
    private static boolean begins(Client client, String path) {
        try {
            return client.ask(path).begins();
        } catch (IOException e) {
            return false;
        }
    }
}
