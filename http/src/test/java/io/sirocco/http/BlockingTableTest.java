// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.http.Blocker.Way;
import io.sirocco.http.Serving.Mode;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prints the table of docs/http.md: the slowest ping of another connection of the same loop, beside
 * a handler that blocks for two seconds, at its first call and at the worst of the next three.
 */
@Tag("heavy")
class BlockingTableTest {
    private static final long BLOCK_MILLIS = 2_000;
    private static final int LATER = 3;
    private static final long FILE = 256L << 20;

    @TempDir Path folder;

    private interface Work {
        void run() throws Exception;
    }

    @Test
    void theSlowestPingBesideHandlersThatBlock() throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        System.out.println("| transport | a handler that | its first call | later calls |");
        System.out.println("|---|---|---|---|");
        for (TransportKind transport : OnTheWire.TRANSPORTS) {
            for (Way way : Way.values()) {
                try (Blocker blocker = Blocker.of(way)) {
                    row(transport, way.what, () -> block(blocker));
                }
            }
            row(transport, "writes and syncs a file of 256 MiB", this::fsync);
            row(transport, "sleeps: it parks", () -> Thread.sleep(BLOCK_MILLIS));
        }
    }

    private static void block(Blocker blocker) throws Exception {
        Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                blocker.awaitEntered();
                                Thread.sleep(BLOCK_MILLIS);
                                blocker.release();
                            } catch (Exception e) {
                                throw new AssertionError(e);
                            }
                        });
        blocker.block();
    }

    private void fsync() throws IOException {
        try (var file =
                FileChannel.open(
                        folder.resolve("file"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.allocate(1 << 20);
            while (file.position() < FILE) {
                file.write(bytes.clear());
            }
            file.force(true);
        }
    }

    private static void row(TransportKind transport, String name, Work work) throws Exception {
        try (var serving =
                new Serving(
                        transport,
                        Mode.VIRTUAL,
                        c -> {},
                        routes ->
                                routes.get("/ping", r -> Response.text("pong"))
                                        .get(
                                                "/work",
                                                r -> {
                                                    work.run();
                                                    return Response.text("done");
                                                }))) {
            for (int i = 0; i < 200; i++) {
                slowest(serving, "/ping"); // warm
            }
            long first = slowest(serving, "/work");
            long later = 0;
            for (int i = 0; i < LATER; i++) {
                later = Math.max(later, slowest(serving, "/work"));
            }
            System.out.printf(
                    "| %s | %s | %,d ms | %,d ms |%n",
                    transport.toString().toLowerCase(Locale.ROOT),
                    name,
                    first / 1_000_000,
                    later / 1_000_000);
            assertTrue(serving.moved().size() <= 1);
        }
    }

    /** The longest ping while {@code path} is served to another client. */
    private static long slowest(Serving serving, String path) {
        long longest = 0;
        try (Client client = serving.client();
                Client other = serving.client()) {
            other.send("GET /ping HTTP/1.1\nHost: a\n\n").until("pong");
            client.send("GET " + path + " HTTP/1.1\nHost: a\nConnection: close\n\n");
            int size = other.count();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            for (int i = 2; !client.hasEnded() && System.nanoTime() < end; i++) {
                long began = System.nanoTime();
                other.send("GET /ping HTTP/1.1\nHost: a\n\n").until(i * size);
                longest = Math.max(longest, System.nanoTime() - began);
            }
        }
        return longest;
    }
}
