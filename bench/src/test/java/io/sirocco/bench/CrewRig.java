// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** Crews on a loop whose clock the test moves, and what they have counted. Used by one thread. */
final class CrewRig implements AutoCloseable {
    final ManualClock clock = new ManualClock();
    final Tally tally = new Tally();
    final CountDownLatch done = new CountDownLatch(1);
    final Loop loop;
    private final Loops loops;
    private final TransportKind transport;

    CrewRig(TransportKind transport) throws IOException {
        this.transport = transport;
        this.loops =
                Loops.start(s -> s.loops(1).transport(transport).clock(clock).longTurnMillis(0));
        this.loop = loops.all().getFirst();
    }

    /** The crew of loop {@code index}; it asks for /0, /1, /2 and so on. */
    Crew crew(Scripted server, int index, Consumer<Load> configure) throws Exception {
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

    <T> T ask(Callable<T> question) throws Exception {
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

    void tell(Runnable action) throws Exception {
        ask(
                () -> {
                    action.run();
                    return null;
                });
    }

    /** Without a warm-up. */
    void measure(Crew crew) throws Exception {
        tell(
                () -> {
                    crew.measure();
                    crew.start();
                });
    }

    /** Adds to the tally what has come in; returns how many answers there have been. */
    long answers(Crew... crews) {
        try {
            for (Crew crew : crews) {
                tally.add(ask(crew::take));
            }
            return tally.latency.getTotalCount();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    void awaitAnswers(int count, Crew... crews) {
        Runs.await(count + " answers", () -> answers(crews) >= count);
    }

    @Override
    public void close() {
        loops.close();
    }
}
