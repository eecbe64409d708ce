// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.Node;
import io.sirocco.live.broker.Position;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;

/** Tells the node, and survives what it does about that. Used by one thread. */
final class Teller {
    private static final LazyLogger LOG = LazyLogger.of(RedisBroker.class);
    private final Node node;
    private long unknown;

    Teller(Node node) {
        this.node = node;
    }

    void tell(Position position, Entry entry) {
        try {
            switch (entry) {
                case Entry.Said said -> node.deliver(position, said.publication());
                case Entry.Taken taken -> node.taken(taken.namespace(), taken.pid());
                case Entry.Joined joined -> node.joined(joined.room(), joined.member());
                case Entry.Left left -> node.left(left.room(), left.member());
                case Entry.Begun begun -> throw new IllegalStateException(begun.toString());
                case Entry.Unknown other -> skip(position, other);
            }
        } catch (RuntimeException e) {
            LOG.get().log(Level.ERROR, "the node failed at " + position, e);
        }
    }

    void gap(String why) {
        LOG.get().log(Level.WARNING, "messages are missing: " + why);
        try {
            node.gap(why);
        } catch (RuntimeException e) {
            LOG.get().log(Level.ERROR, "the node failed at a gap", e);
        }
    }

    private void skip(Position position, Entry.Unknown entry) {
        unknown++;
        if (Long.bitCount(unknown) == 1) { // the first, the second, the fourth...
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} skipped so far, as {1}: version {2}, kind {3} is not known here",
                            unknown,
                            position,
                            entry.version(),
                            entry.kind());
        }
    }
}
