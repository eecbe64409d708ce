// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.locks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** A connection of a client, which gives up when it is not answered. Used by one thread. */
public final class Caller implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 8_000;

    private final Socket socket;
    private final DataInputStream in;

    /** Connects to a port of this machine. */
    public Caller(int port) throws IOException {
        this(SocketFactory.getDefault(), port);
    }

    /** Connects with a socket of the test, such as one that speaks TLS. */
    public Caller(SocketFactory sockets, int port) throws IOException {
        socket = sockets.createSocket(InetAddress.ofLiteral("127.0.0.1"), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    /** A response whose body was received. Immutable but for its array. */
    public record Answer(int status, String head, byte[] body) {}

    /** Sends bytes. */
    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Sends text, whose line ends are LF here and CRLF on the wire. */
    public void send(String text) throws IOException {
        send(text.replace("\n", "\r\n").getBytes(ISO_8859_1));
    }

    /** The bytes to come. */
    public DataInputStream in() {
        return in;
    }

    /** Receives a response: with a length, chunked, or with an upgrade. */
    public Answer receive() throws IOException {
        var head = new StringBuilder();
        for (String line; !(line = line()).isEmpty(); ) {
            head.append(line).append('\n');
        }
        int status = Integer.parseInt(head.substring(9, 12));
        int at = head.indexOf("\nContent-Length: ");
        byte[] body = new byte[0];
        if (at >= 0) {
            int end = head.indexOf("\n", at + 1);
            body = new byte[Integer.parseInt(head.substring(at + 17, end))];
            in.readFully(body);
        } else if (head.indexOf("\nTransfer-Encoding: chunked") >= 0) {
            body = chunks();
        }
        return new Answer(status, head.toString(), body);
    }

    private byte[] chunks() throws IOException {
        var all = new ByteArrayOutputStream();
        while (true) {
            byte[] chunk = new byte[Integer.parseInt(line(), 16)];
            in.readFully(chunk);
            all.writeBytes(chunk);
            line();
            if (chunk.length == 0) {
                return all.toByteArray();
            }
        }
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int c; (c = in.read()) != '\n'; ) {
            if (c < 0) {
                throw new EOFException("ended behind: " + line);
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** Returns whether the server has closed the connection, for which it waits. */
    public boolean ends() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
