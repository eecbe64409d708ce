// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;

/** A client over a WebSocket that is cheap enough to have hundreds of. Used by one thread. */
final class SocketPeer implements AutoCloseable {
    private static final int PATIENCE = 10_000; // milliseconds
    private static final int TEXT = 0x81;
    private static final byte[] CLOSE = {(byte) 0x88, (byte) 0x80, 0, 0, 0, 0};

    private final Socket socket;
    private final DataInputStream in;

    SocketPeer(int port) throws IOException {
        this(port, "");
    }

    /** Opens a session, with further lines of headers. */
    SocketPeer(int port, String headers) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        String handshake =
                "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n"
                        + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Version: 13\r\n"
                        + headers
                        + "\r\n";
        socket.getOutputStream().write(handshake.getBytes(UTF_8));
        String head = head();
        if (!head.startsWith("HTTP/1.1 101") || !next().startsWith("0{\"sid\":")) {
            throw new IOException(head);
        }
    }

    private String head() throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.readUnsignedByte());
        }
        return head.toString();
    }

    /** Asks to be let in; returns the packet that decides. */
    String connect(String auth) throws IOException {
        return send("40" + auth).next();
    }

    SocketPeer send(String packet) throws IOException {
        byte[] payload = packet.getBytes(UTF_8);
        int head = payload.length < 126 ? 6 : 8;
        byte[] frame = new byte[head + payload.length]; // whose mask is zero
        frame[0] = (byte) TEXT;
        if (head == 6) {
            frame[1] = (byte) (0x80 | payload.length);
        } else {
            frame[1] = (byte) (0x80 | 126);
            frame[2] = (byte) (payload.length >> 8);
            frame[3] = (byte) payload.length;
        }
        System.arraycopy(payload, 0, frame, head, payload.length);
        socket.getOutputStream().write(frame);
        return this;
    }

    /** Returns the next packet. */
    String next() throws IOException {
        int kind = in.readUnsignedByte();
        int length = in.readUnsignedByte();
        byte[] payload = new byte[length == 126 ? in.readUnsignedShort() : length];
        in.readFully(payload);
        String packet = new String(payload, UTF_8);
        if (kind != TEXT || length > 126) {
            throw new IOException("a frame " + kind + " of " + length + ": " + packet);
        }
        return packet;
    }

    /** Leaves, and waits until the server has read that. */
    void leave() throws IOException {
        send("41");
        socket.getOutputStream().write(CLOSE);
        in.transferTo(OutputStream.nullOutputStream());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
