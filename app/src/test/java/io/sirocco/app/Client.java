// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;

/** A client that sends exactly the bytes it is given, and cleans up nothing. */
public final class Client implements AutoCloseable {
    private static final int PATIENCE = 60_000;

    private final Socket socket;

    public Client(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Over a connection that is there already: to another address, or one with TLS. */
    public Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE);
    }

    /** The whole answer to a request that is the last of its connection. */
    public static Answer get(int port, String target, String... fields) throws IOException {
        try (var client = new Client(port)) {
            String all = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
            client.send(
                    "GET "
                            + target
                            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                            + all);
            client.send("\r\n");
            return client.last();
        }
    }

    public void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    }

    /** The same, in another thread. */
    void sendOrFail(String text) {
        try {
            send(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public InputStream in() throws IOException {
        return socket.getInputStream();
    }

    /** All that comes until the server closes. */
    public Answer last() throws IOException {
        return Answer.of(new String(in().readAllBytes(), ISO_8859_1));
    }

    /** The answer to a request without a body, on a connection that is kept. */
    public Answer ask(String method, String target, String... fields) throws IOException {
        String all = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + all + "\r\n");
        return next(method.equals("HEAD"));
    }

    /** The next response, whose length is stated. */
    public Answer next(boolean headOnly) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in().read();
            if (b < 0) throw new EOFException("in the middle of a head: " + head);
            head.append((char) b);
        }
        Answer answer = Answer.of(head.toString());
        if (headOnly || answer.status() == 204 || answer.status() == 304) return answer;
        int length = Integer.parseInt(answer.field("Content-Length"));
        byte[] body = in().readNBytes(length);
        if (body.length < length) throw new EOFException(body.length + " bytes of " + length);
        return new Answer(answer.status(), answer.head(), new String(body, ISO_8859_1));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Bytes as characters. */
    public record Answer(int status, String head, String body) {
        static Answer of(String text) {
            int end = text.indexOf("\r\n\r\n");
            if (end < 0) throw new AssertionError("no answer but: " + text);
            return new Answer(
                    Integer.parseInt(text.substring(9, 12)),
                    text.substring(0, end),
                    text.substring(end + 4));
        }

        /** The value of a field; empty when it is missing. */
        public String field(String name) {
            return head.lines()
                    .filter(line -> line.regionMatches(true, 0, name + ": ", 0, name.length() + 2))
                    .map(line -> line.substring(name.length() + 2))
                    .findFirst()
                    .orElse("");
        }
    }
}
