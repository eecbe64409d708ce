// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.Histograms;
import io.sirocco.bench.hold.Scripted.Reaction;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What depends on time, by a clock that the test moves. */
@OnEachTransport
class KeeperTest {
    private static final long SECOND = 1_000;

    @Parameter TransportKind transport;
    private final ManualClock clock = new ManualClock();
    private Loops loops;
    private Loop loop;
    private Keeper keeper;

    @BeforeEach
    void start() throws IOException {
        loops = Loops.start(s -> s.loops(1).transport(transport).clock(clock).longTurnMillis(0));
        loop = loops.all().getFirst();
    }

    @AfterEach
    void stop() {
        rest();
        loops.close();
    }

    private void keep(InetSocketAddress server, Consumer<HoldPlan> configure) {
        HoldPlan plan =
                HoldPlan.of(
                        server,
                        "test",
                        "/",
                        p -> {
                            p.ramp(1_000_000).think(new Span(60 * SECOND, 80 * SECOND));
                            configure.accept(p);
                        });
        keeper = on(k -> new Keeper(loop, Share.of(plan, 1, transport).getFirst()));
    }

    private <T> T on(Function<Keeper, T> question) {
        return CompletableFuture.supplyAsync(() -> question.apply(keeper), loop).join();
    }

    private Report report() {
        return on(Keeper::report);
    }

    private void until(String what, Predicate<Report> happened) {
        Waiting.until(what, () -> happened.test(report()));
    }

    private void rest() {
        on(
                k -> {
                    k.rest();
                    return null;
                });
    }

    /** Lets the ramp go on, which takes its time, too. */
    private void untilAllAreAnswered() {
        Waiting.until(
                "all are open",
                () -> {
                    clock.advance(1);
                    return report().opened();
                });
        until("all were answered", report -> report.counts().answers() == report.wanted());
    }

    /** Whatever was to happen by now has happened. */
    private void settle() {
        for (int i = 0; i < 3; i++) {
            report();
        }
    }

    @Test
    void theRampOpensSoManyPerSecond() throws IOException {
        try (var server = Scripted.answering()) {
            keep(server.address(), plan -> plan.connections(30).ramp(10));
            until("the first one is open", report -> report.alive() == 1);
            for (int i = 2; i <= 25; i++) {
                settle();
                assertEquals(i - 1, report().counts().connected());
                clock.advance(100);
                int alive = i;
                until(alive + " are open", report -> report.alive() == alive);
            }
            assertEquals(-1, report().openMillis());
            Waiting.until(
                    "all are open",
                    () -> {
                        clock.advance(10);
                        return report().opened();
                    });
            assertTrue(report().openMillis() >= 2_900, report().toString());
        }
    }

    @Test
    void eachAsksAtOnceAndAgainWhenItHasThought() throws IOException {
        try (var server = Scripted.answering()) {
            // the clock runs ahead of the server, which must not count as late
            keep(server.address(), plan -> plan.connections(10).timeout(Duration.ofHours(1)));
            untilAllAreAnswered();
            settle();
            assertEquals(10, server.requests.get());
            for (int round = 2; round <= 5; round++) {
                int answers = 10 * round;
                for (int passed = 0; passed < 82; passed++) {
                    clock.advance(SECOND);
                    settle();
                }
                until("all were answered again", report -> report.counts().answers() >= answers);
            }
            assertTrue(report().counts().clean());
        }
    }

    @Test
    void aQuestionThatTheGeneratorAsksLateCountsFromItsMoment() throws IOException {
        try (var server = Scripted.answering()) {
            keep(server.address(), plan -> plan.connections(10).timeout(Duration.ofHours(1)));
            untilAllAreAnswered();
            settle();
            clock.advance(200 * SECOND); // all were to ask within 80 s
            var latency = Histograms.none();
            until(
                    "all were answered again",
                    report -> {
                        latency.add(report.latency());
                        return report.counts().answers() >= 20;
                    });
            assertEquals(20, server.requests.get());
            assertTrue(latency.getMinValue() >= 119_000_000_000L, latency.getMinValue() + " ns");
        }
    }

    @Test
    void whenTheServerStopsAllThatWereToAskMeanwhileWait() throws Exception {
        var goesOn = new CountDownLatch(1);
        Scripted.Script stops =
                (connection, request) -> {
                    if (request == 1) {
                        Waiting.untilOpen(goesOn);
                    }
                    return Reaction.ANSWER;
                };
        try (var server = new Scripted(stops)) {
            keep(server.address(), plan -> plan.connections(10).timeout(Duration.ofHours(1)));
            untilAllAreAnswered();
            settle();
            for (int passed = 0; passed < 82; passed++) {
                clock.advance(SECOND);
                settle();
            }
            until("all wait for an answer", report -> report.busy() == 10);
            clock.advance(SECOND);
            goesOn.countDown();
            var latency = Histograms.none();
            until(
                    "all were answered",
                    report -> {
                        latency.add(report.latency());
                        return report.counts().answers() == 20;
                    });
            assertTrue(latency.getMinValue() >= 999_000_000L, latency.getMinValue() + " ns");
            assertTrue(report().counts().clean());
        }
    }

    @Test
    void whenTheyRestNoOneAsks() throws IOException {
        try (var server = Scripted.answering()) {
            keep(server.address(), plan -> plan.connections(10));
            untilAllAreAnswered();
            rest();
            clock.advance(1_000 * SECOND);
            settle();
            assertEquals(0, report().busy());
            assertEquals(10, server.requests.get());
            assertEquals(10, report().alive());
        }
    }

    @Test
    void anAnswerThatDoesNotComeInTimeCostsTheConnectionOnce() throws IOException {
        try (var server =
                new Scripted((c, request) -> c == 0 ? Reaction.SILENCE : Reaction.ANSWER)) {
            keep(server.address(), plan -> plan.connections(1));
            Waiting.until("it has asked", () -> server.requests.get() == 1);
            assertEquals(1, report().busy());
            clock.advance(11 * SECOND);
            until("it has asked again", report -> report.counts().answers() == 1);
            Report report = report();
            assertEquals(1, report.counts().timeouts());
            assertEquals(1, report.counts().lost());
            assertEquals(2, report.counts().connected());
            assertEquals(1, report.alive());
            assertEquals(0, report.busy());
        }
    }

    @Test
    void aConnectionThatCannotBeOpenedThreeTimesIsGivenUp() throws IOException {
        keep(FreePort.tcpAddress(), plan -> plan.connections(1));
        for (int failures = 1; failures <= Keeper.TRIES; failures++) {
            int count = failures;
            until("it was refused", report -> report.counts().unopened() == count);
            assertEquals(failures == Keeper.TRIES, report().over());
            clock.advance(1_100);
        }
        settle();
        assertEquals(Keeper.TRIES, report().counts().unopened());
        assertTrue(report().opened());
    }

    /** The kernel answers no more once the backlog is full, so connections stay half open. */
    @Test
    void neverMoreAreBeingOpenedThanTheBound() throws Exception {
        try (var full = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            int port = full.getLocalPort();
            keep(
                    new InetSocketAddress("127.0.0.1", port),
                    plan -> {
                        plan.opening = 5;
                        plan.connections(40).timeout(Duration.ofDays(1)); // none is given up
                    });
            Waiting.until(
                    "as many as may are half open",
                    () -> {
                        clock.advance(10);
                        return halfOpen(port) == 5;
                    });
            for (int i = 0; i < 20; i++) {
                clock.advance(10);
                settle();
                long now = halfOpen(port);
                assertTrue(now <= 5, now + " are half open");
            }
            assertTrue(report().alive() < 40);
        }
    }

    /**
     * Returns how many are half open. While others open and close connections, the list may have
     * some twice and leave some out.
     */
    private static long halfOpen(int port) {
        String server = ":%04X".formatted(port);
        try (Stream<String> lines = Files.lines(Path.of("/proc/net/tcp"))) {
            return lines.map(line -> line.strip().split("\\s+"))
                    .filter(fields -> fields[2].endsWith(server) && fields[3].equals("02"))
                    .map(fields -> fields[1])
                    .distinct()
                    .count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
