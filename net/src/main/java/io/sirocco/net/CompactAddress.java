// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/** An IPv4 address with a port in 16 bytes of heap, of which the JDK's takes 80. Immutable. */
final class CompactAddress extends SocketAddress {
    private static final long serialVersionUID = 1;

    private final int host;
    private final char port;

    private CompactAddress(int host, char port) {
        this.host = host;
        this.port = port;
    }

    /** Returns it as one of these, if it is an IPv4 address without a name; else as it is. */
    static SocketAddress of(SocketAddress address) {
        if (address instanceof InetSocketAddress inet
                && inet.getAddress() instanceof Inet4Address) {
            byte[] b = inet.getAddress().getAddress();
            int host = b[0] << 24 | (b[1] & 0xff) << 16 | (b[2] & 0xff) << 8 | b[3] & 0xff;
            return new CompactAddress(host, (char) inet.getPort());
        }
        return address;
    }

    SocketAddress whole() {
        byte[] b = {(byte) (host >> 24), (byte) (host >> 16), (byte) (host >> 8), (byte) host};
        try {
            return new InetSocketAddress(InetAddress.getByAddress(b), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // of 4 bytes it is known
        }
    }
}
