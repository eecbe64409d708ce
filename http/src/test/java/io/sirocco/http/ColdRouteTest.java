// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.lang.System.Logger.Level;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A route whose first request loads classes is not said to be one that blocks, but for debugging.
 */
@Timeout(60)
class ColdRouteTest {
    private static final BlockingQueue<String> LOGGED = new LinkedBlockingQueue<>();

    private static class Cold {
        static {
            while (LOGGED.isEmpty()) { // like all loading of classes, it does not park
                Thread.onSpinWait();
            }
        }

        static void touch() {}
    }

    @Test
    void theLogDoesNotBlameIt() throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        BiConsumer<Level, String> reader =
                (level, line) -> {
                    if (line.startsWith("GET /cold ")) {
                        LOGGED.add(level + " " + line);
                    }
                };
        QuietLogs.LEVELS.add(reader);
        try (var serving =
                        new Serving(
                                TransportKind.NIO,
                                c -> {},
                                routes ->
                                        routes.get(
                                                "/cold",
                                                request -> {
                                                    Cold.touch();
                                                    return Response.text("loaded");
                                                }));
                Client client = serving.client()) {
            client.send("GET /cold HTTP/1.1\nHost: a\n\n").until("\r\n\r\nloaded");
            String line = LOGGED.poll(20, TimeUnit.SECONDS);
            assertTrue(line.startsWith("DEBUG GET /cold has blocked "), line);
            assertTrue(line.contains(", and the other clients of that loop, for "), line);
            assertEquals(1, line.lines().count(), "no stack: " + line);
        } finally {
            QuietLogs.LEVELS.remove(reader);
        }
    }
}
