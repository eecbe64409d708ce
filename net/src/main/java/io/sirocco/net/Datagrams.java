// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.transport.DatagramSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

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
     * Sends one datagram at once, or drops it when the kernel has no room, as the network may.
     * Loop-confined.
     *
     * @return whether it was sent; false also when the socket is closed
     * @throws IOException when the system refuses it, for example as too long
     */
    public boolean send(byte[] bytes, int length, InetSocketAddress to) throws IOException {
        return !closed && socket.send(bytes, length, to) >= 0;
    }

    /** Closes the socket and returns when its address is free. Any thread. */
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
