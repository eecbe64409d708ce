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
 *   OUT --connect--> free --send--> busy, {@link #due} to {@link #answered} --last answer--> free
 *    ^                 |               |
 *    '--- closed ------'---------------'
 * </pre>
 *
 * Loop-confined.
 */
final class Client implements Protocol, Connector {
    private final Crew crew;
    private final Destination to;
    private final AnswerReader reader = new AnswerReader();
    private Connection connection; // null while there is none
    private boolean connecting;

    // What was sent and not yet answered, in order: requests [answered, sent)
    private final Call[] calls;
    private long due; // when they were to be sent; all of one write at once
    private int sent;
    private int answered;
    private Failure lost; // why the connection ends, when that is known

    Client(Crew crew, Destination to) {
        this.crew = crew;
        this.to = to;
        this.calls = crew.load.pipeline == 1 ? new Call[1] : new Call[crew.load.pipeline];
    }

    boolean busy() {
        return answered < sent;
    }

    void connect() {
        connecting = true;
        crew.loop.connect(to, this);
    }

    /**
     * Sends {@code count} requests that were due at {@code due}. Without a connection, opens one
     * first: what that takes counts as well.
     */
    void send(long due, int count) {
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
            crew.wrote(bytes.length);
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
            if (reader.complete()) {
                if (!answer(now)) {
                    return to;
                }
            } else if (reader.malformed()) {
                return give(c, Failure.MALFORMED, to);
            } else {
                return p;
            }
        }
        return p == to ? to : give(c, Failure.MALFORMED, to); // nobody asked for more
    }

    private int give(Connection c, Failure failure, int to) {
        lost = failure;
        c.abort();
        return to;
    }

    /** One answer is complete; returns whether the connection goes on. */
    private boolean answer(long now) {
        answered++;
        crew.answered(now, due, reader);
        boolean lasting = reader.lasting() && !crew.load.close;
        if (busy()) {
            reader.begin(calls[answered].head());
        } else if (lasting) {
            crew.free(this, now);
        } else {
            connection.deadline(crew.loop.now() + crew.timeoutMillis); // for the server's end
        }
        return lasting || busy();
    }

    @Override
    public void ended(Connection c) {
        if (busy() && reader.end()) {
            answer(crew.loop.clock().nanos());
        }
        if (busy()) {
            lost = Failure.CLOSED;
        }
        c.finish(false);
    }

    @Override
    public void expired(Connection c) {
        if (busy()) {
            lost = Failure.TIMEOUT;
        }
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

    /** What was sent is not answered any more; bytes that nobody asked for are a failure, too. */
    private void lose(Failure failure) {
        int count = sent - answered;
        sent = 0;
        answered = 0;
        if (count > 0) {
            crew.lost(failure, count);
        } else if (failure == Failure.MALFORMED || failure == Failure.CONNECT) {
            crew.failed(failure, 1);
        }
    }

    /** It has nothing to do, for as long as it likes. */
    void rest() {
        if (connection != null) {
            connection.noDeadline();
        }
    }
}
