// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import clojure.lang.AFn;
import clojure.lang.IKVReduce;
import clojure.lang.IPersistentMap;
import clojure.lang.RT;
import io.sirocco.http.Headers;
import java.util.Iterator;
import java.util.Map;

/**
 * Reads the {@code :headers} of a response. Those that the server sets itself are taken out: it
 * keeps what they ask for. Used by one thread.
 */
final class RingHeaderReader extends AFn {
    private static final RingHeaderReader NONE = new RingHeaderReader();

    private final Headers.Builder builder = Headers.builder();
    private boolean any;
    String contentType; // null without
    long length = -1; // as stated, -1 without
    boolean close; // asked for

    private RingHeaderReader() {}

    static RingHeaderReader of(Object headers) {
        if (headers == null || headers instanceof IPersistentMap map && map.count() == 0) {
            return NONE;
        }
        var reader = new RingHeaderReader();
        switch (headers) {
            case IPersistentMap map when map instanceof IKVReduce entries ->
                    entries.kvreduce(reader, null); // without an object for each
            case Map<?, ?> map -> map.forEach(reader::invokeEach);
            default ->
                    throw new IllegalArgumentException(
                            "The :headers must be a map, not an object of "
                                    + headers.getClass().getName());
        }
        return reader;
    }

    Headers headers() {
        return any ? builder.build() : Headers.none();
    }

    @Override
    public Object invoke(Object reduced, Object name, Object value) {
        invokeEach(name, value);
        return null;
    }

    private void invokeEach(Object key, Object value) {
        if (value == null) {
            return;
        }
        String name = RingResponses.name(key);
        if (value instanceof String one) {
            add(name, one);
        } else if (value instanceof Iterable<?> || value.getClass().isArray()) {
            for (Iterator<?> each = RT.iter(value); each.hasNext(); ) {
                Object line = each.next();
                if (line != null) {
                    add(name, line.toString());
                }
            }
        } else {
            add(name, value.toString());
        }
    }

    private void add(String name, String value) {
        switch (name.length()) {
            case 12 -> {
                if (name.equalsIgnoreCase("Content-Type")) {
                    contentType = value;
                }
            }
            case 14 -> {
                if (name.equalsIgnoreCase("Content-Length")) {
                    length = length(value);
                    return;
                }
            }
            case 10 -> {
                if (name.equalsIgnoreCase("Connection")) {
                    close |= value.strip().equalsIgnoreCase("close");
                    return;
                }
                if (name.equalsIgnoreCase("Keep-Alive")) {
                    return;
                }
            }
            case 17 -> {
                if (name.equalsIgnoreCase("Transfer-Encoding")) {
                    return;
                }
            }
            case 7 -> {
                if (name.equalsIgnoreCase("Upgrade") || name.equalsIgnoreCase("Trailer")) {
                    return;
                }
            }
            case 8 -> {
                if (name.equalsIgnoreCase("Location")) {
                    any = true;
                    builder.add(name, encoded(value));
                    return;
                }
            }
            default -> {}
        }
        any = true;
        builder.add(name, sendable(value));
    }

    /** Returns the value with the bytes of UTF-8 as characters, as they are sent. */
    private static String sendable(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) > 0x7f) {
                return new String(value.getBytes(UTF_8), ISO_8859_1);
            }
        }
        return value;
    }

    /** Percent-encodes what a URI cannot contain; a control character is left to be refused. */
    private static String encoded(String location) {
        StringBuilder out = null;
        byte[] bytes = location.getBytes(UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            boolean bad = bytes[i] < 0 || bytes[i] == ' ' || bytes[i] == '"';
            if (bad && out == null) {
                out = new StringBuilder(new String(bytes, 0, i, ISO_8859_1));
            }
            if (bad) {
                out.append("%%%02X".formatted(bytes[i] & 0xff));
            } else if (out != null) {
                out.append((char) bytes[i]);
            }
        }
        return out == null ? location : out.toString();
    }

    /** Returns -1 for anything but digits (RFC 9110 8.6). */
    private static long length(String value) {
        String digits = value.strip();
        try {
            return digits.startsWith("+") ? -1 : Math.max(-1, Long.parseLong(digits));
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
