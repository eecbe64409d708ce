// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.AnswerReader;
import io.sirocco.bench.Failure;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Protocol;
import java.io.IOException;
import java.util.Arrays;

/**
 * A connection of HTTP that stays open, over which one ticket after the other is fetched for a
 * {@link Slot}. Loop-confined.
 */
final class TicketLane implements Protocol, Connector {
    private static final byte[] MEMBER = "\"ticket\"".getBytes(ISO_8859_1);

    private final Rig rig;
    private final Slot slot;
    private Connection connection; // null while there is none
    private boolean asking;
    private boolean used; // it has answered before, and so may be closed at any time

    TicketLane(Rig rig, Slot slot) {
        this.rig = rig;
        this.slot = slot;
    }

    /** Fetches a ticket, and tells the slot what came of it: never from within this call. */
    void ask() {
        asking = true;
        if (connection != null && connection.isOpen()) {
            write();
        } else {
            used = false;
            rig.loop.connect(rig.destination(), this);
        }
    }

    void close() {
        asking = false;
        if (connection != null) {
            connection.abort();
        }
    }

    private void write() {
        byte[] request = rig.handshake.ticket();
        connection.write(request, 0, request.length);
        connection.deadline(rig.tooLate());
        rig.tally().bytesOut += request.length;
    }

    @Override
    public Protocol connected(Connection c) {
        connection = c;
        if (asking) {
            write();
        } else {
            c.abort();
        }
        return this;
    }

    @Override
    public void failed(IOException why) {
        fail(Failure.CONNECT, String.valueOf(why.getMessage()));
    }

    /** Reads an answer anew until it is all there: it is short. */
    @Override
    public int received(Connection c, byte[] b, int from, int to) {
        AnswerReader answer = rig.answer;
        answer.begin(false);
        int end = answer.read(b, from, to);
        if (answer.malformed() || !asking) {
            drop(c);
            fail(Failure.MALFORMED, "what answered POST /ticket is none of HTTP/1.1");
            return to;
        }
        if (!answer.complete()) {
            return from;
        }
        rig.tally().bytesIn += end - from;
        c.clearDeadline();
        used = true;
        if (!answer.lasting()) {
            connection = null;
            c.finish();
        }
        tell(answer.status(), b, from, end);
        return end;
    }

    private void tell(int status, byte[] b, int from, int end) {
        int at = Bytes.find(b, from, end, MEMBER);
        int begin = at < 0 ? -1 : quote(b, at + MEMBER.length, end);
        int last = begin < 0 ? -1 : quote(b, begin + 1, end);
        if (status != 200) {
            fail(Failure.REFUSED, "POST /ticket was answered with " + Entrance.told(status));
        } else if (last < 0) {
            fail(Failure.MALFORMED, "POST /ticket was answered without a ticket");
        } else {
            asking = false;
            slot.ticket(Arrays.copyOfRange(b, begin, last + 1));
        }
    }

    private static int quote(byte[] b, int from, int to) {
        for (int p = from; p < to; p++) {
            if (b[p] == '"') {
                return p;
            }
        }
        return -1;
    }

    /** Before the slot is told: what it asks for next is to go over another one. */
    private void drop(Connection c) {
        connection = null;
        c.abort();
    }

    private void fail(Failure why, String words) {
        if (asking) {
            asking = false;
            slot.noTicket(why, words);
        }
    }

    @Override
    public void ended(Connection c) {
        c.finish(false);
    }

    @Override
    public void expired(Connection c) {
        drop(c);
        fail(Failure.TIMEOUT, "POST /ticket was not answered in time");
    }

    @Override
    public void closed(Connection c, CloseCause cause) {
        if (connection != c) {
            return;
        }
        connection = null;
        if (asking && used && cause != CloseCause.STOPPED) {
            ask(); // it was closed while we asked
        } else {
            fail(Failure.CLOSED, "the connection was closed while POST /ticket was under way");
        }
    }
}
