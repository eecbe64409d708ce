// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.nio;

import io.sirocco.net.Connection;
import io.sirocco.net.file.SharedFile;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.output.OutputChunk;
import io.sirocco.net.transport.ConnectionOrigin;
import io.sirocco.net.transport.TransportAcceptor;
import io.sirocco.net.transport.TransportAcceptor.Capacity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** A connection on NIO: a channel and its key. Loop-confined. */
final class NioConnection extends Connection {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    private final Nio transport;
    private final SelectionKey key;
    private boolean readsFiles; // there was no descriptor for a file's channel

    NioConnection(ConnectionOrigin origin, Nio transport, SelectionKey key) {
        super(origin);
        this.transport = transport;
        this.key = key;
        key.attach(this);
    }

    private SocketChannel channel() {
        return (SocketChannel) key.channel();
    }

    // ---- what the selector has found

    void ready() {
        try {
            transfer();
        } catch (OutOfMemoryError e) { // it is the end of this connection alone
            transport.loop().failed(e);
            socketFailed();
        }
    }

    private void transfer() {
        int ready = key.readyOps();
        if ((ready & SelectionKey.OP_WRITE) != 0) {
            Nio.interest(key, SelectionKey.OP_WRITE, false);
            sent(0);
        }
        if ((ready & SelectionKey.OP_READ) != 0 && key.isValid()) {
            receive();
        }
    }

    private void receive() {
        ByteBuffer into = transport.emptyInput().limit(readSize(Nio.READ_SIZE));
        int n;
        try {
            n = channel().read(into);
        } catch (IOException e) {
            socketFailed();
            return;
        }
        if (n > 0) {
            received(transport.input(), 0, n, null);
        } else if (n < 0) {
            Nio.interest(key, SelectionKey.OP_READ, false);
            endOfInput();
        }
    }

    // ---- what the connection asks for

    @Override
    protected void reading(boolean on) {
        Nio.interest(key, SelectionKey.OP_READ, on);
    }

    @Override
    protected boolean sendsFiles() {
        return !readsFiles;
    }

    @Override
    protected int send(OutputChunk chunk, int length) {
        SocketChannel channel = channel();
        try {
            int n;
            if (chunk.file() != null) {
                FileChannel file = channelOf(chunk.file());
                if (file == null) {
                    readsFiles = true;
                    return 0; // it is asked for again, and read this time
                }
                n = (int) file.transferTo(chunk.position(), length, channel);
                if (n == 0 && chunk.position() >= file.size()) {
                    cutShort();
                    return -1;
                }
            } else if (length == chunk.length() && chunk.inMemoryBefore() && !isRateLimited()) {
                n = (int) channel.write(views(chunk));
            } else {
                n = channel.write(chunk.text(length));
            }
            if (n > 0) {
                return n;
            }
            Nio.interest(key, SelectionKey.OP_WRITE, true);
        } catch (IOException e) {
            socketFailed();
        }
        return -1;
    }

    /** Returns a channel, which takes a descriptor of its own; null when there is none left. */
    private static FileChannel channelOf(SharedFile file) {
        try {
            return file.channel();
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the bytes of a chunk and of the one behind it: they leave in one call. */
    private static ByteBuffer[] views(OutputChunk chunk) {
        OutputChunk next = chunk.next();
        return new ByteBuffer[] {chunk.text(chunk.length()), next.text(next.length())};
    }

    @Override
    protected void shutdownOutput() {
        try {
            channel().shutdownOutput();
        } catch (IOException e) {
            socketFailed();
        }
    }

    @Override
    protected void closeSocket() {
        Nio.close(key.channel());
        transport.loop().releaseAtTurnEnd(this);
    }

    @Override
    protected void resetOnClose() {
        try {
            if (channel().getLocalAddress() instanceof InetSocketAddress) {
                channel().setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            // it is gone already
        }
    }

    @Override
    protected void handOver(TransportAcceptor target) {
        key.cancel();
        NioListener.handOver(channel(), target.place(Capacity.SLOT));
    }

    @Override
    protected SocketAddress remoteAddress() {
        try {
            SocketAddress address = channel().getRemoteAddress();
            return address == null ? UnixDomainSocketAddress.of("") : address;
        } catch (IOException e) {
            return UnixDomainSocketAddress.of(""); // it is closed
        }
    }

    @Override
    protected SocketAddress localAddress() {
        try {
            return channel().getLocalAddress();
        } catch (IOException e) {
            return UnixDomainSocketAddress.of(""); // it is closed
        }
    }
}
