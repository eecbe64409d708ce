// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** All connections of one loop, in a list through the connections themselves. Loop-confined. */
final class LoopConnections {
    private Connection newest;
    private int size;
    private final List<Walk> walks = new ArrayList<>(2); // under way

    /**
     * Visits each connection that is there when it begins, a few at a time: between two calls
     * connections may come, which it leaves out, and go. Loop-confined.
     */
    final class Walk {
        private Connection following = newest;

        private Walk() {}

        /** Calls {@code action} with up to {@code most}; goes on behind one for which it fails. */
        void visit(int most, Consumer<Connection> action) {
            try {
                for (int i = 0; i < most && following != null; i++) {
                    Connection connection = following;
                    following = connection.older;
                    action.accept(connection);
                }
            } finally {
                if (following == null) {
                    walks.remove(this);
                }
            }
        }

        boolean hasMore() {
            return following != null;
        }
    }

    /** Begins a walk, which must be continued to its end. */
    Walk walk() {
        var walk = new Walk();
        walks.add(walk);
        return walk;
    }

    private record Stalled(Connection connection, long cost) {}

    int size() {
        return size;
    }

    Connection newest() {
        return newest;
    }

    void add(Connection connection) {
        size++;
        connection.older = newest;
        if (newest != null) {
            newest.newer = connection;
        }
        newest = connection;
    }

    void remove(Connection connection) {
        size--;
        for (int i = 0; i < walks.size(); i++) {
            Walk walk = walks.get(i);
            walk.following = walk.following == connection ? connection.older : walk.following;
        }
        if (connection.newer != null) {
            connection.newer.older = connection.older;
        } else {
            newest = connection.older;
        }
        if (connection.older != null) {
            connection.older.newer = connection.newer;
        }
        connection.older = null;
        connection.newer = null;
    }

    /** Calls {@code action} with each, which it may close. */
    void forEach(Consumer<Connection> action) {
        Connection connection = newest;
        while (connection != null) {
            Connection following = connection.older;
            action.accept(connection);
            connection = following;
        }
    }

    /**
     * Closes connections whose peers take no output: the largest first, and no more than needed to
     * release {@code excess} bytes of the loop's memory.
     */
    void closeStalled(long excess) {
        List<Stalled> stalled = new ArrayList<>();
        for (Connection connection = newest; connection != null; connection = connection.older) {
            if (OutputSide.isStalled(connection)) {
                stalled.add(new Stalled(connection, OutputSide.cost(connection)));
            }
        }
        stalled.sort(Comparator.comparingLong(Stalled::cost).reversed());
        long rest = excess;
        for (int i = 0; i < stalled.size() && rest > 0; i++) {
            OutputSide.giveUp(stalled.get(i).connection);
            rest -= stalled.get(i).cost; // released when the transport is done with it
        }
    }
}
