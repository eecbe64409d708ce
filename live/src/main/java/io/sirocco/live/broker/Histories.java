// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.live.log.Log;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The histories of rooms in memory. One that nobody has written to for twice its age is forgotten,
 * and of all together the oldest messages are when they take more than {@link #MAX_BYTES}. Of what
 * is forgotten, the newest number is remembered, so that nothing is missed in silence. Confined to
 * the lock of {@link Memory}.
 */
final class Histories {
    /** Messages, oldest first; whether some behind the position are missing. */
    record Found(List<Replay.Message> messages, boolean gap) {}

    private record Entry(long number, Replay.Message message, long millis, long bytes) {}

    /** An entry of a history, unless that has lost it since. */
    private record Age(Room room, History history, long number) {
        boolean isThere() {
            return !history.entries.isEmpty() && history.entries.firstKey() <= number;
        }
    }

    private final class History {
        private final TreeMap<Long, Entry> entries = new TreeMap<>(); // by number
        private long lost; // the newest number that is not here any more
        private long newest;
        private long written; // when
        private long life;
        private boolean over; // it counts no more

        void trim(int messages, long millis) {
            while (!entries.isEmpty()
                    && (entries.size() > messages
                            || entries.firstEntry().getValue().millis < millis - life)) {
                forgetFirst();
            }
        }

        void forgetFirst() {
            Entry first = entries.pollFirstEntry().getValue();
            lost = first.number;
            bytes -= first.bytes;
            count--;
        }
    }

    /** Of all histories together: an eighth of the largest heap. */
    static final long MAX_BYTES = Runtime.getRuntime().maxMemory() / 8;

    private static final int ENTRY = 200; // bytes of one beside its message, roughly
    private static final int HISTORY = 500; // the same of an empty one
    private static final int STALE = 1_000; // ages of entries that are not there any more

    private final long mostBytes;
    private final ArrayDeque<Age> ages = new ArrayDeque<>(); // of all entries, oldest first
    private long bytes;
    private int count; // of entries
    private final ConcurrentHashMap<Room, History> rooms = new ConcurrentHashMap<>();
    private final Sweep<Room, History> sweep = new Sweep<>(rooms, this::forgets);
    private long lost; // the newest number of all that were forgotten

    Histories() {
        this(MAX_BYTES);
    }

    Histories(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    void add(long number, Replay.Message message, long millis) {
        sweep.run(Sweep.SOME, millis);
        Publication publication = message.publication();
        for (Publication.Bounds bounds : publication.histories()) {
            var room = new Room(publication.namespace(), bounds.room());
            History history = rooms.computeIfAbsent(room, any -> begin());
            long cost = Log.size(publication) + ENTRY;
            history.entries.put(number, new Entry(number, message, millis, cost));
            ages.add(new Age(room, history, number));
            bytes += cost;
            count++;
            history.newest = number;
            history.written = millis;
            history.life = bounds.millis();
            history.trim(bounds.messages(), millis);
        }
        makeRoom();
    }

    private void makeRoom() {
        while (bytes > mostBytes && !ages.isEmpty()) {
            Age oldest = ages.remove();
            if (!oldest.isThere()) {
                continue;
            }
            oldest.history.forgetFirst();
            if (oldest.history.entries.isEmpty() && rooms.remove(oldest.room, oldest.history)) {
                over(oldest.history);
            }
        }
        if (ages.size() > 2 * count + STALE) {
            ages.removeIf(age -> !age.isThere());
        }
    }

    private void over(History history) {
        if (!history.over) { // a sweep may still see one that has been removed
            history.over = true;
            lost = Math.max(lost, history.newest);
            bytes -= HISTORY;
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
        for (Entry entry : history.entries.tailMap(number, false).descendingMap().values()) {
            if (found.size() == most) {
                gap = true;
                break;
            }
            found.add(entry.message);
        }
        Collections.reverse(found);
        return new Found(found, gap);
    }

    /** The newest before a number, oldest first; no more once they have so many bytes. */
    List<Replay.Message> page(Room room, long before, int most, long mostBytes, long millis) {
        History history = rooms.get(room);
        if (history == null) {
            return List.of();
        }
        history.trim(Integer.MAX_VALUE, millis);
        List<Replay.Message> found = new ArrayList<>();
        long all = 0;
        for (Entry entry : history.entries.headMap(before, false).descendingMap().values()) {
            all += Log.size(entry.message.publication());
            if (found.size() == most || all > mostBytes && !found.isEmpty()) {
                break;
            }
            found.add(entry.message);
        }
        Collections.reverse(found);
        return found;
    }

    private History begin() {
        var history = new History();
        history.lost = lost;
        bytes += HISTORY;
        return history;
    }

    private boolean forgets(History history, long millis) {
        history.trim(Integer.MAX_VALUE, millis);
        boolean silent = (millis - history.written) / 2 > history.life;
        if (silent) {
            over(history);
        }
        return silent;
    }
}
