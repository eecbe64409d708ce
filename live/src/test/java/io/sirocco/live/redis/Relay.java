// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a broker and its server, and cuts connections: at once, or in such a way that what
 * was asked arrives and the answer does not. Any thread.
 */
final class Relay implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final int server;
    private volatile boolean deaf; // answers are swallowed
    private volatile boolean shut;

    Relay(int server) throws IOException {
        this.server = server;
        Thread.ofVirtual().start(this::accept);
    }

    String url() {
        return "redis://127.0.0.1:" + door.getLocalPort();
    }

    /** Cuts all connections; others may come. */
    void cut() {
        open.forEach(Relay::close);
    }

    /** From now on the server hears, but nobody hears the server. */
    void swallowAnswers() {
        deaf = true;
    }

    /** Cuts all connections, and is as before for the next. */
    void cutAndHear() {
        cut();
        deaf = false;
    }

    /** Nobody may come in, until it is opened again. */
    void shut(boolean closed) {
        shut = closed;
        if (closed) {
            cut();
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        cut();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                if (shut) {
                    client.close();
                    continue;
                }
                open.add(client);
                var upstream = new Socket(InetAddress.getLoopbackAddress(), server);
                open.add(upstream);
                if (shut) {
                    cut();
                }
                Thread.ofVirtual().start(() -> copy(client, upstream, false));
                Thread.ofVirtual().start(() -> copy(upstream, client, true));
            }
        } catch (IOException e) {
            cut(); // closed, or the server is away
            if (!door.isClosed()) {
                Thread.ofVirtual().start(this::accept);
            }
        }
    }

    private void copy(Socket from, Socket to, boolean answers) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[16 << 10];
            for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
                if (!(answers && deaf)) {
                    out.write(buffer, 0, read);
                }
            }
        } catch (IOException e) {
            // cut
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void close(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            return; // it is closed then
        }
    }
}
