// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.AbstractHistogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * Latency at a fixed rate counts from when a request was due: Tene, "How not to measure latency".
 * What a server has seen bounds what must be reported: from below strictly, from above by what the
 * machine itself has made threads wait.
 */
@OnEachTransport
class OpenLoopTest {
    private static final long MILLI = 1_000_000;

    @Parameter TransportKind transport;

    private static Server server(io.sirocco.http.Handler handler) {
        return Server.start(
                c ->
                        c.listen(new InetSocketAddress("127.0.0.1", 0))
                                .loops(1)
                                .executionMode(ExecutionMode.INLINE)
                                .blockedLoopThreshold(Duration.ZERO),
                routes -> routes.get("/{n}", handler));
    }

    private static SocketAddress address(Server server) {
        return server.addresses().getFirst();
    }

    /** Answers later, and notes on its own clock when it was asked and when it answered. */
    private static final class Later {
        final long[] asked = new long[200];
        final long[] answered = new long[200];
        private final ScheduledExecutorService timer;

        Later(ScheduledExecutorService timer) {
            this.timer = timer;
        }

        Response answer(Request request) {
            int k = Integer.parseInt(request.param("n"));
            asked[k] = System.nanoTime();
            var response = new CompletableFuture<Response>();
            timer.schedule(
                    () -> {
                        answered[k] = System.nanoTime();
                        response.complete(Response.text("ok"));
                    },
                    k % 10 == 7 ? 50 : 5,
                    TimeUnit.MILLISECONDS);
            return Response.async(response);
        }

        /**
         * What the latencies are if the request that came most punctually came when it was due, and
         * each answer is there when it is given: a little less than they can be. In order.
         */
        long[] latencies(double rate) {
            long begin = Long.MAX_VALUE;
            for (int k = 0; k < asked.length; k++) {
                begin = Math.min(begin, asked[k] - due(k, rate));
            }
            var latencies = new long[asked.length];
            for (int k = 0; k < asked.length; k++) {
                latencies[k] = answered[k] - due(k, rate) - begin;
            }
            Arrays.sort(latencies);
            return latencies;
        }

        private static long due(int k, double rate) {
            return (long) (k * 1e9 / rate);
        }
    }

    @Test
    void percentilesAgreeWithWhatTheServerSaw() throws Exception {
        double rate = 400;
        try (var timer = Executors.newSingleThreadScheduledExecutor();
                var meter = new StallMeter()) {
            var later = new Later(timer);
            try (Server server = server(later::answer)) {
                Result result =
                        Runs.run(
                                transport,
                                address(server),
                                Runs.numbered(200),
                                Integer.MAX_VALUE,
                                load ->
                                        load.rate(rate)
                                                .connections(64)
                                                .duration(Duration.ofMillis(500)));
                assertEquals(200, result.latency().getTotalCount(), "400/s for 500 ms");
                assertEquals(Map.of(), result.failures());
                long[] expected = later.latencies(rate);
                long slack = 20 * MILLI + 2 * meter.longest();
                for (int percent : new int[] {50, 80, 95, 99}) {
                    long reported = result.latency().getValueAtPercentile(percent);
                    long least = expected[200 * percent / 100 - 1];
                    String what = "p%d: %,d of at least %,d".formatted(percent, reported, least);
                    assertTrue(reported >= least, what);
                    assertTrue(reported <= least + slack, () -> what + ", and at most " + slack);
                    assertTrue(least >= (percent > 90 ? 50 : 5) * MILLI, what);
                }
            }
        }
    }

    /** Sleeps for 400 ms at one request, and so keeps all others waiting. */
    private static io.sirocco.http.Handler stallingAt(int number) {
        var count = new AtomicInteger();
        return request -> {
            if (count.incrementAndGet() == number) {
                Thread.sleep(400);
            }
            return Response.text("ok");
        };
    }

    private static long above(AbstractHistogram latency, long millis) {
        return latency.getCountBetweenValues(millis * MILLI, Long.MAX_VALUE);
    }

    @Test
    void aStallIsInTheLatenciesOfAllThatWereDueInIt() throws Exception {
        try (Server server = server(stallingAt(100))) {
            Result result =
                    Runs.run(
                            transport,
                            address(server),
                            Runs.numbered(1),
                            Integer.MAX_VALUE,
                            load ->
                                    load.rate(500)
                                            .loops(2)
                                            .connections(64)
                                            .duration(Duration.ofMillis(900)));
            AbstractHistogram latency = result.latency();
            assertEquals(450, latency.getTotalCount() + result.failed(), "500/s for 900 ms");
            assertEquals(Map.of(), result.failures());
            assertTrue(above(latency, 100) >= 120, () -> above(latency, 100) + " above 100 ms");
            assertTrue(latency.getMaxValue() >= 350 * MILLI);
            assertTrue(result.micros(99.9) >= 350_000, () -> "p99.9: " + result.micros(99.9));
            assertTrue(result.micros(90) >= 200_000, () -> "p90: " + result.micros(90));
        }
    }

    /** The same stall: what was not asked meanwhile is not in the figures. Hence the open loop. */
    @Test
    void aClosedLoopShowsTheSameStallOnce() throws Exception {
        try (Server server = server(stallingAt(500));
                var meter = new StallMeter()) {
            Result result =
                    Runs.run(transport, address(server), Runs.numbered(1), 1_500, load -> {});
            assertEquals(1_500, result.latency().getTotalCount());
            long late = above(result.latency(), 350);
            long others = meter.longerThan(150 * MILLI);
            assertTrue(late >= 1 && late <= 1 + others, () -> late + " above 350 ms");
        }
    }
}
