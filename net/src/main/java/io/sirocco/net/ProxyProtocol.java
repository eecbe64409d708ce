// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;

/**
 * The versions of the PROXY protocol, for a client that opens a connection for somebody else and
 * says so before its first byte. {@link ProxyHeader} has the picture of both.
 *
 * <p>Source: <a href="https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt">The PROXY
 * protocol, versions 1 and 2</a>. Immutable.
 */
public enum ProxyProtocol {
    /** A line of text. */
    V1 {
        @Override
        public byte[] header(SocketAddress client, SocketAddress server) {
            if (!(client instanceof InetSocketAddress from)
                    || !(server instanceof InetSocketAddress to)) {
                return local();
            }
            InetAddress at = destination(from, to);
            boolean four = areFour(from.getAddress(), at);
            String line =
                    "PROXY %s %s %s %d %d\r\n"
                            .formatted(
                                    four ? "TCP4" : "TCP6",
                                    text(from.getAddress(), four),
                                    text(at, four),
                                    from.getPort(),
                                    to.getPort());
            return line.getBytes(ISO_8859_1);
        }

        @Override
        public byte[] local() {
            return "PROXY UNKNOWN\r\n".getBytes(ISO_8859_1);
        }
    },

    /** A binary header. */
    V2 {
        @Override
        public byte[] header(SocketAddress client, SocketAddress server) {
            if (!(client instanceof InetSocketAddress from)
                    || !(server instanceof InetSocketAddress to)) {
                return binary(PROXY, UNSPECIFIED, new byte[0]);
            }
            InetAddress at = destination(from, to);
            boolean four = areFour(from.getAddress(), at);
            var addresses = new ByteArrayOutputStream(36);
            addresses.writeBytes(bytes(from.getAddress(), four));
            addresses.writeBytes(bytes(at, four));
            for (InetSocketAddress each : new InetSocketAddress[] {from, to}) {
                addresses.write(each.getPort() >> 8);
                addresses.write(each.getPort());
            }
            return binary(PROXY, four ? TCP4 : TCP6, addresses.toByteArray());
        }

        @Override
        public byte[] local() {
            return binary(LOCAL, UNSPECIFIED, new byte[0]);
        }
    };

    private static final InetAddress ANY = InetAddress.ofLiteral("0.0.0.0");
    private static final InetAddress ANY_IPV6 = InetAddress.ofLiteral("::");
    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int UNSPECIFIED = 0x00;
    private static final int TCP4 = 0x11;
    private static final int TCP6 = 0x21;

    /**
     * Returns the header of a connection for a client.
     *
     * @param client its address
     * @param server the address that it connected to. If one of the two is not of the Internet, the
     *     header says that the client is unknown; if one is IPv4 and one IPv6, both are sent as
     *     IPv6
     */
    public abstract byte[] header(SocketAddress client, SocketAddress server);

    /** Returns the header of a connection that is for nobody else, such as a health check. */
    public abstract byte[] local();

    /** Returns the address, or where a server listens on all, that of the client's family. */
    private static InetAddress destination(InetSocketAddress from, InetSocketAddress to) {
        return to.getAddress().isAnyLocalAddress()
                ? from.getAddress() instanceof Inet4Address ? ANY : ANY_IPV6
                : to.getAddress();
    }

    private static boolean areFour(InetAddress one, InetAddress other) {
        return one instanceof Inet4Address && other instanceof Inet4Address;
    }

    private static String text(InetAddress address, boolean four) {
        String text = address.getHostAddress().replaceFirst("%.*", "");
        return !four && address instanceof Inet4Address ? "::ffff:" + text : text;
    }

    private static byte[] bytes(InetAddress address, boolean four) {
        byte[] bytes = address.getAddress();
        if (four || bytes.length == 16) {
            return bytes;
        }
        byte[] mapped = new byte[16]; // RFC 4291 2.5.5.2
        mapped[10] = mapped[11] = (byte) 0xff;
        System.arraycopy(bytes, 0, mapped, 12, 4);
        return mapped;
    }

    private static byte[] binary(int command, int family, byte[] addresses) {
        byte[] header = Arrays.copyOf(ProxyHeader.SIGNATURE, 16 + addresses.length);
        header[12] = (byte) command;
        header[13] = (byte) family;
        header[15] = (byte) addresses.length;
        System.arraycopy(addresses, 0, header, 16, addresses.length);
        return header;
    }
}
