// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
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
    private CrewRig rig;

    @BeforeEach
    void start() throws Exception {
        rig = new CrewRig(transport);
    }

    @AfterEach
    void stop() {
        rig.close();
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
            Crew crew = rig.crew(server, 0, load -> load.rate(1000));
            rig.measure(crew);
            Runs.await("the first request", () -> server.requests.get() == 1);
            rig.clock.advance(1_000);
            rig.tell(crew::end);
            answers.release(10_000);
            rig.done.await();
            assertEquals(1_000, rig.answers(crew));
            assertEquals(
                    IntStream.range(0, 1_000).mapToObj(i -> "/" + i).toList(), List.copyOf(asked));
            Histogram latency = rig.tally.latency;
            for (int k = 0; k < 1_000; k += 50) { // number k has waited for 1000 - k ms
                long expected = (1_000 - k) * 1_000_000L;
                long reported = latency.getValueAtPercentile(100.0 * (1_000 - k) / 1_000);
                assertTrue(latency.valuesAreEquivalent(expected, reported), k + ": " + reported);
            }
            assertEquals(Map.of(), rig.tally.failures);
            assertEquals(0, rig.tally.requests, "not in the rate: they came after the end");
        }
    }

    @Test
    void whatIsNotAnsweredInTheEndHasFailedWhetherItWasSentOrNot() throws Exception {
        try (var server = new Scripted(Scripted.Peer::request)) {
            Crew crew = rig.crew(server, 0, load -> load.rate(100).duration(Duration.ofSeconds(3)));
            rig.tell(crew::measure);
            rig.clock.advance(5_000);
            rig.tell(crew::end);
            rig.tell(crew::giveUp);
            rig.answers(crew);
            assertEquals(
                    Map.of(Failure.TIMEOUT, 300L), rig.tally.failures, "100/s for 3 s, not 5 s");
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
            Crew crew = rig.crew(server, 0, load -> load.connections(2).rate(1000));
            rig.measure(crew);
            Runs.await("both connections", () -> server.connections.get() == 2);
            for (int i = 1; i <= 50; i++) {
                rig.clock.advance(1);
                rig.awaitAnswers(i, crew);
            }
            assertEquals(50, rig.tally.latency.getTotalCount());
            assertEquals(1, rig.tally.latency.getMaxValue(), "at once: no time has passed");
            rig.tell(crew::end);
            rig.tell(crew::giveUp);
            rig.answers(crew);
            assertEquals(Map.of(Failure.TIMEOUT, 1L), rig.tally.failures);
        }
    }

    @Test
    void twoLoopsTakeTurns() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            var crews = new ArrayList<Crew>();
            for (int index = 0; index < 2; index++) {
                crews.add(rig.crew(server, index, l -> l.connections(2).loops(2).rate(1000)));
                rig.measure(crews.getLast());
            }
            Runs.await("both connections", () -> server.connections.get() == 2);
            Crew even = crews.get(0);
            Crew odd = crews.get(1);
            rig.awaitAnswers(1, even, odd);
            for (int i = 1; i < 50; i++) {
                rig.clock.advance(1);
                rig.awaitAnswers(i + 1, even, odd);
            }
            assertEquals(1, rig.tally.latency.getMaxValue(), "at once: no time has passed");
            assertEquals(50, rig.tally.latency.getTotalCount());
        }
    }

    /** Its loop has made an appointment with the warm-up's next request, which is later. */
    @Test
    void theFirstRequestThatIsMeasuredIsSentInTime() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Crew crew = rig.crew(server, 1, load -> load.connections(2).loops(2).rate(2));
            rig.tell(crew::start);
            Runs.await("a connection", () -> server.connections.get() == 1);
            rig.clock.advance(600);
            Runs.await("what is due at 500 ms", () -> server.requests.get() == 1);
            rig.clock.advance(100);
            rig.tell(crew::measure);
            rig.clock.advance(500);
            rig.awaitAnswers(1, crew);
            assertEquals(1, rig.tally.latency.getMaxValue(), "at once: no time has passed");
        }
    }
}
