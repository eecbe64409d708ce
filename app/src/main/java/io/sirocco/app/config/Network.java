// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The clients that a rule applies to, by their address. Immutable. */
public sealed interface Network {

    /** Clients of a Unix-domain socket, which have no address. */
    record Unix() implements Network {
        private static final String WORD = "unix";

        @Override
        public String toString() {
            return WORD;
        }
    }

    /**
     * An address, or all that share a prefix: {@code 10.0.0.0/8} (RFC 4632), {@code 2001:db8::/32}
     * (RFC 4291 2.3).
     *
     * @param address the first of them, without a name
     * @param prefix how many bits count
     */
    record Prefix(InetAddress address, int prefix) implements Network {
        @Override
        public String toString() {
            boolean one = prefix == address.getAddress().length * 8;
            String text = address.getHostAddress();
            if (text.contains(":")) { // RFC 5952 4.2, nearly
                text = text.replaceFirst("(^|:)0(:0)+(:|$)", "::");
            }
            return text + (one ? "" : "/" + prefix);
        }
    }

    /** Parses an address, an address with a prefix length, or {@code unix}. */
    static Network parse(String text) {
        if (text.equals(Unix.WORD)) return new Unix();
        String form = "write \"192.0.2.7\", \"10.0.0.0/8\", \"2001:db8::/32\" or \"unix\"";
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        if (!isAddress(address))
            throw new ConfigError("is not an address or network: \"" + text + "\"", form);
        InetAddress first = literal(address);
        int bits = first.getAddress().length * 8;
        String length = slash < 0 ? Integer.toString(bits) : text.substring(slash + 1);
        if (!length.matches("[0-9]{1,3}") || Integer.parseInt(length) > bits) {
            throw new ConfigError(
                    "is not a network: \"" + text + "\"", "the prefix length is 0 to " + bits);
        }
        var network = new Prefix(masked(first, Integer.parseInt(length)), Integer.parseInt(length));
        if (!network.address.equals(first)) {
            throw new ConfigError(
                    "has bits set after the prefix: \"" + text + "\"",
                    "write \"" + network + "\", or \"" + address + "\" for that address alone");
        }
        return network;
    }

    /** Returns whether a string is an address rather than a name; nothing is looked up. */
    static boolean isAddress(String text) {
        if (text.contains(":")) return text.matches("[0-9a-fA-F:.]{2,45}") && literal(text) != null;
        return text.matches("((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\\.(?!$)|$)){4}");
    }

    static boolean isLoopback(String text) {
        return isAddress(text) && literal(text).isLoopbackAddress();
    }

    private static InetAddress literal(String address) {
        try {
            return InetAddress.ofLiteral(address);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static InetAddress masked(InetAddress address, int prefix) {
        byte[] bytes = address.getAddress();
        for (int i = 0; i < bytes.length; i++) {
            int kept = Math.clamp(prefix - 8L * i, 0, 8);
            bytes[i] &= (byte) (0xff << (8 - kept));
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of its own length", e);
        }
    }
}
