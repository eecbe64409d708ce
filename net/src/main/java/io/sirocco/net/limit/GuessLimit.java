// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.limit;

import io.sirocco.net.Clock;
import java.net.SocketAddress;
import java.time.Duration;

/**
 * The wrong secrets that one client may offer, be it an IPv4 address or an IPv6 network of 64 bits:
 * a token bucket for each, of which only a wrong one takes. A bucket that is empty refuses right
 * ones, too: else it would tell which is right.
 *
 * <pre>
 *   await ── not 0 ──▶ refused, and nothing is looked at
 *      └── 0 ──▶ verified ── wrong ──▶ charge
 * </pre>
 *
 * <p>Clients that are verified at the same time all pass {@link #await} first; each wrong one is
 * charged all the same, so the next has to wait for all of them, and the average holds. Memory is
 * constant: 16 bytes for each of a number of addresses. When more clients than that are wrong at a
 * time, those that were wrong least are forgotten, and a new one takes over what the forgotten had:
 * with more addresses than the table has nobody guesses faster than all of the table may. Any
 * thread.
 */
public final class GuessLimit {
    private final AddressTable table;
    private final Clock clock;
    private final long origin;
    private final long drip; // nanoseconds for one token
    private final long depth; // nanoseconds for a whole bucket

    /**
     * A limit of {@code atOnce} wrong secrets, and of one more {@code each} time after that.
     *
     * @throws IllegalArgumentException when there is less than one, or no time
     */
    public GuessLimit(int atOnce, Duration each, int addresses, Clock clock) {
        if (atOnce < 1 || !each.isPositive() || each.compareTo(Duration.ofDays(366)) > 0) {
            throw new IllegalArgumentException(
                    "guesses are 1 or more, each for a time of up to a year, not "
                            + atOnce
                            + " and "
                            + each
                            + ".");
        }
        this.drip = Math.min(each.toNanos(), Long.MAX_VALUE / 4 / atOnce);
        this.depth = atOnce * drip;
        this.table = new AddressTable(addresses);
        this.clock = clock;
        this.origin = clock.nanos();
    }

    /** Returns 0 when a client may offer a secret, or the nanoseconds until it may. */
    public long await(byte[] address) {
        if (address == null) {
            return 0; // Unix-domain: there is nobody to tell apart
        }
        long key = AddressTable.key(address);
        synchronized (table.lock(key)) {
            long now = clock.nanos() - origin;
            return Math.max(0, table.numberOfHeir(key) + drip - now - depth);
        }
    }

    /** The same for the address of a peer. */
    public long await(SocketAddress peer) {
        return await(Ip.bytes(peer));
    }

    /** Counts a wrong secret of a client. */
    public void charge(byte[] address) {
        if (address == null) {
            return;
        }
        long key = AddressTable.key(address);
        synchronized (table.lock(key)) {
            long now = clock.nanos() - origin;
            int place = table.placeOfHeir(key);
            long most = Long.MAX_VALUE / 2;
            table.number(place, Math.min(most, Math.max(table.number(place), now) + drip));
        }
    }
}
