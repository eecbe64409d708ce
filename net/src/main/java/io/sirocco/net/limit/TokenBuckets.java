// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.limit;

import io.sirocco.net.Clock;
import java.net.SocketAddress;
import java.time.Duration;

/**
 * A token bucket for each client (RFC 2697 3, in its form of one number: the virtual scheduling of
 * ITU-T I.371). The number is the moment at which the bucket will be full again; each token moves
 * it on by what one takes to drip in. An {@link AddressTable} keeps them: what it forgets is the
 * fullest bucket of its set, and a forgotten client has a full one. Any thread.
 */
public final class TokenBuckets {
    private final AddressTable table;
    private final boolean heirs;
    private final Clock clock;
    private final long origin;
    private final long drip; // nanoseconds for one token
    private final long depth; // nanoseconds for a whole bucket

    /**
     * Buckets that hold {@code burst} tokens, into which {@code tokens} drip {@code per} time.
     *
     * @throws IllegalArgumentException which says what cannot be
     */
    public TokenBuckets(long tokens, Duration per, long burst, int addresses, Clock clock) {
        this(tokens, per, burst, addresses, clock, false);
    }

    /**
     * Buckets for guesses: a client takes a token before its secret is verified, and gets it back
     * unless the secret is wrong. So no more guesses are verified at the same time than one after
     * the other. A client that finds no place in the table takes over the bucket of the one that it
     * drives out, so that a full table lets nobody guess on.
     *
     * @throws IllegalArgumentException which says what cannot be
     */
    public static TokenBuckets ofGuesses(
            long tokens, Duration per, long burst, int addresses, Clock clock) {
        return new TokenBuckets(tokens, per, burst, addresses, clock, true);
    }

    private TokenBuckets(
            long tokens, Duration per, long burst, int addresses, Clock clock, boolean heirs) {
        if (tokens < 1 || burst < 1) {
            throw new IllegalArgumentException(
                    "requests and burst are 1 or more, not " + tokens + " and " + burst + ".");
        }
        long nanos = per.compareTo(Duration.ofDays(366)) > 0 ? -1 : per.toNanos();
        if (nanos <= 0) {
            throw new IllegalArgumentException(
                    "per is a time of up to a year, such as \"1s\", not " + per + ".");
        }
        this.drip = Math.max(1, nanos / tokens);
        if (burst > Long.MAX_VALUE / 4 / drip) {
            throw new IllegalArgumentException(
                    "A burst of " + burst + " takes centuries to fill again; make it smaller.");
        }
        this.depth = burst * drip;
        this.table = new AddressTable(addresses);
        this.heirs = heirs;
        this.clock = clock;
        this.origin = clock.nanos();
    }

    /** Takes a token; answers 0, or the nanoseconds until there is one. */
    public long take(SocketAddress peer) {
        return take(Ip.bytes(peer));
    }

    /** The same for an address of 4 or 16 bytes; null for one that is not limited. */
    public long take(byte[] address) {
        if (address == null) {
            return 0; // Unix-domain: there is nobody to tell apart
        }
        long key = AddressTable.key(address);
        synchronized (table.lock(key)) {
            long now = clock.nanos() - origin;
            int place = heirs ? table.placeOfHeir(key) : table.place(key);
            long full = Math.max(table.number(place), now) + drip;
            long wait = full - now - depth;
            if (wait > 0) {
                return wait;
            }
            table.number(place, full);
            return 0;
        }
    }

    /** Puts a token back that was taken in vain. */
    public void giveBack(SocketAddress peer) {
        giveBack(Ip.bytes(peer));
    }

    /** The same for an address, as {@link #take(byte[])}. */
    public void giveBack(byte[] address) {
        if (address == null) {
            return;
        }
        long key = AddressTable.key(address);
        synchronized (table.lock(key)) {
            int place = table.find(key);
            if (place >= 0) {
                table.number(place, Math.max(0, table.number(place) - drip));
            }
        }
    }
}
