// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Many connections of one process, each from the same source address. As a program: arguments are
 * the server's port and how many; prints how many it has, after {@code again} on its input asks on
 * each once more, and ends with its input.
 */
public final class Crowd implements AutoCloseable {
    public static final byte[] HELLO =
            "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1);

    private final int port;
    private final String source;
    private final List<SocketChannel> all = new ArrayList<>();
    private final ByteBuffer answer = ByteBuffer.allocateDirect(64 << 10);

    /**
     * Its source is any of the sixteen million addresses of the loopback, each with ports enough.
     */
    public Crowd(int port) {
        this.port = port;
        var random = ThreadLocalRandom.current();
        this.source =
                "127.%d.%d.%d"
                        .formatted(
                                random.nextInt(1, 255),
                                random.nextInt(256),
                                random.nextInt(1, 255));
    }

    public static void main(String[] arguments) throws IOException {
        try (var crowd = new Crowd(Integer.parseInt(arguments[0]))) {
            crowd.grow(Integer.parseInt(arguments[1]), HELLO);
            System.out.println(crowd.all.size());
            var input = new BufferedReader(new InputStreamReader(System.in));
            while (input.readLine() != null) {
                System.out.println(crowd.ask(HELLO));
            }
        }
    }

    public List<SocketChannel> all() {
        return all;
    }

    /** Opens {@code more} connections, and has a request answered on each. */
    public void grow(int more, byte[] request) throws IOException {
        for (int i = 0; i < more; i++) {
            SocketChannel channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.bind(new InetSocketAddress(source, 0));
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            all.add(channel);
            ask(channel, request);
        }
    }

    /** Asks on each connection, one after the other; answers how many were answered. */
    public int ask(byte[] request) throws IOException {
        int answered = 0;
        for (SocketChannel channel : all) {
            ask(channel, request);
            answered++;
        }
        return answered;
    }

    private void ask(SocketChannel channel, byte[] request) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(request);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        read(channel);
    }

    /** Reads one response with a short body. */
    void read(SocketChannel channel) throws IOException {
        answer.clear();
        while (true) {
            if (channel.read(answer) < 0) {
                throw new EOFException("closed before the answer");
            }
            String text = ISO_8859_1.decode(answer.duplicate().flip()).toString();
            int end = text.indexOf("\r\n\r\n");
            if (end < 0) {
                continue;
            }
            if (text.startsWith("HTTP/1.1 101 ")) {
                return;
            }
            if (!text.startsWith("HTTP/1.1 200 ")) {
                throw new IOException(text);
            }
            int at = text.indexOf("Content-Length: ") + 16;
            int length = Integer.parseInt(text.substring(at, text.indexOf('\r', at)));
            if (text.length() >= end + 4 + length) {
                return;
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : all) {
            channel.close();
        }
        all.clear();
    }
}
