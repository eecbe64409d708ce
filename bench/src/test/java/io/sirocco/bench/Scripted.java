// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that does to each connection what a script says, byte for byte, on a thread of its own;
 * it closes the connection when the script returns. Any thread.
 */
public final class Scripted implements AutoCloseable {
    /** What is to be done with a connection. */
    public interface Script {
        void serve(Peer peer) throws IOException, InterruptedException;
    }

    public static final String OK = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok";

    public final AtomicInteger connections = new AtomicInteger();
    public final AtomicInteger requests = new AtomicInteger();
    private final ServerSocket listening;
    private final Script script;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile Throwable broken;
    private volatile boolean closed;

    public Scripted(Script script) throws IOException {
        this(script, 0);
    }

    private Scripted(Script script, int port) throws IOException {
        this.script = script;
        this.listening = new ServerSocket(port, 1_000, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofVirtual().start(this::accept);
    }

    /** One that gives this answer to every request, and closes when it is asked to. */
    public static Scripted answering(String block) throws IOException {
        return answering(block, 0);
    }

    static Scripted answering(String block, int port) throws IOException {
        return new Scripted(
                peer -> {
                    for (String request; (request = peer.request()) != null; ) {
                        peer.send(block);
                        if (request.contains("\r\nConnection: close\r\n")) {
                            return;
                        }
                    }
                },
                port);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Connections that are open now. */
    int open() {
        return open.size();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                open.add(socket);
                var peer = new Peer(socket, connections.getAndIncrement());
                Thread.ofVirtual().start(() -> serve(peer));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Peer peer) {
        try (peer.socket) {
            if (!closed) {
                script.serve(peer);
            }
        } catch (IOException e) {
            // the client has gone, or been sent away
        } catch (Throwable e) {
            broken = e;
        } finally {
            open.remove(peer.socket);
        }
    }

    /** Listens no more, and closes all connections. */
    void stop() {
        closed = true;
        try {
            listening.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Throws what a script has thrown. */
    @Override
    public void close() {
        stop();
        if (broken != null) {
            throw new AssertionError("a script failed", broken);
        }
    }

    /** The other end of a connection. Used by its thread. */
    public final class Peer {
        /** Which of the server's connections it is, from 0. */
        final int number;

        private final Socket socket;
        private final InputStream in;

        private Peer(Socket socket, int number) throws IOException {
            this.socket = socket;
            this.number = number;
            this.in = new BufferedInputStream(socket.getInputStream());
            socket.setTcpNoDelay(true);
        }

        public InetAddress from() {
            return socket.getInetAddress();
        }

        /** The head of the next request, which has no body; null when the client has ended. */
        public String request() throws IOException {
            var head = new StringBuilder();
            for (int c; (c = in.read()) >= 0; ) {
                head.append((char) c);
                if (c == '\n' && head.toString().endsWith("\r\n\r\n")) {
                    requests.incrementAndGet();
                    return head.toString();
                }
            }
            return null;
        }

        /** The target of the next request; null when the client has ended. */
        String target() throws IOException {
            String head = request();
            return head == null ? null : head.split(" ")[1];
        }

        /** The bytes of a text block, in one piece. */
        public void send(String block) throws IOException {
            socket.getOutputStream().write(Reading.bytes(block));
        }

        /** Waits until the client has ended; answers what it has sent before. */
        public String untilEnd() throws IOException {
            return new String(in.readAllBytes(), ISO_8859_1);
        }

        /** Closes so that the client sees a reset. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        Socket socket() {
            return socket;
        }
    }
}
