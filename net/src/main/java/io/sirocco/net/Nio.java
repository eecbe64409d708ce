// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.file.SharedFile;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SocketAddresses;
import io.sirocco.net.output.OutputChunk;
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
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

/**
 * {@code java.nio}: one selector, one buffer to read into. The portable transport, and the oracle
 * of the other one.
 */
final class Nio implements Transport {
    /** Of a connection: there was no descriptor for a file's channel, so its content is read. */
    private static final int READS_FILES = 1;

    private static final int READ_SIZE = 64 << 10;
    private static final int ACCEPTS_PER_TURN = 256;
    private static final int DATAGRAMS_PER_TURN = 256;

    private final Loop loop;
    private final Selector selector;
    private final MemorySegment input;
    private final ByteBuffer inputView;
    private final Map<LoopAcceptor, SelectionKey> keys = new HashMap<>();
    private final Map<Datagrams, SelectionKey> datagramKeys = new HashMap<>();
    private FileChannel
            spare; // a descriptor to give up when there are no others, so as to turn a peer away

    record Listening(ServerSocketChannel channel) implements LoopAcceptor.Socket {}

    record DatagramSocket(DatagramChannel channel) implements Datagrams.Socket {
        @Override
        public InetSocketAddress address() throws IOException {
            return (InetSocketAddress) channel.getLocalAddress();
        }
    }

    Nio(Loop loop) throws IOException {
        this.loop = loop;
        this.selector = Selector.open();
        this.input = loop.arena.allocate(READ_SIZE, 64);
        this.inputView = input.asByteBuffer();
        this.spare = spare();
    }

    @Override
    public TransportKind kind() {
        return TransportKind.NIO;
    }

    // ---- the turn

    @Override
    public void await(boolean mayBlock) throws IOException {
        long ahead = mayBlock ? loop.untilNext() : 0;
        if (ahead >= 0 && ahead < 1_000_000) { // a selector knows no less: be there early, and look
            selector.selectNow();
        } else {
            selector.select(Math.max(0, ahead / 1_000_000)); // 0 is for ever
        }
        Thread.interrupted(); // or no selection would wait any more
    }

    @Override
    public void dispatch() {
        boolean several = selector.selectedKeys().size() > 1;
        for (SelectionKey key : selector.selectedKeys()) {
            if (!key.isValid()) {
                continue;
            }
            switch (key.attachment()) {
                case Connection connection -> ready(connection, key);
                case LoopAcceptor acceptor -> accept(acceptor);
                case PendingConnect attempt -> tried(attempt, key);
                case Datagrams datagrams -> receive(datagrams);
                default -> throw new AssertionError(key.attachment());
            }
            if (several) {
                loop.flushIfLate();
            }
        }
        selector.selectedKeys().clear();
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
    public void wake() {
        selector.wakeup();
    }

    private void ready(Connection connection, SelectionKey key) {
        int ready = key.readyOps();
        if ((ready & SelectionKey.OP_WRITE) != 0) {
            interest(key, SelectionKey.OP_WRITE, false);
            connection.sent(0);
        }
        if ((ready & SelectionKey.OP_READ) != 0 && key.isValid()) {
            receive(connection, key);
        }
    }

    private void receive(Connection connection, SelectionKey key) {
        inputView.clear().limit(connection.readSize(READ_SIZE));
        int n;
        try {
            n = ((SocketChannel) key.channel()).read(inputView);
        } catch (IOException e) {
            connection.close(CloseCause.RESET);
            return;
        }
        if (n > 0) {
            connection.received(input, 0, n);
        } else if (n < 0) {
            interest(key, SelectionKey.OP_READ, false);
            connection.endOfInput();
        }
    }

    private static void interest(SelectionKey key, int operation, boolean on) {
        if (key.isValid()) {
            key.interestOps(on ? key.interestOps() | operation : key.interestOps() & ~operation);
        }
    }

    // ---- accepting

    @Override
    public LoopAcceptor.Socket bind(SocketAddress address, int backlog, boolean shared)
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
            return new Listening(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            String where = SocketAddresses.show(address);
            throw new IOException("cannot listen on " + where + ": " + e.getMessage(), e);
        }
    }

    private static StandardProtocolFamily family(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address
                ? StandardProtocolFamily.INET6
                : StandardProtocolFamily.INET;
    }

    static SocketAddress address(Listening socket) throws IOException {
        return socket.channel.getLocalAddress();
    }

    @Override
    public void release(LoopAcceptor.Socket socket) {
        if (socket instanceof Listening listening) {
            close(listening.channel);
        }
    }

    @Override
    public void listen(LoopAcceptor acceptor) throws IOException {
        if (acceptor.socket instanceof Listening socket) {
            keys.put(acceptor, socket.channel.register(selector, SelectionKey.OP_ACCEPT, acceptor));
        }
    }

    @Override
    public void accepting(LoopAcceptor acceptor, boolean on) {
        SelectionKey key = keys.get(acceptor);
        if (key != null) {
            interest(key, SelectionKey.OP_ACCEPT, on);
        }
    }

    @Override
    public void unlisten(LoopAcceptor acceptor) {
        if (acceptor.socket instanceof Listening socket) {
            keys.remove(acceptor);
            close(socket.channel);
        }
    }

    private void accept(LoopAcceptor acceptor) {
        if (!(acceptor.socket instanceof Listening socket)) {
            return;
        }
        int most = acceptor.oneAtATime() ? 1 : ACCEPTS_PER_TURN;
        for (int i = 0; i < most && acceptor.accepting(); i++) {
            SocketChannel channel;
            try {
                channel = socket.channel.accept();
            } catch (IOException e) {
                turnAway(acceptor, socket, String.valueOf(e.getMessage()));
                return;
            }
            if (channel == null) {
                return;
            }
            LoopAcceptor.Placement place = acceptor.place();
            if (place.acceptor().loop == loop) {
                admit(place, channel);
            } else {
                handOver(channel, place);
            }
        }
    }

    @Override
    public void handOver(Connection connection, LoopAcceptor target) {
        SelectionKey key = key(connection);
        key.cancel();
        handOver((SocketChannel) key.channel(), target.place(LoopAcceptor.Capacity.SLOT));
    }

    @Override
    public int arrivals() {
        return ACCEPTS_PER_TURN;
    }

    private static void handOver(SocketChannel channel, LoopAcceptor.Placement place) {
        Loop there = place.acceptor().loop;
        try {
            there.execute(
                    () -> {
                        place.acceptor().arrived(place.room());
                        ((Nio) there.poller()).admit(place, channel);
                    });
        } catch (RejectedExecutionException e) {
            close(channel); // that loop has ended
            place.acceptor().arrived(place.room());
            place.acceptor().lost(place.room());
        }
    }

    private void admit(LoopAcceptor.Placement place, SocketChannel channel) {
        LoopAcceptor acceptor = place.acceptor();
        try {
            channel.configureBlocking(false);
            if (channel.getLocalAddress() instanceof InetSocketAddress) {
                quicken(channel);
            }
            SelectionKey key = channel.register(selector, 0);
            var connection = new Connection(acceptor, key, 0);
            key.attach(connection);
            acceptor.accepted(connection, place.room());
        } catch (IOException e) {
            close(channel); // it is gone already
            acceptor.lost(place.room());
        }
    }

    /**
     * Out of descriptors: the spare one lets the log be written, then accepts a peer and closes it,
     * so that it learns of its fate at once.
     */
    private void turnAway(LoopAcceptor acceptor, Listening socket, String reason) {
        if (spare != null) {
            close(spare);
        }
        acceptor.failed(reason);
        if (spare != null) {
            try {
                SocketChannel unlucky = socket.channel.accept();
                if (unlucky != null) {
                    close(unlucky);
                }
            } catch (IOException e) {
                // still none: the peer waits in the backlog
            }
        }
        spare = spare();
    }

    private static FileChannel spare() {
        try {
            return FileChannel.open(Path.of("/dev/null"));
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    // ---- connecting

    @Override
    public void connect(PendingConnect attempt) throws IOException {
        Destination to = attempt.to;
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
            SelectionKey key = channel.register(selector, connected ? 0 : SelectionKey.OP_CONNECT);
            key.attach(attempt);
            attempt.handle = key;
            if (connected) {
                loop.execute(() -> tried(attempt, key));
            }
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void tried(PendingConnect attempt, SelectionKey key) {
        if (!key.isValid()) {
            return; // given up
        }
        try {
            var channel = (SocketChannel) key.channel();
            if (!channel.isConnected() && !channel.finishConnect()) {
                return;
            }
            key.interestOps(0);
            Connection connection = attempt.connection(key, 0);
            key.attach(connection);
            attempt.connected(connection);
        } catch (IOException e) {
            close(key.channel());
            attempt.failed(e.getMessage());
        }
    }

    @Override
    public void cancel(PendingConnect attempt) {
        if (attempt.handle instanceof SelectionKey key) {
            close(key.channel());
            loop.execute(() -> attempt.failed("given up"));
        }
    }

    private static void quicken(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, 2 * LinuxSockets.NOTSENT_LOW_WATER);
    }

    // ---- connections

    private static SelectionKey key(Connection connection) {
        return (SelectionKey) connection.handle;
    }

    @Override
    public void reading(Connection connection, boolean on) {
        interest(key(connection), SelectionKey.OP_READ, on);
    }

    @Override
    public boolean sendsFiles(Connection connection) {
        return (connection.transportState & READS_FILES) == 0;
    }

    @Override
    public int send(Connection connection, OutputChunk chunk, int length) {
        SelectionKey key = key(connection);
        var channel = (SocketChannel) key.channel();
        try {
            int n;
            if (chunk.file() != null) {
                FileChannel file = channelOf(chunk.file());
                if (file == null) {
                    connection.transportState |= READS_FILES;
                    return 0; // it is asked for again, and read this time
                }
                n = (int) file.transferTo(chunk.position(), length, channel);
                if (n == 0 && chunk.position() >= file.size()) {
                    connection.cutShort();
                    return -1;
                }
            } else if (length == chunk.length()
                    && chunk.inMemoryBefore()
                    && !connection.isRateLimited()) {
                n = (int) channel.write(views(chunk));
            } else {
                n = channel.write(chunk.text(length));
            }
            if (n > 0) {
                return n;
            }
            interest(key, SelectionKey.OP_WRITE, true);
        } catch (IOException e) {
            connection.close(CloseCause.RESET);
        }
        return -1;
    }

    /** It takes a descriptor of its own; null when there is none left. */
    private static FileChannel channelOf(SharedFile file) {
        try {
            return file.channel();
        } catch (IOException e) {
            return null;
        }
    }

    /** A chunk and one behind it: together they leave in one call. */
    private static ByteBuffer[] views(OutputChunk chunk) {
        return new ByteBuffer[] {
            chunk.text(chunk.length()), chunk.next().text(chunk.next().length())
        };
    }

    @Override
    public void shutdownOutput(Connection connection) {
        try {
            ((SocketChannel) key(connection).channel()).shutdownOutput();
        } catch (IOException e) {
            connection.close(CloseCause.RESET);
        }
    }

    @Override
    public void close(Connection connection) {
        close(key(connection).channel());
        key(connection).attach(connection);
        loop.execute(connection::gone);
    }

    @Override
    public void resetOnClose(Connection connection) {
        try {
            if (key(connection).channel() instanceof SocketChannel channel
                    && channel.getLocalAddress() instanceof InetSocketAddress) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            // it is gone already
        }
    }

    @Override
    public SocketAddress remote(Connection connection) {
        try {
            SocketAddress address = ((SocketChannel) key(connection).channel()).getRemoteAddress();
            return address == null ? UnixDomainSocketAddress.of("") : address;
        } catch (IOException e) {
            return UnixDomainSocketAddress.of(""); // it is closed
        }
    }

    @Override
    public SocketAddress local(Connection connection) {
        try {
            return ((SocketChannel) key(connection).channel()).getLocalAddress();
        } catch (IOException e) {
            return UnixDomainSocketAddress.of(""); // it is closed
        }
    }

    // ---- datagrams

    @Override
    public Datagrams.Socket bindDatagrams(InetSocketAddress address) throws IOException {
        DatagramChannel channel = DatagramChannel.open(family(address));
        try {
            channel.bind(address);
            channel.configureBlocking(false);
            return new DatagramSocket(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw new IOException(
                    "cannot bind "
                            + address.getHostString()
                            + ":"
                            + address.getPort()
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }

    @Override
    public void open(Datagrams datagrams) throws IOException {
        DatagramChannel channel = ((DatagramSocket) datagrams.socket).channel;
        datagramKeys.put(datagrams, channel.register(selector, SelectionKey.OP_READ, datagrams));
    }

    private void receive(Datagrams datagrams) {
        DatagramChannel channel = ((DatagramSocket) datagrams.socket).channel;
        for (int i = 0; i < DATAGRAMS_PER_TURN && !datagrams.closed(); i++) {
            inputView.clear();
            try {
                var from = (InetSocketAddress) channel.receive(inputView);
                if (from == null) {
                    return;
                }
                int length = inputView.flip().limit();
                byte[] slab = loop.slab(length);
                inputView.get(slab, 0, length);
                datagrams.received(slab, length, from);
            } catch (IOException e) {
                return; // an earlier datagram's rejection, told late (ICMP)
            }
        }
    }

    @Override
    public int send(Datagrams datagrams, byte[] bytes, int length, InetSocketAddress to)
            throws IOException {
        DatagramChannel channel = ((DatagramSocket) datagrams.socket).channel;
        int sent = channel.send(ByteBuffer.wrap(bytes, 0, length), to);
        return sent == 0 && length > 0 ? -1 : sent;
    }

    @Override
    public void close(Datagrams datagrams) {
        datagramKeys.remove(datagrams);
        close(((DatagramSocket) datagrams.socket).channel);
    }

    // ----

    @Override
    public void close() {
        List.copyOf(keys.keySet()).forEach(LoopAcceptor::closeNow);
        List.copyOf(datagramKeys.keySet()).forEach(Datagrams::closeNow);
        close(selector);
        if (spare != null) {
            close(spare);
        }
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            // there is nothing left to do for it
        }
    }
}
