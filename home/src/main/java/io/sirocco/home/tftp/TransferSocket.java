// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import io.sirocco.net.Datagrams;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.ScheduledTask;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The socket of one transfer, on a port of its own. A loop receives the packets and runs the
 * timers; the virtual thread of the transfer takes them one after the other. Packets of another
 * port are refused and do not disturb the transfer (RFC 1350 4). Used by the thread of the
 * transfer, except for {@link #close}.
 */
final class TransferSocket implements AutoCloseable {
    private static final int MAX_WAITING = 32;
    private static final int LOOP_CHECK_SECONDS = 10;

    /** The outcome of a wait. */
    sealed interface Event {
        /** A packet of the peer. */
        record Received(Packet packet) implements Event {}

        /** Nothing came in time. */
        record TimedOut(int ask) implements Event {}

        /** The transfer must end. */
        record Closed(String reason) implements Event {}
    }

    private final InetAddress host;
    private final BlockingQueue<Event> waiting = new LinkedBlockingQueue<>();
    private volatile InetSocketAddress peer; // with the port of the server until it has responded
    private volatile boolean peerKnown;
    private volatile boolean received;
    private volatile Datagrams datagrams; // set before anything is sent
    private ScheduledTask timer; // loop-confined, as is the next
    private ScheduledTask lastTimer;
    private int asks;

    private TransferSocket(InetSocketAddress peer, boolean peerKnown) {
        this.host = peer.getAddress();
        this.peer = peer;
        this.peerKnown = peerKnown;
    }

    /**
     * Binds a port of {@code local} for a transfer with {@code peer}. Blocks until a loop has done
     * it.
     *
     * @param peerKnown false when the peer will choose another port for its response
     */
    static TransferSocket open(
            Loops loops,
            InetAddress local,
            InetSocketAddress peer,
            boolean peerKnown,
            TftpSettings settings)
            throws IOException {
        var socket = new TransferSocket(peer, peerKnown);
        socket.datagrams = loops.datagrams(new InetSocketAddress(local, 0), socket::received);
        try {
            socket.onLoop(
                    () ->
                            socket.lastTimer =
                                    socket.loop()
                                            .schedule(
                                                    settings.transferTimeout().toMillis(),
                                                    () -> socket.end("Transfer takes too long")));
        } catch (IOException e) {
            socket.datagrams.close();
            throw e;
        }
        return socket;
    }

    private Loop loop() {
        return datagrams.loop();
    }

    private void onLoop(Runnable task) throws IOException {
        try {
            loop().execute(task);
        } catch (RejectedExecutionException e) {
            throw new IOException("the loop has ended", e);
        }
    }

    private void received(Datagrams own, byte[] bytes, int length, InetSocketAddress from) {
        Packet packet = Packet.parse(bytes, length);
        if (!peerKnown && from.getAddress().equals(host)) {
            peer = from;
            peerKnown = true;
        }
        if (!from.equals(peer)) {
            if (!(packet instanceof Packet.Failure)) { // never an error about an error
                var refusal =
                        new Packet.Failure(
                                TftpError.UNKNOWN_TRANSFER.ordinal(), "Unknown transfer ID");
                send(own, refusal.bytes(), from);
            }
            return;
        }
        received = true;
        if (waiting.size() < MAX_WAITING) { // the rest is lost, as the network may lose it
            waiting.add(new Event.Received(packet));
        }
    }

    /** Returns whether the peer has sent anything. Any thread. */
    boolean hasReceived() {
        return received;
    }

    /** Sends a packet, without a timer. */
    void send(byte[] packet) throws IOException {
        onLoop(() -> send(datagrams, packet, peer));
    }

    /** Sends a packet that the peer may respond to within a time, and starts the timer anew. */
    void ask(byte[] packet, Duration timeout) throws IOException {
        int ask = ++asks;
        onLoop(
                () -> {
                    cancel(timer);
                    timer =
                            loop().schedule(
                                            timeout.toMillis(),
                                            () -> waiting.add(new Event.TimedOut(ask)));
                    send(datagrams, packet, peer);
                });
    }

    /** Treats a packet that cannot be sent as lost: the timer sends it again. */
    private static void send(Datagrams datagrams, byte[] packet, InetSocketAddress to) {
        try {
            datagrams.send(packet, packet.length, to);
        } catch (IOException e) {
            // the system may also tell of an earlier packet here
        }
    }

    /**
     * Waits for the next packet of the peer.
     *
     * @return null when nothing came in time after the last {@link #ask}
     * @throws IOException when the transfer must end
     */
    Packet await() throws IOException {
        while (true) {
            switch (take()) {
                case Event.Received(Packet packet) -> {
                    return packet;
                }
                case Event.TimedOut(int ask) -> {
                    if (ask == asks) { // not of an earlier packet
                        return null;
                    }
                }
                case Event.Closed(String reason) ->
                        throw new TftpException(TftpError.NOT_DEFINED, reason);
            }
        }
    }

    private Event take() throws IOException {
        try {
            while (true) {
                Event event = waiting.poll(LOOP_CHECK_SECONDS, TimeUnit.SECONDS);
                if (event != null) {
                    return event;
                }
                onLoop(() -> {}); // a loop that has ended runs no timers
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    /** Makes the transfer end with an error. Any thread. */
    void end(String reason) {
        waiting.add(new Event.Closed(reason));
    }

    private static void cancel(ScheduledTask task) {
        if (task != null) {
            task.cancel();
        }
    }

    /** Closes the socket, soon, after what was sent. Any thread. */
    @Override
    public void close() {
        try {
            onLoop(
                    () -> {
                        cancel(timer);
                        cancel(lastTimer);
                        datagrams.close();
                    });
        } catch (IOException e) {
            // the loop has ended, and closed it
        }
    }
}
