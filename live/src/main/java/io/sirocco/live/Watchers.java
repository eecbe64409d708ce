// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Member;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Who is told of the members of which room. Any thread. */
final class Watchers {
    private static final LazyLogger LOG = LazyLogger.of(Presence.class);

    private final Map<String, List<Watcher>> rooms = new ConcurrentHashMap<>();

    /** One of them; equal to no other. */
    private final class Watcher implements Presence.Watch {
        private final String room;
        private final BiConsumer<List<Member>, List<Member>> told;

        Watcher(String room, BiConsumer<List<Member>, List<Member>> told) {
            this.room = room;
            this.told = told;
        }

        void tell(List<Member> joined, List<Member> left) {
            try {
                told.accept(joined, left);
            } catch (Throwable e) {
                LOG.get().log(Level.WARNING, "who watches the room " + room + " threw", e);
            }
        }

        @Override
        public void close() {
            rooms.computeIfPresent(
                    room,
                    (name, all) -> {
                        List<Watcher> left = all.stream().filter(each -> each != this).toList();
                        return left.isEmpty() ? null : left;
                    });
        }
    }

    Presence.Watch add(String room, BiConsumer<List<Member>, List<Member>> told) {
        var watcher = new Watcher(room, told);
        rooms.merge(
                room,
                List.of(watcher),
                (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
        return watcher;
    }

    void tell(String room, List<Member> joined, List<Member> left) {
        rooms.getOrDefault(room, List.of()).forEach(each -> each.tell(joined, left));
    }
}
