// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.Loop;
import io.sirocco.web.files.Client;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedBodyTest {
    private static final int SIZE = 200_000;

    @TempDir Path folder;

    /** Its file was deleted when the disk had it before the loop asked for the result. */
    @Test
    void aBodyWhoseFileIsCompleteAtOnceKeepsIt() throws Exception {
        var options = new CacheOptions();
        options.disk(folder.resolve("cache"), 8 << 20).memoryBody(1000);
        CacheSettings settings = options.freeze();
        var threads = new FirstWaits();
        DiskStore disk = DiskStore.open(settings, Runnable::run, threads);
        var stored = new CompletableFuture<StoredBody.Disk>();
        try (Server server =
                        Server.start(
                                config -> config.listen(new InetSocketAddress("127.0.0.1", 0)),
                                routes ->
                                        routes.route(
                                                        "GET",
                                                        "/",
                                                        request -> {
                                                            body(
                                                                            request.loop(),
                                                                            settings,
                                                                            disk,
                                                                            stored)
                                                                    .start();
                                                            return Response.text("begun");
                                                        })
                                                .executionMode(ExecutionMode.INLINE));
                var client = new Client(server.port())) {
            assertEquals(200, client.ask("GET", "/").status());
            threads.latch.countDown(); // all of the body has come
            StoredBody.Disk body = stored.get(20, TimeUnit.SECONDS);
            assertEquals(200, client.ask("GET", "/").status()); // the loop is done with the first
            assertEquals(SIZE, Files.size(folder.resolve("cache/" + body.name + ".body")));
        } finally {
            disk.close();
        }
    }

    private static SharedBody body(
            Loop loop,
            CacheSettings settings,
            DiskStore disk,
            CompletableFuture<StoredBody.Disk> stored) {
        var response =
                new OriginResponse(
                        200,
                        Headers.none(),
                        OptionalLong.of(SIZE),
                        TestOrigin.source(new byte[SIZE / 2], new byte[SIZE / 2]),
                        Headers::none);
        return new SharedBody(
                loop,
                response,
                settings,
                disk,
                new ByteBudget(1 << 20),
                new SharedBody.Listener() {
                    @Override
                    public void complete(StoredBody body) {
                        stored.complete((StoredBody.Disk) body);
                    }

                    @Override
                    public void refused(StoreRefusal why) {
                        stored.completeExceptionally(new AssertionError(why.toString()));
                    }
                });
    }

    /** A disk that takes its time for the first piece, and is faster than any thread then. */
    private static final class FirstWaits extends ThreadPoolExecutor {
        final CountDownLatch latch = new CountDownLatch(1);
        private final AtomicBoolean first = new AtomicBoolean(true);

        FirstWaits() {
            super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        public void execute(Runnable task) {
            if (first.getAndSet(false)) {
                super.execute(
                        () -> {
                            try {
                                latch.await();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                            task.run();
                        });
            } else {
                task.run();
            }
        }
    }
}
