// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Destination;
import io.sirocco.net.Protocol;
import java.io.IOException;

/**
 * One connection of a load, opened again when it is lost.
 *
 * <pre>
 *   OUT --connect--> free --ask--> busy, {@link #due} to {@link #answered} --last answer--> free
 *    ^                 |               |
 *    '--- closed ------'---------------'
 * </pre>
 *
 * Loop-confined.
 */
final class Client extends Pacer.Asker implements Protocol, Connector {
    private final Crew crew;
    private final Destination to;
    private final AnswerReader reader = new AnswerReader();
    private Connection connection; // null while there is none
    private boolean connecting;

    // What was sent and not yet answered, in order: requests [answered, sent)
    private final Call[] calls;
    private long due; // when they were to be sent, all of one write at once; or Pacer.WARM_UP
    private int sent;
    private int answered;
    private Failure lost; // why the connection ends, when that is known

    Client(Crew crew, Destination to) {
        this.crew = crew;
        this.to = to;
        this.calls = new Call[crew.load.pipeline];
    }

    boolean busy() {
        return answered < sent;
    }

    /** Without a connection there is room only if each request has one of its own. */
    @Override
    protected int room() {
        boolean there = connection == null ? crew.load.close : connection.isOpen();
        return there && !busy() ? calls.length : 0;
    }

    void connect() {
        connecting = true;
        crew.loop.connect(to, this);
    }

    /** Without a connection, opens one first: what that takes counts as well. */
    @Override
    protected void ask(long due, int count) {
        this.due = due;
        sent = count;
        answered = 0;
        for (int i = 0; i < count; i++) {
            calls[i] = crew.nextCall();
        }
        if (connection != null) {
            write();
        } else if (!connecting) {
            connect();
        }
    }

    private void write() {
        for (int i = 0; i < sent; i++) {
            byte[] bytes = calls[i].bytes();
            connection.writeStable(bytes, 0, bytes.length);
        }
        reader.begin(calls[0].head());
        connection.deadline(crew.loop.now() + crew.timeoutMillis);
    }

    // ---- the connection

    @Override
    public Protocol connected(Connection connection) {
        this.connection = connection;
        connecting = false;
        lost = null;
        if (busy()) {
            write();
        }
        crew.connected(this);
        return this;
    }

    @Override
    public void failed(IOException why) {
        connecting = false;
        lose(Failure.CONNECT);
        crew.notConnected(this, why);
    }

    @Override
    public int received(Connection c, byte[] bytes, int from, int to) {
        long now = crew.loop.clock().nanos();
        int p = from;
        while (busy()) {
            p = reader.read(bytes, p, to);
            if (reader.malformed()) {
                return give(c, Failure.MALFORMED, to);
            } else if (!reader.complete()) {
                return p;
            }
            answer(now);
        }
        if (p < to) {
            return give(c, Failure.MALFORMED, to); // nobody has asked for more yet
        }
        if (reader.lasting() && !crew.load.close) {
            crew.free(this, now);
        } else {
            connection.deadline(crew.loop.now() + crew.timeoutMillis); // for the server's end
        }
        return to;
    }

    private int give(Connection c, Failure failure, int to) {
        lost = failure;
        c.abort();
        return to;
    }

    private void answer(long now) {
        crew.answered(now, due, reader, calls[answered].bytes().length);
        answered++;
        if (busy()) {
            reader.begin(calls[answered].head());
        }
    }

    @Override
    public void ended(Connection c) {
        if (busy() && reader.end()) {
            answer(crew.loop.clock().nanos());
        }
        lost = Failure.CLOSED;
        c.abort();
    }

    @Override
    public void expired(Connection c) {
        lost = Failure.TIMEOUT;
        c.abort();
    }

    @Override
    public void closed(Connection c, CloseCause cause) {
        connection = null;
        if (cause != CloseCause.STOPPED) {
            lose(lost != null ? lost : Failure.RESET);
            crew.closed(this);
        }
    }

    /**
     * What was sent is not answered any more. When that was nothing, a server may close or reset
     * the connection; but not send more, nor keep it open when it was to close it.
     */
    private void lose(Failure failure) {
        int count = sent - answered;
        sent = 0;
        answered = 0;
        if (count > 0) {
            crew.lost(failure, due, count);
        } else if (failure != Failure.CLOSED && failure != Failure.RESET) {
            crew.failed(failure);
        }
    }

    /** It has nothing to do, for as long as it likes. */
    void rest() {
        if (connection != null) {
            connection.clearDeadline();
        }
    }
}
