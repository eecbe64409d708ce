// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

/** Bytes {@code first} to {@code last} of a representation, both of them included. Immutable. */
record ByteRange(long first, long last) {

    long length() {
        return last - first + 1;
    }

    /** Whether both overlap, or one begins where the other ends. */
    boolean touches(ByteRange other) {
        return first <= other.last + 1 && other.first <= last + 1;
    }

    /** From the first to the last byte of both. */
    ByteRange plus(ByteRange other) {
        return new ByteRange(Math.min(first, other.first), Math.max(last, other.last));
    }

    /** As {@code Content-Range} has it (RFC 9110 14.4). */
    String of(long size) {
        return "bytes " + first + "-" + last + "/" + size;
    }
}
