// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Member;
import java.util.List;
import java.util.function.BiConsumer;

/** Who is in a room, on all nodes. Immutable. */
public final class Presence {
    private final Namespace namespace;
    private final String room;

    /** Somebody is told of those who join and leave, until this is closed. Any thread. */
    public interface Watch extends AutoCloseable {

        /** Ends it; what has happened by then may still be told. */
        @Override
        void close();
    }

    Presence(Namespace namespace, String room) {
        this.namespace = namespace;
        this.room = room;
    }

    /** All of them; waits for the broker, so it must not be called on a loop. */
    public List<Member> members() {
        return namespace.members(room);
    }

    /** Has {@code watcher} told of those who join and leave; it must not block. */
    public Watch watch(BiConsumer<List<Member>, List<Member>> watcher) {
        return namespace.watchers.add(room, watcher);
    }
}
