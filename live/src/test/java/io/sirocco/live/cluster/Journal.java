// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** What one client was told, in the order in which it was told. Any thread. */
final class Journal {
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(120);

    enum Kind {
        /** A message, with its number. */
        SAID,
        /** That some are missing. */
        GAP,
        /** It is connected as somebody new. */
        CONNECTED,
        /** It is connected as who it was. */
        RECOVERED
    }

    record Note(Kind kind, int number, long millis) {
        boolean is(Kind one) {
            return kind == one;
        }

        boolean isConnect() {
            return kind == Kind.CONNECTED || kind == Kind.RECOVERED;
        }
    }

    private final int room;
    private final List<Note> notes = new ArrayList<>(); // with the lock held

    Journal(int room) {
        this.room = room;
    }

    /** Which it is in; its publisher has the same number. */
    int room() {
        return room;
    }

    void note(Kind kind, int number) {
        note(new Note(kind, number, System.currentTimeMillis()));
    }

    synchronized void note(Note note) {
        notes.add(note);
        notifyAll();
    }

    synchronized List<Note> notes() {
        return List.copyOf(notes);
    }

    /** Those of {@code kind} since then. */
    synchronized long count(Kind kind, long since) {
        return notes.stream().filter(note -> note.is(kind) && note.millis >= since).count();
    }

    /** Waits for a message behind the last connect: then it is in its room. */
    void awaitSettled() throws InterruptedException {
        long connected =
                notes().stream().filter(Note::isConnect).mapToLong(Note::millis).max().orElse(0);
        await("a message to one that is there", connected, note -> note.is(Kind.SAID));
    }

    /** Waits for a note, of those there are or that will be; says when it was made. */
    synchronized long await(String what, long since, Predicate<Note> wanted)
            throws InterruptedException {
        long end = System.nanoTime() + LONGEST;
        for (int next = 0; ; ) {
            for (; next < notes.size(); next++) {
                Note note = notes.get(next);
                if (note.millis >= since && wanted.test(note)) {
                    return note.millis;
                }
            }
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                List<Note> last = notes.subList(Math.max(0, notes.size() - 5), notes.size());
                throw new AssertionError(
                        what + " was not told to one of room " + room + ": " + last);
            }
            wait(left);
        }
    }
}
