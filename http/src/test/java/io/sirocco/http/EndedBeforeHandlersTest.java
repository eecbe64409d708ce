// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that have ended before their handlers began, or while they ran. */
@Timeout(60)
class EndedBeforeHandlersTest {
    private static final String GET = "GET /a HTTP/1.1\nHost: a\n\n";

    private final AtomicInteger called = new AtomicInteger();

    static List<Arguments> onThreads() {
        return GoneClientTest.beforeTheBody();
    }

    private Response path(Request request) {
        called.incrementAndGet();
        return Response.text(request.path());
    }

    /** Keeps all threads of the JDK's scheduler, on which handlers run that no loop carries. */
    private static final class Busy implements AutoCloseable {
        private volatile boolean over;

        Busy() throws InterruptedException {
            int threads =
                    Integer.getInteger(
                            "jdk.virtualThreadScheduler.parallelism",
                            Runtime.getRuntime().availableProcessors());
            var begun = new CountDownLatch(threads);
            for (int i = 0; i < threads; i++) {
                Thread.startVirtualThread(
                        () -> {
                            begun.countDown();
                            while (!over) {
                                Thread.onSpinWait();
                            }
                        });
            }
            begun.await();
        }

        @Override
        public void close() {
            over = true;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void theHandlerOfAClientThatHasGoneIsNotCalled(TransportKind transport) throws Exception {
        try (var serving =
                new Serving(transport, Mode.UNCARRIED, c -> {}, all -> all.get("/a", this::path))) {
            try (var _ = new Busy();
                    Client client = serving.client().send(GET)) {
                serving.await("it", () -> serving.stats().inProgress() == 1);
                client.abort();
                serving.await("its end", () -> serving.stats().net().connections() == 0);
            }
            serving.await("the turn", () -> serving.stats().inProgress() == 0);
            assertEquals(0, called.get());
            assertEquals(List.of(), serving.failures());
            assertEquals(0, serving.stats().net().memoryUsed());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void theHandlerOfARequestThatHasTimedOutIsNotCalled(TransportKind transport) throws Exception {
        try (var serving =
                new Serving(
                        transport,
                        Mode.UNCARRIED,
                        c -> c.handlerTimeout(Duration.ofMillis(100)),
                        all -> all.get("/a", this::path))) {
            try (var _ = new Busy()) {
                try (Client client = serving.client().send(GET)) {
                    client.until(" 503 ");
                }
                serving.await("its end", () -> serving.stats().net().connections() == 0);
            }
            serving.await("the turn", () -> serving.stats().inProgress() == 0);
            assertEquals(0, called.get());
            assertEquals(List.of(), serving.failures());
        }
    }

    @ParameterizedTest
    @MethodSource("onThreads")
    void aHandlerThatReadsItsRequestBehindTheEndHasNotFailed(TransportKind transport, Mode mode)
            throws Exception {
        var over = new CountDownLatch(1);
        var thrown = new CompletableFuture<Throwable>();
        try (var serving =
                new Serving(
                        transport,
                        mode,
                        c -> c.handlerTimeout(Duration.ofMillis(100)),
                        all ->
                                all.get(
                                        "/a",
                                        request -> {
                                            awaitWhateverComes(over);
                                            try {
                                                return path(request);
                                            } catch (Throwable e) {
                                                thrown.complete(e);
                                                throw e;
                                            }
                                        }))) {
            try (Client client = serving.client().send(GET)) {
                client.until(" 503 ");
            }
            serving.await("its end", () -> serving.stats().net().connections() == 0);
            over.countDown();
            assertInstanceOf(IllegalStateException.class, thrown.get(20, TimeUnit.SECONDS));
            serving.await("its return", () -> serving.stats().inProgress() == 0);
            assertEquals(List.of(), serving.failures());
        }
    }

    private static void awaitWhateverComes(CountDownLatch over) {
        while (true) {
            try {
                over.await();
                return;
            } catch (InterruptedException e) {
                // it goes on
            }
        }
    }
}
