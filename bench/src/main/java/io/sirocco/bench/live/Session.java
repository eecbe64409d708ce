// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.AnswerReader;
import io.sirocco.bench.Failure;
import io.sirocco.http.websocket.Frame;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Protocol;
import java.io.IOException;
import java.util.Locale;

/**
 * A client: one session of Engine.IO 4 over WebSocket, in the namespace {@code /} of Socket.IO 5.
 *
 * <pre>
 *   OUT --open--> UPGRADING --101--> OPENING --0{..}--> JOINING --40{..}--> READY --leave--> LEAVING
 *                     |                 |                  |                  |                 |
 *                     '--- closed, or given up for a reason ------------------'-----------------'--> GONE
 * </pre>
 *
 * Loop-confined.
 */
final class Session implements Protocol, Connector {
    private enum State {
        OUT,
        UPGRADING,
        OPENING,
        JOINING,
        READY,
        LEAVING,
        GONE
    }

    private static final byte[] PONG = {'3'};
    private static final byte[] DISCONNECT = {'4', '1'};
    private static final byte[] NORMAL = {0x03, (byte) 0xe8}; // close code 1000

    private final Rig rig;
    private Part part;
    private Connection connection;
    private State state = State.OUT;
    private byte[] connect; // the packet CONNECT
    private Failure lost; // why it ends, when that is known
    private String words = "the connection was reset";
    private Runnable gone = () -> {};

    Session(Rig rig) {
        this.rig = rig;
    }

    /** Who is told from now on what happens. */
    void part(Part part) {
        this.part = part;
    }

    /** Opens it, with the packet CONNECT. */
    void open(byte[] connect) {
        this.connect = connect;
        state = State.UPGRADING;
        rig.loop.connect(rig.destination(), this);
    }

    boolean ready() {
        return state == State.READY && lost == null;
    }

    /** Whether so much was not sent yet that one should wait for {@link Part#drained}. */
    boolean congested() {
        return connection.isCongested();
    }

    /** Begins a message of Socket.IO; {@link #send} ends it. */
    FrameWriter begin() {
        return rig.writer.begin();
    }

    void send() {
        rig.tally().bytesOut += rig.writer.sendText(connection);
    }

    /** It must have been told something by then, or is given up. */
    void awaits() {
        connection.deadline(rig.tooLate());
    }

    void awaitsNothing() {
        connection.clearDeadline();
    }

    /** Reads no more. */
    void stall() {
        connection.suspend();
    }

    void readAgain() {
        connection.resume();
    }

    void unexpected(String what) {
        rig.tally().failed(Failure.UNEXPECTED, what);
    }

    /** Says good-bye; {@code gone} is told when nothing is left of it. */
    void leave(Runnable gone) {
        if (!ready()) {
            gone.run();
            return;
        }
        this.gone = gone;
        state = State.LEAVING;
        connection.resume();
        begin().put(DISCONNECT);
        send();
        begin().put(NORMAL);
        rig.tally().bytesOut += rig.writer.send(connection, Frame.CLOSE);
        awaits();
    }

    // ---- the connection

    @Override
    public Protocol connected(Connection c) {
        connection = c;
        byte[] request = rig.handshake.upgrade();
        c.write(request, 0, request.length);
        rig.tally().bytesOut += request.length;
        awaits();
        return this;
    }

    @Override
    public void failed(IOException why) {
        state = State.GONE;
        part.ended(this, Failure.CONNECT, String.valueOf(why.getMessage()));
    }

    @Override
    public int received(Connection c, byte[] b, int from, int to) {
        long now = rig.nanos();
        int p = from;
        while (p < to) {
            int end = state == State.UPGRADING ? upgraded(b, p, to) : frame(b, p, to, now);
            if (!c.isOpen()) {
                return to;
            }
            if (end < 0) {
                return p;
            }
            rig.tally().bytesIn += end - p;
            p = end;
        }
        return p;
    }

    /** Returns where the answer ends, or -1. */
    private int upgraded(byte[] b, int from, int to) {
        AnswerReader answer = rig.answer;
        answer.begin(false);
        int end = answer.read(b, from, to);
        if (answer.malformed()) {
            return give(Failure.MALFORMED, "the answer to the upgrade is none of HTTP/1.1");
        }
        if (end == from) {
            return -1; // not even its head is there
        }
        if (answer.status() != 101) {
            return give(
                    Failure.REFUSED,
                    "the upgrade was answered with " + Entrance.told(answer.status()));
        }
        if (Bytes.find(b, from, end, rig.handshake.accept()) < 0) {
            return give(Failure.MALFORMED, "Sec-WebSocket-Accept is another");
        }
        state = State.OPENING;
        return end;
    }

    private int give(Failure why, String how) {
        lost = why;
        words = how;
        connection.abort();
        return -1;
    }

    /** Returns where the frame ends, or -1. */
    private int frame(byte[] b, int from, int to, long now) {
        FrameReader frames = rig.frames;
        int end = frames.read(b, from, to);
        if (frames.malformed()) {
            return give(Failure.MALFORMED, "what came is no frame, or a fragment of a message");
        }
        if (end < 0) {
            return -1;
        }
        switch (frames.opcode()) {
            case Frame.TEXT -> packet(b, frames.from(), frames.to(), now);
            case Frame.CLOSE -> farewell(b, frames.from(), frames.to());
            case Frame.PING -> {
                begin().put(b, frames.from(), frames.to());
                rig.tally().bytesOut += rig.writer.send(connection, Frame.PONG);
            }
            case Frame.PONG -> {}
            default -> unexpected("a frame with the opcode " + frames.opcode());
        }
        return end;
    }

    /** The server says good-bye: of itself, or since we did. */
    private void farewell(byte[] b, int from, int to) {
        if (state == State.LEAVING) {
            return; // the server ends the connection: RFC 6455 7.1.1
        }
        int code = to - from < 2 ? 1005 : (b[from] & 0xff) << 8 | b[from + 1] & 0xff;
        lost = Failure.CLOSED;
        words = "the server closed the WebSocket with " + code;
        begin().put(b, from, Math.min(from + 2, to));
        rig.tally().bytesOut += rig.writer.send(connection, Frame.CLOSE);
        connection.finish();
    }

    /** A packet of Engine.IO. */
    private void packet(byte[] b, int from, int to, long now) {
        if (state == State.LEAVING) {
            return;
        }
        switch (from < to ? b[from] : -1) {
            case '0' -> {
                if (state != State.OPENING) {
                    unexpected("a second packet that opens the session");
                    return;
                }
                state = State.JOINING;
                begin().put(connect);
                connect = null; // it may be a ticket, which is this session's alone
                send();
            }
            case '1' -> give(Failure.CLOSED, "the server ended the session");
            case '2' -> {
                begin().put(PONG);
                send();
            }
            case '4' -> message(b, from + 1, to, now);
            case '6' -> {}
            default -> unexpected("no packet of Engine.IO 4");
        }
    }

    /** A packet of Socket.IO. */
    private void message(byte[] b, int from, int to, long now) {
        int kind = from < to ? b[from] : -1;
        if (state != State.READY) {
            switch (kind) {
                case '0' -> {
                    if (state == State.JOINING) {
                        state = State.READY;
                        connection.clearDeadline();
                        part.ready(this, now);
                    }
                }
                case '4' -> give(Failure.REFUSED, text(b, from + 1, to));
                default -> unexpected("a packet before the answer to CONNECT");
            }
            return;
        }
        switch (kind) {
            case '2' -> part.event(this, b, Bytes.digits(b, from + 1, to), to, now);
            case '3' -> {
                int array = Bytes.digits(b, from + 1, to);
                part.answered(this, Bytes.number(b, from + 1, array), b, array, to, now);
            }
            case '1' -> give(Failure.CLOSED, "the server ended the namespace");
            default -> unexpected("no packet of Socket.IO 5 that was asked for");
        }
    }

    private static String text(byte[] b, int from, int to) {
        return new String(b, from, Math.min(to - from, 200), ISO_8859_1);
    }

    @Override
    public void drained(Connection c) {
        if (state == State.READY) {
            part.drained(this);
        }
    }

    @Override
    public void ended(Connection c) {
        if (lost == null && state != State.LEAVING) {
            lost = Failure.CLOSED;
            words = "the server closed the connection";
        }
        c.finish(false);
    }

    @Override
    public void expired(Connection c) {
        if (state == State.LEAVING) {
            rig.tally().failed(Failure.TIMEOUT, "our good-bye was not answered");
            c.abort();
        } else {
            give(Failure.TIMEOUT, "no answer while " + state.name().toLowerCase(Locale.ROOT));
        }
    }

    @Override
    public void closed(Connection c, CloseCause cause) {
        boolean told = state != State.LEAVING && cause != CloseCause.STOPPED;
        state = State.GONE;
        if (told) {
            part.ended(this, lost != null ? lost : Failure.RESET, words);
        }
        gone.run();
    }
}
