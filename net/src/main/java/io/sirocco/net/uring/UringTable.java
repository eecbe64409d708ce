// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

/** One ring and the connections in its table of sockets, each in its slot. Loop-confined. */
final class UringTable implements AutoCloseable {
    final Uring transport;
    final Ring ring;

    /** How many slots connections have, or are about to have. */
    int used;

    private final UringConnection[] connections;
    private long[] lent; // what UringFiles knows of each slot; null while it has lent no descriptor
    private int sequence;

    UringTable(Uring transport, Ring ring) {
        this.transport = transport;
        this.ring = ring;
        this.connections = new UringConnection[ring.tableSize];
    }

    /** Returns the sequence number of the next connection, of 16 bits, which go around. */
    int nextSequence() {
        return ++sequence & 0xffff;
    }

    void put(UringConnection connection) {
        connections[connection.slot] = connection;
    }

    /** Forgets the connection in {@code slot}, which has been handed over or is gone. */
    void remove(int slot) {
        connections[slot] = null;
    }

    /** Returns the connection that an operation was about; null when its slot is another's. */
    UringConnection find(long about) {
        UringConnection connection = connections[(int) about];
        return connection != null && connection.sequence() == ((int) (about >>> 32) & 0xffff)
                ? connection
                : null;
    }

    /** Gives {@code slot} back: nothing is under way on it. */
    void closeSlot(int slot) {
        long about = Uring.userData(Uring.IGNORED, 0);
        long entry = ring.entry(Ring.CLOSE, Ring.SKIP_SUCCESS, 0, 0, 0, 0, about);
        Ring.fileIndex(entry, slot + 1);
    }

    /** Returns what {@link UringFiles} knows of each slot. */
    long[] lent() {
        if (lent == null) {
            lent = new long[ring.tableSize];
        }
        return lent;
    }

    /** Returns the same; null while it was never asked for. */
    long[] lentIfAny() {
        return lent;
    }

    @Override
    public void close() {
        ring.close();
    }
}
