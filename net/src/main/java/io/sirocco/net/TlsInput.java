// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Puts the records of a TLS stream together from the pieces in which they come (RFC 8446 5.1):
 *
 * <pre>
 *    0       1        2        3       4       5
 *   ┌───────┬────────┬────────┬───────┬───────┬────────────┐
 *   │ type  │ 3      │ 0 .. 4 │ length        │ fragment   │
 *   └───────┴────────┴────────┴───────┴───────┴────────────┘
 * </pre>
 *
 * It owns no memory while there is no piece of a record. Loop-confined.
 */
final class TlsInput {
    private static final int HEADER = 5;

    /** A longer one is none (RFC 8446 5.2; the ciphers of TLS 1.2 that we have add less). */
    private static final int MAX = (16 << 10) + 256;

    private byte[] bytes;
    private int from;
    private int to;
    private ByteBuffer record;

    void add(MemorySegment memory, long offset, int length) {
        if (bytes == null) {
            bytes = new byte[length];
        } else if (to + length > bytes.length) {
            makeRoom(length);
        }
        MemorySegment.copy(memory, JAVA_BYTE, offset, bytes, to, length);
        to += length;
    }

    /** Makes room for a whole record at once, parts of which are still to come. */
    private void makeRoom(int length) {
        int held = to - from;
        int whole = held < HEADER ? HEADER : Math.min(sizeOfRecord(), HEADER + MAX);
        byte[] larger = new byte[Math.max(held + length, whole)];
        System.arraycopy(bytes, from, larger, 0, held);
        bytes = larger;
        from = 0;
        to = held;
    }

    /** Returns the bytes of records that were not opened yet. */
    int held() {
        return to - from;
    }

    /** Returns the bytes of memory that it has. */
    int size() {
        return bytes == null ? 0 : bytes.length;
    }

    /** Returns whether it begins as text does, and no record. */
    boolean isText() {
        return bytes != null && bytes[from] >= 'A' && bytes[from] <= 'Z';
    }

    /**
     * Returns the next record, or null while it is incomplete. Returns bytes that cannot be a
     * record as they are, so that the engine rejects them.
     */
    ByteBuffer next() {
        int held = to - from;
        if (held == 0) {
            clear();
            return null;
        }
        if (held >= HEADER && !plausible()) {
            return wrap(held);
        }
        return held < HEADER || held < sizeOfRecord() ? null : wrap(sizeOfRecord());
    }

    private ByteBuffer wrap(int length) {
        if (record == null || record.array() != bytes) {
            record = ByteBuffer.wrap(bytes);
        }
        return record.limit(from + length).position(from);
    }

    /** Drops the record that {@link #next} returned, which was opened. */
    void consumed() {
        if (record != null) { // else all was given up meanwhile
            from = record.position();
        }
    }

    void clear() {
        bytes = null;
        record = null;
        from = 0;
        to = 0;
    }

    /**
     * Returns whether {@code record}, of which there is the header at least, is longer than any.
     */
    static boolean tooLong(ByteBuffer record) {
        return record.remaining() >= HEADER
                && (record.getShort(record.position() + 3) & 0xFFFF) > MAX;
    }

    private boolean plausible() {
        int type = bytes[from];
        return type >= 20 && type <= 24 && bytes[from + 1] == 3 && sizeOfRecord() <= HEADER + MAX;
    }

    private int sizeOfRecord() {
        return HEADER + ((bytes[from + 3] & 0xFF) << 8 | bytes[from + 4] & 0xFF);
    }
}
