// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.bench.AnswerReader;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Destination;
import io.sirocco.net.Protocol;
import java.io.IOException;

/**
 * One connection that is held, and opened again when it is lost. There are very many, so it borrows
 * a reader only while an answer comes, and its one deadline is the connection's.
 *
 * <pre>
 *   OUT --connect--> BUSY --answer, keep-alive--> THINKING --due--> BUSY
 *    ^                  |                    |  '--answer, the last--> ENDING
 *    '------ lost ------'--------------------'---------------------------'
 * </pre>
 *
 * A connection that is made after the run has begun to rest stays THINKING. Loop-confined.
 */
final class Held implements Protocol, Connector {
    /**
     * Deadlines that are further away come up to a quarter of a second late, all of that time at
     * once; so it wakes up before, and has the rest measured finely.
     */
    private static final long COARSE_FROM = 2_000;

    private static final long EARLIER = 1_000;

    /** Nearer deadlines come up to 16 ms late; so it joins the {@link DueQueue} before. */
    private static final long NEAR = 40;

    private enum State {
        OUT,
        THINKING,
        BUSY,
        ENDING
    }

    private final Keeper keeper;
    private final Destination to;
    private State state = State.OUT;
    private AnswerReader reader; // null unless an answer has begun
    private Loss loss; // why it ends, when that is known
    private long due; // nanoseconds: when it is to ask, or was to
    private int length; // of the body it asked for
    private byte failures; // to connect, in a row
    private boolean settled;
    private boolean thought;

    Held(Keeper keeper, Destination to) {
        this.keeper = keeper;
        this.to = to;
    }

    void connect() {
        keeper.loop.connect(to, this);
    }

    /** Notes another failure to connect; returns how many there were in a row. */
    int failedAgain() {
        return ++failures;
    }

    /** Notes that it has been open, or never will be; returns whether that is news. */
    boolean settle() {
        boolean news = !settled;
        settled = true;
        return news;
    }

    private void ask(Connection c, long nanos) {
        state = State.BUSY;
        due = nanos;
        length = keeper.ask(c);
        c.deadline(keeper.loop.now() + keeper.share.timeoutMillis());
    }

    private void think(Connection c) {
        state = State.THINKING;
        due = keeper.queue.moment(keeper.thinkMillis(!thought));
        thought = true;
        await(c);
    }

    private void await(Connection c) {
        long now = keeper.loop.now();
        long left = (due - keeper.loop.nanos()) / 1_000_000;
        if (left > NEAR) {
            c.deadline(now + left - (left > COARSE_FROM ? EARLIER : NEAR));
        } else {
            c.clearDeadline();
            keeper.queue.add(this, c, due);
        }
    }

    /**
     * Asks now, unless {@code c} has been lost meanwhile.
     *
     * @param nanos when it was to ask, from which its latency counts
     */
    void turn(Connection c, long nanos) {
        if (state == State.THINKING && c.isOpen() && keeper.asking()) {
            ask(c, nanos);
        }
    }

    // ---- the connection

    @Override
    public Protocol connected(Connection c) {
        loss = null;
        failures = 0;
        state = State.THINKING;
        if (keeper.connected(this)) {
            ask(c, keeper.loop.clock().nanos());
        }
        return this;
    }

    @Override
    public void failed(IOException why) {
        keeper.notConnected(this, why);
    }

    @Override
    public int received(Connection c, byte[] bytes, int from, int to) {
        if (state != State.BUSY) {
            return give(c, Loss.MALFORMED, to); // nobody asked for it
        }
        if (reader == null) {
            reader = keeper.borrow();
        }
        int p = reader.read(bytes, from, to);
        if (reader.malformed()) {
            return give(c, Loss.MALFORMED, to);
        }
        if (reader.complete()) {
            if (p < to) {
                return give(c, Loss.MALFORMED, to);
            }
            answered(c);
        }
        return p;
    }

    private int give(Connection c, Loss why, int to) {
        loss = why;
        c.abort();
        return to;
    }

    private void answered(Connection c) {
        keeper.answered(keeper.loop.clock().nanos() - due, reader, length);
        boolean lasting = reader.lasting();
        giveBack();
        if (lasting) {
            think(c);
        } else {
            state = State.ENDING; // the server said that it will close
            c.deadline(keeper.loop.now() + keeper.share.timeoutMillis());
        }
    }

    private void giveBack() {
        if (reader != null) {
            keeper.giveBack(reader);
            reader = null;
        }
    }

    @Override
    public void ended(Connection c) {
        if (state == State.BUSY && reader != null && reader.end()) {
            answered(c);
        }
        loss = Loss.CLOSED;
        c.finish(false);
    }

    @Override
    public void expired(Connection c) {
        switch (state) {
            case BUSY -> give(c, Loss.TIMED_OUT, 0);
            case ENDING -> give(c, Loss.CLOSED, 0);
            case THINKING -> await(c);
            case OUT -> throw new AssertionError("a deadline without a connection");
        }
    }

    @Override
    public void closed(Connection c, CloseCause cause) {
        boolean busy = state == State.BUSY;
        state = State.OUT;
        giveBack();
        if (cause != CloseCause.STOPPED) {
            keeper.lost(this, loss != null ? loss : Loss.RESET, busy);
        }
    }
}
