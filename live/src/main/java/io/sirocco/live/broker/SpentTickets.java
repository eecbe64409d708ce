// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.net.Clock;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;

/**
 * The marks of tickets that were used, each until its ticket expires: 8 bytes in a hash table of
 * open addressing, 11 to 32 with its free places.
 *
 * <pre>
 *   │ 40 bits of the ticket's hash │ 24 bits: when it expires, in units of 16 s │    0: free
 * </pre>
 *
 * <p>Another 6 bits of the hash choose one of 64 tables, each with a lock of its own, so that no
 * call waits for long while one grows. With a million marks, one new ticket in 70 million is taken
 * for a used one. Any thread.
 */
final class SpentTickets {
    /** Marks at once, about: a thirtieth of the heap at most. */
    static final int MAX = Math.clamp(Runtime.getRuntime().maxMemory() >> 9, 8_000, 16_000_000);

    private static final int TABLES = 64;
    private static final int TABLE_SHIFT = 58;
    private static final int EXPIRY_BITS = 24;
    private static final long LATEST = (1L << EXPIRY_BITS) - 1; // 8 years from the start
    private static final long UNIT = 16_000_000_000L; // nanoseconds
    private static final int SMALLEST = 16;

    private final Table[] tables = new Table[TABLES];
    private final Clock clock;
    private final int most; // in one table
    private final long began;

    SpentTickets(Clock clock) {
        this(clock, MAX);
    }

    SpentTickets(Clock clock, int max) {
        this.clock = clock;
        this.most = max / TABLES;
        this.began = clock.nanos();
        for (int i = 0; i < TABLES; i++) {
            tables[i] = new Table();
        }
    }

    /**
     * Marks a ticket for at least {@code life}, and up to 16 seconds longer.
     *
     * @return false when it is marked already
     * @throws BrokerException when there is no room
     */
    boolean spend(String ticket, Duration life) {
        long hash = hash(ticket);
        long passed = clock.nanos() - began;
        long until = Math.min((passed + life.toNanos()) / UNIT + 1, LATEST);
        long mark = hash << EXPIRY_BITS | until;
        return tables[(int) (hash >>> TABLE_SHIFT)].add(mark, passed / UNIT);
    }

    private static long hash(String ticket) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(ticket.getBytes(UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    private static boolean isOver(long mark, long now) {
        return (mark & LATEST) <= now;
    }

    /** Those whose hashes begin with the same 6 bits. */
    private final class Table {
        private long[] marks = new long[SMALLEST];
        private int used; // places, including those of expired tickets

        synchronized boolean add(long mark, long now) {
            int place = find(mark, now);
            long there = marks[place];
            if (there != 0 && !isOver(there, now)) {
                return false;
            }
            if (there == 0 && used >= marks.length / 4 * 3) {
                rebuild(now);
                place = find(mark, now);
            }
            used += marks[place] == 0 ? 1 : 0;
            marks[place] = mark;
            return true;
        }

        /** Returns the place of the same ticket, or else one where it may be put. */
        private int find(long mark, long now) {
            int expired = -1;
            int place = start(mark);
            for (; marks[place] != 0; place = place + 1 & marks.length - 1) {
                if (marks[place] >>> EXPIRY_BITS == mark >>> EXPIRY_BITS) {
                    return place;
                }
                if (expired < 0 && isOver(marks[place], now)) {
                    expired = place;
                }
            }
            return expired < 0 ? place : expired;
        }

        private int start(long mark) {
            return (int) (mark >>> EXPIRY_BITS) & marks.length - 1;
        }

        /** Forgets expired tickets, and gives the table room for more than what is left. */
        private void rebuild(long now) {
            int left = 0;
            for (long mark : marks) {
                left += mark != 0 && !isOver(mark, now) ? 1 : 0;
            }
            if (left >= most) {
                throw new BrokerException(
                        "About "
                                + most * TABLES
                                + " tickets were used that have not expired, and there is no memory"
                                + " for more: shorten their life, or give the JVM more heap.");
            }
            long[] before = marks;
            marks = new long[Math.max(SMALLEST, Integer.highestOneBit(left) * 4)];
            used = left;
            for (long mark : before) {
                if (mark != 0 && !isOver(mark, now)) {
                    int place = start(mark);
                    while (marks[place] != 0) {
                        place = place + 1 & marks.length - 1;
                    }
                    marks[place] = mark;
                }
            }
        }
    }
}
