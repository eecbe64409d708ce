// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.TreeMap;

/** A plain blocking HTTP/1.1 client on one connection, for well-formed answers only. */
final class Client implements AutoCloseable {
    private static final int PATIENCE = 20_000;

    private final Socket socket;
    private final InputStream in;

    /** One response; of several fields of one name the last. */
    record Answer(int status, Map<String, String> fields, byte[] body) {
        String text() {
            return new String(body, ISO_8859_1);
        }

        String field(String name) {
            return fields.getOrDefault(name, "");
        }
    }

    private Client(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
    }

    static Client to(int port) throws IOException {
        return to(port, 0);
    }

    /** One whose receive buffer has so many bytes, or as many as usual if 0. */
    static Client to(int port, int receiveBuffer) throws IOException {
        var socket = new Socket();
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE);
        return new Client(socket);
    }

    /** Whether a connection can be had at all. */
    static boolean refused(int port) {
        try (var _ = to(port)) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    static Answer get(int port, String path) throws IOException {
        try (Client client = to(port)) {
            return client.get(path);
        }
    }

    Client send(String text) throws IOException {
        return send(text.getBytes(ISO_8859_1));
    }

    Client send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    Client ask(String path) throws IOException {
        return send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    Answer get(String path) throws IOException {
        return ask(path).answer();
    }

    Answer post(String path, byte[] body) throws IOException {
        send(
                "POST "
                        + path
                        + " HTTP/1.1\r\nHost: a\r\nContent-Length: "
                        + body.length
                        + "\r\n\r\n");
        return send(body).answer();
    }

    /** The next response, whole. */
    Answer answer() throws IOException {
        String status = line();
        Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        int code = Integer.parseInt(status.substring(9, 12));
        return new Answer(code, fields, body(code, fields));
    }

    /** The head of the next response, up to and with its blank line. */
    String head() throws IOException {
        var text = new StringBuilder();
        String line;
        do {
            line = line();
            text.append(line).append("\r\n");
        } while (!line.isEmpty());
        return text.toString();
    }

    private byte[] body(int status, Map<String, String> fields) throws IOException {
        if (status == 204 || status == 304) {
            return new byte[0];
        }
        if (fields.containsKey("Content-Length")) {
            return read(Integer.parseInt(fields.get("Content-Length")));
        }
        if (!"chunked".equals(fields.get("Transfer-Encoding"))) {
            return in.readAllBytes();
        }
        var all = new ByteArrayOutputStream();
        for (byte[] chunk = chunk(); chunk.length > 0; chunk = chunk()) {
            all.writeBytes(chunk);
        }
        return all.toByteArray();
    }

    /** The next chunk of a body in chunks; empty at its end. */
    byte[] chunk() throws IOException {
        byte[] chunk = read(Integer.parseInt(line(), 16));
        line();
        return chunk;
    }

    byte[] read(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException(bytes.length + " bytes of " + length);
        }
        return bytes;
    }

    String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\r'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("in the middle of a line: " + line);
            }
            line.write(b);
        }
        in.read();
        return line.toString(ISO_8859_1);
    }

    /** Waits for the first byte of what comes next; false when that is the end. */
    boolean begins() throws IOException {
        in.mark(1);
        int b = in.read();
        in.reset();
        return b >= 0;
    }

    /** Whether there is nothing more to read, in order or by a reset; waits for it. */
    boolean over() {
        try {
            return in.read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Bytes until the end, or until the patience is at its end. */
    long drain() throws IOException {
        byte[] piece = new byte[64 << 10];
        long total = 0;
        for (int n; (n = in.read(piece)) >= 0; total += n) {
            // on
        }
        return total;
    }

    /** Reads for {@code millis} and answers how many bytes came; stops early at the end. */
    long readFor(long millis) throws IOException {
        long end = System.nanoTime() + millis * 1_000_000;
        byte[] piece = new byte[64 << 10];
        long total = 0;
        for (long left = millis; left > 0; left = (end - System.nanoTime()) / 1_000_000) {
            socket.setSoTimeout((int) left);
            try {
                int n = in.read(piece);
                if (n < 0) {
                    break;
                }
                total += n;
            } catch (SocketTimeoutException e) {
                break;
            }
        }
        socket.setSoTimeout(PATIENCE);
        return total;
    }

    /** Whether nothing comes for {@code millis}. */
    boolean silentFor(int millis) throws IOException {
        socket.setSoTimeout(millis);
        in.mark(1);
        try {
            in.read();
            in.reset();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } finally {
            socket.setSoTimeout(PATIENCE);
        }
    }

    Client end() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /** Closes so that the other side sees a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    int localPort() {
        return socket.getLocalPort();
    }

    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 8));
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
