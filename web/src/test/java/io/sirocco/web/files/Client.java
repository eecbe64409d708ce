// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sends exactly the bytes it is given and reads answers one after the other, on one connection.
 * Bytes are characters. Used by one thread at a time.
 */
public final class Client implements AutoCloseable {
    private static final int PATIENCE = 20_000;

    private final Socket socket = new Socket();
    private final InputStream in;

    /** One response; of several fields of one name the last. */
    public record Answer(int status, Map<String, String> fields, byte[] body) {
        public String text() {
            return new String(body, UTF_8);
        }

        /** The value of a field; empty when it is missing. */
        public String field(String name) {
            return fields.getOrDefault(name, "");
        }
    }

    public Client(int port) throws IOException {
        this(port, 0);
    }

    /** One whose receive buffer has so many bytes, or as many as usual if 0. */
    public Client(int port, int receiveBuffer) throws IOException {
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE);
        in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
    }

    public Client send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        return this;
    }

    /** The answer to a request without a body, on this connection. */
    public Answer ask(String method, String target, String... fields) throws IOException {
        String all = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        send(method + " " + target + " HTTP/1.1\r\nHost: a\r\n" + all + "\r\n");
        return answer(method.equals("HEAD"));
    }

    /** The next response, whole. */
    public Answer answer(boolean headOnly) throws IOException {
        String status = line();
        Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        int code = Integer.parseInt(status.substring(9, 12));
        boolean none = headOnly || code == 204 || code == 304;
        return new Answer(code, fields, none ? new byte[0] : body(fields));
    }

    private byte[] body(Map<String, String> fields) throws IOException {
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
    public byte[] chunk() throws IOException {
        byte[] chunk = read(Integer.parseInt(line(), 16));
        line();
        return chunk;
    }

    public byte[] read(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException(bytes.length + " bytes of " + length);
        }
        return bytes;
    }

    /** The next line, without its end. */
    public String line() throws IOException {
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

    /** Closes so that the server sees a reset. */
    public void abort() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
