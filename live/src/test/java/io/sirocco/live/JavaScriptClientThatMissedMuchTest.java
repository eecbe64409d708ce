// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.peer.Npm;
import io.sirocco.live.broker.Depth;
import io.sirocco.live.broker.MemoryBroker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The official client of JavaScript misses 50 MB in 100,000 messages, and comes back. */
@Tag("heavy")
class JavaScriptClientThatMissedMuchTest {
    private static final int MESSAGES = 100_000;
    private static final String BODY = "x".repeat(500);
    private static final Depth DEEP = new Depth(2 * MESSAGES, 256 << 20, Duration.ofMinutes(10));

    @ParameterizedTest
    @CsvSource({"websocket,true", "polling,true", "websocket,false", "polling,false"})
    void isToldAllOfItOrOfAGap(String transport, boolean deep) throws Exception {
        var npm = new Npm("socket.io-client");
        var plugged = new AtomicLong();
        var depth = deep ? DEEP : Depth.DEFAULT;
        try (var service =
                        new Service(
                                c ->
                                        c.recovery(Duration.ofMinutes(2))
                                                .broker(MemoryBroker.create(depth)));
                var cable = new Cable(service.port)) {
            service.live.onConnect(client -> client.send("first"));
            service.live.on(
                    "cut me",
                    (client, a) -> {
                        cable.unplug();
                        for (int i = 0; i < MESSAGES; i++) {
                            service.live.broadcast("missed", i, BODY).toCompletableFuture().join();
                        }
                        cable.plugWhenNoticed();
                        plugged.set(System.nanoTime());
                    });
            String port = Integer.toString(cable.port());
            List<String> told = npm.run("missed.js", port, transport, "" + MESSAGES);
            long millis = (System.nanoTime() - plugged.get()) / 1_000_000;
            System.out.println(transport + ", " + depth + ": " + told + ", " + millis + " ms");
            String expected = deep ? "all true true " + MESSAGES : "gap true false 0";
            assertEquals(expected, told.getFirst());
            assertTrue(millis < 10_000, millis + " ms");
        }
    }
}
