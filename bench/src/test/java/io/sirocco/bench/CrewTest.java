// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** The open loop on a clock that the test moves: latencies are exact. */
@OnEachTransport
class CrewTest {
    @Parameter TransportKind transport;
    private final ManualClock clock = new ManualClock();
    private final Tally tally = new Tally();
    private final CountDownLatch done = new CountDownLatch(1);
    private Loops loops;
    private Loop loop;

    @BeforeEach
    void start() throws Exception {
        loops = Loops.start(s -> s.loops(1).transport(transport).clock(clock).heldMillis(0));
        loop = loops.all().getFirst();
    }

    @AfterEach
    void stop() {
        loops.close();
    }

    private Crew crew(Scripted server, int index, Consumer<Load> configure) throws Exception {
        Load load =
                Runs.load(
                        transport,
                        server.address(),
                        Runs.numbered(5_000),
                        Integer.MAX_VALUE,
                        configure);
        int share = load.connections / load.loops;
        return ask(() -> new Crew(load, loop, index, share, load.requests, done::countDown));
    }

    private <T> T ask(Callable<T> question) throws Exception {
        var answer = new CompletableFuture<T>();
        loop.execute(
                () -> {
                    try {
                        answer.complete(question.call());
                    } catch (Throwable e) {
                        answer.completeExceptionally(e);
                    }
                });
        return answer.get();
    }

    private void tell(Runnable action) throws Exception {
        ask(
                () -> {
                    action.run();
                    return null;
                });
    }

    private void measure(Crew crew) throws Exception {
        tell(
                () -> {
                    crew.measure();
                    crew.start();
                });
    }

    private long answered(Crew crew) {
        try {
            tally.add(ask(crew::take));
            return tally.latency.getTotalCount();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void awaitAnswers(int count, Crew... crews) {
        Runs.await(
                count + " answers",
                () -> {
                    for (Crew crew : crews) {
                        answered(crew);
                    }
                    return tally.latency.getTotalCount() >= count;
                });
    }

    /** Coordinated omission: in a closed loop there would be one late answer. */
    @Test
    void aStallOfOneSecondIsInTheLatenciesOfAllThatWereDueInIt() throws Exception {
        var answers = new Semaphore(0);
        var asked = new ConcurrentLinkedQueue<String>();
        try (var server =
                new Scripted(
                        peer -> {
                            for (String target; (target = peer.target()) != null; ) {
                                asked.add(target);
                                answers.acquireUninterruptibly();
                                peer.send(Scripted.OK);
                            }
                        })) {
            Crew crew = crew(server, 0, load -> load.rate(1000));
            measure(crew);
            Runs.await("the first request", () -> server.requests.get() == 1);
            clock.advance(1_000);
            tell(crew::end);
            answers.release(10_000);
            done.await();
            assertEquals(1_000, answered(crew));
            assertEquals(
                    IntStream.range(0, 1_000).mapToObj(i -> "/" + i).toList(), List.copyOf(asked));
            Histogram latency = tally.latency;
            for (int k = 0; k < 1_000; k += 50) { // number k has waited for 1000 - k ms
                long expected = (1_000 - k) * 1_000_000L;
                long reported = latency.getValueAtPercentile(100.0 * (1_000 - k) / 1_000);
                assertTrue(latency.valuesAreEquivalent(expected, reported), k + ": " + reported);
            }
            assertEquals(Map.of(), tally.failures);
            assertEquals(0, tally.requests, "not in the rate: they came after the end");
        }
    }

    @Test
    void whatIsNotAnsweredInTheEndHasFailedWhetherItWasSentOrNot() throws Exception {
        try (var server = new Scripted(Scripted.Peer::request)) {
            Crew crew = crew(server, 0, load -> load.rate(100).duration(Duration.ofSeconds(3)));
            tell(crew::measure);
            clock.advance(5_000);
            tell(crew::end);
            tell(crew::giveUp);
            answered(crew);
            assertEquals(Map.of(Failure.TIMEOUT, 300L), tally.failures, "100/s for 3 s, not 5 s");
        }
    }

    /** The first request of all is never answered; its connection is out of the game. */
    @Test
    void aConnectionThatIsStuckHoldsUpNobodyElse() throws Exception {
        try (var server =
                new Scripted(
                        peer -> {
                            for (String target; (target = peer.target()) != null; ) {
                                if (!target.equals("/0")) {
                                    peer.send(Scripted.OK);
                                }
                            }
                        })) {
            Crew crew = crew(server, 0, load -> load.connections(2).rate(1000));
            measure(crew);
            Runs.await("both connections", () -> server.connections.get() == 2);
            for (int i = 1; i <= 50; i++) {
                clock.advance(1);
                awaitAnswers(i, crew);
            }
            assertEquals(50, tally.latency.getTotalCount());
            assertEquals(1, tally.latency.getMaxValue(), "at once: no time has passed");
            tell(crew::end);
            tell(crew::giveUp);
            answered(crew);
            assertEquals(Map.of(Failure.TIMEOUT, 1L), tally.failures);
        }
    }

    @Test
    void twoLoopsTakeTurns() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            var crews = new ArrayList<Crew>();
            for (int index = 0; index < 2; index++) {
                crews.add(crew(server, index, l -> l.connections(2).loops(2).rate(1000)));
                measure(crews.getLast());
            }
            Runs.await("both connections", () -> server.connections.get() == 2);
            Crew even = crews.get(0);
            Crew odd = crews.get(1);
            awaitAnswers(1, even, odd);
            for (int i = 1; i < 50; i++) {
                clock.advance(1);
                awaitAnswers(i + 1, even, odd);
            }
            assertEquals(1, tally.latency.getMaxValue(), "at once: no time has passed");
            assertEquals(50, tally.latency.getTotalCount());
        }
    }

    /** Its loop has made an appointment with the warm-up's next request, which is later. */
    @Test
    void theFirstRequestThatIsMeasuredIsSentInTime() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Crew crew = crew(server, 1, load -> load.connections(2).loops(2).rate(2));
            tell(crew::start);
            Runs.await("a connection", () -> server.connections.get() == 1);
            clock.advance(600);
            Runs.await("what is due at 500 ms", () -> server.requests.get() == 1);
            clock.advance(100);
            tell(crew::measure);
            clock.advance(500);
            awaitAnswers(1, crew);
            assertEquals(1, tally.latency.getMaxValue(), "at once: no time has passed");
        }
    }

    /** It has closed while nothing was asked, and is found out when the next request is due. */
    @Test
    void aRequestIsNotSentToWhoHasClosed() throws Exception {
        var close = new CountDownLatch(1);
        var closed = new CountDownLatch(1);
        try (var server =
                new Scripted(
                        peer -> {
                            while (peer.request() != null) {
                                peer.send(Scripted.OK);
                                if (peer.number == 0) {
                                    close.await();
                                    peer.socket().close();
                                    closed.countDown();
                                }
                            }
                        })) {
            Crew crew = crew(server, 0, load -> load.rate(10));
            measure(crew);
            awaitAnswers(1, crew);
            ask(
                    () -> { // the loop is held until both have happened
                        close.countDown();
                        closed.await();
                        clock.advance(100);
                        return null;
                    });
            awaitAnswers(2, crew);
            assertEquals(Map.of(), tally.failures);
            assertEquals(2, server.connections.get());
        }
    }
}
