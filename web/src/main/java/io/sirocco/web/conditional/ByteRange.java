// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.conditional;

/** Bytes {@code first} to {@code last} of a representation, both included. Immutable. */
public record ByteRange(long first, long last) {

    /** Returns the number of bytes. */
    public long length() {
        return last - first + 1;
    }

    /** Returns whether both overlap, or one begins where the other ends. */
    boolean touches(ByteRange other) {
        return first <= other.last + 1 && other.first <= last + 1;
    }

    /** From the first to the last byte of both. */
    ByteRange plus(ByteRange other) {
        return new ByteRange(Math.min(first, other.first), Math.max(last, other.last));
    }

    /** Returns the value of {@code Content-Range} (RFC 9110 14.4). */
    public String of(long size) {
        return "bytes " + first + "-" + last + "/" + size;
    }
}
