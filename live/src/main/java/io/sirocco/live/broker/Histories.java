// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The histories of rooms in memory. One that nobody has written to for twice its age is forgotten;
 * of all those, the newest number is remembered, so that nothing is missed in silence. Confined to
 * the lock of {@link Memory}.
 */
final class Histories {
    private static final long SECOND = 1_000;

    /** Messages, oldest first; whether some behind the position are missing. */
    record Found(List<Replay.Message> messages, boolean gap) {}

    private record Entry(long number, Replay.Message message, long millis) {}

    private static final class History {
        private final ArrayDeque<Entry> entries = new ArrayDeque<>();
        private long lost; // the newest number that is not here any more
        private long newest;
        private long written; // when
        private long life;

        void trim(int messages, long millis) {
            while (!entries.isEmpty()
                    && (entries.size() > messages || entries.peek().millis < millis - life)) {
                lost = entries.remove().number;
            }
        }
    }

    private final Map<Room, History> rooms = new HashMap<>();
    private long lost; // the newest number of all that were forgotten
    private long swept;

    void add(long number, Replay.Message message, long millis) {
        sweep(millis);
        Publication publication = message.publication();
        for (Publication.Bounds bounds : publication.histories()) {
            var room = new Room(publication.namespace(), bounds.room());
            History history = rooms.computeIfAbsent(room, any -> begin());
            history.entries.add(new Entry(number, message, millis));
            history.newest = number;
            history.written = millis;
            history.life = bounds.millis();
            history.trim(bounds.messages(), millis);
        }
    }

    Found since(Room room, long number, int most, long millis) {
        History history = rooms.get(room);
        if (history == null) {
            return new Found(List.of(), number < lost);
        }
        history.trim(Integer.MAX_VALUE, millis);
        List<Replay.Message> found = new ArrayList<>();
        boolean gap = number < history.lost;
        Iterator<Entry> newest = history.entries.descendingIterator();
        while (newest.hasNext()) {
            Entry entry = newest.next();
            if (entry.number <= number) {
                break;
            }
            if (found.size() == most) {
                gap = true;
                break;
            }
            found.add(entry.message);
        }
        Collections.reverse(found);
        return new Found(found, gap);
    }

    private History begin() {
        var history = new History();
        history.lost = lost;
        return history;
    }

    private void sweep(long millis) {
        if (millis - swept < SECOND) {
            return;
        }
        swept = millis;
        rooms.values().removeIf(history -> forgets(history, millis));
    }

    private boolean forgets(History history, long millis) {
        history.trim(Integer.MAX_VALUE, millis);
        boolean silent = (millis - history.written) / 2 > history.life;
        if (silent) {
            lost = Math.max(lost, history.newest);
        }
        return silent;
    }
}
