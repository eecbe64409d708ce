// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Loop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of long polling that state a long body, and do not send it. */
class StalledPostTest {
    /** Room for the headers of a request and for what counts its input. */
    private static final int HEAD = 4 << 10;

    private static final int STATED = 1_000_000;
    private static final String POLLING = "EIO=4&transport=polling";

    /** A connection on which a body is due. */
    private static Socket stalled(int port, String method, String query, int sent)
            throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        String head =
                method
                        + " /socket.io/?"
                        + query
                        + " HTTP/1.1\r\nHost: a\r\nContent-Length: "
                        + STATED
                        + "\r\n\r\n";
        socket.getOutputStream().write((head + "4" + "x".repeat(sent)).getBytes(ISO_8859_1));
        return socket;
    }

    private static String status(Socket socket) throws IOException {
        var line = new StringBuilder();
        for (int c = socket.getInputStream().read(); c >= 0 && c != '\r'; ) {
            line.append((char) c);
            c = socket.getInputStream().read();
        }
        return line.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EIO=4&transport=polling",
                "EIO=4&transport=polling&sid=unknown",
                "EIO=4&transport=none&sid=unknown",
                "EIO=4&transport=websocket&sid=unknown",
                "EIO=3&transport=polling"
            })
    void withoutASessionIsRefusedBeforeItsBody(String query) throws IOException {
        try (var service = new Service();
                Socket post = stalled(service.port, "POST", query, 100)) {
            assertEquals("HTTP/1.1 400 Bad Request", status(post));
        }
    }

    @Test
    void aGetIsAnsweredBeforeItsBody() throws IOException {
        try (var service = new Service();
                Socket get = stalled(service.port, "GET", POLLING, 100)) {
            assertEquals("HTTP/1.1 200 OK", status(get));
        }
    }

    @Test
    void aSecondPostBeforeTheFirstHasArrivedEndsTheSession() throws IOException {
        try (var service = new Service(c -> {})) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            String session = Peer.polling(service.port);
            Peer.post(service.port, session, "40");
            Peer.get(service.port, session);
            try (Socket first = stalled(service.port, "POST", session, 100)) {
                service.await("it has begun", () -> service.requestsInProgress() == 1);
                assertEquals(400, Peer.post(service.port, session, "42[\"a\"]").statusCode());
                assertEquals("HTTP/1.1 400 Bad Request", status(first));
                assertEquals("LOST", service.next());
            }
        }
    }

    @Test
    void bringsLittleBeforeSomebodyIsAdmitted() throws IOException {
        try (var service = new Service(c -> c.password("secret"));
                Socket post = stalled(service.port, "POST", Peer.polling(service.port), 10_000)) {
            assertEquals("HTTP/1.1 413 Content Too Large", status(post));
        }
    }

    @Test
    void thatIsTooSlowIsRefused() throws IOException {
        try (var service = new Service(c -> c.postWindow = Duration.ofMillis(100))) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            String session = Peer.polling(service.port);
            Peer.post(service.port, session, "40");
            Peer.get(service.port, session);
            try (Socket post = stalled(service.port, "POST", session, 500_000)) {
                assertEquals("HTTP/1.1 408 Request Timeout", status(post));
                assertEquals("LOST", service.next());
            }
        }
    }

    @Test
    void isRefusedWhenTheMemoryOfTheLoopIsUsedUp() throws Exception {
        try (var service = new Service(c -> c.anyConnects())) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            String session = Peer.polling(service.port);
            Peer.post(service.port, session, "40");
            Peer.get(service.port, session);
            List<Loop> loops = loops(service);
            for (Loop loop : loops) {
                on(loop, () -> loop.memory().add(loop.memory().limit() - HEAD));
            }
            try (Socket post = stalled(service.port, "POST", session, 500_000)) {
                assertEquals("HTTP/1.1 503 Service Unavailable", status(post));
                assertEquals("LOST", service.next());
            }
            for (Loop loop : loops) {
                on(loop, () -> loop.memory().release(loop.memory().limit() - HEAD));
            }
        }
    }

    @Test
    void whatItHeldIsGivenBack() throws Exception {
        try (var service = new Service(c -> c.anyConnects())) {
            service.live.on("m", (client, a) -> service.say(a.asString(0)));
            var posts = new ArrayList<Socket>();
            for (int i = 0; i < 8; i++) {
                String session = Peer.polling(service.port);
                Peer.post(service.port, session, "40");
                Peer.get(service.port, session);
                posts.add(stalled(service.port, "POST", session, 500_000));
            }
            List<Loop> loops = loops(service);
            service.await("it is held", () -> used(loops) >= 8 * 500_000);
            for (Socket post : posts) {
                post.close();
            }
            service.await("it is given back", () -> used(loops) == 0);
            String session = Peer.polling(service.port);
            Peer.post(service.port, session, "40");
            Peer.get(service.port, session);
            Peer.post(service.port, session, "42[\"m\",\"" + "x".repeat(500_000) + "\"]");
            assertEquals(500_000, service.next().length());
            service.await("it is given back", () -> used(loops) == 0);
        }
    }

    @Test
    void fourHundredCostLittle() throws Exception {
        try (var service = new Service(c -> c.password("secret").anyConnects())) {
            Peer.polling(service.port);
            long before = heap();
            var posts = new ArrayList<Socket>();
            try {
                for (int i = 0; i < 200; i++) {
                    posts.add(stalled(service.port, "POST", POLLING, 500_000));
                }
                for (int i = 0; i < 200; i++) {
                    String session = Peer.polling(service.port);
                    Socket post = new Socket(InetAddress.getLoopbackAddress(), service.port);
                    posts.add(post);
                    post.getOutputStream()
                            .write(
                                    ("POST /socket.io/?"
                                                    + session
                                                    + " HTTP/1.1\r\nHost: a\r\n"
                                                    + "Content-Length: 16000\r\n\r\n4"
                                                    + "x".repeat(10_000))
                                            .getBytes(ISO_8859_1));
                }
                service.await("they have begun", () -> service.requestsInProgress() >= 200);
                long cost = heap() - before;
                assertTrue(cost < 8 << 20, cost + " bytes");
            } finally {
                for (Socket post : posts) {
                    post.close();
                }
            }
        }
    }

    /** Both loops of the server: connections come to either. */
    private static List<Loop> loops(Service service) throws IOException {
        for (int i = 0; service.live.hub.shards().size() < 2 && i < 1_000; i++) {
            try (var poller = new Poller(service.port)) {
                poller.ask("GET " + poller.session(), "");
            }
        }
        return service.live.hub.shards().stream().map(Shard::loop).toList();
    }

    private static void on(Loop loop, Runnable task) throws Exception {
        var done = new CountDownLatch(1);
        loop.execute(
                () -> {
                    task.run();
                    done.countDown();
                });
        assertTrue(done.await(10, TimeUnit.SECONDS));
    }

    private static long used(List<Loop> loops) {
        return loops.stream().mapToLong(loop -> loop.memory().used()).sum();
    }

    private static long heap() throws InterruptedException {
        var least = new AtomicLong(Long.MAX_VALUE);
        for (int i = 0; i < 4; i++) {
            System.gc();
            Runtime now = Runtime.getRuntime();
            least.accumulateAndGet(now.totalMemory() - now.freeMemory(), Math::min);
        }
        return least.get();
    }
}
