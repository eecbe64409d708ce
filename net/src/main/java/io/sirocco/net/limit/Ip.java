// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;

/**
 * The bytes of an IP address as numbers. IPv4 has the lower 32 bits of {@link #low}; an IPv4
 * address that is mapped into IPv6 (RFC 4291 2.5.5.2) is IPv4. Any thread.
 */
public final class Ip {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private static final long MAPPED = 0xffffL << 32;

    /**
     * No address has these upper bits: ff00::/8 is multicast, and nobody's own (RFC 4291 2.7). So
     * IPv4 clients can share one range of keys with IPv6 networks.
     */
    private static final long IPV4_KEY = 0xff00_0000_0000_0000L;

    private Ip() {}

    /** The bytes of a peer's address, 4 or 16; null for a Unix-domain socket. */
    public static byte[] bytes(SocketAddress peer) {
        return peer instanceof InetSocketAddress inet && !inet.isUnresolved()
                ? inet.getAddress().getAddress()
                : null;
    }

    /**
     * The bytes of an address in writing, whose zone is left out; null for what is none. Nothing is
     * resolved.
     */
    public static byte[] bytes(String written) {
        int zone = written.indexOf('%');
        try {
            return InetAddress.ofLiteral(zone < 0 ? written : written.substring(0, zone))
                    .getAddress();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Returns an address as in a URL, for messages: {@code 127.0.0.1:80}, {@code [::1]:80}, the
     * name of a host if it was given as one, or the path of a Unix-domain socket.
     */
    public static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) return address.toString();
        String name = inet.getHostString();
        return inet.isUnresolved() || bytes(name) == null
                ? name + ":" + inet.getPort()
                : text(inet.getAddress(), inet.getPort());
    }

    /** Returns an address and a port as in a URL, whatever the name of the host. */
    public static String text(InetAddress address, int port) {
        String host = text(address);
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /**
     * Returns an address as text, without its zone: IPv6 as RFC 5952 4 has it, in lower case,
     * without leading zeros, the longest run of zero groups left out. {@code
     * InetAddress.getHostAddress} writes {@code 0:0:0:0:0:0:0:1} for {@code ::1}.
     */
    public static String text(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return address.getHostAddress();
        }
        int gap = -1;
        int gapEnd = -1;
        for (int i = 0; i < 8; i++) {
            int end = i;
            while (end < 8 && group(bytes, end) == 0) {
                end++;
            }
            if (end - i > Math.max(1, gapEnd - gap)) { // a single zero group stays
                gap = i;
                gapEnd = end;
            }
            i = Math.max(i, end - 1);
        }
        var text = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            if (i == gap) {
                text.append("::");
                i = gapEnd - 1;
            } else {
                if (i > 0 && i != gapEnd) {
                    text.append(':');
                }
                text.append(Integer.toHexString(group(bytes, i)));
            }
        }
        return text.toString();
    }

    private static int group(byte[] bytes, int i) {
        return (bytes[2 * i] & 0xff) << 8 | bytes[2 * i + 1] & 0xff;
    }

    public static boolean isV4(byte[] address) {
        return address.length == 4 || high(address) == 0 && low(address) >>> 32 == MAPPED >>> 32;
    }

    public static long high(byte[] address) {
        return address.length == 4 ? 0 : (long) LONGS.get(address, 0);
    }

    /** The lower 64 bits as they stand there, {@code ffff} of a mapped address included. */
    public static long low(byte[] address) {
        return address.length == 4
                ? Integer.toUnsignedLong((int) INTS.get(address, 0))
                : (long) LONGS.get(address, 8);
    }

    /** The 32 bits of an IPv4 address. */
    public static long v4(byte[] address) {
        return low(address) & 0xffff_ffffL;
    }

    /**
     * What counts as one client: an IPv4 address, or an IPv6 network of 64 bits, all of which one
     * subscriber has (RFC 6177 2).
     */
    public static long client(byte[] address) {
        return isV4(address) ? IPV4_KEY | v4(address) : high(address);
    }
}
