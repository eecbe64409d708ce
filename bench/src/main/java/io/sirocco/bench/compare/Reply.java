// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A response of HTTP/1 that says its length, read to its end and not a byte further.
 *
 * @param fields by their names in lower case; the last one counts
 */
record Reply(int status, Map<String, String> fields, byte[] body) {
    private static final int MAX_HEAD = 64 << 10;
    private static final int MAX_BODY = 16 << 20;

    /**
     * Reads one.
     *
     * @throws IOException when there is none, or its form is wrong; says in what way
     */
    static Reply read(InputStream in) throws IOException {
        String statusLine = line(in);
        if (!statusLine.matches("HTTP/1\\.[01] [0-9]{3}( .*)?")) {
            throw new ProtocolException("no status line: '" + LogTail.lastLine(statusLine) + "'");
        }
        Map<String, String> fields = new HashMap<>();
        int size = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (colon < 1 || (size += line.length()) > MAX_HEAD) {
                throw new ProtocolException("no field: '" + LogTail.lastLine(line) + "'");
            }
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            fields.put(name, line.substring(colon + 1).strip());
        }
        int status = Integer.parseInt(statusLine.substring(9, 12));
        return new Reply(status, fields, body(in, length(fields)));
    }

    Optional<String> field(String name) {
        return Optional.ofNullable(fields.get(name));
    }

    private static int length(Map<String, String> fields) throws IOException {
        String length = fields.getOrDefault("content-length", "");
        if (!length.matches("[0-9]{1,8}") || Integer.parseInt(length) > MAX_BODY) {
            throw new ProtocolException("Content-Length is '" + length + "'");
        }
        return Integer.parseInt(length);
    }

    private static byte[] body(InputStream in, int length) throws IOException {
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("it ends after " + body.length + " of " + length + " bytes");
        }
        return body;
    }

    /** A line without its end. */
    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the connection ended in place of an answer");
            }
            if (line.length() > MAX_HEAD) {
                throw new ProtocolException("a line of more than " + MAX_HEAD + " bytes");
            }
            line.append((char) b);
        }
        int end = line.length() - 1;
        return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
    }
}
