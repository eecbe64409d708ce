// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Connections that send as much as the server takes, read nothing, and stay. Their number and the
 * time are bounded. Used by one thread.
 */
final class Attackers implements AutoCloseable {
    private final InetSocketAddress server;
    private final List<SocketChannel> channels = new ArrayList<>();

    Attackers(int port) {
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Opens {@code count} connections that each send {@code bytes} and then no more. */
    void unfinished(int count, byte[] bytes) {
        for (int i = 0; i < count; i++) {
            try {
                SocketChannel channel = SocketChannel.open(server);
                channels.add(channel);
                channel.configureBlocking(false);
                channel.write(ByteBuffer.wrap(bytes));
            } catch (IOException e) {
                // the server defends itself
            }
        }
    }

    /** Opens {@code count} uploads to {@code path} of {@code each} bytes, all side by side. */
    void uploads(int count, String path, long each, int seconds) {
        byte[] head =
                ("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + each + "\r\n\r\n")
                        .getBytes(ISO_8859_1);
        unfinished(count, head);
        var piece = ByteBuffer.allocate(64 << 10);
        var left = new long[channels.size()];
        java.util.Arrays.fill(left, each);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            long sent = 0;
            for (int i = 0; i < left.length; i++) {
                try {
                    piece.clear().limit((int) Math.min(left[i], piece.capacity()));
                    int n = channels.get(i).write(piece);
                    left[i] -= n;
                    sent += n;
                } catch (IOException e) {
                    left[i] = 0;
                }
            }
            if (sent == 0) {
                java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
            }
        }
    }

    /** A header section of {@code bytes} that does not end. */
    static byte[] unfinishedHead(int bytes) {
        String start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
        return (start + "x".repeat(bytes - start.length())).getBytes(ISO_8859_1);
    }

    /** They go away. */
    void end() {
        for (SocketChannel channel : channels) {
            try {
                channel.close();
            } catch (IOException e) {
                // closed is closed
            }
        }
        channels.clear();
    }

    @Override
    public void close() {
        end();
    }
}
