// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What happens on connections of an open loop while nothing is asked, and when all is over. */
@OnEachTransport
class IdleConnectionsTest {
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

    /**
     * It has closed while nothing was asked; the next request is due before the connection is gone
     * altogether, in the same turn of the loop.
     */
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
            Crew crew = rig.crew(server, 0, load -> load.rate(10));
            rig.measure(crew);
            rig.awaitAnswers(1, crew);
            rig.ask(
                    () -> { // the loop is held until the server has closed
                        close.countDown();
                        closed.await();
                        rig.loop.execute( // next turn, behind the news of that
                                () -> {
                                    rig.clock.advance(150);
                                    crew.end(); // sends what was due at 100 ms
                                });
                        return null;
                    });
            rig.awaitAnswers(2, crew);
            assertEquals(Map.of(), rig.tally.failures);
            assertEquals(2, server.connections.get());
        }
    }

    @Test
    void aConnectionMayRestForLongerThanAnAnswerMayTake() throws Exception {
        try (var server = Scripted.answering(Scripted.OK)) {
            Crew crew = rig.crew(server, 0, load -> load.rate(1).timeout(Duration.ofMillis(100)));
            rig.measure(crew);
            for (int i = 1; i <= 3; i++) {
                rig.awaitAnswers(i, crew);
                for (int k = 0; k < 10; k++) {
                    rig.clock.advance(100);
                    rig.tell(() -> {}); // the loop has looked at its deadlines
                }
            }
            rig.awaitAnswers(4, crew);
            assertEquals(1, server.connections.get());
            assertEquals(Map.of(), rig.tally.failures);
        }
    }

    @Test
    void bytesThatNobodyAskedForCostTheConnectionAndNoRequest() throws Exception {
        var more = new CountDownLatch(1);
        try (var server =
                new Scripted(
                        peer -> {
                            while (peer.request() != null) {
                                peer.send(Scripted.OK);
                                if (peer.number == 0) {
                                    more.await();
                                    peer.send("HTTP/1.1 408 Request Timeout\n\n");
                                }
                            }
                        })) {
            Crew crew = rig.crew(server, 0, load -> load.rate(1));
            rig.measure(crew);
            rig.awaitAnswers(1, crew);
            more.countDown();
            Runs.await("another connection", () -> server.connections.get() == 2);
            rig.clock.advance(1_000);
            rig.awaitAnswers(2, crew);
            assertEquals(Map.of(Failure.MALFORMED, 1L), rig.tally.failures);
        }
    }

    @Test
    void anAnswerThatComesWhenAllIsOverIsNotCounted() throws Exception {
        var answer = new CountDownLatch(1);
        try (var server =
                new Scripted(
                        peer -> {
                            peer.request();
                            answer.await();
                            peer.send(Scripted.OK);
                            peer.untilEnd();
                        })) {
            Crew crew = rig.crew(server, 0, load -> load.rate(1));
            rig.measure(crew);
            Runs.await("the request", () -> server.requests.get() == 1);
            rig.clock.advance(1);
            rig.tell(crew::end);
            rig.tell(crew::giveUp);
            answer.countDown();
            Runs.await("the answer", () -> rig.loop.stats().bytesIn() >= 40);
            assertEquals(0, rig.answers(crew));
            assertEquals(Map.of(Failure.TIMEOUT, 1L), rig.tally.failures);
        }
    }
}
