// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.net.Admission;
import io.sirocco.net.limit.AddressTable;
import io.sirocco.net.limit.Ip;
import java.net.SocketAddress;
import java.util.concurrent.atomic.LongAdder;

/**
 * Limits the connections of one client, which is an IPv4 address or an IPv6 network of 64 bits.
 * Memory is constant: 16 bytes for each of {@code addresses}. Counts are exact while no more than a
 * quarter as many clients are connected; beyond that, clients with the fewest connections may be
 * forgotten and counted too low, so that no client is refused for the connections of another.
 *
 * <p>Clients of a Unix-domain socket cannot be distinguished and are not limited. Refusals are
 * counted as {@code connections-per-address}. Any thread.
 */
public final class ConnectionLimit implements Admission {
    private volatile int most;
    private final AddressTable table;
    private final LongAdder refused;

    /**
     * Creates a limit of {@code most} connections.
     *
     * @throws IllegalArgumentException if an argument is out of range
     */
    public ConnectionLimit(int most, int addresses, Rejections rejections) {
        this.table = new AddressTable(addresses);
        this.refused = rejections.count("connections-per-address");
        most(most);
    }

    /**
     * Changes the limit. Connections that are open still count, so a server that reloads keeps this
     * object.
     *
     * @throws IllegalArgumentException when it is less than 1
     */
    public void most(int most) {
        if (most < 1) {
            throw new IllegalArgumentException(
                    "connections-per-address is 1 or more, not " + most + ".");
        }
        this.most = most;
    }

    /** Returns whether the peer may have one more, which is counted then. */
    @Override
    public boolean admit(SocketAddress remote) {
        byte[] address = Ip.bytes(remote);
        if (address == null) {
            return true;
        }
        long key = AddressTable.key(address);
        synchronized (table.lock(key)) {
            int place = table.place(key);
            long open = table.number(place);
            if (open < most) {
                table.number(place, open + 1);
                return true;
            }
        }
        refused.increment();
        return false;
    }

    @Override
    public void gone(SocketAddress remote) {
        byte[] address = Ip.bytes(remote);
        if (address == null) {
            return;
        }
        long key = AddressTable.key(address);
        synchronized (table.lock(key)) {
            int place = table.find(key);
            if (place >= 0) {
                table.number(place, Math.max(0, table.number(place) - 1));
            }
        }
    }
}
