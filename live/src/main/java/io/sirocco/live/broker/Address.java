// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

/**
 * The destinations of a {@link Publication}: rooms by their names, and single clients by addresses
 * that are not the name of any room. A client's id is no secret, so a room may be named like it;
 * such a room has nothing to do with that client.
 *
 * <pre>
 *   room      kitchen
 *   client    U+0000 and the id of the client
 * </pre>
 *
 * <p>Any thread.
 */
public final class Address {
    private static final char CLIENT = '\0';

    private Address() {}

    /** Returns the address of the client with this id. */
    public static String client(String id) {
        return CLIENT + id;
    }

    /** Returns whether a destination is a client, and not a room. */
    public static boolean isClient(String address) {
        return !address.isEmpty() && address.charAt(0) == CLIENT;
    }

    /** Returns the id of the client that a destination is, which must be {@link #isClient one}. */
    public static String id(String address) {
        return address.substring(1);
    }

    /**
     * Returns the name of a room as it is, if it can be one.
     *
     * @throws IllegalArgumentException when it contains U+0000, which the addresses of clients
     *     begin with, or half a surrogate pair, which UTF-8 cannot express: two names would be the
     *     same on the wire
     */
    public static String room(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == CLIENT) {
                throw new IllegalArgumentException("The name of a room contains no U+0000.");
            }
            if (Character.isSurrogate(c)) {
                boolean pair =
                        i + 1 < name.length() && Character.isSurrogatePair(c, name.charAt(i + 1));
                if (!pair) {
                    throw new IllegalArgumentException(
                            "The name of a room contains half a surrogate pair.");
                }
                i++;
            }
        }
        return name;
    }
}
