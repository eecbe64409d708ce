// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thousand handlers that sleep 100 ms, all at once, on one loop. */
@Tag("heavy")
@Timeout(120)
final class BlockingHandlersTest {
    private static final byte[] SLEEP =
            "GET /sleep HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1);

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void sleepSideBySide(TransportKind transport) throws Exception {
        try (Child server =
                Child.start(
                        HeavyServer.class, List.of("-Xmx128m"), List.of(transport.name(), "1"))) {
            int port = server.number();
            try (var crowd = new Crowd(port)) {
                crowd.grow(1_000, Crowd.HELLO);
                var took = new ArrayList<Long>();
                var hello = new ArrayList<Long>();
                for (int round = 0; round < 10; round++) {
                    var pinger = new Pinger(port);
                    var latencies = new CompletableFuture<Pinger.Latencies>();
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            latencies.complete(pinger.run(10_000, 0));
                                        } catch (Exception e) {
                                            latencies.completeExceptionally(e);
                                        }
                                    });
                    long began = System.nanoTime();
                    for (SocketChannel channel : crowd.all()) {
                        channel.write(ByteBuffer.wrap(SLEEP));
                    }
                    for (SocketChannel channel : crowd.all()) {
                        crowd.read(channel);
                    }
                    long nanos = System.nanoTime() - began;
                    pinger.stop();
                    Pinger.Latencies measured = latencies.get();
                    System.out.printf(
                            "%s: 1,000 sleeping handlers in %.0f ms; /hello meanwhile: %s%n",
                            transport, nanos / 1e6, measured);
                    if (round >= 3) { // those before warm it up
                        took.add(nanos);
                        hello.add(measured.p99());
                    }
                }
                assertTrue(median(took) < 300_000_000, took.toString());
                assertTrue(median(hello) < 10_000_000, hello.toString());
            }
        }
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
