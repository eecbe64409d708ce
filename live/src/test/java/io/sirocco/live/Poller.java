// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.stream.Stream;

/** Long polling over one connection of HTTP/1.1, and so on one loop. Used by one thread. */
final class Poller implements AutoCloseable {
    private static final int PATIENCE = 20_000; // milliseconds

    private final Socket socket;
    private final InputStream in;
    private String session = "/socket.io/?EIO=4&transport=polling";

    Poller(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE);
        socket.setSoLinger(true, 0);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Opens a session, and is let in. */
    String connect(String auth) throws IOException {
        String opening = ask("GET " + session, "");
        session += "&sid=" + opening.substring(9, opening.indexOf('"', 9));
        say("40" + auth);
        return poll();
    }

    void say(String packets) throws IOException {
        String answer = ask("POST " + session, packets);
        if (!answer.equals("ok")) {
            throw new IOException(answer);
        }
    }

    /** What waits, or comes next: packets with {@code 0x1e} between them. */
    String poll() throws IOException {
        return ask("GET " + session, "");
    }

    /** Polls, and leaves it at that. */
    void beginPoll() throws IOException {
        send("GET " + session, "");
    }

    String session() {
        return session;
    }

    /** Says nothing more, and still listens. */
    void end() throws IOException {
        socket.shutdownOutput();
    }

    /** The body of a response that states its length. */
    String ask(String line, String body, String... headers) throws IOException {
        send(line, body, headers);
        String answer = head();
        int at = answer.indexOf("Content-Length: ") + 16;
        int length = Integer.parseInt(answer.substring(at, answer.indexOf('\r', at)));
        return new String(in.readNBytes(length), UTF_8);
    }

    private void send(String line, String body, String... headers) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        String head =
                line
                        + " HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain;charset=UTF-8\r\n"
                        + (line.startsWith("POST")
                                ? "Content-Length: " + bytes.length + "\r\n"
                                : "")
                        + Stream.of(headers).map(each -> each + "\r\n").collect(joining())
                        + "\r\n";
        socket.getOutputStream().write((head + body).getBytes(UTF_8));
    }

    private String head() throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                throw new EOFException("the connection has ended behind " + head);
            }
            head.append((char) c);
        }
        return head.toString();
    }

    /** Is gone, without a word. */
    void reset() throws IOException {
        socket.close();
    }

    @Override
    public void close() throws IOException {
        reset();
    }
}
