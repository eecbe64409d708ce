// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** A run begins with a warm-up that leaves no trace, and ends when it should, without one. */
@OnEachTransport
class CourseOfARunTest {
    @Parameter TransportKind transport;

    /** The first answer of all is another one than the rest. */
    @Test
    void theWarmUpIsNotMeasured() throws Exception {
        try (var server =
                new Scripted(
                        peer -> {
                            peer.request();
                            peer.send("HTTP/1.1 201 Created\nContent-Length: 0\n\n");
                            while (peer.request() != null) {
                                peer.send(Scripted.OK);
                            }
                        })) {
            Result result =
                    Runs.run(
                            transport,
                            server.address(),
                            100,
                            load -> load.warmUp(Duration.ofMillis(300)));
            assertEquals(100, result.requests());
            assertEquals(100, result.latency().getTotalCount());
            assertEquals(Map.of(), result.failures());
            long atTheBeginning = server.requests.get() > 100 ? 0 : 1; // if it came too late
            assertEquals(atTheBeginning, result.statuses().getOrDefault(201, 0L));
            assertEquals(100 * 40 - 2 * atTheBeginning, result.bytesIn());
        }
    }

    @Test
    void aFailureOfTheWarmUpIsNotMeasuredEither() throws Exception {
        try (var server =
                new Scripted(
                        peer -> {
                            if (peer.number == 0) {
                                peer.untilEnd(); // it times out when measuring has begun
                            }
                            while (peer.request() != null) {
                                peer.send(Scripted.OK);
                            }
                        })) {
            Result result =
                    Runs.run(
                            transport,
                            server.address(),
                            5,
                            load ->
                                    load.warmUp(Duration.ofMillis(200))
                                            .timeout(Duration.ofMillis(400)));
            assertEquals(5, result.requests() + result.failed(), result.failures()::toString);
        }
    }

    @Test
    void theDurationEndsIt() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Result result =
                    Runs.run(
                            transport,
                            server.address(),
                            Integer.MAX_VALUE,
                            load -> {
                                load.tick = Duration.ofMillis(200);
                                load.connections(3).duration(Duration.ofMillis(300));
                            });
            assertEquals(Duration.ofMillis(300), result.elapsed());
            assertEquals(Map.of(), result.failures());
            assertTrue(result.requests() > 0);
            assertTrue(result.requests() <= result.latency().getTotalCount());
            assertTrue(result.latency().getTotalCount() <= result.requests() + 3, "late answers");
            assertEquals(server.requests.get(), result.latency().getTotalCount());
            assertEquals(2, result.overTime().size());
            assertEquals(40 * result.requests(), result.bytesIn());
            assertEquals(Runs.get("/").bytes().length * result.requests(), result.bytesOut());
        }
    }

    @Test
    void anInterruptEndsItWithWhatWasMeasured() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Interrupted run =
                    interrupted(server, 1_000, load -> load.connections(8).warmUp(Duration.ZERO));
            assertTrue(run.result.requests() > 0);
            assertEquals(Map.of(), run.result.failures(), "what is under way may come in");
            assertEquals(server.requests.get(), run.result.latency().getTotalCount());
            assertFalse(run.stillInterrupted);
        }
    }

    @Test
    void anInterruptDoesNotWaitForAServerThatIsDead() throws Exception {
        try (var server =
                new Scripted(
                        peer -> {
                            peer.request();
                            peer.untilEnd();
                        })) {
            Result result =
                    interrupted(
                                    server,
                                    8,
                                    load -> {
                                        load.grace = Duration.ofMillis(200);
                                        load.connections(8);
                                    })
                            .result;
            assertEquals(0, result.requests());
            assertEquals(Map.of(Failure.TIMEOUT, 8L), result.failures());
        }
    }

    @Test
    void anInterruptEndsTheWarmUpToo() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Result result =
                    interrupted(
                                    server,
                                    100,
                                    load -> {
                                        load.grace = Duration.ofMillis(200);
                                        load.warmUp(Duration.ofHours(1));
                                    })
                            .result;
            assertEquals(0, result.requests());
            assertEquals(Map.of(), result.failures());
        }
    }

    @Test
    void anInterruptThatComesLastIsNotPassedOnEither() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Load load = Runs.load(transport, server.address(), List.of(Runs.get("/")), 10, l -> {});
            Result result = HttpBench.run(load, second -> Thread.currentThread().interrupt());
            assertFalse(Thread.interrupted());
            assertEquals(10, result.requests());
        }
    }

    private record Interrupted(Result result, boolean stillInterrupted) {}

    /** A run of an hour that is interrupted when the server has had so many requests. */
    private Interrupted interrupted(
            Scripted server, int requests, java.util.function.Consumer<Load> configure)
            throws Exception {
        Load load =
                Runs.load(
                        transport,
                        server.address(),
                        List.of(Runs.get("/")),
                        Integer.MAX_VALUE,
                        l ->
                                configure.accept(
                                        l.duration(Duration.ofHours(1))
                                                .timeout(Duration.ofHours(1))));
        var done = new CompletableFuture<Interrupted>();
        Callable<Interrupted> run =
                () -> {
                    Result result = HttpBench.run(load, second -> {});
                    return new Interrupted(result, Thread.currentThread().isInterrupted());
                };
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        done.complete(run.call());
                                    } catch (Throwable e) {
                                        done.completeExceptionally(e);
                                    }
                                });
        Runs.await(requests + " requests", () -> server.requests.get() >= requests);
        thread.interrupt();
        return done.get(60, TimeUnit.SECONDS);
    }

    @Test
    void nothingIsLeftOfIt() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            for (int i = 0; i < 7; i++) {
                boolean close = i % 2 == 0;
                Runs.run(
                        transport,
                        server.address(),
                        20,
                        load -> load.loops(2).connections(5).close(close));
                Runs.await("the loops to end", () -> threads().isEmpty());
                Runs.await("the server's ends to close", () -> server.open() == 0);
                if (i == 0) {
                    descriptors = descriptors();
                }
            }
            Runs.await("as few descriptors as before", () -> descriptors() <= descriptors);
        }
    }

    private long descriptors;

    private static long descriptors() {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        } catch (java.io.IOException e) {
            return 0; // this system does not tell
        }
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("bench-"))
                .toList();
    }
}
