// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that plays bytes as they are: a script for each connection, on a thread of its own. Any
 * thread.
 */
final class ScriptedServer implements AutoCloseable {

    /** What happens on one connection, the first of which is number 0. */
    interface Script {
        void play(int number, Peer peer) throws Exception;
    }

    final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    final AtomicInteger accepted = new AtomicInteger();
    private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final ServerSocket listener;

    ScriptedServer(Script script) throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofPlatform().daemon().start(() -> accept(script));
    }

    /** One whose every connection reads a request and sends {@code response}, and ends. */
    static ScriptedServer answering(String response) throws IOException {
        return new ScriptedServer(
                (number, peer) -> {
                    peer.request();
                    peer.send(response);
                });
    }

    private void accept(Script script) {
        try {
            while (true) {
                Socket socket = listener.accept();
                sockets.add(socket);
                int number = accepted.getAndIncrement();
                Thread.ofPlatform().daemon().start(() -> play(script, number, socket));
            }
        } catch (IOException e) {
            // it is closed
        }
    }

    private void play(Script script, int number, Socket socket) {
        try (socket) {
            script.play(number, new Peer(socket));
        } catch (SocketException e) {
            // the client has closed it, as it should
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket each : sockets) {
            each.close();
        }
    }

    /** One connection of it. */
    static final class Peer {
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
            var text = new StringBuilder();
            while (text.indexOf("\r\n\r\n") < 0) {
                int c = in.read();
                if (c < 0) {
                    return "";
                }
                text.append((char) c);
            }
            return text.toString();
        }

        void send(String text) throws IOException {
            send(text.getBytes(ISO_8859_1));
        }

        void send(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
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
