// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Loop;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.ManualClock;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that joins a balancer, which here only notes what it is sent. The clock of the server
 * stands still while a heartbeat is on its way.
 */
@Timeout(60)
class RegistrationTest {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private final BiConsumer<String, Throwable> reader =
            (message, _) -> {
                if (message.contains("registered with")) {
                    logged.add(message);
                }
            };
    private final ManualClock clock = new ManualClock();
    private volatile int status = 200;
    private Server balancer = balancer(0);

    private Server balancer(int port) {
        return Server.start(
                c -> c.listen(new InetSocketAddress("127.0.0.1", port)).loops(1),
                routes -> routes.any("/upstreams/{pool}", this::note));
    }

    private Response note(Request request) throws Exception {
        heard.add(
                "%s %s %s %s"
                        .formatted(
                                request.method(),
                                request.target(),
                                request.header("Authorization").orElse(""),
                                request.body().text()));
        return Response.text(status < 300 ? "" : "why\n\u001b").status(status);
    }

    private String upstream() {
        return "http://127.0.0.1:" + balancer.port() + "/upstreams/api";
    }

    private Server node(Handler handler) {
        return Server.start(
                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1).clock(clock),
                routes -> routes.get("/", handler));
    }

    /** Moves the clock of the server when the response to its last heartbeat has arrived. */
    private void pass(Server node, long millis) {
        Eventually.await(
                "the connection of the last heartbeat is closed",
                () -> balancer.stats().getFirst().net().connections() == 0);
        Loop loop = node.loops().getFirst();
        clock.advance(loop, 0); // it has read that
        clock.advance(loop, millis); // a tick of the loop is 16 ms
    }

    private String next(BlockingQueue<String> queue) throws InterruptedException {
        String next = queue.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing within 20 seconds");
        }
        return next;
    }

    @AfterEach
    void stop() {
        QuietLogs.READERS.remove(reader);
        balancer.close();
    }

    @Test
    void heartbeatsFollowAndTheServerLeavesBeforeItDrains() throws Exception {
        var reached = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        Server node =
                node(
                        request -> {
                            reached.countDown();
                            release.await();
                            return Response.text("done");
                        });
        String url = "http://127.0.0.1:" + node.port();
        Registration joined = node.join(upstream(), "secret");
        String heartbeat = "PUT /upstreams/api Bearer secret {\"url\":\"" + url + "\"}";
        assertEquals(heartbeat, next(heard));
        pass(node, 1_900);
        assertTrue(heard.isEmpty());
        pass(node, 150);
        assertEquals(heartbeat, next(heard));
        assertTrue(joined.isRegistered());
        try (var client = new Socket("127.0.0.1", node.port())) {
            client.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes());
            reached.await();
            var stopped = new FutureTask<>(() -> node.stop(Duration.ofSeconds(20)));
            Thread.ofVirtual().start(stopped);
            String leave;
            do {
                leave = next(heard); // perhaps behind a heartbeat that was on its way
            } while (leave.equals(heartbeat));
            assertEquals(
                    "DELETE /upstreams/api?url="
                            + url.replace(":", "%3A").replace("/", "%2F")
                            + " Bearer secret ",
                    leave);
            release.countDown();
            assertTrue(new String(client.getInputStream().readAllBytes()).endsWith("done"));
            assertTrue(stopped.get());
        }
        assertFalse(joined.isRegistered());
    }

    @Test
    void aServerOnAllAddressesNamesItsPort() throws Exception {
        try (Server node = Server.start(0, routes -> {})) {
            try (Registration joined = node.join(upstream(), "secret")) {
                String port = "{\"port\":" + node.port() + ",\"scheme\":\"http\"}";
                assertEquals("PUT /upstreams/api Bearer secret " + port, next(heard));
                assertFalse(joined.toString().isEmpty());
            }
            assertEquals(
                    "DELETE /upstreams/api?port=" + node.port() + "&scheme=http Bearer secret ",
                    next(heard));
        }
    }

    @Test
    void aRefusalIsLoggedOnceAndTriedAgain() throws Exception {
        QuietLogs.READERS.add(reader);
        status = 401;
        try (Server node = node(request -> Response.text("x"))) {
            Registration joined = node.join(upstream(), "wrong");
            assertEquals(
                    "not registered with " + upstream() + ": 401 why; trying again", next(logged));
            next(heard);
            for (int i = 0; i < 2; i++) {
                pass(node, 1_050);
                next(heard);
            }
            assertFalse(joined.isRegistered());
            status = 201;
            pass(node, 1_050);
            assertEquals("registered with " + upstream(), next(logged)); // and no other before
            assertTrue(joined.isRegistered());
        }
    }

    @Test
    void aBalancerThatRestartsHearsOfTheServerAgain() throws Exception {
        QuietLogs.READERS.add(reader);
        try (Server node = node(request -> Response.text("x"))) {
            String upstream = upstream();
            node.join(upstream, "secret");
            next(heard);
            assertEquals("registered with " + upstream, next(logged));
            int port = balancer.port();
            pass(node, 0);
            balancer.stop(Duration.ofSeconds(5));
            clock.advance(2_050);
            String lost = next(logged);
            assertTrue(lost.startsWith("not registered with " + upstream + ": "), lost);
            heard.clear();
            balancer = balancer(port);
            pass(node, 1_050);
            assertTrue(next(heard).startsWith("PUT "));
            while (lost.startsWith("not ")) { // the reason may have changed meanwhile
                lost = next(logged);
            }
            assertEquals("registered with " + upstream, lost);
        }
    }

    @Test
    void aServerJoinsWithItsWeight() throws Exception {
        try (Server node = node(request -> Response.text("x"))) {
            String url = "http://127.0.0.1:" + node.port();
            node.join(upstream(), "secret", 3).close();
            String heartbeat = "PUT /upstreams/api Bearer secret {\"url\":\"";
            assertEquals(heartbeat + url + "\",\"weight\":3}", next(heard));
            heard.clear();
            node.join(upstream(), "secret", "https://10.0.0.1:8443", 1000).close();
            assertEquals(heartbeat + "https://10.0.0.1:8443\",\"weight\":1000}", next(heard));
        }
    }

    @Test
    void whatCannotJoinIsRefused(@TempDir Path folder) {
        Server node = node(request -> Response.text("x"));
        assertThrows(IllegalArgumentException.class, () -> node.join("balancer", "secret"));
        assertThrows(
                IllegalArgumentException.class, () -> node.join(upstream(), "secret", "node:1"));
        for (int weight : new int[] {-1, 0, 1001}) {
            assertThrows(
                    IllegalArgumentException.class, () -> node.join(upstream(), "secret", weight));
        }
        node.close();
        assertThrows(IllegalStateException.class, () -> node.join(upstream(), "secret"));
        var address = java.net.UnixDomainSocketAddress.of(folder.resolve("s"));
        try (Server local = Server.start(c -> c.listen(address).loops(1), routes -> {})) {
            assertThrows(IllegalArgumentException.class, () -> local.join(upstream(), "secret"));
        }
    }
}
