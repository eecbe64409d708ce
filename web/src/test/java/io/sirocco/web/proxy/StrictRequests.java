// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads the requests of one connection byte by byte, with nothing of Sirocco and without any
 * tolerance: whatever RFC 9112 lets a server accept, but two servers may read differently, is
 * malformed. Used by one thread.
 */
final class StrictRequests {
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final Set<String> OF_ONE_CONNECTION =
            Set.of("keep-alive", "proxy-connection", "http2-settings", "proxy-authorization");

    private final InputStream in;
    private final ByteArrayOutputStream raw = new ByteArrayOutputStream();
    private final Runnable expectation;

    /**
     * One request as the tables of smuggling write it.
     *
     * @param line the method and the target
     * @param rest what else of it counts: the host unless it is {@code a}, the body, the trailers
     */
    record Seen(String line, String rest) {
        @Override
        public String toString() {
            return line + rest;
        }
    }

    /** A request that no server should accept; its message has what was received. */
    @SuppressWarnings("serial")
    static final class Malformed extends IOException {
        Malformed(String rule, String received) {
            super(rule + " in " + received);
        }
    }

    /**
     * @param expectation is run when a request waits for 100 (Continue)
     */
    StrictRequests(InputStream in, Runnable expectation) {
        this.in = in;
        this.expectation = expectation;
    }

    /**
     * Returns the next request; null at the end of the connection.
     *
     * @throws EOFException if the connection ends within a request; its message has the beginning
     */
    Seen next() throws IOException {
        raw.reset();
        int first = read();
        if (first < 0) {
            return null;
        }
        String line = (char) first + line();
        if (!line.matches(TOKEN + " /[!-~]* HTTP/1\\.1")) {
            throw malformed("request line");
        }
        Map<String, List<String>> fields = fields();
        String rest = host(fields) + upgrade(fields);
        List<String> lengths = fields.getOrDefault("content-length", List.of());
        List<String> codings = fields.getOrDefault("transfer-encoding", List.of());
        if (lengths.size() + codings.size() > 1) {
            throw malformed("framing");
        }
        if (fields.containsKey("expect")) {
            expectation.run();
        }
        if (!lengths.isEmpty()) {
            String body = text(number(lengths.getFirst(), "[0-9]{1,15}", 10));
            rest += body.isEmpty() ? "" : " " + body;
        } else if (!codings.isEmpty()) {
            if (!codings.getFirst().equals("chunked")) {
                throw malformed("coding");
            }
            String body = chunks();
            rest += body.isEmpty() ? "" : " " + body;
            var trailers = fields();
            if (!trailers.isEmpty()) {
                rest += " " + written(trailers);
            }
        }
        return new Seen(line.substring(0, line.lastIndexOf(' ')), rest);
    }

    private static String written(Map<String, List<String>> fields) {
        var text = new ArrayList<String>();
        fields.forEach((name, values) -> values.forEach(v -> text.add(name + ": " + v)));
        return text.toString().replace('[', '(').replace(']', ')');
    }

    private String host(Map<String, List<String>> fields) throws Malformed {
        List<String> hosts = fields.getOrDefault("host", List.of());
        if (hosts.size() != 1
                || !hosts.getFirst()
                        .matches(
                                "([A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(:\\d*)?|\\[[0-9a-f:]+](:\\d+)?")) {
            throw malformed("host");
        }
        return hosts.getFirst().equals("a") ? "" : " host=" + hosts.getFirst();
    }

    private String upgrade(Map<String, List<String>> fields) throws Malformed {
        List<String> protocols = fields.getOrDefault("upgrade", List.of());
        List<String> options = fields.getOrDefault("connection", List.of());
        if (protocols.size() > 1
                || protocols.isEmpty()
                        == options.toString().toLowerCase(Locale.ROOT).contains("upgrade")) {
            throw malformed("upgrade");
        }
        return protocols.isEmpty() ? "" : " upgrade=" + protocols.getFirst();
    }

    private Map<String, List<String>> fields() throws IOException {
        var fields = new HashMap<String, List<String>>();
        for (String line; !(line = line()).isEmpty(); ) {
            int colon = line.indexOf(':');
            if (colon < 0
                    || !line.substring(0, colon).matches(TOKEN)
                    || !line.substring(colon).matches(":[\\t -~\\x80-\\xff]*")) {
                throw malformed("header");
            }
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            if (OF_ONE_CONNECTION.contains(name)) {
                throw malformed("header of another connection");
            }
            String value = line.substring(colon + 1).replaceAll("^[ \\t]+|[ \\t]+$", "");
            fields.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
        }
        return fields;
    }

    private String chunks() throws IOException {
        var body = new StringBuilder();
        while (true) {
            int size = number(line(), "[0-9a-fA-F]{1,7}", 16);
            if (size == 0) {
                return body.toString();
            }
            body.append(text(size));
            if (!line().isEmpty()) {
                throw malformed("end of a chunk");
            }
        }
    }

    private int number(String digits, String pattern, int radix) throws Malformed {
        if (!digits.matches(pattern)) {
            throw malformed("number");
        }
        return Integer.parseInt(digits, radix);
    }

    private String text(int bytes) throws IOException {
        var text = new StringBuilder();
        for (int i = 0; i < bytes; i++) {
            text.append((char) some());
        }
        return text.toString();
    }

    /** Reads to CRLF, which is the only CR and the only LF of a line. */
    private String line() throws IOException {
        var line = new StringBuilder();
        for (int c; (c = some()) != '\r'; line.append((char) c)) {
            if (c == '\n') {
                throw malformed("LF without CR");
            }
        }
        if (some() != '\n') {
            throw malformed("CR without LF");
        }
        return line.toString();
    }

    private int some() throws IOException {
        int c = read();
        if (c < 0) {
            throw new EOFException(received());
        }
        return c;
    }

    private int read() throws IOException {
        int c = in.read();
        if (c >= 0) {
            raw.write(c);
        }
        return c;
    }

    private Malformed malformed(String rule) {
        return new Malformed(rule, received());
    }

    private String received() {
        return raw.toString(ISO_8859_1);
    }
}
