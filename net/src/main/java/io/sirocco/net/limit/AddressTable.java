// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.limit;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * A number for each client, in constant memory: 16 bytes for each of a fixed number of places,
 * however many clients there are.
 *
 * <pre>
 *   client ── mixed with a secret ──▶ which set of 16 places ──▶ its place, or that of the least number
 * </pre>
 *
 * <p>Who finds no place takes that of the least number in its set, which is forgotten: 0 first, as
 * 0 is what an unknown client has. So a flood of new clients, whose numbers are small, drives out
 * its own kind and not those whose numbers have grown. Which clients share a set depends on a
 * secret that each process draws anew: nobody outside can choose addresses that meet.
 *
 * <p>Any thread that holds the {@link #lock} of the client; 64 locks, so that loops seldom meet.
 */
public final class AddressTable {
    private static final int WAYS = 16;
    private static final int LOCKS = 64;
    private static final int MAX = 1 << 24;

    /** The secrets of this process. */
    private static final long SEED = new SecureRandom().nextLong();

    private static final long FACTOR = new SecureRandom().nextLong() | 1;

    private final Object[] locks = new Object[LOCKS];
    private final long[] keys; // 0 where there is none
    private final long[] numbers;
    private final int sets; // less one: a mask

    /**
     * A table of so many places, or up to twice as many: a power of two, at least 1,024.
     *
     * @throws IllegalArgumentException for fewer than 1 or more than 16,777,216
     */
    public AddressTable(int addresses) {
        if (addresses < 1 || addresses > MAX) {
            throw new IllegalArgumentException(
                    "addresses is 1 to " + MAX + ", not " + addresses + ".");
        }
        int places = Math.max(1024, Integer.highestOneBit(addresses - 1) << 1);
        keys = new long[places];
        numbers = new long[places];
        sets = places / WAYS - 1;
        Arrays.setAll(locks, i -> new Object());
    }

    /**
     * The key of a client: its address, mixed. Each step can be undone, so two clients never share
     * one (but for the key 0, which stands for nobody). The mixing is that of SplitMix64.
     */
    public static long key(byte[] address) {
        long x = (Ip.client(address) ^ SEED) * FACTOR;
        x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
        x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
        x ^= x >>> 31;
        return x == 0 ? 1 : x;
    }

    /** What to hold while a place of this key is looked for and used. */
    public Object lock(long key) {
        return locks[(int) key & LOCKS - 1];
    }

    /** The place of a key, or -1. */
    public int find(long key) {
        int first = first(key);
        for (int place = first; place < first + WAYS; place++) {
            if (keys[place] == key) {
                return place;
            }
        }
        return -1;
    }

    /** The place of a key; a new one has the number 0. */
    public int place(long key) {
        int found = find(key);
        if (found >= 0) {
            return found;
        }
        int least = least(key);
        keys[least] = key;
        numbers[least] = 0;
        return least;
    }

    /**
     * The place of a key; a new one takes over the least number of its set (Metwally et al.,
     * "Space-Saving", 2005). So a client that was forgotten has no less than it had, and to come
     * from ever new addresses gains nothing once the table is full of larger numbers.
     */
    public int placeOfHeir(long key) {
        int found = find(key);
        if (found >= 0) {
            return found;
        }
        int least = least(key);
        keys[least] = key;
        return least;
    }

    /** The number that {@link #placeOfHeir} would find; changes nothing. */
    public long numberOfHeir(long key) {
        int found = find(key);
        return numbers[found >= 0 ? found : least(key)];
    }

    /** The place of the least number in the set of a key. */
    private int least(long key) {
        int least = first(key);
        for (int place = least + 1, end = least + WAYS; place < end; place++) {
            if (numbers[place] < numbers[least]) {
                least = place;
            }
        }
        return least;
    }

    /** The first place of the set: its lowest bits choose the lock too, so a set has one lock. */
    private int first(long key) {
        return ((int) key & sets) * WAYS;
    }

    public long number(int place) {
        return numbers[place];
    }

    public void number(int place, long number) {
        numbers[place] = number;
    }

    public int places() {
        return keys.length;
    }
}
