// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.config.InvalidConfiguration;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Redis of {@code [live]} that is away at the start, and whether it is waited for. */
class BrokerAtStartTest {
    private static final int ATTEMPTS = 5; // more connections than one attempt makes

    @TempDir Path folder;

    private Source source(int port, String line) throws Exception {
        Files.writeString(folder.resolve("ticket.secret"), "0123456789abcdef\n");
        String text =
                """
                [[listen]]
                address = "127.0.0.1:0"
                [live]
                on = true
                open = true
                ticket-secret-file = "ticket.secret"
                broker = "redis://127.0.0.1:%d"
                %s
                """
                        .formatted(port, line);
        return Sources.file(Files.writeString(folder.resolve("sirocco.toml"), text));
    }

    private static ServerSocket away() throws Exception {
        var redis = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        redis.setSoTimeout(30_000);
        return redis;
    }

    @Test
    void theStartFailsAtOnceUnlessTheFileSaysOtherwise() throws Exception {
        int port;
        try (ServerSocket redis = away()) {
            port = redis.getLocalPort();
        }
        Source source = source(port, "");
        var thrown = assertThrows(InvalidConfiguration.class, () -> Serving.open(source));
        assertTrue(thrown.getMessage().contains("redis://127.0.0.1:"), thrown::toString);
    }

    @Test
    void theStartWaitsForAsLongAsTheFileSays() throws Exception {
        try (ServerSocket redis = away()) {
            Source source = source(redis.getLocalPort(), "broker-start-timeout = \"10m\"");
            var started = new CompletableFuture<Void>();
            Thread thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try (Serving _ = Serving.open(source)) {
                                            started.complete(null);
                                        } catch (Throwable e) {
                                            started.completeExceptionally(e);
                                        }
                                    });
            for (int i = 0; i < ATTEMPTS; i++) {
                redis.accept().close(); // as one that goes away again
            }
            assertFalse(started.isDone());
            thread.interrupt();
            var thrown =
                    assertThrows(ExecutionException.class, () -> started.get(60, TimeUnit.SECONDS));
            assertTrue(thrown.getCause() instanceof InvalidConfiguration, thrown::toString);
        }
    }
}
