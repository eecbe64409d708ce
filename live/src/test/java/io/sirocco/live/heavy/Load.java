// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.heavy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;

/** One client, as small as can be: a socket, and frames that are masked with zeros. */
final class Load implements Closeable {
    private final Socket socket;
    private final InputStream in;

    Load(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream(), 512);
    }

    /** A session, and a client in it, with what a browser would send. */
    Load connect(String auth) throws IOException {
        raw(
                "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n"
                        + "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\n"
                        + "Accept-Language: en-GB,en;q=0.9\r\nCookie: a=0123456789abcdef\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Version: 13\r\n\r\n");
        head();
        next();
        send("40" + auth);
        String answer = next();
        if (!answer.startsWith("40{")) {
            throw new IOException(answer);
        }
        return this;
    }

    /** The same, by way of long polling: {@code first} is the connection of that. */
    Load upgrade(Load first) throws IOException {
        String polling = "/socket.io/?EIO=4&transport=polling";
        String open = first.get(polling);
        String sid = open.substring(9, open.indexOf('"', 9));
        first.post(polling + "&sid=" + sid, "40");
        first.get(polling + "&sid=" + sid);
        raw(
                "GET /socket.io/?EIO=4&transport=websocket&sid="
                        + sid
                        + " HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Version: 13\r\n\r\n");
        head();
        send("2probe");
        next();
        send("5");
        return this;
    }

    void raw(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    }

    void head() throws IOException {
        for (int state = 0; state < 4; ) {
            int c = in.read();
            if (c < 0) {
                throw new EOFException();
            }
            state = c == (state % 2 == 0 ? '\r' : '\n') ? state + 1 : c == '\r' ? 1 : 0;
        }
    }

    String body(int length) throws IOException {
        return new String(in.readNBytes(length), ISO_8859_1);
    }

    /** The body of an answer that states its length. */
    String get(String path) throws IOException {
        raw("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        return answer();
    }

    String post(String path, String body) throws IOException {
        raw(
                "POST "
                        + path
                        + " HTTP/1.1\r\nHost: a\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body);
        return answer();
    }

    private String answer() throws IOException {
        var head = new StringBuilder();
        while (head.length() < 4 || head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        int at = head.indexOf("Content-Length: ") + 16;
        return body(Integer.parseInt(head.substring(at, head.indexOf("\r", at))));
    }

    void send(String text) throws IOException {
        byte[] payload = text.getBytes(ISO_8859_1);
        int n = payload.length;
        byte[] frame = new byte[n + (n < 126 ? 6 : 8)];
        frame[0] = (byte) 0x81;
        frame[1] = (byte) (0x80 | (n < 126 ? n : 126));
        if (n >= 126) {
            frame[2] = (byte) (n >> 8);
            frame[3] = (byte) n;
        }
        System.arraycopy(payload, 0, frame, frame.length - n, n);
        socket.getOutputStream().write(frame);
    }

    /** The next message. */
    String next() throws IOException {
        if (in.read() < 0) {
            throw new EOFException();
        }
        int n = in.read();
        if (n == 126) {
            n = in.read() << 8 | in.read();
        }
        return body(n);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
