// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.transport.DatagramSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * A bound UDP socket of one loop (RFC 768), made by {@link Loops#datagrams}. Loop-confined, except
 * where noted.
 */
public final class Datagrams implements AutoCloseable {
    /** The largest payload over IPv4, in bytes: 65,535 less the headers. */
    public static final int MAX_SIZE = 65_507;

    private final DatagramSocket socket;
    private final Loop loop;
    private final Receiver receiver;
    private final InetSocketAddress address;
    private boolean closed;

    /**
     * Options of a UDP socket: set them in the lambda given to {@link Loops#datagrams(
     * InetSocketAddress, Consumer, Receiver)}. They are frozen when it returns. Used by one thread.
     */
    public static final class Options {
        boolean broadcast;
        boolean reuseAddress;

        Options() {}

        /** Sets whether the socket may send to broadcast addresses; false by default. */
        public Options broadcast(boolean broadcast) {
            this.broadcast = broadcast;
            return this;
        }

        /**
         * Sets whether other sockets that have this option, too, may be bound to the same address;
         * false by default. On Linux each of them receives broadcasts, and one of them receives
         * what is sent to the address itself.
         */
        public Options reuseAddress(boolean reuseAddress) {
            this.reuseAddress = reuseAddress;
            return this;
        }
    }

    /** Receives the datagrams of one socket. Loop-confined. */
    @FunctionalInterface
    public interface Receiver {
        /**
         * Handles a datagram: {@code bytes[0..length)}, sent by {@code from}. The array is
         * overwritten after the call returns.
         */
        void received(Datagrams datagrams, byte[] bytes, int length, InetSocketAddress from);
    }

    Datagrams(Loop loop, DatagramSocket socket, Receiver receiver) throws IOException {
        this.loop = loop;
        this.socket = socket;
        this.receiver = receiver;
        this.address = socket.address();
    }

    /** Returns the loop that serves it. Any thread. */
    public Loop loop() {
        return loop;
    }

    /**
     * Returns the bound address, with the port that the system chose if 0 was asked for. Any
     * thread.
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Sends a copy of {@code bytes[0..length)} as one datagram. Datagrams that a socket sends leave
     * in order, at the latest when the loop's turn ends or has lasted long; on Linux, but for NIO,
     * up to 256 of them, or 256 KiB, leave with one system call. One that the system has no room
     * for or refuses is dropped, as one that the network loses: see {@link #dropped}.
     * Loop-confined.
     *
     * @return whether it was accepted; false when the socket is closed
     * @throws IOException when no socket could send it: it is longer than {@link #MAX_SIZE}, or the
     *     address is not resolved
     */
    public boolean send(byte[] bytes, int length, InetSocketAddress to) throws IOException {
        if (closed) {
            return false;
        }
        Objects.checkFromIndexSize(0, length, bytes.length);
        if (length > MAX_SIZE) {
            throw new IOException("a datagram has at most " + MAX_SIZE + " bytes, not " + length);
        }
        if (to.isUnresolved()) {
            throw new UnknownHostException("cannot resolve " + to.getHostString());
        }
        if (!socket.send(bytes, length, to)) {
            return false;
        }
        loop.sentDatagram();
        return true;
    }

    /**
     * Returns how many datagrams {@link #send} has accepted and the system has not: the send buffer
     * was full, there is no route, or a broadcast is not {@linkplain Options#broadcast allowed},
     * for example. Any thread; it may be a turn late.
     */
    public long dropped() {
        return socket.dropped();
    }

    /**
     * Sends the datagrams that wait, closes the socket, and returns when its address is free. Any
     * thread.
     */
    @Override
    public void close() {
        if (loop.runInLoop(this::closeNow)) {
            return;
        }
        var done = new CompletableFuture<Void>();
        try {
            loop.execute(
                    () -> {
                        closeNow();
                        // a selector gives a channel back with its next selection
                        loop.execute(() -> done.complete(null));
                    });
        } catch (RejectedExecutionException e) {
            done.complete(null); // the loop has ended, and closed it
        }
        done.join();
    }

    private void closeNow() {
        closed = true;
        socket.close();
    }

    boolean closed() {
        return closed;
    }

    /** Begins to deliver what comes in. */
    void open() throws IOException {
        socket.open(this::received);
    }

    private void received(byte[] bytes, int length, InetSocketAddress from) {
        loop.bytesIn += length;
        try {
            receiver.received(this, bytes, length, from);
        } catch (Throwable e) {
            loop.failed(e);
        }
    }
}
