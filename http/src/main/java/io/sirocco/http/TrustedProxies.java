// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.net.SocketAddress;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The proxies that a server believes when they say for whom they ask, and the header fields in
 * which they do. A field counts only if the connection comes from a trusted proxy; then the hops
 * that it lists are walked from the right to the left, over those that are trusted, and the first
 * other one is the client. What a client has put to the left of that is never looked at.
 *
 * <pre>{@code
 * config.proxies(TrustedProxies.of(peer -> isOurs(peer), Field.X_FORWARDED_FOR, Field.X_FORWARDED_PROTO));
 * }</pre>
 *
 * <p>Name only fields that the proxies set or remove in every request: one that they pass on is the
 * client's word. Immutable.
 */
public final class TrustedProxies {
    /** No proxy is trusted, and no field is read: the default. */
    public static final TrustedProxies NONE = new TrustedProxies(peer -> false, Set.of());

    /** A header field that says where a request came from. */
    public enum Field {
        /** The standard one: client, scheme and host of each hop (RFC 7239). */
        FORWARDED("Forwarded"),
        /** Addresses, the client's first. */
        X_FORWARDED_FOR("X-Forwarded-For"),
        /** {@code http} or {@code https}; a list has one for each hop. */
        X_FORWARDED_PROTO("X-Forwarded-Proto"),
        /** The host that the client asked for, in the place of {@code Host}. */
        X_FORWARDED_HOST("X-Forwarded-Host");

        private final String text;

        Field(String text) {
            this.text = text;
        }

        /** The name as it stands in a request. */
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
     * Trusts peers, and the hops that they name.
     *
     * @param trusted asked on a loop, so it must not block; a Unix-domain peer has no name
     * @param fields none: they are trusted with the PROXY protocol only
     * @throws IllegalArgumentException for {@code Forwarded} beside the others: when two fields say
     *     different things, one of them is a client's
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

    /** Returns whether this address is that of a trusted proxy. */
    boolean trusts(SocketAddress address) {
        return trusted.test(address);
    }

    /** Returns whether this field is read. */
    boolean reads(Field field) {
        return fields.contains(field);
    }

    /** Returns whether any field is read at all. */
    boolean readsFields() {
        return !fields.isEmpty();
    }
}
