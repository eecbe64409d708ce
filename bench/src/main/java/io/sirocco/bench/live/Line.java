// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One connection that asks and waits, for checks: HTTP with answers of a stated length, then frames
 * of text. Used by one thread.
 */
final class Line implements AutoCloseable {
    private static final int MAX = 1 << 20;
    private static final Pattern LENGTH =
            Pattern.compile("(?i)\r\ncontent-length: *([0-9]{1,6})\r\n");

    private final Socket socket = new Socket();
    private final FrameWriter frames = new FrameWriter();
    private final InputStream in;

    /** An answer of HTTP. */
    record Answer(int status, String head, String body) {}

    /**
     * @param timeoutMillis for the connection, and until something of an answer comes
     */
    Line(InetSocketAddress server, int timeoutMillis) throws IOException {
        try {
            socket.connect(server, timeoutMillis);
            socket.setSoTimeout(timeoutMillis);
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Sends a request, and reads the answer if it is not an upgrade. */
    Answer ask(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        var head = new StringBuilder();
        while (head.length() < 4 || head.lastIndexOf("\r\n\r\n") != head.length() - 4) {
            head.append((char) octet());
            if (head.length() > MAX) {
                throw new ProtocolException("a head without an end");
            }
        }
        String text = head.toString();
        if (!text.matches("(?s)HTTP/1\\.1 [0-9]{3}.*")) {
            throw new ProtocolException("no answer of HTTP/1.1");
        }
        int status = Integer.parseInt(text.substring(9, 12));
        Matcher length = LENGTH.matcher(text);
        String body =
                length.find()
                        ? new String(in.readNBytes(Integer.parseInt(length.group(1))), UTF_8)
                        : "";
        return new Answer(status, text, body);
    }

    void send(String text) throws IOException {
        byte[] frame = frames.begin().put(text.getBytes(UTF_8)).text();
        socket.getOutputStream().write(frame);
    }

    /** The next text, answering pings meanwhile. */
    String next() throws IOException {
        while (true) {
            int first = octet();
            long length = octet();
            if (length > 125) {
                int octets = length == 126 ? 2 : 8;
                length = 0;
                for (int i = 0; i < octets; i++) {
                    length = length << 8 | octet();
                }
            }
            if (length > MAX) {
                throw new ProtocolException("a frame of " + length + " bytes");
            }
            byte[] payload = in.readNBytes((int) length);
            switch (first) {
                case 0x81 -> {
                    String text = new String(payload, UTF_8);
                    if (!text.equals("2")) {
                        return text;
                    }
                    send("3");
                }
                case 0x88 -> throw new EOFException("the WebSocket was closed");
                case 0x89, 0x8a -> {}
                default -> throw new ProtocolException("a frame that begins with " + first);
            }
        }
    }

    private int octet() throws IOException {
        int octet = in.read();
        if (octet < 0) {
            throw new EOFException("the connection ended");
        }
        return octet;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
