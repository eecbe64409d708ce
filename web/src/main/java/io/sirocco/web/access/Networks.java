// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.net.limit.Ip;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A set of addresses and networks: {@code 192.0.2.7}, {@code 10.0.0.0/8}, {@code 2001:db8::/32},
 * and {@code unix} for clients of a Unix-domain socket. An IPv4 address that is mapped into IPv6
 * ({@code ::ffff:192.0.2.7}) is IPv4. Immutable.
 */
public final class Networks {
    private static final String UNIX = "unix";

    private final Blocks v4;
    private final Blocks v6;
    private final boolean unix;
    private final boolean empty;

    private Networks(List<Network> networks, boolean unix) {
        this.v4 = new Blocks(networks.stream().filter(Network::v4).toList());
        this.v6 = new Blocks(networks.stream().filter(network -> !network.v4()).toList());
        this.unix = unix;
        this.empty = networks.isEmpty() && !unix;
    }

    /**
     * Parses a list.
     *
     * @throws IllegalArgumentException with a message that names the invalid entry and a valid one
     */
    public static Networks of(List<String> texts) {
        var networks = new ArrayList<Network>();
        for (String text : texts) {
            if (!text.equals(UNIX)) {
                networks.add(Network.parse(text));
            }
        }
        return new Networks(networks, texts.contains(UNIX));
    }

    /**
     * Returns the one form of an entry: {@code 2001:db8::/32} for {@code 2001:DB8:0::/32}, {@code
     * 10.0.0.0/8} for {@code ::ffff:10.0.0.0/104}.
     *
     * @throws IllegalArgumentException as {@link #of} does
     */
    public static String canonical(String text) {
        return text.equals(UNIX) ? text : Network.parse(text).toString();
    }

    /** Returns whether a peer is among them. */
    public boolean contains(SocketAddress peer) {
        byte[] address = Ip.bytes(peer);
        if (address == null) {
            return unix && peer instanceof UnixDomainSocketAddress;
        }
        return Ip.isV4(address)
                ? v4.contains(0, Ip.v4(address))
                : v6.contains(Ip.high(address), Ip.low(address));
    }

    /** Returns whether nobody is among them. */
    public boolean isEmpty() {
        return empty;
    }
}
