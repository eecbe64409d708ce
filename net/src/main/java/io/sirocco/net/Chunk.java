// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.output.OutputChunk;

/**
 * Room for output of a connection, which {@link Connection#reserve} returns. Append at once what
 * the room was reserved for: the chunk leaves at the end of the turn. Loop-confined.
 */
public sealed interface Chunk permits OutputChunk {
    /** Appends one byte. */
    void put(byte value);

    /** Appends {@code bytes[from..to)}. */
    void put(byte[] bytes, int from, int to);

    /** Appends all of {@code bytes}. */
    void put(byte[] bytes);

    /** Appends text of one byte per character (ISO-8859-1), and {@code ?} for other characters. */
    void putLatin(String text);

    /** Appends a number that is not negative, in decimal digits: at most 19 bytes. */
    void putDecimal(long value);

    /**
     * Appends a number that is not negative, in lower-case hexadecimal digits: at most 16 bytes.
     */
    void putHex(long value);
}
