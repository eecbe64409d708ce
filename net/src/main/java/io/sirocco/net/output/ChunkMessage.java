// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.output;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/**
 * A {@code struct msghdr} of Linux on 64 bits with its {@code struct iovec}s, by which several
 * chunks leave with one call. Loop-confined.
 *
 * <pre>
 *   msghdr                                              iovec
 *    0 name   8 its length   16 parts   24 their count   0 address   8 length
 *   32 control   40 its length   48 flags
 * </pre>
 */
public final class ChunkMessage {
    private static final int PARTS = 8;
    private static final int HEADER = 64;
    private static final int PART = 16;

    /** The bytes of memory that a message takes, which are zero before its first use. */
    public static final int SIZE = HEADER + PARTS * PART;

    private ChunkMessage() {}

    /**
     * Writes a message of {@code first} and the chunks behind it that are in memory, {@value
     * #PARTS} at most.
     *
     * @param message the address of {@link #SIZE} bytes
     */
    public static void write(long message, OutputChunk first) {
        long part = message + HEADER;
        int count = 0;
        for (OutputChunk c = first; c != null && c.inMemory() && count < PARTS; c = c.next()) {
            MEMORY.set(JAVA_LONG, part, c.address());
            MEMORY.set(JAVA_LONG, part + 8, c.length());
            part += PART;
            count++;
        }
        MEMORY.set(JAVA_LONG, message + 16, message + HEADER);
        MEMORY.set(JAVA_LONG, message + 24, count);
    }
}
