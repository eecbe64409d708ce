// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.http.exchange.Cancelling;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A handler whose response is too late is interrupted, and nobody else is. */
@Timeout(60)
class CancelledHandlersTest {

    private static void await(CountDownLatch latch, String what) throws InterruptedException {
        assertTrue(latch.await(20, TimeUnit.SECONDS), what);
    }

    /** A stage that keeps whoever registers with it until a latch opens. */
    private static final class Keeping extends CompletableFuture<Handler> {
        private final CountDownLatch latch;

        Keeping(CountDownLatch latch) {
            this.latch = latch;
        }

        @Override
        public CompletableFuture<Handler> whenComplete(
                BiConsumer<? super Handler, ? super Throwable> action) {
            CompletableFuture<Handler> dependent = super.whenComplete(action);
            try {
                await(latch, "the second handler starts");
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return dependent;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "NIO"})
    void theSecondHandlerIsInterruptedAtItsDeadlineThoughTheFirstOneEndsBehindItsStart(
            TransportKind transport) throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        var clock = new ManualClock();
        var started = new CountDownLatch(1);
        var interrupted = new CountDownLatch(1);
        var first = new AtomicReference<Thread>();
        Handler second =
                request -> {
                    started.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                    return Response.text("too late");
                };
        try (var serving =
                        new Serving(
                                transport,
                                c -> c.clock(clock),
                                routes ->
                                        routes.get(
                                                "/",
                                                request -> {
                                                    first.set(Thread.currentThread());
                                                    var next = new Keeping(started);
                                                    next.complete(second);
                                                    return Response.asyncHandler(next);
                                                }));
                Client client = serving.client()) {
            client.send("GET / HTTP/1.1\nHost: a\n\n");
            await(started, "the second handler starts");
            first.get().join();
            clock.advance(3_600_000);
            client.until("HTTP/1.1 503 ");
            await(interrupted, "the second handler is interrupted");
        }
    }

    /** The end of a handler may be cancelled at any moment, whatever runs it. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "UNCARRIED", "POOL"})
    void aHandlerThatEndsMeanwhileIsCancelledWithoutHarm(Mode mode) throws Exception {
        cancelledMeanwhile(mode, 500);
    }

    @Tag("heavy")
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "UNCARRIED", "POOL"})
    void thousandsThatEndMeanwhileAreCancelledWithoutHarm(Mode mode) throws Exception {
        cancelledMeanwhile(mode, 5_000);
    }

    private static void cancelledMeanwhile(Mode mode, int rounds) throws Exception {
        var current = new AtomicReference<Runnable>();
        var stop = new CountDownLatch(1);
        var thrown = new AtomicReference<Throwable>();
        var late = new AtomicInteger();
        Thread canceller =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        while (stop.getCount() > 0) {
                                            Runnable cancel = current.get();
                                            if (cancel != null) {
                                                cancel.run();
                                            }
                                        }
                                    } catch (Throwable e) {
                                        thrown.set(e);
                                    }
                                });
        try (var serving =
                        new Serving(
                                TransportKind.NIO,
                                mode,
                                c -> {},
                                routes ->
                                        routes.get(
                                                "/",
                                                request -> {
                                                    if (Thread.interrupted()) {
                                                        late.incrementAndGet();
                                                    }
                                                    current.set(Cancelling.of(request));
                                                    return Response.text("done");
                                                }));
                Client client = serving.client()) {
            client.send("GET / HTTP/1.1\nHost: a\n\n").until("done");
            int all = client.count();
            int length = all;
            for (int i = 0; i < rounds && thrown.get() == null; i++) {
                client.send("GET / HTTP/1.1\nHost: a\n\n").until(length += all);
            }
        } finally {
            stop.countDown();
            canceller.join();
        }
        assertNull(thrown.get(), () -> "cancel() threw " + thrown.get());
        assertEquals(0, late.get(), "interrupts that came when their handler had ended");
    }
}
