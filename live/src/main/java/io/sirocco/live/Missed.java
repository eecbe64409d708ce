// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;

/**
 * How many messages were dropped, and for whom: by room, as long as those are few, else by
 * namespace. Any thread.
 */
final class Missed {
    private static final int MAX = 256;
    private static final String ALL = ""; // a room of this name is told too much

    private final AtomicReference<Map<Whom, LongAdder>> counts = new AtomicReference<>(Map.of());

    /** Those of a room, or the client whose address that is; all of a namespace without one. */
    record Whom(Namespace namespace, String room) {
        boolean isAll() {
            return room.equals(ALL);
        }
    }

    /** One more was dropped; true for the first since {@link #take}. */
    boolean add(Namespace namespace, Set<String> rooms) {
        if (rooms.isEmpty()) {
            return add(new Whom(namespace, ALL));
        }
        boolean first = false;
        for (String room : rooms) {
            first |= add(new Whom(namespace, room));
        }
        return first;
    }

    private boolean add(Whom whom) {
        while (true) {
            Map<Whom, LongAdder> known = counts.get();
            Whom counted =
                    known.size() < MAX || known.containsKey(whom)
                            ? whom
                            : new Whom(whom.namespace, ALL);
            LongAdder count = known.get(counted);
            if (count != null) {
                count.increment();
                return false;
            }
            var more = new HashMap<>(known);
            var one = new LongAdder();
            one.increment();
            more.put(counted, one);
            if (counts.compareAndSet(known, more)) {
                return known.isEmpty();
            }
        }
    }

    /** Gives all that was counted, and begins anew. */
    void take(ObjLongConsumer<Whom> to) {
        counts.getAndSet(Map.of()).forEach((whom, count) -> to.accept(whom, count.sum()));
    }
}
