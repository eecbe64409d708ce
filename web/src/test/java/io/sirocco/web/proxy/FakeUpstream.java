// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that plays bytes as they are, and keeps the requests as they came: a script for each
 * connection, on a thread of its own. Any thread.
 */
final class FakeUpstream implements AutoCloseable {

    /** What happens on one connection. */
    interface Script {
        void play(Peer peer) throws Exception;
    }

    final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    final AtomicInteger accepted = new AtomicInteger();
    final BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final ServerSocket listener;
    private final Thread acceptor;

    FakeUpstream(Script script) throws IOException {
        this(new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1")), script);
    }

    /** One with a listener of the test, for TLS. */
    FakeUpstream(ServerSocket listener, Script script) {
        this.listener = listener;
        acceptor = Thread.ofPlatform().daemon().start(() -> accept(script));
    }

    /** One that responds to each request, as often as asked, with a text block. */
    static FakeUpstream responding(String response) throws IOException {
        return new FakeUpstream(
                peer -> {
                    while (!peer.request().isEmpty()) {
                        peer.send(response);
                    }
                });
    }

    private void accept(Script script) {
        try {
            while (true) {
                Socket socket = listener.accept();
                sockets.add(socket);
                accepted.incrementAndGet();
                Thread.ofPlatform().daemon().start(() -> play(script, socket));
            }
        } catch (IOException e) {
            // it is closed
        }
    }

    private void play(Script script, Socket socket) {
        try (socket) {
            script.play(new Peer(socket));
            ends.add("played");
        } catch (IOException e) {
            ends.add(e.getMessage());
        } catch (Exception e) {
            ends.add(e.toString());
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    /** The next request's header section, with LF. */
    String next() throws InterruptedException {
        String request = requests.poll(20, TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("no request within 20 seconds");
        }
        return request;
    }

    /** Closes all connections, and accepts no more. */
    void stop() throws IOException {
        close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        try {
            acceptor.join(); // until then, a connection may still be accepted
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
        for (Socket each : sockets) {
            each.close();
        }
    }

    /** One connection of it. */
    final class Peer {
        final Socket socket;
        final InputStream in;
        final OutputStream out;

        Peer(Socket socket) throws IOException {
            this.socket = socket;
            this.in = socket.getInputStream();
            this.out = socket.getOutputStream();
            socket.setTcpNoDelay(true);
        }

        /** Reads a header section; empty at the end of the connection. */
        String request() throws IOException {
            String text = until("\r\n\r\n").replace("\r\n", "\n");
            if (!text.isEmpty()) {
                requests.add(text);
            }
            return text;
        }

        String until(String end) throws IOException {
            var text = new StringBuilder();
            while (text.indexOf(end) < 0) {
                int c = in.read();
                if (c < 0) {
                    return "";
                }
                text.append((char) c);
            }
            return text.toString();
        }

        /** Keeps it as a request. */
        void note(String text) {
            requests.add(text);
        }

        String read(int bytes) throws IOException {
            return new String(in.readNBytes(bytes), ISO_8859_1);
        }

        /** Sends a text block: its lines end with CRLF. */
        void send(String block) throws IOException {
            out.write(block.replace("\n", "\r\n").getBytes(ISO_8859_1));
            out.flush();
        }

        /** Everything until the client has ended its side. */
        String rest() throws IOException {
            return new String(in.readAllBytes(), ISO_8859_1);
        }

        /** Waits until the client has closed the connection. */
        void awaitEnd() throws IOException {
            in.transferTo(OutputStream.nullOutputStream());
        }

        /** Ends the connection by a reset. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }
}
