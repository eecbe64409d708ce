// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketClient;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSocketRefused;
import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.live.wire.Assembler;
import io.sirocco.live.wire.EnginePacket;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.Received;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.ScheduledTask;
import java.net.URI;
import java.util.Optional;

/**
 * One WebSocket of a {@link Link}: an attempt at first, open from Engine.IO's first packet on. One
 * that is not the link's any more is told nothing, whatever becomes of it. Loop-confined.
 */
final class Connection implements WebSocketListener {
    /** Bytes of messages that wait for handlers, from which on nothing is read at all. */
    private static final int NEVER_MORE = 4 << 20;

    private static final int MAX_ATTACHMENTS = 16;

    private final Link link;
    private final LiveClient client;
    private final Outgoing out = new Outgoing();
    private final Assembler assembler;
    private final Receipts receipts = new Receipts();
    private final Silence silence;
    private final ScheduledTask deadline;
    private WebSocket socket; // null before it is connected
    private boolean open;
    private boolean paused;
    private boolean parting;

    Connection(Link link, LiveClient client) {
        this.link = link;
        this.client = client;
        this.assembler = new Assembler(MAX_ATTACHMENTS, client.settings.maxMessage);
        this.silence =
                new Silence(
                        client.loop,
                        millis -> lose(Cause.SILENT, "no ping has come for " + millis + " ms"));
        long longest = client.settings.connect.toMillis();
        this.deadline =
                client.loop.schedule(
                        longest, () -> lose(Cause.LOST, "no connection within " + longest + " ms"));
    }

    void begin(WebSocketClient opener, URI uri) {
        opener.connect(client.loop, uri, client.settings.headers, this)
                .whenComplete(
                        (opened, thrown) -> {
                            if (thrown != null) {
                                client.execute(() -> failed(thrown));
                            }
                        });
    }

    private boolean isPast() {
        return !link.isCurrent(this);
    }

    boolean isOpen() {
        return open;
    }

    private void failed(Throwable why) {
        if (isPast()) {
            return;
        }
        if (why instanceof WebSocketRefused http) {
            var refused = new Refused("http_" + http.status(), http.getMessage(), Optional.empty());
            if (client.settings.stop.test(refused)) {
                link.refused(this, refused);
                return;
            }
        }
        lose(Cause.LOST, String.valueOf(why.getMessage()));
    }

    void lose(Cause cause, String why) {
        if (!isPast()) {
            link.lost(this, cause, why);
        }
    }

    /** It is of no interest any more. */
    void part() {
        deadline.cancel();
        silence.end();
        receipts.end();
        if (socket != null) {
            socket.close();
        }
    }

    void sayGoodBye() {
        if (!parting) {
            parting = true;
            socket.close(); // the listener is told when the server has answered
        }
    }

    // ---- out

    /** Whether it would take another message at once. */
    boolean isWritable() {
        return open && out.isEmpty();
    }

    boolean isFlushed() {
        return out.isEmpty();
    }

    void write(Message message) {
        if (!out.takes(message)) {
            client.channels.unsendable(message, "it is larger than the server takes");
            return;
        }
        out.add(message);
        push();
        if (message.id() != Packet.NO_ID) {
            look();
        }
    }

    /** Writes what nothing has to wait for. */
    void write(String text) {
        out.add(text);
        push();
    }

    private void push() {
        if (socket != null) {
            out.push(socket);
        }
    }

    /** Calls {@code then} when the server has taken all that was written. */
    void whenTaken(Runnable then) {
        receipts.ask(socket, then);
    }

    @Override
    public void onPong(WebSocket from, byte[] payload) {
        silence.heard();
        if (!isPast()) {
            receipts.pong(payload);
        }
    }

    @Override
    public void onDrained(WebSocket drained) {
        if (!isPast()) {
            push();
            link.pump();
        }
    }

    // ---- in

    @Override
    public void onOpen(WebSocket opened) {
        socket = opened;
        link.opened();
        if (isPast()) {
            opened.close();
        }
    }

    @Override
    public void onText(WebSocket from, String text) {
        if (isPast()) {
            return;
        }
        silence.heard();
        try {
            EnginePacket.Text packet = EnginePacket.parse(text);
            String data = packet.data();
            switch (packet.kind()) {
                case OPEN -> opened(Handshake.parse(client.json, data));
                case CLOSE -> lose(Cause.LOST, "the server has closed the connection");
                case PING -> {
                    out.urgent(EnginePacket.Kind.PONG.digit() + data);
                    push();
                }
                case MESSAGE -> received(assembler.text(data));
                case NOOP -> {}
                case PONG, UPGRADE -> throw new WireException(packet.kind() + " is not for us");
            }
        } catch (WireException e) {
            lose(Cause.MALFORMED, e.getMessage());
        }
    }

    @Override
    public void onBinary(WebSocket from, byte[] bytes) {
        if (isPast()) {
            return;
        }
        silence.heard();
        try {
            received(assembler.binary(bytes));
        } catch (WireException e) {
            lose(Cause.MALFORMED, e.getMessage());
        }
    }

    private void opened(Handshake handshake) throws WireException {
        if (open) {
            throw new WireException("it is opened twice");
        }
        open = true;
        deadline.cancel();
        silence.begin(handshake.pingInterval() + handshake.pingTimeout());
        out.most(handshake.maxPayload());
        client.channels.opened();
    }

    private void received(Optional<Received> whole) throws WireException {
        if (!open) {
            throw new WireException("a packet before Engine.IO's open");
        }
        if (whole.isPresent()) {
            client.channels.received(whole.get());
            look();
        }
    }

    /**
     * Reads no further while handlers have enough to do; unless one of them may be waiting for an
     * answer, which is behind what has come.
     */
    void look() {
        long waiting = client.turns.size();
        boolean asks = client.asks();
        boolean enough = waiting >= NEVER_MORE || waiting >= Turns.FULL && !asks;
        if (socket == null || isPast() || enough == paused) {
            return;
        }
        if (enough) {
            paused = true;
            silence.deaf(true);
            socket.pause();
        } else if (waiting < Turns.FULL / 2 || asks) {
            paused = false;
            silence.deaf(false);
            socket.resume();
        }
    }

    @Override
    public void onClose(WebSocket closed, WebSocket.Closed why) {
        link.closed();
        boolean violation = why.code() == 1002 || why.code() == 1007 || why.code() == 1009;
        String reason = why.code() + (why.reason().isEmpty() ? "" : " " + why.reason());
        lose(violation ? Cause.MALFORMED : Cause.LOST, "the WebSocket has closed: " + reason);
    }
}
