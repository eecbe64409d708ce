// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/** A client that sends bytes as they are, from any address of 127.0.0.0/8. Used by one thread. */
final class RawClient implements AutoCloseable {
    final Socket socket;
    private final InputStream in;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    RawClient(int port) throws IOException {
        this(port, "127.0.0.1");
    }

    RawClient(int port, String from) throws IOException {
        this(new Socket(), port, from);
    }

    /** One with an unconnected socket of the test, for TLS. */
    RawClient(Socket socket, int port, String from) throws IOException {
        this.socket = socket;
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        socket.setSoTimeout(20_000);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
    }

    /** Sends a text block: its lines end with CRLF. */
    RawClient send(String block) throws IOException {
        socket.getOutputStream().write(block.replace("\n", "\r\n").getBytes(ISO_8859_1));
        return this;
    }

    /** Reads until {@code end}, of a text block, is received; returns what is new. */
    String until(String end) throws IOException {
        var text = new StringBuilder();
        String wanted = end.replace("\n", "\r\n");
        while (!text.toString().endsWith(wanted)) {
            int c = in.read();
            if (c < 0) {
                throw new AssertionError("ended behind: " + text);
            }
            received.write(c);
            text.append((char) c);
        }
        return text.toString().replace("\r\n", "\n");
    }

    /** A whole response with {@code Content-Length}, or without a body. */
    String response() throws IOException {
        String head = until("\n\n");
        var length = java.util.regex.Pattern.compile("(?mi)^Content-Length: (\\d+)$").matcher(head);
        return length.find()
                ? head + new String(in.readNBytes(Integer.parseInt(length.group(1))), ISO_8859_1)
                : head;
    }

    /** Reads so many bytes. */
    String read(int bytes) throws IOException {
        return new String(in.readNBytes(bytes), ISO_8859_1);
    }

    /** Reads to the end; says how it came. */
    String end() throws IOException {
        var text = new StringBuilder();
        try {
            for (int c; (c = in.read()) >= 0; ) {
                text.append((char) c);
            }
            return text.toString().replace("\r\n", "\n") + "<end>";
        } catch (SocketException e) {
            return text.toString().replace("\r\n", "\n") + "<reset>";
        }
    }

    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
