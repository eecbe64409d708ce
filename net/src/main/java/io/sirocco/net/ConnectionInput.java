// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * The input of one connection that is not used up: bytes that wait for the protocol, and counts of
 * the bytes that TLS and the protocol keep. All of them count in the {@link MemoryBudget} of the
 * loop, which lends this object to a connection for as long as there are any, and keeps the lent
 * ones in the order in which their peers have made no progress. Loop-confined.
 */
final class ConnectionInput {
    /** The kinds of bytes. */
    enum Kind {
        /** Bytes that the connection keeps back, or that the protocol has left over. */
        BUFFERED,
        /** Incomplete records, and what a handshake takes. */
        RECORDS,
        /** Bytes that the protocol stores. */
        STORED
    }

    /** Bytes of heap that the object itself costs. */
    static final int COST = 64;

    Connection owner;

    /** The input that waits: {@link #length} bytes from index {@link #from} on; null if none. */
    byte[] bytes;

    int from;
    int length;
    long peerSent; // since it was moved last

    private long buffered;
    private long records;
    private long stored;

    private Queue queue; // that it is in
    private ConnectionInput older;
    private ConnectionInput newer;

    /** Returns the bytes of memory that are counted. */
    long total() {
        return COST + buffered + records + stored;
    }

    long count(Kind kind) {
        return switch (kind) {
            case BUFFERED -> buffered;
            case RECORDS -> records;
            case STORED -> stored;
        };
    }

    void count(Kind kind, long bytes) {
        switch (kind) {
            case BUFFERED -> buffered = bytes;
            case RECORDS -> records = bytes;
            case STORED -> stored = bytes;
        }
    }

    /** Returns whether nothing is counted. */
    boolean isEmpty() {
        return buffered + records + stored == 0;
    }

    /** Forgets the bytes that wait; their count stays. */
    void forget() {
        bytes = null;
        from = 0;
        length = 0;
    }

    private void clear() {
        owner = null;
        forget();
        peerSent = 0;
        buffered = 0;
        records = 0;
        stored = 0;
    }

    /** Inputs in the order in which they have waited. */
    static final class Queue {
        private ConnectionInput oldest;
        private ConnectionInput newest;

        ConnectionInput oldestBut(ConnectionInput other) {
            return oldest == other && other != null ? other.newer : oldest;
        }

        boolean contains(ConnectionInput input) {
            return input.queue == this;
        }

        boolean endsWith(ConnectionInput input) {
            return newest == input;
        }

        /** Appends {@code input}, which leaves the queue that it was in. */
        void append(ConnectionInput input) {
            if (input.queue != null) {
                input.queue.remove(input);
            }
            input.queue = this;
            input.older = newest;
            input.newer = null;
            if (newest == null) {
                oldest = input;
            } else {
                newest.newer = input;
            }
            newest = input;
        }

        private void remove(ConnectionInput input) {
            if (input.older == null) {
                oldest = input.newer;
            } else {
                input.older.newer = input.newer;
            }
            if (input.newer == null) {
                newest = input.older;
            } else {
                input.newer.older = input.older;
            }
            input.older = null;
            input.newer = null;
            input.queue = null;
        }
    }

    /** Inputs that no connection needs at the moment. Loop-confined. */
    static final class Pool {
        private static final int MAX = 256;

        private ConnectionInput free; // linked by newer
        private int size;

        ConnectionInput borrow(Connection owner) {
            ConnectionInput input = free;
            if (input == null) {
                input = new ConnectionInput();
            } else {
                free = input.newer;
                input.newer = null;
                size--;
            }
            input.owner = owner;
            return input;
        }

        /** Takes {@code input} out of its queue, and back. */
        void giveBack(ConnectionInput input) {
            input.queue.remove(input);
            if (size < MAX) {
                input.clear();
                input.newer = free;
                free = input;
                size++;
            }
        }
    }
}
