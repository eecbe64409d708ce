// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A route whose first request loads classes is not said to be one that blocks. */
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
        BiConsumer<String, Throwable> reader =
                (line, _) -> {
                    if (line.startsWith("GET /cold ")) {
                        LOGGED.add(line);
                    }
                };
        QuietLogs.READERS.add(reader);
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
            assertTrue(line.contains("mostly by loading classes; the JDK"), line);
            assertEquals(1, line.lines().count(), "no stack: " + line);
        } finally {
            QuietLogs.READERS.remove(reader);
        }
    }
}
