// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.net.limit.Ip;
import java.net.InetAddress;
import java.util.regex.Pattern;

/**
 * The addresses that share their first {@code prefix} bits of 128; those of IPv4 stand in the last
 * 32 (RFC 4632 3.1, RFC 4291 2.3). Immutable.
 *
 * @param v4 whether it is one of IPv4: {@code ::/0} does not hold 10.0.0.1
 */
record Network(boolean v4, long high, long low, int prefix) {
    /** InetAddress takes {@code 10.1} for 10.0.0.1, and leading zeros: people mean other things. */
    private static final Pattern DOTTED =
            Pattern.compile("(0|[1-9]\\d{0,2})(\\.(0|[1-9]\\d{0,2})){3}");

    private static final Pattern DECIMAL = Pattern.compile("0|[1-9]\\d{0,2}");

    /**
     * Reads {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or an address alone.
     *
     * @throws IllegalArgumentException which says what is wrong and what to write instead
     */
    static Network parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = address(text, slash < 0 ? text : text.substring(0, slash));
        boolean written6 = text.indexOf(':') >= 0;
        int most = written6 ? 128 : 32;
        int bits = slash < 0 ? most : bits(text, text.substring(slash + 1), most);
        boolean v4 = Ip.isV4(address);
        if (v4 && written6 && bits < 96) {
            throw bad(
                    text, "is partly IPv4 and partly IPv6", "write \"0.0.0.0/0\" for all of IPv4");
        }
        var network =
                v4
                        ? new Network(true, 0, Ip.v4(address), written6 ? bits : 96 + bits)
                        : new Network(false, Ip.high(address), Ip.low(address), bits);
        if (!network.equals(network.masked())) {
            throw bad(
                    text,
                    "has bits set behind its first " + bits,
                    "write \""
                            + network.masked()
                            + "\" for the network, or leave out \"/"
                            + bits
                            + "\" for the one address");
        }
        return network;
    }

    private static byte[] address(String text, String address) {
        boolean plausible =
                address.indexOf(':') >= 0
                        ? address.chars().allMatch(c -> c == ':' || c == '.' || hex(c))
                        : DOTTED.matcher(address).matches();
        if (plausible) {
            try {
                return InetAddress.ofLiteral(address).getAddress();
            } catch (IllegalArgumentException e) {
                // said below
            }
        }
        throw bad(
                text,
                "is no address",
                "write one such as \"192.0.2.7\" or \"2001:db8::7\", a network such as"
                        + " \"10.0.0.0/8\" or \"2001:db8::/32\", or \"unix\"");
    }

    private static boolean hex(int c) {
        return Character.digit(c, 16) >= 0 && c < 0x80;
    }

    private static int bits(String text, String bits, int most) {
        if (!DECIMAL.matcher(bits).matches() || Integer.parseInt(bits) > most) {
            throw bad(
                    text,
                    "has \"" + bits + "\" behind its slash",
                    "write the number of leading bits that its addresses share, 0 to " + most);
        }
        return Integer.parseInt(bits);
    }

    private static IllegalArgumentException bad(String text, String what, String remedy) {
        return new IllegalArgumentException("\"" + text + "\" " + what + "; " + remedy + ".");
    }

    long highMask() {
        return prefix == 0 ? 0 : prefix >= 64 ? -1 : -1L << (64 - prefix);
    }

    long lowMask() {
        return prefix <= 64 ? 0 : -1L << (128 - prefix);
    }

    private Network masked() {
        return new Network(v4, high & highMask(), low & lowMask(), prefix);
    }

    boolean contains(Network other) {
        return v4 == other.v4
                && prefix <= other.prefix
                && (other.high & highMask()) == high
                && (other.low & lowMask()) == low;
    }

    /** Returns it in its one form: {@code 2001:db8::/32}, or an address alone. */
    @Override
    public String toString() {
        byte[] bytes = new byte[v4 ? 4 : 16];
        for (int i = 0; i < bytes.length; i++) {
            int shift = 8 * (bytes.length - 1 - i);
            bytes[i] = (byte) (shift >= 64 ? high >> (shift - 64) : low >> shift);
        }
        try {
            String first = Ip.text(InetAddress.getByAddress(bytes));
            return prefix == 128 ? first : first + "/" + (v4 ? prefix - 96 : prefix);
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
