// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.Destination;
import io.sirocco.net.Loop;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The clients of one loop, and what they have measured. Loop-confined. */
final class Crew {
    /** Connections that are being opened at the same time: no backlog overflows over that. */
    private static final int OPENING = 256;

    private static final long AGAIN_MILLIS = 100;
    private static final int HOPELESS = 8; // so many refusals, and not one connection

    final Loop loop;
    final Load load;
    final long timeoutMillis;
    private final Pacer pacer;
    private final List<Client> clients = new ArrayList<>();
    private final ArrayDeque<Client> unopened = new ArrayDeque<>();
    private final Choice choice;
    private int opening;
    private boolean everConnected;
    private IOException firstRefusal;
    private int refusals;

    private boolean measures;
    private Tally tally = new Tally();

    /**
     * @param share how many of the load's connections are its own
     * @param quota how many of its requests
     * @param whenDone told once, when all of that is answered or {@link #end} was called and
     *     nothing is under way any more
     */
    Crew(Load load, Loop loop, int index, int share, long quota, Runnable whenDone) {
        this.load = load;
        this.loop = loop;
        this.timeoutMillis = Math.max(1, load.timeout.toMillis());
        this.pacer = new Pacer(loop, Schedule.at(load.rate, index, load.loops), quota, whenDone);
        Call[] calls =
                load.calls.stream()
                        .map(call -> load.close ? call.closing() : call)
                        .toArray(Call[]::new);
        this.choice = new Choice(calls, load.order, index);
        for (int i = 0; i < share; i++) {
            Destination to = Destination.of(load.server).withTimeout(timeoutMillis);
            int source = index + i * load.loops;
            clients.add(
                    new Client(
                            this,
                            load.sources.isEmpty()
                                    ? to
                                    : to.withSource(
                                            load.sources.get(source % load.sources.size()))));
        }
    }

    // ---- the course of a run

    /** Opens the connections, and begins; without measuring, unless that was said before. */
    void start() {
        pacer.start();
        if (load.close) {
            clients.forEach(client -> free(client, loop.clock().nanos()));
        } else {
            unopened.addAll(clients);
            openMore();
        }
    }

    /** Measures from now on, for as long as the load says. */
    void measure() {
        measures = true;
        tally = new Tally(); // without the warm-up
        pacer.measure(load.duration.toNanos());
    }

    /** Asks no more; what is under way, or was due before, may still be answered. */
    void end() {
        pacer.end();
    }

    /** What is not answered by now is lost, and what still comes is not counted. */
    void giveUp() {
        tally.failed(Failure.TIMEOUT, pacer.giveUp());
    }

    /** Hands over what has come in since the last call. */
    Tally take() {
        Tally taken = tally;
        tally = new Tally();
        return taken;
    }

    /** Why the first connection that was not opened was not, if there is one such. */
    List<IOException> refusals() {
        return firstRefusal == null ? List.of() : List.of(firstRefusal);
    }

    boolean everConnected() {
        return everConnected;
    }

    /** Whether all speaks against that a connection will ever be opened. */
    boolean hopeless() {
        return !everConnected && refusals >= Math.min(clients.size(), HOPELESS);
    }

    // ---- what clients ask and tell

    Call nextCall() {
        return choice.next();
    }

    /**
     * @param asked bytes of the request
     */
    void answered(long now, long due, AnswerReader answer, int asked) {
        if (!pacer.settle(due, 1)) {
            if (!measures) {
                tally.answered(answer.status(), 1); // so that the code that records is warm, too
            }
            return;
        }
        tally.answered(answer.status(), now - due);
        if (pacer.inTime(now)) {
            tally.requests++;
            tally.bytesIn += answer.length();
            tally.bytesOut += asked;
        }
    }

    /** Requests that were sent will not be answered. */
    void lost(Failure failure, long due, int count) {
        if (pacer.settle(due, count)) {
            tally.failed(failure, count);
        }
    }

    /** A connection has failed that owed no answer. */
    void failed(Failure failure) {
        if (pacer.measuring()) {
            tally.failed(failure, 1);
        }
    }

    void connected(Client client) {
        everConnected = true;
        if (!load.close) {
            opening--;
            openMore();
        }
        if (!client.busy()) {
            free(client, loop.clock().nanos());
        }
    }

    void notConnected(Client client, IOException why) {
        refusals++;
        if (firstRefusal == null) {
            firstRefusal = why;
        }
        if (!load.close) {
            opening--;
        }
        loop.schedule(AGAIN_MILLIS, () -> closed(client));
    }

    /** It has no connection any more. */
    void closed(Client client) {
        if (load.close) {
            free(client, loop.clock().nanos());
        } else {
            unopened.add(client);
            openMore();
        }
    }

    private void openMore() {
        while (opening < OPENING && !unopened.isEmpty() && !pacer.done()) {
            opening++;
            unopened.poll().connect();
        }
    }

    /** The client has nothing to do. */
    void free(Client client, long now) {
        pacer.free(client, now);
        if (!client.busy()) {
            client.rest();
        }
    }
}
