// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.Destination;
import io.sirocco.net.Loop;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** The clients of one loop, and what they have measured. Loop-confined, except where it is said. */
final class Crew {
    /** Connections that are being opened at the same time: no backlog overflows over that. */
    private static final int OPENING = 256;

    private static final long AGAIN_MILLIS = 100;
    private static final long LONGEST = 3_600_000_000_000L; // an hour

    final Loop loop;
    final Load load;
    final long timeoutMillis;
    private final int index;
    private final Runnable whenDone;
    private final List<Client> clients = new ArrayList<>();
    private final ArrayDeque<Client> unopened = new ArrayDeque<>();
    private final ArrayDeque<Client> free = new ArrayDeque<>();
    private final Call[] calls;
    private final int[] upTo; // the weights, added up
    private final Random random;
    private int turn;
    private int opening;
    private boolean everConnected;
    private IOException firstRefusal;
    private int refusals;

    // The measurement: requests that were due in [since, until)
    private long since = Long.MAX_VALUE;
    private long until = Long.MAX_VALUE;
    private long quota;
    private long issued;
    private long underWay; // requests that were sent and neither answered nor lost
    private boolean issuing = true;
    private boolean done;

    // The schedule of an open loop: request k is due at begin + k * gap
    private final double gap;
    private long begin;
    private long k;
    private boolean awaited; // an appointment for request k has been made

    private Tally tally = new Tally();

    /** What came in since it was last asked for. */
    static final class Tally {
        final Histogram latency = new Histogram(1, LONGEST, 3);
        final Map<Integer, long[]> statuses = new TreeMap<>();
        final EnumMap<Failure, Long> failures = new EnumMap<>(Failure.class);
        long requests;
        long bytesIn;
        long bytesOut;
        private int lastStatus;
        private long[] lastCount = {};

        private void status(int status) {
            if (status != lastStatus) {
                lastStatus = status;
                lastCount = statuses.computeIfAbsent(status, s -> new long[1]);
            }
            lastCount[0]++;
        }

        void add(Tally other) {
            latency.add(other.latency);
            other.statuses.forEach(
                    (status, n) -> statuses.computeIfAbsent(status, s -> new long[1])[0] += n[0]);
            other.failures.forEach((failure, n) -> failures.merge(failure, n, Long::sum));
            requests += other.requests;
            bytesIn += other.bytesIn;
            bytesOut += other.bytesOut;
        }

        long failed() {
            return failures.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /**
     * @param share how many of the load's connections are its own
     * @param quota how many of its requests
     * @param whenDone told once, when all of that is answered or {@link #end} was called and
     *     nothing is under way any more
     */
    Crew(Load load, Loop loop, int index, int share, long quota, Runnable whenDone) {
        this.load = load;
        this.loop = loop;
        this.index = index;
        this.quota = quota;
        this.whenDone = whenDone;
        this.timeoutMillis = Math.max(1, load.timeout.toMillis());
        this.gap = load.rate == 0 ? 0 : 1e9 * load.loops / load.rate;
        this.random = new Random(index);
        this.calls =
                load.calls.stream()
                        .map(call -> load.close ? call.closing() : call)
                        .toArray(Call[]::new);
        this.upTo = new int[calls.length];
        int sum = 0;
        for (int i = 0; i < calls.length; i++) {
            upTo[i] = sum += calls[i].weight();
        }
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

    /** Opens the connections, and begins without measuring. */
    void start() {
        begin = loop.clock().nanos() + (long) (gap * index / load.loops);
        if (load.close) {
            clients.forEach(this::offer);
        } else {
            unopened.addAll(clients);
            openMore();
        }
    }

    /** Measures from now on. */
    void measure() {
        since = loop.clock().nanos();
        tally = new Tally();
        issued = 0;
        if (gap > 0) {
            begin = since + (long) (gap * index / load.loops);
            k = 0;
            pump(since);
        }
    }

    /** Asks no more; what is under way, or was due before, may still be answered. */
    void end() {
        until = loop.clock().nanos();
        if (gap == 0) {
            issuing = false;
        } else {
            pump(until);
        }
        lookWhetherDone();
    }

    /** What is not answered by now is lost. */
    void giveUp() {
        long unsent = gap == 0 || since == Long.MAX_VALUE ? 0 : Math.max(0, dueBefore(until) - k);
        long lost = underWay + unsent;
        if (lost > 0) {
            tally.failures.merge(Failure.TIMEOUT, lost, Long::sum);
        }
        issuing = false;
        done = true;
    }

    /** Hands over what has come in since the last call. */
    Tally take() {
        Tally taken = tally;
        tally = new Tally();
        return taken;
    }

    /** Why no connection could ever be opened; null as long as one was, or may be. */
    IOException refused() {
        return !everConnected && refusals >= Math.min(clients.size(), 8) ? firstRefusal : null;
    }

    // ---- what clients ask and tell

    Call nextCall() {
        if (calls.length == 1) {
            return calls[0];
        }
        if (load.order == Load.Order.ROUND_ROBIN) {
            turn = turn + 1 == calls.length ? 0 : turn + 1;
            return calls[turn];
        }
        int at = random.nextInt(upTo[upTo.length - 1]);
        int i = 0;
        while (upTo[i] <= at) {
            i++;
        }
        return calls[i];
    }

    void wrote(int bytes) {
        tally.bytesOut += bytes;
    }

    void answered(long now, long due, AnswerReader answer) {
        underWay--;
        if (due < since) {
            return;
        }
        tally.latency.recordValue(Math.clamp(now - due, 1, LONGEST));
        tally.status(answer.status());
        if (now < until) {
            tally.requests++;
            tally.bytesIn += answer.length();
        }
    }

    /** Requests that were sent will not be answered. */
    void lost(Failure failure, int count) {
        underWay -= count;
        failed(failure, count);
    }

    void failed(Failure failure, long count) {
        if (since != Long.MAX_VALUE) {
            tally.failures.merge(failure, count, Long::sum);
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
            offer(client);
        } else if (!done) {
            free.remove(client);
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

    private void offer(Client client) {
        free(client, loop.clock().nanos());
    }

    /** The client has nothing to do. */
    void free(Client client, long now) {
        if (gap == 0) {
            if (mayIssue()) {
                int count = (int) Math.min(load.pipeline, quota - issued);
                issued += since == Long.MAX_VALUE ? 0 : count;
                underWay += count;
                client.send(now, count);
            } else {
                client.rest();
                lookWhetherDone();
            }
        } else {
            client.rest();
            free.add(client);
            pump(now);
        }
    }

    private boolean mayIssue() {
        return issuing && issued < quota;
    }

    // ---- the open loop

    private long dueAt(long k) {
        return begin + (long) (k * gap);
    }

    /** How many requests are due before {@code time}, from the first one on. */
    private long dueBefore(long time) {
        return time <= begin ? 0 : Math.min(quota, (long) Math.ceil((time - begin) / gap));
    }

    /** Sends what is due, as far as there are free clients, and comes back for what is not. */
    private void pump(long now) {
        while (issuing && issued < quota && !free.isEmpty()) {
            long due = dueAt(k);
            if (due >= until) {
                issuing = false;
                break;
            }
            if (due > now) {
                await(due);
                return;
            }
            k++;
            issued += since == Long.MAX_VALUE ? 0 : 1;
            underWay++;
            free.poll().send(due, 1);
        }
        lookWhetherDone();
    }

    private void await(long due) {
        if (!awaited) {
            awaited = true;
            loop.at(
                    due,
                    () -> {
                        awaited = false;
                        pump(loop.clock().nanos());
                    });
        }
    }

    private void lookWhetherDone() {
        boolean nothingToAsk =
                since != Long.MAX_VALUE
                        && (issued >= quota || !issuing || gap > 0 && dueAt(k) >= until);
        if (nothingToAsk && !done && underWay == 0) {
            done = true;
            whenDone.run();
        }
    }
}
