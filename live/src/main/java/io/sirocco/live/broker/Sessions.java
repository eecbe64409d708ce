// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.Optional;

/** Sessions that may be taken, and by which node they were kept. Any thread. */
final class Sessions {
    record Kept(Node by, Session session) {}

    private record Key(String namespace, String pid) {}

    private static final Duration LATELY = Duration.ofMinutes(1);

    private final Expiring<Key, Kept> kept;
    private final Expiring<Key, Node> taken; // lately, by whom

    Sessions(Clock clock) {
        kept = new Expiring<>(clock, "sessions");
        taken = new Expiring<>(clock, "sessions that were taken");
    }

    synchronized void keep(Node by, Session session, Duration life) {
        var key = new Key(session.namespace(), session.pid());
        if (taken.of(key).orElse(by) == by) {
            kept.put(key, new Kept(by, session), life);
        }
    }

    synchronized Optional<Kept> take(Node by, String namespace, String pid) {
        var key = new Key(namespace, pid);
        Optional<Kept> found = kept.remove(key);
        if (found.isPresent()) {
            taken.put(key, by, LATELY);
        }
        return found;
    }

    synchronized void forget(Node by, String namespace, String pid) {
        var key = new Key(namespace, pid);
        if (taken.of(key).orElse(by) == by) {
            kept.remove(key);
        }
    }
}
