// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stop lets those that are shaking hands finish, and answers what they ask for then. */
@Timeout(60)
class HandshakesInDrainTest {
    private static final int CLIENTS = 15;

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void handshakesInProgressFinish(TransportKind transport) throws Exception {
        var greeted = new CountDownLatch(CLIENTS);
        var stopping = new CountDownLatch(1);
        try (var threads = Executors.newCachedThreadPool();
                var serving =
                        new Serving(
                                transport,
                                Mode.VIRTUAL,
                                true,
                                c -> {},
                                r -> r.get("/", q -> Response.text("hello")));
                SocketChannel silent = connect(serving.server.port())) {
            int port = serving.server.port();
            var answers = new ArrayList<CompletableFuture<String>>();
            for (int i = 0; i < CLIENTS; i++) {
                answers.add(
                        CompletableFuture.supplyAsync(() -> ask(port, greeted, stopping), threads));
            }
            greeted.await();
            serving.await(
                    "all have come", () -> serving.stats().net().connections() == CLIENTS + 1);
            serving.await("their greetings", () -> serving.stats().net().bytesIn() > CLIENTS * 100);
            var stopped =
                    CompletableFuture.supplyAsync(
                            () -> serving.server.stop(Duration.ofSeconds(30)), threads);
            silent.configureBlocking(true);
            assertEquals(-1, silent.read(ByteBuffer.allocate(1)), "nobody waits for it");
            stopping.countDown();
            for (var answer : answers) {
                String text = answer.join();
                assertTrue(text.startsWith("HTTP/1.1 200 OK"), text);
                assertTrue(text.contains("Connection: close"), text);
            }
            assertTrue(stopped.join(), "it has drained");
        }
    }

    private static SocketChannel connect(int port) throws java.io.IOException {
        return SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
    }

    private static String ask(int port, CountDownLatch greeted, CountDownLatch stopping) {
        try (SocketChannel channel = connect(port)) {
            channel.configureBlocking(false);
            var link =
                    new TlsLink(
                            channel,
                            () -> {
                                greeted.countDown();
                                try {
                                    stopping.await();
                                } catch (InterruptedException e) {
                                    throw new AssertionError(e);
                                }
                            });
            ByteBuffer request =
                    ByteBuffer.wrap(Client.bytes("GET / HTTP/1.1\nHost: localhost\n\n"));
            while (request.hasRemaining()) {
                link.write(request);
            }
            var text = new StringBuilder();
            ByteBuffer buffer = ByteBuffer.allocate(32 << 10);
            for (int n; (n = link.read(buffer.clear())) >= 0; ) {
                text.append(new String(buffer.array(), 0, n));
            }
            return text.toString();
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }
}
