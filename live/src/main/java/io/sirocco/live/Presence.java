// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Member;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/** Who is in a room, on all nodes. Any thread. */
public final class Presence {
    private final Namespace namespace;
    private final String room;
    private final List<BiConsumer<List<Member>, List<Member>>> watchers =
            new CopyOnWriteArrayList<>();

    Presence(Namespace namespace, String room) {
        this.namespace = namespace;
        this.room = room;
    }

    /** All of them; waits for the broker. */
    public List<Member> members() {
        return namespace.members(room);
    }

    /** Has {@code watcher} told of those who join and leave; it must not block. */
    public void watch(BiConsumer<List<Member>, List<Member>> watcher) {
        watchers.add(watcher);
    }

    void tell(List<Member> joined, List<Member> left) {
        watchers.forEach(watcher -> watcher.accept(joined, left));
    }
}
