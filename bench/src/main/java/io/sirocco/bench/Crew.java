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
    /** When a request is said to be due that is not measured. */
    static final long WARM_UP = Long.MIN_VALUE;

    /** Connections that are being opened at the same time: no backlog overflows over that. */
    private static final int OPENING = 256;

    private static final long AGAIN_MILLIS = 100;
    private static final int HOPELESS = 8; // so many refusals, and not one connection

    final Loop loop;
    final Load load;
    final long timeoutMillis;
    private final Runnable whenDone;
    private final List<Client> clients = new ArrayList<>();
    private final ArrayDeque<Client> unopened = new ArrayDeque<>();
    private final Choice choice;
    private int opening;
    private boolean everConnected;
    private IOException firstRefusal;
    private int refusals;

    // The measurement: from measure() to giveUp()
    private boolean measuring;
    private long until = Long.MAX_VALUE; // requests that are due earlier, answers that come earlier
    private final long quota;
    private long issued;
    private long underWay; // requests that were sent, and neither answered nor lost
    private boolean issuing = true;
    private boolean done;

    // The open loop: what is due is sent by the client that has waited longest
    private final Schedule schedule; // null when the loop is closed
    private final ArrayDeque<Client> waiting = new ArrayDeque<>();
    private long begin;
    private long k; // the request that is due next
    private long appointment = Long.MAX_VALUE;

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
        this.quota = quota;
        this.whenDone = whenDone;
        this.timeoutMillis = Math.max(1, load.timeout.toMillis());
        this.schedule = load.rate == 0 ? null : new Schedule(load.rate, index, load.loops);
        Call[] calls =
                load.calls.stream()
                        .map(call -> load.close ? call.closing() : call)
                        .toArray(Call[]::new);
        this.choice = new Choice(calls, load.order, index);
        for (int i = 0; i < share; i++) {
            Destination to = Destination.of(load.server).within(timeoutMillis);
            int source = index + i * load.loops;
            clients.add(
                    new Client(
                            this,
                            load.sources.isEmpty()
                                    ? to
                                    : to.from(load.sources.get(source % load.sources.size()))));
        }
    }

    // ---- the course of a run

    /** Opens the connections, and begins; without measuring, unless that was said before. */
    void start() {
        long now = loop.clock().nanos();
        begin = measuring ? begin : now;
        if (load.close) {
            clients.forEach(client -> free(client, now));
        } else {
            unopened.addAll(clients);
            openMore();
        }
    }

    /** Measures from now on, for as long as the load says. */
    void measure() {
        begin = loop.clock().nanos();
        until = begin + load.duration.toNanos();
        measuring = true;
        k = 0;
        if (schedule != null) {
            pump(begin);
        }
        lookWhetherDone();
    }

    /** Asks no more; what is under way, or was due before, may still be answered. */
    void end() {
        until = Math.min(until, loop.clock().nanos());
        if (schedule == null) {
            issuing = false;
        } else {
            pump(until);
        }
        lookWhetherDone();
    }

    /** What is not answered by now is lost, and what still comes is not counted. */
    void giveUp() {
        if (measuring) {
            tally.failed(Failure.TIMEOUT, underWay + unsent());
        }
        measuring = false;
        issuing = false;
        done = true;
    }

    private long unsent() {
        long due = schedule == null ? 0 : Math.min(quota, schedule.dueBefore(until - begin));
        return Math.max(0, due - k); // what is due at the very end may have been sent
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
        if (due == WARM_UP || !measuring) {
            return;
        }
        underWay--;
        tally.answered(answer.status(), now - due);
        if (now < until) {
            tally.requests++;
            tally.bytesIn += answer.length();
            tally.bytesOut += asked;
        }
    }

    /** Requests that were sent will not be answered. */
    void lost(Failure failure, long due, int count) {
        if (due != WARM_UP && measuring) {
            underWay -= count;
            tally.failed(failure, count);
        }
    }

    /** A connection has failed that owed no answer. */
    void failed(Failure failure) {
        if (measuring) {
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
        loop.after(AGAIN_MILLIS, () -> again(client));
        lookWhetherDone();
    }

    /** It has no connection any more. */
    void closed(Client client) {
        again(client);
        lookWhetherDone();
    }

    private void again(Client client) {
        if (load.close) {
            free(client, loop.clock().nanos());
        } else {
            unopened.add(client);
            openMore();
        }
    }

    private void openMore() {
        while (opening < OPENING && !unopened.isEmpty() && !done) {
            opening++;
            unopened.poll().connect();
        }
    }

    /** The client has nothing to do. */
    void free(Client client, long now) {
        if (schedule != null) {
            client.rest();
            if (!client.waits) {
                client.waits = true;
                waiting.add(client);
            }
            pump(now);
        } else if (mayIssue(now)) {
            issue(client, now, (int) Math.min(load.pipeline, quota - issued));
        } else {
            client.rest();
            lookWhetherDone();
        }
    }

    /** Tells, the first time, that nothing is left to ask and nothing under way. */
    void lookWhetherDone() {
        boolean nothingToAsk = measuring && (issued >= quota || !issuing);
        if (nothingToAsk && !done && underWay == 0) {
            done = true;
            whenDone.run();
        }
    }

    private boolean mayIssue(long now) {
        issuing &= now < until;
        return issuing && issued < quota;
    }

    private void issue(Client client, long due, int count) {
        if (measuring) {
            issued += count;
            underWay += count;
        }
        client.send(measuring ? due : WARM_UP, count);
    }

    // ---- the open loop

    private long due() {
        return begin + schedule.due(k);
    }

    /** Sends what is due, as far as there are free clients, and comes back for what is not. */
    private void pump(long now) {
        while (issuing && issued < quota) {
            long due = due();
            if (due >= until) {
                issuing = false;
            } else if (due > now) {
                comeBack(due);
                return;
            } else {
                Client client = longestWaiting();
                if (client == null) {
                    return; // the next that is free comes here
                }
                k++;
                issue(client, due, 1);
            }
        }
        lookWhetherDone();
    }

    private Client longestWaiting() {
        for (Client client; (client = waiting.poll()) != null; ) {
            client.waits = false;
            if (client.canSend()) {
                return client;
            }
        }
        return null;
    }

    private void comeBack(long due) {
        if (due >= appointment) {
            return;
        }
        appointment = due;
        loop.at(
                due,
                () -> {
                    if (appointment == due) { // else an earlier one was made since
                        appointment = Long.MAX_VALUE;
                        pump(loop.clock().nanos());
                    }
                });
    }
}
