// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Many WebSockets with traffic: one after the other sends a message, a thousand in a second, and
 * has it echoed before its next turn; twenty in a second are closed and opened anew. Runs on a
 * thread of its own; what it has counted is for any thread when that has ended.
 */
final class TunnelLoad extends Thread {
    private static final byte[] UPGRADE =
            ("GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                            + "Connection: Upgrade\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            + "Sec-WebSocket-Version: 13\r\n\r\n")
                    .getBytes(ISO_8859_1);
    private static final byte[] HELLO = HexFormat.of().parseHex("818500000000" + "68656c6c6f");
    private static final int ECHO = 7; // bytes
    private static final long TURN_NANOS = 1_000_000;
    private static final int ANEW = 50; // turns

    private final int port;
    private final List<Tunnel> tunnels = new ArrayList<>();
    private final Selector selector = Selector.open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    private volatile boolean over;

    volatile long echoes;
    volatile int opened;
    final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

    /** One WebSocket. */
    private static final class Tunnel {
        SocketChannel channel;
        int missing; // bytes of its echo
    }

    TunnelLoad(int port) throws IOException {
        super("tunnels");
        this.port = port;
        setDaemon(true);
    }

    /** Opens {@code count} WebSockets. */
    TunnelLoad grow(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            var tunnel = new Tunnel();
            open(tunnel);
            tunnels.add(tunnel);
        }
        return this;
    }

    private void open(Tunnel tunnel) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.connect(new InetSocketAddress("127.0.0.1", port));
        channel.write(ByteBuffer.wrap(UPGRADE));
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            buffer.clear();
            if (channel.read(buffer) < 0) {
                throw new IOException("closed before its upgrade: " + head);
            }
            head.append(ISO_8859_1.decode(buffer.flip()));
        }
        if (!head.toString().startsWith("HTTP/1.1 101 ")) {
            throw new IOException(head.toString());
        }
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, tunnel);
        tunnel.channel = channel;
        tunnel.missing = 0;
        opened++;
    }

    @Override
    public void run() {
        try {
            long due = System.nanoTime();
            for (int turn = 0; !over; turn++) {
                due += TURN_NANOS;
                for (long left; (left = due - System.nanoTime()) > 0; ) {
                    selector.select(this::read, Math.max(1, left / 1_000_000));
                }
                selector.selectNow(this::read);
                Tunnel next = tunnels.get(turn % tunnels.size());
                if (turn % ANEW == 0) {
                    next.channel.close();
                    again(next);
                }
                send(next);
            }
            long until = System.nanoTime() + 5_000_000_000L;
            while (System.nanoTime() < until && tunnels.stream().anyMatch(t -> t.missing > 0)) {
                selector.select(this::read, 100);
            }
            tunnels.stream().filter(t -> t.missing > 0).forEach(t -> failures.add("no echo"));
            for (Tunnel each : tunnels) {
                each.channel.close();
            }
            selector.close();
        } catch (IOException e) {
            failures.add("the load has ended: " + e);
        }
    }

    private void again(Tunnel tunnel) {
        try {
            open(tunnel);
        } catch (IOException e) {
            failures.add("not opened: " + e.getMessage());
        }
    }

    private void send(Tunnel tunnel) {
        if (tunnel.missing > 0) {
            failures.add("no echo before its next turn");
        }
        try {
            tunnel.missing += ECHO;
            tunnel.channel.write(ByteBuffer.wrap(HELLO));
        } catch (IOException e) {
            dropped(tunnel, e.toString());
        }
    }

    private void read(SelectionKey key) {
        var tunnel = (Tunnel) key.attachment();
        try {
            buffer.clear();
            int n = tunnel.channel.read(buffer);
            if (n < 0) {
                dropped(tunnel, "closed");
                return;
            }
            tunnel.missing -= n;
            echoes += tunnel.missing == 0 ? 1 : 0;
        } catch (IOException e) {
            dropped(tunnel, e.toString());
        }
    }

    private void dropped(Tunnel tunnel, String why) {
        failures.add("dropped: " + why);
        try {
            tunnel.channel.close();
        } catch (IOException e) {
            // it is gone
        }
        again(tunnel);
    }

    /** Ends the traffic, and waits for the echoes that are on their way. */
    void end() throws InterruptedException {
        over = true;
        join();
    }
}
