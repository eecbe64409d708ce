// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.log;

import io.sirocco.live.broker.Address;
import io.sirocco.live.broker.Audience;
import io.sirocco.live.broker.Depth;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.log.Entries.Entry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;

/**
 * The newest messages. All messages of an epoch are numbered without a hole; those that are kept
 * for a replay are held here, of the others only that they were. Bounded by a {@link Depth}; what
 * is dropped for it is known by its number, so that nothing is missed in silence.
 *
 * <p>Messages are indexed by their destinations: a replay looks at those of its audience only, and
 * holds the lock for as long as that takes, whatever else was published. Any thread.
 */
public final class Log {
    /**
     * A room, or a client.
     *
     * @param address null for all of the namespace
     */
    private record Destination(String namespace, String address) {}

    /** A place in the messages of one destination. */
    private static final class Cursor {
        private final Entries entries;
        private int at;

        Cursor(Entries entries, int at) {
            this.entries = entries;
            this.at = at;
        }

        Entry entry() {
            return entries.get(at);
        }

        long number() {
            return entry().number();
        }
    }

    private static final Comparator<Cursor> OLDEST = Comparator.comparingLong(Cursor::number);
    private static final int MAX_AGED = 1_000; // that are dropped at once for their age
    private static final int MAX_LOOKS = 5_000; // at messages, for one part
    private static final long INDEX = 120; // bytes that one destination takes in the index, roughly

    private final Depth depth;
    private final ToLongFunction<String> numbers;
    private final Entries entries = new Entries();
    private final Map<Destination, Entries> index = new HashMap<>();
    private long bytes;
    private long lost; // the newest number that is not here any more, or never was
    private long last;
    private Position end;
    private long visited;

    /**
     * A log that begins behind {@code number}.
     *
     * @param numbers the number that an offset has; -1 when it is none
     */
    public Log(Depth depth, ToLongFunction<String> numbers, long number, Position end) {
        this.depth = depth;
        this.numbers = numbers;
        restart(number, end);
    }

    /** Forgets everything, and begins anew behind {@code number}. */
    public synchronized void restart(long number, Position position) {
        while (!entries.isEmpty()) {
            entries.removeFirst();
        }
        index.clear();
        bytes = 0;
        lost = number;
        last = number;
        end = position;
    }

    /** The next message, which has the next number. */
    public synchronized void add(
            long number, Position position, Publication publication, long millis) {
        last = number;
        end = position;
        if (publication.kept()) {
            var entry = new Entry(number, position, publication, millis);
            entries.add(entry);
            for (Destination each : destinations(publication)) {
                index.computeIfAbsent(each, any -> new Entries()).add(entry);
            }
            bytes += held(publication);
        }
        trim(millis);
    }

    /** The next number is nothing that is replayed. */
    public synchronized void pass(long number, Position position) {
        last = number;
        end = position;
    }

    /** The newest number. */
    public synchronized long last() {
        return last;
    }

    /** The newest position. */
    public synchronized Position end() {
        return end;
    }

    /**
     * Returns the messages behind a position that are for an audience, the oldest first and in
     * parts: at most {@code messages}, and when there is one, no more behind {@code mostBytes}. The
     * next part begins behind the end of this one; it may be that this one has no messages. Nothing
     * but a gap when this log is of another epoch, or does not reach back so far, or not so far
     * ahead.
     */
    public synchronized Replay replay(
            Position after, Audience audience, int messages, long mostBytes) {
        long number = number(after);
        if (number < lost || number > last) {
            return gap();
        }
        var oldest = new PriorityQueue<Cursor>(OLDEST);
        String namespace = audience.namespace();
        long since = Math.max(number, number(audience.since()));
        begin(oldest, new Destination(namespace, null), since);
        begin(oldest, new Destination(namespace, Address.client(audience.client())), since);
        audience.rooms()
                .forEach(
                        (room, joined) ->
                                begin(
                                        oldest,
                                        new Destination(namespace, room),
                                        Math.max(number, number(joined))));
        List<Replay.Message> found = new ArrayList<>();
        long size = 0;
        long before = number; // one message may be for several of its destinations
        Position seen = after;
        for (int looks = 0; !oldest.isEmpty(); looks++) {
            Cursor cursor = oldest.remove();
            Entry entry = cursor.entry();
            if (looks >= MAX_LOOKS && entry.number() != before) { // most of them except it
                return new Replay(found, false, seen, true);
            }
            seen = entry.position();
            Publication publication = entry.publication();
            if (entry.number() != before && !publication.except().contains(audience.client())) {
                if (found.size() == messages || size >= mostBytes) {
                    return new Replay(found, false, found.getLast().position(), true);
                }
                found.add(new Replay.Message(entry.position(), publication));
                size += size(publication);
            }
            before = entry.number();
            cursor.at++;
            advance(oldest, cursor);
        }
        return new Replay(found, false, end);
    }

    /** What is said to somebody of whom nothing is known here. */
    public synchronized Replay gap() {
        return new Replay(List.of(), true, end);
    }

    /** Drops what is too old, some of it each time: so the lock is not held for long. */
    public synchronized void expire(long millis) {
        trim(millis);
    }

    /** How many entries were looked at for replays so far. For tests. */
    synchronized long visited() {
        return visited;
    }

    /** The number of a position; -1 for one of another epoch, or of none. */
    private long number(Position position) {
        return position.epoch().equals(end.epoch()) ? numbers.applyAsLong(position.offset()) : -1;
    }

    private void begin(PriorityQueue<Cursor> cursors, Destination destination, long number) {
        Entries known = index.get(destination);
        if (known != null) {
            advance(cursors, new Cursor(known, known.behind(number)));
        }
    }

    private void advance(PriorityQueue<Cursor> cursors, Cursor cursor) {
        if (cursor.at < cursor.entries.size()) {
            visited++;
            cursors.add(cursor);
        }
    }

    private void trim(long millis) {
        long oldest = millis - depth.age().toMillis();
        for (int aged = 0; !entries.isEmpty(); ) {
            Entry first = entries.get(0);
            boolean over = entries.size() > 1 && bytes > depth.bytes();
            if (!over && entries.size() <= depth.messages()) {
                if (first.millis() >= oldest || aged++ == MAX_AGED) {
                    return;
                }
            }
            entries.removeFirst();
            for (Destination each : destinations(first.publication())) {
                Entries same = index.get(each);
                same.removeFirst();
                if (same.isEmpty()) {
                    index.remove(each);
                }
            }
            bytes -= held(first.publication());
            lost = first.number();
        }
    }

    private static List<Destination> destinations(Publication publication) {
        String namespace = publication.namespace();
        if (publication.rooms().isEmpty()) {
            return List.of(new Destination(namespace, null));
        }
        List<Destination> all = new ArrayList<>(publication.rooms().size());
        for (String room : publication.rooms()) {
            all.add(new Destination(namespace, room));
        }
        return all;
    }

    private static long held(Publication publication) {
        return size(publication) + INDEX * Math.max(1, publication.rooms().size());
    }

    /** Bytes that it takes, roughly. */
    public static long size(Publication publication) {
        long size = 200 + publication.event().length();
        for (byte[] attachment : publication.attachments()) {
            size += 16 + attachment.length;
        }
        for (String room : publication.rooms()) {
            size += 40 + room.length();
        }
        for (String client : publication.except()) {
            size += 40 + client.length();
        }
        return size;
    }
}
