// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.transport.ConnectionOrigin;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;

/** The connections that a loop opens itself. Loop-confined. */
final class Connects extends ConnectionOrigin {
    private final Set<PendingConnect> underWay = new HashSet<>();

    Connects(Loop loop) {
        super(loop);
    }

    @Override
    public SocketAddress local(Connection connection) {
        return connection.localAddress();
    }

    @Override
    public void gone(Connection connection) {}

    void begin(Destination to, Connector connector) {
        var attempt = new PendingConnect(this, to, connector);
        underWay.add(attempt);
        attempt.begin();
    }

    void over(PendingConnect attempt) {
        underWay.remove(attempt);
    }

    /** Returns whether nothing is under way. */
    boolean idle() {
        return underWay.isEmpty();
    }

    /** Returns any of those that are under way; null for none. */
    PendingConnect any() {
        return underWay.isEmpty() ? null : underWay.iterator().next();
    }

    /** Cancels all, since the loop stops. */
    void giveUp() {
        Set.copyOf(underWay).forEach(attempt -> attempt.giveUp(new LoopStoppedException()));
    }
}
