// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static io.sirocco.http.TrustedProxies.Field.FORWARDED;
import static io.sirocco.http.TrustedProxies.Field.X_FORWARDED_FOR;
import static io.sirocco.http.TrustedProxies.Field.X_FORWARDED_HOST;
import static io.sirocco.http.TrustedProxies.Field.X_FORWARDED_PROTO;

import io.sirocco.http.TrustedProxies;
import io.sirocco.http.message.Authority;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.Grammar;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What trusted proxies forward about a request: client, scheme, host. Immutable.
 *
 * @param client the address of the client; that of the peer if no proxy forwards one
 * @param scheme {@code http} or {@code https}; empty if unknown
 * @param authority the requested host, with its port if it has one; empty if unknown
 */
record Forwarded(SocketAddress client, String scheme, String authority) {

    /** The maximum number of hops of a chain of proxies. */
    private static final int MAX_HOPS = 32;

    /** Thrown when a relevant part of a header is malformed; the request is refused. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed() {
            super("", null, false, false);
        }
    }

    /** One {@code forwarded-element} (RFC 7239 4); missing parameters are empty. */
    private record Element(String node, String scheme, String host) {}

    /**
     * Reads the headers of a request from {@code peer}, which is trusted.
     *
     * @throws Malformed if a header has a value that no proxy sends
     */
    static Forwarded read(TrustedProxies proxies, SocketAddress peer, Fields fields)
            throws Malformed {
        return proxies.fields().contains(FORWARDED)
                ? standard(proxies, peer, values(fields, FORWARDED))
                : others(proxies, peer, fields);
    }

    /** Returns all values of a header in order. */
    private static List<String> values(Fields fields, TrustedProxies.Field field) {
        String name = field.toString();
        List<String> all = List.of();
        for (int i = fields.find(name); i >= 0; i = fields.find(name, i + 1)) {
            if (all.isEmpty()) all = new ArrayList<>(2);
            all.add(fields.value(i));
        }
        return all;
    }

    // ---- Forwarded

    private static Forwarded standard(
            TrustedProxies proxies, SocketAddress peer, List<String> lines) throws Malformed {
        var elements = new ArrayList<Element>();
        for (String line : lines) {
            elements(line, elements);
        }
        SocketAddress client = peer;
        Element said = null;
        for (int i = elements.size() - 1; i >= 0 && proxies.trusts(client); i--) {
            if (elements.size() - i > MAX_HOPS) throw new Malformed();
            said = elements.get(i);
            SocketAddress next = node(said.node);
            if (next == null) break; // hidden, or not said: what lies behind cannot be walked to
            client = next;
        }
        return said == null
                ? new Forwarded(client, "", "")
                : new Forwarded(client, scheme(said.scheme), authority(said.host));
    }

    /** {@code for=192.0.2.7;proto=https, for="[2001:db8::7]:4711"}. */
    private static void elements(String line, List<Element> elements) throws Malformed {
        String node = "";
        String scheme = "";
        String host = "";
        boolean any = false;
        for (int at = 0; ; ) {
            at = blanks(line, at);
            if (at == line.length() || line.charAt(at) == ',') {
                if (any) elements.add(new Element(node, scheme, host));
                if (at == line.length()) return;
                node = scheme = host = "";
                any = false;
                at++;
                continue;
            }
            if (line.charAt(at) == ';') { // a pair may be empty
                at++;
                continue;
            }
            int equals = token(line, at);
            if (equals == at || equals == line.length() || line.charAt(equals) != '=') {
                throw new Malformed();
            }
            String name = line.substring(at, equals).toLowerCase(Locale.ROOT);
            int from = equals + 1;
            int end = valueEnd(line, from);
            String value = value(line, from, end);
            any = true;
            switch (name) {
                case "for" -> node = once(node, value);
                case "proto" -> scheme = once(scheme, value);
                case "host" -> host = once(host, value);
                default -> {} // by, and extensions
            }
            at = blanks(line, end);
            if (at < line.length() && line.charAt(at) != ',' && line.charAt(at) != ';') {
                throw new Malformed();
            }
        }
    }

    /** Checks that a parameter occurs only once in an element (RFC 7239 4). */
    private static String once(String before, String value) throws Malformed {
        if (!before.isEmpty() || value.isEmpty()) throw new Malformed();
        return value;
    }

    private static int blanks(String line, int at) {
        while (at < line.length() && (line.charAt(at) == ' ' || line.charAt(at) == '\t')) {
            at++;
        }
        return at;
    }

    private static int token(String line, int at) {
        while (at < line.length() && Grammar.isTokenChar(line.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Returns the end of a token or a quoted string. */
    private static int valueEnd(String line, int from) throws Malformed {
        if (from == line.length() || line.charAt(from) != '"') {
            int end = token(line, from);
            if (end == from) throw new Malformed();
            return end;
        }
        for (int i = from + 1; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') return i + 1;
            if (c == '\\') i++;
        }
        throw new Malformed();
    }

    private static String value(String line, int from, int end) {
        if (line.charAt(from) != '"') return line.substring(from, end);
        var text = new StringBuilder(end - from);
        for (int i = from + 1; i < end - 1; i++) {
            if (line.charAt(i) == '\\') i++;
            text.append(line.charAt(i));
        }
        return text.toString();
    }

    // ---- X-Forwarded-For and its like

    private static Forwarded others(TrustedProxies proxies, SocketAddress peer, Fields fields)
            throws Malformed {
        SocketAddress client = peer;
        int hops = 0; // between the client and us, beyond the first
        if (proxies.fields().contains(X_FORWARDED_FOR)) {
            List<String> lines = values(fields, X_FORWARDED_FOR);
            for (int i = 0; proxies.trusts(client); i++) {
                String text = fromTheRight(lines, i);
                if (text.isEmpty()) break;
                if (i == MAX_HOPS) throw new Malformed();
                hops = i;
                SocketAddress next = node(text);
                if (next == null) break;
                client = next;
            }
        }
        String scheme = "";
        if (proxies.fields().contains(X_FORWARDED_PROTO)) {
            scheme = scheme(ofHop(values(fields, X_FORWARDED_PROTO), hops));
        }
        String host = "";
        if (proxies.fields().contains(X_FORWARDED_HOST)) {
            host = authority(ofHop(values(fields, X_FORWARDED_HOST), hops));
        }
        return new Forwarded(client, scheme, host);
    }

    /**
     * Returns the value of the client's hop. A single value applies to all hops: the first proxy
     * has set it and the others have kept it. In a list, each proxy has appended its own.
     */
    private static String ofHop(List<String> lines, int hops) throws Malformed {
        String said = fromTheRight(lines, hops);
        if (!said.isEmpty() || fromTheRight(lines, 0).isEmpty()) return said;
        if (!fromTheRight(lines, 1).isEmpty()) throw new Malformed();
        return fromTheRight(lines, 0);
    }

    /**
     * Returns the element of a list that has {@code skip} others to its right; empty if there is
     * none.
     */
    private static String fromTheRight(List<String> lines, int skip) {
        int left = skip;
        for (String line : lines.reversed()) {
            for (int to = line.length(); to >= 0; ) {
                int comma = line.lastIndexOf(',', to - 1);
                String member = line.substring(comma + 1, to).strip();
                if (!member.isEmpty() && left-- == 0) return member;
                to = comma;
            }
        }
        return "";
    }

    // ---- values

    /**
     * Parses a node (RFC 7239 6): an address, in brackets if it is IPv6 with a port, although
     * {@code X-Forwarded-For} usually has no brackets. Returns null if it is hidden or unknown.
     */
    static SocketAddress node(String text) throws Malformed {
        if (text.isEmpty()) return null;
        String host = text;
        String port = "";
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            if (end < 0) throw new Malformed();
            host = text.substring(1, end);
            if (end + 1 < text.length() && text.charAt(end + 1) != ':') throw new Malformed();
            port = end + 1 < text.length() ? text.substring(end + 2) : "0";
            if (host.indexOf(':') < 0) throw new Malformed();
        } else {
            int colon = text.indexOf(':');
            boolean one = colon >= 0 && colon == text.lastIndexOf(':');
            host = one ? text.substring(0, colon) : text;
            port = one ? text.substring(colon + 1) : "0";
        }
        int number = port(port);
        if (hidden(host)) return null;
        if (!isLiteral(host)) throw new Malformed();
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(host), number);
        } catch (IllegalArgumentException e) {
            throw new Malformed();
        }
    }

    /** Parses a port, which may be hidden and is not used. */
    private static int port(String text) throws Malformed {
        if (obfuscated(text)) return 0;
        if (text.isEmpty() || text.length() > 5) throw new Malformed();
        int port = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') throw new Malformed();
            port = 10 * port + c - '0';
        }
        if (port > 65_535) throw new Malformed();
        return port;
    }

    /** RFC 7239 6.2 and 6.3. */
    private static boolean hidden(String host) {
        return host.equalsIgnoreCase("unknown") || obfuscated(host);
    }

    private static boolean obfuscated(String text) {
        return text.length() > 1
                && text.charAt(0) == '_'
                && text.chars()
                        .allMatch(
                                c ->
                                        c < 0x80 && Character.isLetterOrDigit(c)
                                                || "._-".indexOf(c) >= 0);
    }

    /** Returns whether the host is IPv6 without a zone, or four numbers without leading zeros. */
    private static boolean isLiteral(String host) {
        if (host.indexOf(':') >= 0) {
            return host.chars()
                    .allMatch(c -> c == ':' || c == '.' || c < 0x80 && Character.digit(c, 16) >= 0);
        }
        String[] parts = host.split("\\.", -1);
        for (String part : parts) {
            boolean digits =
                    !part.isEmpty()
                            && part.length() <= 3
                            && part.chars().allMatch(c -> c >= '0' && c <= '9');
            if (!digits || part.startsWith("0") && part.length() > 1) return false;
        }
        return parts.length == 4;
    }

    private static String scheme(String text) throws Malformed {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "" -> "";
            case "http", "ws" -> "http";
            case "https", "wss" -> "https";
            default -> throw new Malformed();
        };
    }

    private static String authority(String text) throws Malformed {
        if (!text.isEmpty() && !Authority.isValid(text)) throw new Malformed();
        return text;
    }

    /** Returns the host without its port. */
    String host() {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }
}
