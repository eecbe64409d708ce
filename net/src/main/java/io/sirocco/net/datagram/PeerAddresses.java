// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.datagram;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.SocketAddresses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/**
 * A cache of the addresses of peers, in the forms of the kernel and of Java, so that a datagram of
 * a known peer allocates nothing, and the same peer is the same object. It has one table for each
 * direction, of 256 sets of 4 entries; a new entry replaces the oldest of its set. The sockets that
 * share a cache are of one family, since an IPv6 socket has another form for IPv4 addresses.
 * Loop-confined.
 */
final class PeerAddresses {
    private static final int WAYS = 4;
    private static final int SETS = 256;
    private static final int SIX = 28; // bytes of struct sockaddr_in6
    private static final int FOUR = 16; // ... and of struct sockaddr_in

    private final Peer[] byName = new Peer[WAYS * SETS];
    private final Peer[] byAddress = new Peer[WAYS * SETS];

    /** One peer in both forms. Immutable. */
    static final class Peer {
        final InetSocketAddress address;
        private final int start; // family and port
        private final long high; // 0 for IPv4
        private final long low;
        private final int scope;

        private Peer(InetSocketAddress address, int start, long high, long low, int scope) {
            this.address = address;
            this.start = start;
            this.high = high;
            this.low = low;
            this.scope = scope;
        }

        /** Writes the kernel's form to {@code name} and returns its length. */
        int write(long name) {
            MEMORY.set(JAVA_INT, name, start);
            if (!isSix(name)) {
                MEMORY.set(JAVA_INT, name + 4, (int) low);
                MEMORY.set(JAVA_LONG, name + 8, 0);
                return FOUR;
            }
            MEMORY.set(JAVA_INT, name + 4, 0); // the flow
            MEMORY.set(JAVA_LONG, name + 8, high);
            MEMORY.set(JAVA_LONG, name + 16, low);
            MEMORY.set(JAVA_INT, name + 24, scope);
            return SIX;
        }

        private boolean isOf(InetSocketAddress other) {
            return address == other || address.equals(other) && scope == scope(other);
        }
    }

    private static boolean isSix(long name) {
        return MEMORY.get(JAVA_SHORT, name) == Linux.AF_INET6;
    }

    /** Two addresses of IPv6 are equal in Java if only their scopes differ. */
    private static int scope(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address six ? six.getScopeId() : 0;
    }

    /** Returns the peer whose address the kernel has written to {@code name}. */
    Peer of(long name) {
        boolean six = isSix(name);
        int start = MEMORY.get(JAVA_INT, name);
        long high = six ? MEMORY.get(JAVA_LONG, name + 8) : 0;
        long low = six ? MEMORY.get(JAVA_LONG, name + 16) : MEMORY.get(JAVA_INT, name + 4);
        int scope = six ? MEMORY.get(JAVA_INT, name + 24) : 0;
        int set = set(start * 31L + high * 17 + low);
        for (int i = set; i < set + WAYS; i++) {
            Peer peer = byName[i];
            if (peer == null) {
                break;
            }
            if (peer.low == low
                    && peer.start == start
                    && peer.high == high
                    && peer.scope == scope) {
                return peer;
            }
        }
        var address = (InetSocketAddress) SocketAddresses.toJava(MEMORY.asSlice(name, SIX), SIX);
        var peer = new Peer(address, start, high, low, scope);
        add(byName, set, peer);
        add(byAddress, set(address.hashCode()), peer);
        return peer;
    }

    /** Returns the peer that has this address, which must be resolved. */
    Peer of(InetSocketAddress address) {
        int set = set(address.hashCode());
        for (int i = set; i < set + WAYS; i++) {
            Peer peer = byAddress[i];
            if (peer == null) {
                break;
            }
            if (peer.isOf(address)) {
                return peer;
            }
        }
        Peer peer = translate(address);
        add(byAddress, set, peer);
        return peer;
    }

    private static Peer translate(InetSocketAddress address) {
        try (Arena scratch = Arena.ofConfined()) {
            long name = SocketAddresses.toNative(address, scratch).address();
            int start = MEMORY.get(JAVA_INT, name);
            return isSix(name)
                    ? new Peer(
                            address,
                            start,
                            MEMORY.get(JAVA_LONG, name + 8),
                            MEMORY.get(JAVA_LONG, name + 16),
                            MEMORY.get(JAVA_INT, name + 24))
                    : new Peer(address, start, 0, MEMORY.get(JAVA_INT, name + 4), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns where the set of what has this hash begins. */
    private static int set(long hash) {
        return (int) ((hash ^ hash >>> 32) * 0x9e37_79b9_7f4a_7c15L >>> 56) * WAYS;
    }

    private static void add(Peer[] table, int set, Peer peer) {
        System.arraycopy(table, set, table, set + 1, WAYS - 1);
        table[set] = peer;
    }
}
