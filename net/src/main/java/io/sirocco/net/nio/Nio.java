// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.nio;

import io.sirocco.net.Datagrams;
import io.sirocco.net.Destination;
import io.sirocco.net.TransportKind;
import io.sirocco.net.limit.Ip;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.transport.ConnectingSocket;
import io.sirocco.net.transport.DatagramSocket;
import io.sirocco.net.transport.ListeningSocket;
import io.sirocco.net.transport.Transport;
import io.sirocco.net.transport.TransportAcceptor.Placement;
import io.sirocco.net.transport.TransportConnect;
import io.sirocco.net.transport.TransportLoop;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;

/**
 * The transport over {@code java.nio}: one selector, one buffer to read into. The portable
 * transport, and the oracle of the others. Loop-confined, except {@link #wake}.
 */
public final class Nio implements Transport {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    static final int READ_SIZE = 64 << 10;

    private final TransportLoop loop;
    private final Selector selector;
    private final ArrayDeque<SelectionKey> due = new ArrayDeque<>(); // to be dispatched
    private final Runnable select = this::selectOnCarrier;
    private long selectMillis;
    private IOException selectFailure; // null unless it has failed
    private final MemorySegment input;
    private final ByteBuffer inputView;
    private ByteBuffer datagram; // to be sent; null before the first

    /** A descriptor to give up when there are no others, so as to turn a peer away; or null. */
    private FileChannel spare;

    /** Opens the selector of {@code loop}. */
    public Nio(TransportLoop loop) throws IOException {
        this.loop = loop;
        this.selector = Selector.open();
        this.input = loop.arena().allocate(READ_SIZE, 64);
        this.inputView = input.asByteBuffer();
        openSpare();
    }

    @Override
    public TransportKind kind() {
        return TransportKind.NIO;
    }

    // ---- the turn

    @Override
    public void await(boolean mayBlock) throws IOException {
        if (!due.isEmpty()) {
            return;
        }
        long ahead = mayBlock ? loop.untilNext() : 0;
        try {
            if (ahead >= 0 && ahead < 1_000_000) { // a selector knows no less: be early, and look
                selector.selectNow();
            } else {
                selectFor(Math.max(0, ahead / 1_000_000)); // 0 is for ever
            }
        } catch (OutOfMemoryError e) { // what is ready will be so the next time
            loop.failed(e);
        }
        Thread.interrupted(); // or no selection would wait any more
    }

    /** Waits on the carrier, since a virtual thread would wait for another thread of the JDK. */
    private void selectFor(long millis) throws IOException {
        selectMillis = millis;
        loop.runOnCarrier(select);
        IOException failure = selectFailure;
        if (failure != null) {
            selectFailure = null;
            throw failure;
        }
    }

    private void selectOnCarrier() {
        try {
            selector.select(selectMillis);
        } catch (IOException e) {
            selectFailure = e;
        } catch (OutOfMemoryError e) { // what is ready will be so the next time
            // without a word, since nothing may be logged here
        }
        Thread.interrupted(); // or no selection would wait any more
    }

    @Override
    public void dispatch() {
        try {
            dispatchKeys();
        } catch (OutOfMemoryError e) { // what is ready will be so the next time
            loop.failed(e);
        }
    }

    private void dispatchKeys() {
        if (due.isEmpty()) { // else a long turn has left some to this one
            due.addAll(selector.selectedKeys());
            selector.selectedKeys().clear();
        }
        boolean several = due.size() > 1;
        for (SelectionKey key; (key = due.poll()) != null; ) {
            if (key.isValid()) {
                dispatch(key);
            }
            if (several) {
                loop.flushIfLate();
                if (loop.isTurnLong()) {
                    return;
                }
            }
        }
    }

    private static void dispatch(SelectionKey key) {
        switch (key.attachment()) {
            case NioConnection connection -> connection.ready();
            case NioListener listener -> listener.accept();
            case NioConnect connect -> connect.tried();
            case NioDatagrams datagrams -> datagrams.receive();
            default -> throw new AssertionError(key.attachment());
        }
    }

    @Override
    public void submit() {
        // a send has been a call of its own
    }

    @Override
    public void cancelAll() {
        // the same
    }

    @Override
    public void closeListeners() {
        for (SelectionKey key : selector.keys()) {
            if (key.attachment() instanceof NioListener listener) {
                listener.closeNow();
            }
        }
        try {
            selector.selectNow(); // gives their descriptors back
        } catch (IOException e) {
            // closing the selector does so, too
        }
    }

    @Override
    public void wake() {
        selector.wakeup();
    }

    // ---- for its sockets

    TransportLoop loop() {
        return loop;
    }

    SelectionKey register(SelectableChannel channel, int operations, Object attachment)
            throws IOException {
        return channel.register(selector, operations, attachment);
    }

    /** Returns the memory that everything is read into. */
    MemorySegment input() {
        return input;
    }

    /** Returns all of that memory as a buffer. */
    ByteBuffer emptyInput() {
        return inputView.clear();
    }

    /** Returns a buffer with {@code bytes[0..length)}, which is used until the next call. */
    ByteBuffer datagram(byte[] bytes, int length) {
        if (datagram == null) {
            datagram = loop.arena().allocate(Datagrams.MAX_SIZE, 64).asByteBuffer();
        }
        return datagram.clear().put(bytes, 0, length).flip();
    }

    static void interest(SelectionKey key, int operation, boolean on) {
        if (key.isValid()) {
            key.interestOps(on ? key.interestOps() | operation : key.interestOps() & ~operation);
        }
    }

    /** Makes a connection of {@code channel} at {@code place}, which is of this loop. */
    void admit(Placement place, SocketChannel channel) {
        try {
            channel.configureBlocking(false);
            if (channel.getLocalAddress() instanceof InetSocketAddress) {
                quicken(channel);
            }
            SelectionKey key = channel.register(selector, 0);
            place.accepted(new NioConnection(place.acceptor(), this, key));
        } catch (IOException e) {
            close(channel); // it is gone already
            place.lost();
        } catch (OutOfMemoryError e) {
            loop.failed(e);
            close(channel);
            place.lost();
        }
    }

    private static void quicken(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, 2 * LinuxSockets.NOTSENT_LOW_WATER);
    }

    /** Returns whether there was one. */
    boolean closeSpare() {
        if (spare != null) {
            close(spare);
        }
        return spare != null;
    }

    void openSpare() {
        try {
            spare = FileChannel.open(Path.of("/dev/null"));
        } catch (IOException | RuntimeException e) {
            spare = null;
        }
    }

    // ---- sockets

    @Override
    public ListeningSocket bind(SocketAddress address, int backlog, boolean shared)
            throws IOException {
        ServerSocketChannel channel =
                address instanceof UnixDomainSocketAddress
                        ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        : ServerSocketChannel.open(family((InetSocketAddress) address));
        try {
            if (address instanceof InetSocketAddress) {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                if (shared) {
                    channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
                }
            }
            channel.bind(address, backlog);
            channel.configureBlocking(false);
            return new NioListener(this, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            String where = Ip.text(address);
            throw new IOException("cannot listen on " + where + ": " + e.getMessage(), e);
        }
    }

    private static StandardProtocolFamily family(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address
                ? StandardProtocolFamily.INET6
                : StandardProtocolFamily.INET;
    }

    @Override
    public int arrivals() {
        return NioListener.ACCEPTS_PER_TURN;
    }

    @Override
    public ConnectingSocket connect(TransportConnect attempt) throws IOException {
        Destination to = attempt.to();
        boolean unix = to.address() instanceof UnixDomainSocketAddress;
        StandardProtocolFamily family =
                unix ? StandardProtocolFamily.UNIX : family((InetSocketAddress) to.address());
        SocketChannel channel = SocketChannel.open(family);
        try {
            channel.configureBlocking(false);
            if (!unix) {
                quicken(channel);
            }
            if (to.source().isPresent()) {
                channel.bind(new InetSocketAddress(to.source().get(), 0));
            }
            boolean connected = channel.connect(to.address());
            var connect = new NioConnect(this, attempt, channel, connected);
            if (connected) {
                loop.loop().execute(connect::tried);
            }
            return connect;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public DatagramSocket bindDatagrams(InetSocketAddress address, boolean broadcast, boolean reuse)
            throws IOException {
        DatagramChannel channel = DatagramChannel.open(family(address));
        try {
            channel.setOption(StandardSocketOptions.SO_BROADCAST, broadcast);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, reuse);
            channel.bind(address);
            channel.configureBlocking(false);
            return new NioDatagrams(this, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw new IOException("cannot bind " + Ip.text(address) + ": " + e.getMessage(), e);
        }
    }

    // ----

    @Override
    public void close() {
        if (selector.isOpen()) { // no pattern in a switch: linking it takes heap
            for (SelectionKey key : selector.keys()) {
                if (key.attachment() instanceof NioListener listener) {
                    listener.closeNow();
                } else if (key.attachment() instanceof NioDatagrams datagrams) {
                    datagrams.close();
                } else {
                    close(key.channel()); // of a connection for whose end there was no heap
                }
            }
        }
        close(selector);
        closeSpare();
    }

    static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            // there is nothing left to do for it
        }
    }
}
