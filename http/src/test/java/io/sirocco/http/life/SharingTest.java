// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Whom a handler that blocks keeps waiting: nobody, its loop, or those who want the pool. */
@OnEachTransport
final class SharingTest {
    @Parameter TransportKind transport;

    private final CountDownLatch release = new CountDownLatch(1);
    private final Semaphore entered = new Semaphore(0);
    private final List<String> order = new CopyOnWriteArrayList<>();
    private Server server;

    private void start(int loops, int poolThreads) {
        server =
                Server.start(
                        config ->
                                config.port(0)
                                        .transport(transport)
                                        .loops(loops)
                                        .poolThreads(poolThreads),
                        this::routes);
    }

    private void routes(Routes routes) {
        routes.get("/hello", request -> Response.text("hello"));
        routes.get("/loop", request -> Response.text(loopOf(request)));
        routes.get("/virtual", this::block);
        routes.route("GET", "/inline", this::block).executionMode(ExecutionMode.INLINE);
        routes.route("GET", "/pool", this::block).executionMode(ExecutionMode.POOL);
        routes.route(
                        "GET",
                        "/pool/{job}",
                        request -> {
                            order.add(request.param("job"));
                            return Response.text("done");
                        })
                .executionMode(ExecutionMode.POOL);
    }

    /** An id is made of the server's, the loop's number and the request's. */
    private static String loopOf(Request request) {
        return request.id().split("-")[1];
    }

    private Response block(Request request) throws InterruptedException {
        entered.release();
        release.await();
        return Response.text("released");
    }

    @AfterEach
    void stop() {
        release.countDown();
        server.close();
    }

    /** A connection on each loop, in the order of the loops. */
    private List<Client> oneOnEachLoop(int loops) throws IOException {
        var found = new Client[loops];
        for (int missing = loops; missing > 0; ) {
            Client client = Client.to(server.port());
            int loop = Integer.parseInt(client.get("/loop").text());
            if (found[loop] == null) {
                found[loop] = client;
                missing--;
            } else {
                client.close();
            }
        }
        return List.of(found);
    }

    @Test
    void anInlineHandlerThatBlocksHoldsItsOwnLoopOnly() throws Exception {
        start(2, 1);
        List<Client> clients = oneOnEachLoop(2);
        clients.getFirst().ask("/inline");
        entered.acquire();
        assertEquals("hello", clients.getLast().get("/hello").text());
        assertEquals("hello", clients.getLast().get("/hello").text());
        release.countDown();
        assertEquals("released", clients.getFirst().answer().text());
    }

    @Test
    void aVirtualHandlerThatBlocksHoldsNobody() throws Exception {
        start(1, 1);
        try (Client blocked = Client.to(server.port());
                Client other = Client.to(server.port())) {
            blocked.ask("/virtual");
            entered.acquire();
            assertEquals("hello", other.get("/hello").text());
            release.countDown();
            assertEquals("released", blocked.answer().text());
        }
    }

    @Test
    void aPoolHandlerThatBlocksHoldsNoLoop() throws Exception {
        start(1, 1);
        try (Client blocked = Client.to(server.port());
                Client other = Client.to(server.port())) {
            blocked.ask("/pool");
            entered.acquire();
            assertEquals("hello", other.get("/hello").text());
            release.countDown();
            assertEquals("released", blocked.answer().text());
        }
    }

    @Test
    void allLoopsShareOnePoolAndItsLastFreeThreadServesThemAll() throws Exception {
        start(2, 3);
        List<Client> blocked = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            blocked.add(Client.to(server.port()).ask("/pool"));
            entered.acquire();
        }
        for (Client client : oneOnEachLoop(2)) {
            for (int i = 0; i < 5; i++) {
                assertEquals("done", client.get("/pool/job").text());
            }
            client.close();
        }
        release.countDown();
        for (Client client : blocked) {
            assertEquals("released", client.answer().text());
            client.close();
        }
    }

    @Test
    void thePoolServesInTheOrderOfArrival() throws Exception {
        start(1, 1);
        try (Client first = Client.to(server.port())) {
            first.ask("/pool");
            entered.acquire();
            List<Client> clients = new ArrayList<>();
            List<String> jobs = List.of("a", "b", "c");
            for (String job : jobs) {
                int before = inProgress();
                clients.add(Client.to(server.port()).ask("/pool/" + job));
                Eventually.await("it waits for the pool", () -> inProgress() > before);
            }
            assertEquals(List.of(), order);
            release.countDown();
            for (Client client : clients) {
                assertEquals("done", client.answer().text());
                client.close();
            }
            assertEquals(jobs, order);
        }
    }

    private int inProgress() {
        return server.stats().getFirst().inProgress();
    }

    @Test
    void everyLoopGetsItsShareOfConnections() throws IOException {
        start(2, 1);
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            clients.add(Client.to(server.port()));
            clients.getLast().get("/hello");
        }
        assertEquals(64, server.stats().stream().mapToLong(s -> s.net().accepted()).sum());
        assertTrue(server.stats().stream().allMatch(s -> s.net().accepted() > 8));
        for (Client client : clients) {
            client.close();
        }
    }

    @Test
    void connectionsOfASocketThatOneLoopHoldsGoRound(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("socket");
        server =
                Server.start(
                        config -> config.unixSocket(file).transport(transport).loops(3),
                        this::routes);
        List<SocketChannel> channels = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            channels.add(SocketChannel.open(UnixDomainSocketAddress.of(file)));
        }
        Eventually.await(
                "four on each",
                () -> server.stats().stream().allMatch(s -> s.net().connections() == 4));
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    @Test
    void aBusyConnectionDoesNotStarveTheOthersOfItsLoop() throws Exception {
        start(1, 1);
        try (Client busy = Client.to(server.port());
                Client other = Client.to(server.port())) {
            var requests = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2_000);
            Thread writer =
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        try {
                                            while (true) {
                                                busy.send(requests);
                                            }
                                        } catch (IOException e) {
                                            // the end of the test
                                        }
                                    });
            Thread.ofPlatform().daemon().start(() -> drainQuietly(busy));
            for (int i = 0; i < 20; i++) {
                assertEquals("hello", other.get("/hello").text());
            }
            assertTrue(writer.isAlive());
        }
    }

    private static void drainQuietly(Client client) {
        try {
            client.drain();
        } catch (IOException e) {
            // the end of the test
        }
    }
}
