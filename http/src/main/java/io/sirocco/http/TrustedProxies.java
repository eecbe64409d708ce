// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.net.SocketAddress;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The reverse proxies that a server trusts to forward the address, scheme and host of their
 * clients, and the headers in which they do so. A header counts only on a connection from a trusted
 * proxy. Its addresses are then examined from right to left, and the first one that is not a
 * trusted proxy is the client. Everything to the left of it could be forged by the client and is
 * ignored.
 *
 * <pre>{@code
 * config.trustedProxies(TrustedProxies.of(
 *         peer -> isOurs(peer), Field.X_FORWARDED_FOR, Field.X_FORWARDED_PROTO));
 * }</pre>
 *
 * <p>Name only headers that the proxies set or remove in every request. A header that they pass on
 * unchanged comes from the client.
 *
 * <p>Immutable.
 */
public final class TrustedProxies {
    /** Trusts no proxy. The default. */
    public static final TrustedProxies NONE = new TrustedProxies(peer -> false, Set.of());

    /** A header that forwards information about the client. */
    public enum Field {
        /** The standard header: address, scheme and host of each hop (RFC 7239). */
        FORWARDED("Forwarded"),
        /** Addresses, the client's first. */
        X_FORWARDED_FOR("X-Forwarded-For"),
        /** {@code http} or {@code https}, once or for each hop. */
        X_FORWARDED_PROTO("X-Forwarded-Proto"),
        /** The host that the client requested, instead of {@code Host}. */
        X_FORWARDED_HOST("X-Forwarded-Host");

        private final String text;

        Field(String text) {
            this.text = text;
        }

        /** Returns the name of the header. */
        @Override
        public String toString() {
            return text;
        }
    }

    private final Predicate<SocketAddress> trusted;
    private final Set<Field> fields;

    private TrustedProxies(Predicate<SocketAddress> trusted, Set<Field> fields) {
        this.trusted = trusted;
        this.fields = fields;
    }

    /**
     * Trusts peers and the hops that they forward.
     *
     * @param trusted returns whether an address is that of a trusted proxy; called on the event
     *     loops, must not block. A Unix-domain peer has an unnamed address
     * @param fields the headers to read; none if the proxies use the PROXY protocol only
     * @throws IllegalArgumentException if {@code Forwarded} is combined with other headers, since a
     *     client could forge one of them
     */
    public static TrustedProxies of(Predicate<SocketAddress> trusted, Field... fields) {
        var all = EnumSet.noneOf(Field.class);
        all.addAll(Set.of(fields));
        if (all.contains(Field.FORWARDED) && all.size() > 1) {
            throw new IllegalArgumentException(
                    "Forwarded says all that the X-Forwarded fields say; choose either.");
        }
        return new TrustedProxies(trusted, Set.copyOf(all));
    }

    /** Returns whether the address is that of a trusted proxy. */
    public boolean trusts(SocketAddress address) {
        return trusted.test(address);
    }

    /** Returns the headers that are read. */
    public Set<Field> fields() {
        return fields;
    }
}
