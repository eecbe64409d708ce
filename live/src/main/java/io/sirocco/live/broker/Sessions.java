// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
        boolean newer =
                kept.of(key)
                        .filter(old -> old.by == by)
                        .map(old -> session.version() >= old.session.version())
                        .orElse(true);
        if (newer && taken.of(key).orElse(by) == by) {
            kept.put(key, new Kept(by, session), life);
        }
    }

    /** Says whether it was there to be changed. */
    synchronized boolean change(Node by, Session.Change change, Duration life) {
        var key = new Key(change.namespace(), change.pid());
        Optional<Session> base =
                kept.of(key)
                        .filter(old -> old.by == by && old.session.version() == change.base())
                        .map(Kept::session);
        base.ifPresent(session -> kept.put(key, new Kept(by, session.with(change)), life));
        return base.isPresent();
    }

    /** Gives those that are not there. */
    synchronized List<String> renew(Node by, String namespace, List<String> pids, Duration life) {
        List<String> missing = new ArrayList<>();
        for (String pid : pids) {
            var key = new Key(namespace, pid);
            Optional<Kept> found = kept.of(key).filter(old -> old.by == by);
            found.ifPresentOrElse(one -> kept.put(key, one, life), () -> missing.add(pid));
        }
        return missing;
    }

    /** Whether this node was the last that took it, lately. */
    synchronized boolean isTakenBy(Node by, String namespace, String pid) {
        return taken.of(new Key(namespace, pid)).filter(last -> last == by).isPresent();
    }

    synchronized Optional<Kept> take(Node by, String namespace, String pid) {
        var key = new Key(namespace, pid);
        Optional<Kept> found = kept.remove(key);
        if (found.isPresent()) {
            taken.put(key, by, LATELY);
        }
        return found.map(one -> new Kept(one.by, one.session.unversioned()));
    }

    synchronized void forget(Node by, String namespace, String pid) {
        var key = new Key(namespace, pid);
        if (taken.of(key).orElse(by) == by) {
            kept.remove(key);
        }
    }
}
