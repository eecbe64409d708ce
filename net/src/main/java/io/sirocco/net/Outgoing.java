// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;

/** The connections that a loop opens itself. Loop-confined. */
final class Outgoing extends Origin {
    private final Set<Attempt> underWay = new HashSet<>();

    Outgoing(Loop loop) {
        super(loop);
    }

    @Override
    SocketAddress local(Connection connection) {
        return loop.poller().local(connection);
    }

    @Override
    void gone(Connection connection) {}

    void begin(Destination to, Connector connector) {
        var attempt = new Attempt(this, to, connector);
        underWay.add(attempt);
        attempt.begin();
    }

    void over(Attempt attempt) {
        underWay.remove(attempt);
    }

    /** Whether nothing is under way. */
    boolean idle() {
        return underWay.isEmpty();
    }

    void giveUp() {
        Set.copyOf(underWay).forEach(attempt -> attempt.giveUp("the loop is stopping"));
    }
}
