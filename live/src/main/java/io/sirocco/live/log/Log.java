// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.log;

import io.sirocco.live.broker.Depth;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Replay;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/**
 * The newest messages. All messages of an epoch are numbered without a hole; those that are kept
 * for a replay are held here, of the others only that they were. Bounded by a {@link Depth}; what
 * is dropped for it is known by its number, so that nothing is missed in silence. Any thread.
 */
public final class Log {
    private record Entry(long number, Position position, Publication publication, long millis) {}

    private final Depth depth;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private long bytes;
    private long lost; // the newest number that is not here any more, or never was
    private long last;
    private Position end;

    /** A log that begins behind {@code number}. */
    public Log(Depth depth, long number, Position end) {
        this.depth = depth;
        restart(number, end);
    }

    /** Forgets everything, and begins anew behind {@code number}. */
    public synchronized void restart(long number, Position position) {
        entries.clear();
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
            entries.add(new Entry(number, position, publication, millis));
            bytes += size(publication);
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
     * What somebody has missed since the message with this number: the newest, if it is more than
     * {@code most}. Nothing but a gap when this log is of another epoch, or does not reach back so
     * far, or not so far ahead.
     */
    public synchronized Replay since(String epoch, long number, Audience audience, int most) {
        if (!epoch.equals(end.epoch()) || number < lost || number > last) {
            return gap();
        }
        List<Replay.Message> found = new ArrayList<>();
        boolean gap = false;
        for (Iterator<Entry> newest = entries.descendingIterator(); newest.hasNext() && !gap; ) {
            Entry entry = newest.next();
            if (entry.number <= number) {
                break;
            }
            if (audience.hears(entry.publication)) {
                gap = found.size() == most;
                if (!gap) {
                    found.add(new Replay.Message(entry.position, entry.publication));
                }
            }
        }
        Collections.reverse(found);
        return new Replay(found, gap, end);
    }

    /** What is said to somebody of whom nothing is known here. */
    public synchronized Replay gap() {
        return new Replay(List.of(), true, end);
    }

    /** Drops what is too old. */
    public synchronized void expire(long millis) {
        trim(millis);
    }

    private void trim(long millis) {
        long oldest = millis - depth.age().toMillis();
        while (!entries.isEmpty()) {
            Entry first = entries.peek();
            boolean over = entries.size() > 1 && bytes > depth.bytes();
            if (!over && entries.size() <= depth.messages() && first.millis >= oldest) {
                return;
            }
            entries.remove();
            bytes -= size(first.publication);
            lost = first.number;
        }
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
