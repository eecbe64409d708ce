// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Parses the header of the PROXY protocol, versions 1 and 2, with which a proxy says for whom it
 * opened a connection. It owns no socket and no buffer: it is given all bytes that have come so
 * far, and says the same of them however they arrived.
 *
 * <pre>
 *   version 1   PROXY TCP4 192.0.2.7 192.0.2.1 51234 443 CR LF          at most 107 bytes
 *               PROXY UNKNOWN anything CR LF
 *
 *   version 2   0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A    signature
 *               2v                                     v: 0 LOCAL, 1 PROXY
 *               ft                                     f: 1 IPv4, 2 IPv6, 3 Unix; t: 1 stream
 *               length (16 bits)                       of all that follows
 *               source, destination, ports             12, 36 or 216 bytes
 *               TLVs                                   skipped
 * </pre>
 *
 * <p>Source: <a href="https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt">The PROXY
 * protocol, versions 1 and 2</a>, sections 2.1 and 2.2. Any thread.
 */
final class ProxyHeader {
    /**
     * Bytes of a header of version 2. The protocol allows 65,551; what is sent has a few hundred.
     */
    static final int LONGEST = 4096;

    private static final int LONGEST_LINE = 107;
    private static final byte[] WORD = "PROXY ".getBytes(ISO_8859_1);
    static final byte[] SIGNATURE = {
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A
    };
    private static final int FIXED = 16;
    private static final SocketAddress UNIX = UnixDomainSocketAddress.of("");

    /** What the bytes so far come to. */
    sealed interface Parsed {
        /** It is not all there. */
        record Incomplete() implements Parsed {}

        /**
         * A header.
         *
         * @param end behind its last byte
         * @param source the client; empty when the proxy speaks for itself, or does not know
         */
        record Complete(int end, Optional<SocketAddress> source) implements Parsed {}

        /** No header can begin so. */
        record Rejected(String reason) implements Parsed {}
    }

    private static final Parsed INCOMPLETE = new Parsed.Incomplete();

    private ProxyHeader() {}

    /** Parses the header that begins at {@code from}. */
    static Parsed parse(byte[] bytes, int from, int to) {
        if (from == to) return INCOMPLETE;
        return bytes[from] == WORD[0] ? line(bytes, from, to) : binary(bytes, from, to);
    }

    /**
     * Returns whether the bytes so far are those of {@code expected}, which they may be shorter
     * than.
     */
    private static boolean begins(byte[] expected, byte[] bytes, int from, int to) {
        int length = Math.min(expected.length, to - from);
        return Arrays.equals(expected, 0, length, bytes, from, from + length);
    }

    private static Parsed rejected(String reason) {
        return new Parsed.Rejected(reason);
    }

    // ---- version 1

    private static Parsed line(byte[] bytes, int from, int to) {
        if (!begins(WORD, bytes, from, to)) return rejected("no PROXY header");
        int most = Math.min(to, from + LONGEST_LINE);
        for (int i = from; i < most; i++) {
            if (bytes[i] == '\n') return rejected("a line that ends without CR");
            if (bytes[i] != '\r') continue;
            if (i + 1 == from + LONGEST_LINE) break;
            if (i + 1 == to) return INCOMPLETE;
            if (bytes[i + 1] != '\n') return rejected("a CR without LF");
            return line(new String(bytes, from, i - from, ISO_8859_1), i + 2);
        }
        return to - from < LONGEST_LINE
                ? INCOMPLETE
                : rejected("a line of more than " + LONGEST_LINE + " bytes");
    }

    private static Parsed line(String line, int end) {
        String[] words = line.split(" ", -1);
        String family = words[1];
        if (family.equals("UNKNOWN")) return new Parsed.Complete(end, Optional.empty());
        boolean four = family.equals("TCP4");
        if (!four && !family.equals("TCP6")) return rejected("an unknown family");
        if (words.length != 6) return rejected("a line without two addresses and two ports");
        InetAddress source = address(words[2], four);
        int port = port(words[4]);
        if (source == null || address(words[3], four) == null) return rejected("a bad address");
        if (port < 0 || port(words[5]) < 0) return rejected("a bad port");
        return new Parsed.Complete(end, Optional.of(new InetSocketAddress(source, port)));
    }

    /** Null for what is none of the family. */
    private static InetAddress address(String text, boolean four) {
        boolean plausible = four ? dotted(text) : text.indexOf(':') >= 0 && hexadecimal(text);
        try {
            return plausible ? InetAddress.ofLiteral(text) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Four numbers without leading zeros, which some would read as octal. */
    private static boolean dotted(String text) {
        String[] parts = text.split("\\.", -1);
        for (String part : parts) {
            if (number(part, 3, 255) < 0) return false;
        }
        return parts.length == 4;
    }

    private static boolean hexadecimal(String text) {
        return text.chars().allMatch(c -> c == ':' || c == '.' || Character.digit(c, 16) >= 0);
    }

    private static int port(String text) {
        return number(text, 5, 65_535);
    }

    /** -1 for what is no decimal number without leading zeros, or too large. */
    private static int number(String text, int digits, int most) {
        if (text.isEmpty() || text.length() > digits) return -1;
        if (text.charAt(0) == '0' && text.length() > 1) return -1;
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') return -1;
            number = 10 * number + c - '0';
        }
        return number <= most ? number : -1;
    }

    // ---- version 2

    private static Parsed binary(byte[] bytes, int from, int to) {
        if (!begins(SIGNATURE, bytes, from, to)) return rejected("no PROXY header");
        int length = to - from;
        if (length > 12 && (bytes[from + 12] & 0xF0) != 0x20) return rejected("an unknown version");
        if (length > 12 && (bytes[from + 12] & 0x0F) > 1) return rejected("an unknown command");
        if (length < FIXED) return INCOMPLETE;
        int rest = number(bytes, from + 14);
        if (FIXED + rest > LONGEST) {
            return rejected("a header of more than " + LONGEST + " bytes");
        }
        boolean local = (bytes[from + 12] & 0x0F) == 0;
        int family = bytes[from + 13] & 0xFF;
        int needed =
                switch (family) {
                    case 0x00 -> 0;
                    case 0x11 -> 12;
                    case 0x21 -> 36;
                    case 0x31 -> 216;
                    default -> -1;
                };
        if (!local && needed < 0) return rejected("an unknown family");
        if (!local && rest < needed) return rejected("a header without its addresses");
        if (length < FIXED + rest) return INCOMPLETE;
        int at = from + FIXED;
        SocketAddress source =
                local
                        ? null
                        : switch (family) {
                            case 0x11 -> internet(bytes, at, 4);
                            case 0x21 -> internet(bytes, at, 16);
                            case 0x31 -> UNIX;
                            default -> null;
                        };
        return new Parsed.Complete(at + rest, Optional.ofNullable(source));
    }

    private static int number(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }

    private static SocketAddress internet(byte[] bytes, int at, int length) {
        try {
            return new InetSocketAddress(
                    InetAddress.getByAddress(Arrays.copyOfRange(bytes, at, at + length)),
                    number(bytes, at + 2 * length));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
