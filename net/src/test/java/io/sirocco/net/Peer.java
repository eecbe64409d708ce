// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The other end of a connection: a plain blocking socket. Its tests have a time limit. */
public final class Peer implements AutoCloseable {
    public final SocketChannel channel;

    private Peer(SocketChannel channel) {
        this.channel = channel;
    }

    public static Peer to(SocketAddress address) throws IOException {
        return new Peer(sendingAtOnce(SocketChannel.open(address)));
    }

    /** What is sent in two pieces would wait for the delayed acknowledgement of the first. */
    private static SocketChannel sendingAtOnce(SocketChannel channel) throws IOException {
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        return channel;
    }

    /** One whose receive buffer is small, so that it pushes back early. */
    public static Peer small(SocketAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
        channel.connect(address);
        return new Peer(sendingAtOnce(channel));
    }

    /** Has one that is {@link #small} push back no more. */
    public Peer widen() throws IOException {
        channel.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
        return this;
    }

    /** Whether a connection can be had at all. */
    public static boolean refused(SocketAddress address) {
        try (var socket = new Socket()) {
            socket.connect((InetSocketAddress) address, 1_000);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    public Peer send(String text) {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Peer send(byte[] bytes) {
        return send(bytes, 0, bytes.length);
    }

    public Peer send(byte[] bytes, int from, int to) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, from, to - from);
        try {
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends from a thread of its own; what goes wrong ends it. */
    public Thread sending(byte[] bytes) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                send(bytes);
                            } catch (UncheckedIOException e) {
                                // the reader's side tells
                            }
                        });
    }

    /** Whatever one read brings. */
    public byte[] readOnce() {
        ByteBuffer buffer = ByteBuffer.allocate(256 << 10);
        try {
            int n = channel.read(buffer);
            return Arrays.copyOf(buffer.array(), Math.max(0, n));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public byte[] read(int length) {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        try {
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // on
            }
            return Arrays.copyOf(buffer.array(), buffer.position());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String text(int length) {
        return new String(read(length), StandardCharsets.ISO_8859_1);
    }

    /** All until the end of the stream. */
    public byte[] readAll() {
        var all = new java.io.ByteArrayOutputStream();
        for (byte[] piece = readOnce(); piece.length > 0; piece = readOnce()) {
            all.writeBytes(piece);
            if (all.size() > 64 << 20) {
                throw new AssertionError("there is no end to it");
            }
        }
        return all.toByteArray();
    }

    public String allText() {
        return new String(readAll(), StandardCharsets.ISO_8859_1);
    }

    /** Whether the stream is over, in order or by a reset, with nothing more to read. */
    public boolean over() {
        try {
            return channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    public Peer end() {
        try {
            channel.shutdownOutput();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes so that the other side sees a reset. */
    public void reset() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
