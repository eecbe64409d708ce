// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketClient;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSocketRefused;
import io.sirocco.live.client.Disconnected.Cause;
import io.sirocco.net.Alarm;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * The way to the server, of which there is one at a time.
 *
 * <pre>
 *            somebody wants it                     Engine.IO's open
 *   nothing ───────────────────▶ an attempt ─────────────────────────▶ open
 *    ▲    ▲                        ▲    │ refused, too late              │ lost, silent, malformed
 *    │    │            retry's time│    ▼                                ▼
 *    │    └─ nobody wants it ──── retry ◀──────────────────────────────────
 *    └────────────────────────────────────── nobody wants it ────────────
 * </pre>
 *
 * <p>An attempt that is not {@link #attempt} any more is told nothing, whatever becomes of it; and
 * there is an attempt or a retry, never both. Loop-confined.
 */
final class Link {
    /** Bytes of messages that wait for handlers, from which on nothing is read at all. */
    private static final int NEVER_MORE = 4 << 20;

    private final LiveClient client;
    private final WebSocketClient opener;
    private final URI uri;
    private final Backoff backoff;
    private Attempt attempt; // null while there is none
    private Alarm retry; // null unless one is waited for
    private int sockets; // that are open, or not yet closed to the end
    private boolean closing;

    Link(LiveClient client, WebSocketClient opener, URI uri) {
        this.client = client;
        this.opener = opener;
        this.uri = uri;
        this.backoff = client.backoff();
    }

    // ---- coming and going

    /** Somebody wants it. */
    void want() {
        if (attempt == null && retry == null && !closing) {
            begin();
        }
    }

    private void begin() {
        attempt = new Attempt();
        attempt.begin();
    }

    boolean isOpen() {
        return attempt != null && attempt.open;
    }

    /** A namespace was joined: it is a good one. */
    void joined() {
        backoff.reset();
    }

    /** Somebody wants it no longer; others may. */
    void release() {
        if (client.wanted() || closing || client.anyJoined()) {
            return;
        }
        if (retry != null) {
            retry.cancel();
            retry = null;
        }
        if (attempt != null) {
            attempt.part();
            attempt = null;
        }
    }

    /** It is of no use any more. */
    void fail(String why) {
        if (attempt != null) {
            attempt.lose(Cause.LOST, why);
        }
    }

    private void lost(Attempt which, Cause cause, String why) {
        attempt = null;
        which.part();
        client.lost(cause, why);
        if (closing) {
            lookWhetherClosed();
        } else if (client.wanted()) {
            retryLater(why);
        }
    }

    private void retryLater(String why) {
        if (!client.settings.reconnects) {
            client.givenUp(why);
            return;
        }
        long delay = backoff.next();
        retry =
                client.loop.after(
                        delay,
                        () -> {
                            retry = null;
                            if (client.wanted()) {
                                begin();
                            }
                        });
        client.reconnecting(backoff.attempts(), delay, why);
    }

    /** No further attempt is made. */
    void beginClosing() {
        closing = true;
        if (retry != null) {
            retry.cancel();
            retry = null;
        }
    }

    /** Ends when all was said that waits to be. */
    void close() {
        if (attempt != null && attempt.open) {
            pump();
        } else {
            abandon();
        }
        lookWhetherClosed();
    }

    private void abandon() {
        Attempt which = attempt;
        attempt = null;
        if (which != null) {
            which.part();
            client.lost(Cause.CLOSED, "");
        }
    }

    /** Ends now. */
    void cut() {
        abandon();
        client.linkClosed();
    }

    private void lookWhetherClosed() {
        if (closing && attempt == null && sockets == 0) {
            client.linkClosed();
        }
    }

    // ---- out

    /** Writes a text that nothing has to wait for. */
    void write(String text) {
        if (attempt != null) {
            attempt.out.add(text);
            attempt.push();
        }
    }

    /** Writes what namespaces have to send, as far as there is room. */
    void pump() {
        while (attempt != null && attempt.writable()) {
            Message message = client.nextMessage();
            if (message == null) {
                client.leaveWhenFlushed();
                break;
            }
            attempt.write(message);
        }
        if (closing && attempt != null && attempt.out.isEmpty() && !client.anyJoined()) {
            attempt.sayGoodBye();
        }
    }

    /** Calls {@code then} when the server has taken all that was written. */
    void whenTaken(Runnable then) {
        if (attempt != null) {
            attempt.whenTaken(then);
        }
    }

    /** An answer is waited for, behind what has come: it has to be read. */
    void readOn() {
        if (attempt != null) {
            attempt.look();
        }
    }

    // ---- one connection

    private final class Attempt implements WebSocketListener {
        final Outgoing out = new Outgoing();
        private final PacketReader reader = new PacketReader(client.json);
        private final Alarm deadline;
        private WebSocket socket; // null before it is connected
        private boolean open;
        private boolean paused;
        private boolean parting;
        private Alarm silence; // null before it is open
        private final ArrayDeque<Runnable> untaken = new ArrayDeque<>(0);
        private int pings;
        private int pongs;
        private long heard;
        private long silenceMillis;

        Attempt() {
            long longest = client.settings.connect.toMillis();
            deadline =
                    client.loop.after(
                            longest,
                            () -> lose(Cause.LOST, "no connection within " + longest + " ms"));
        }

        void begin() {
            opener.connect(client.loop, uri, client.settings.headers, this)
                    .whenComplete(
                            (opened, thrown) -> {
                                if (thrown != null) {
                                    client.execute(() -> failed(thrown));
                                }
                            });
        }

        private boolean isPast() {
            return attempt != this;
        }

        private void failed(Throwable why) {
            if (isPast()) {
                return;
            }
            if (why instanceof WebSocketRefused http) {
                var refused =
                        new Refused("http_" + http.status(), http.getMessage(), Optional.empty());
                if (client.settings.stop.test(refused)) {
                    attempt = null;
                    part();
                    client.refused(refused);
                    return;
                }
            }
            lose(Cause.LOST, String.valueOf(why.getMessage()));
        }

        void lose(Cause cause, String why) {
            if (!isPast()) {
                lost(this, cause, why);
            }
        }

        /** Whatever it is told from now on is of no interest. */
        void part() {
            deadline.cancel();
            if (silence != null) {
                silence.cancel();
            }
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

        boolean writable() {
            return open && out.isEmpty();
        }

        void write(Message message) {
            if (!out.takes(message)) {
                client.unsendable(message, "it is larger than the server takes");
                return;
            }
            out.add(message);
            push();
            if (message.id() != Packet.NO_ID) {
                look();
            }
        }

        void push() {
            if (socket != null) {
                out.push(socket);
            }
        }

        /** A pong tells, since it is answered in turn. */
        void whenTaken(Runnable then) {
            untaken.add(then);
            socket.ping(new byte[] {'s', (byte) ++pings});
        }

        @Override
        public void onPong(WebSocket from, byte[] payload) {
            heard = client.loop.now();
            boolean ours = payload.length == 2 && payload[0] == 's';
            while (!isPast() && ours && !untaken.isEmpty() && (byte) pongs != payload[1]) {
                pongs++; // it may be the answer to several
                untaken.poll().run();
            }
        }

        @Override
        public void onDrained(WebSocket drained) {
            if (!isPast()) {
                push();
                pump();
            }
        }

        // ---- in

        @Override
        public void onOpen(WebSocket opened) {
            socket = opened;
            sockets++;
            if (isPast()) {
                opened.close();
            }
        }

        @Override
        public void onText(WebSocket from, String text) {
            if (isPast()) {
                return;
            }
            heard = client.loop.now();
            try {
                switch (text.isEmpty() ? ' ' : text.charAt(0)) {
                    case '0' -> opened(Handshake.parse(client.json, text.substring(1)));
                    case '1' -> lose(Cause.LOST, "the server has closed the connection");
                    case '2' -> pong(text);
                    case '4' -> reader.text(text.substring(1)).ifPresent(this::received);
                    case '6' -> {}
                    default -> throw new MalformedException("no packet of Engine.IO 4");
                }
            } catch (MalformedException e) {
                lose(Cause.MALFORMED, e.getMessage());
            }
        }

        @Override
        public void onBinary(WebSocket from, byte[] bytes) {
            if (isPast()) {
                return;
            }
            heard = client.loop.now();
            try {
                reader.binary(bytes).ifPresent(this::received);
            } catch (MalformedException e) {
                lose(Cause.MALFORMED, e.getMessage());
            }
        }

        private void opened(Handshake handshake) throws MalformedException {
            if (open) {
                throw new MalformedException("it is opened twice");
            }
            open = true;
            deadline.cancel();
            silenceMillis = handshake.pingInterval() + handshake.pingTimeout();
            out.most(handshake.maxPayload());
            listen(silenceMillis);
            client.opened();
        }

        private void received(Packet packet) {
            if (!open) {
                lose(Cause.MALFORMED, "a packet before Engine.IO's open");
                return;
            }
            try {
                client.received(packet);
            } catch (MalformedException e) {
                lose(Cause.MALFORMED, e.getMessage());
            }
            look();
        }

        private void pong(String ping) {
            out.urgent("3" + ping.substring(1));
            push();
        }

        /**
         * Reads no further while handlers have enough to do; unless one of them may be waiting for
         * an answer, which is behind what has come.
         */
        void look() {
            long waiting = client.turns.size();
            boolean enough = waiting >= NEVER_MORE || waiting >= Turns.FULL && !client.asks();
            if (socket == null || isPast() || enough == paused) {
                return;
            }
            if (enough) {
                paused = true;
                socket.pause();
            } else if (waiting < Turns.FULL / 2 || client.asks()) {
                paused = false;
                heard = client.loop.now();
                socket.resume();
            }
        }

        private void listen(long millis) {
            silence = client.loop.after(millis, this::lookWhetherSilent);
        }

        private void lookWhetherSilent() {
            long now = client.loop.now();
            if (paused) {
                heard = now; // its pings may have come, and are not read
            }
            if (now - heard >= silenceMillis) {
                lose(Cause.SILENT, "no ping has come for " + silenceMillis + " ms");
            } else {
                listen(silenceMillis - (now - heard));
            }
        }

        @Override
        public void onClose(WebSocket closed, WebSocket.Closed why) {
            sockets--;
            if (isPast()) {
                lookWhetherClosed();
                return;
            }
            boolean violation = why.code() == 1002 || why.code() == 1007 || why.code() == 1009;
            String reason = why.code() + (why.reason().isEmpty() ? "" : " " + why.reason());
            lose(violation ? Cause.MALFORMED : Cause.LOST, "the WebSocket has closed: " + reason);
        }
    }
}
