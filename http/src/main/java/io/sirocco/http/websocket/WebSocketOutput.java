// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.net.Chunk;
import io.sirocco.net.Connection;

/**
 * The end of a WebSocket at which its loop writes frames, and notes what the peer has taken of
 * them. Loop-confined.
 */
abstract sealed class WebSocketOutput extends WebSocketSender permits WebSocketConnection {
    static final byte[] NOTHING = {};

    static final int CLOSING = 1; // our close frame is written
    static final int OVER = 1 << 1; // the listener was notified of the end
    static final int PAUSED = 1 << 2; // by the program
    static final int CONGESTED = 1 << 3; // the peer does not read its messages
    static final int PINGED = 1 << 4; // and nothing was heard since
    static final int PEER_CLOSED = 1 << 5; // it sent a Close frame first, or a violation
    static final int BEHIND = 1 << 6; // too much waits for the listener
    static final int CALLING = 1 << 7; // the listener, which may wait for a lock

    final Connection connection;
    int flags;
    long progress; // when the kernel has taken something last, in the loop's milliseconds
    private Deflation deflation; // null unless it keeps a context, and has compressed something
    private long written; // bytes given to the connection,
    private long taken; // and of those, bytes that the kernel has taken

    WebSocketOutput(
            Connection connection,
            WebSocketContext context,
            WebSocketGroup sockets,
            Agreement agreement,
            String subprotocol,
            String id) {
        super(context, sockets, agreement, subprotocol, id);
        this.connection = connection;
    }

    final boolean is(int flag) {
        return (flags & flag) != 0;
    }

    /** Called when our close frame is written. */
    abstract void closing(byte[] payload);

    abstract void setDeadline();

    /** Reads on, unless there is another reason not to. */
    abstract void readAgain();

    /** Starts to write behind output that is already written. */
    final void beginOutput() {
        written = connection.unsent();
        pend(written);
        connection.notifySent();
    }

    /** Releases what it keeps. */
    final void endOutput() {
        if (deflation != null) {
            deflation.end();
        }
    }

    @Override
    void write(int first, byte[] bytes, long size) {
        if (is(CLOSING | OVER)) {
            pend(-size);
            return;
        }
        if (first == 0) { // the frame of a message to many
            connection.writeShared(bytes, 0, bytes.length);
            written += size;
            return;
        }
        byte[] payload = bytes;
        int head = first;
        boolean data = (first & 15) <= Frame.BINARY;
        if (data && compresses(bytes.length) && agreement.context(context.role)) {
            if (deflation == null) {
                deflation = new Deflation(agreement.bits(context.role));
            }
            payload = deflation.deflate(bytes);
            head |= Frame.COMPRESSED;
        }
        frame(head, payload);
        long actual = Frame.size(context.role, payload.length);
        pend(actual - size);
        written += actual;
        if ((first & 15) == Frame.CLOSE) {
            closing(payload);
        }
    }

    private void frame(int first, byte[] payload) {
        if (context.role == Role.CLIENT) {
            byte[] masked = Frame.masked(first, payload, context.nextKey());
            connection.writeStable(masked, 0, masked.length);
            return;
        }
        int length = (int) Frame.size(context.role, payload.length) - payload.length;
        Chunk chunk =
                connection.reserve(length); // which may wait for memory: the head comes behind
        byte[] head = context.frameHead;
        Frame.head(head, 0, first, payload.length);
        chunk.put(head, 0, length);
        connection.writeStable(payload, 0, payload.length);
    }

    /** Writes a control frame, ahead of the outbox. */
    final void writeNow(int first, byte[] payload) {
        long size = Frame.size(context.role, payload.length);
        pend(size);
        write(first, payload, size);
        written();
    }

    /** Checks whether the peer keeps up. */
    @Override
    void written() {
        if (!is(CONGESTED | OVER) && pending() >= threshold()) {
            flags |= CONGESTED;
            progress = context.loop.now();
            setDeadline();
        }
    }

    /** Returns the number of pending bytes from which on the server stops reading from the peer. */
    private long threshold() {
        return Math.min(Connection.HIGH_WATER, sockets.terms.maxPending());
    }

    /** Called when the kernel has taken output. */
    final void noteSent() {
        long now = written - connection.unsent() - taken;
        if (now == 0) {
            return;
        }
        taken += now;
        pend(-now);
        progress = context.loop.now();
        if (is(CONGESTED) && pending() < threshold() / 2) {
            flags &= ~CONGESTED;
            readAgain();
        }
        if (drained()) {
            giveRoom();
            notifyDrained();
        }
    }
}
