// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.OpenFile;
import java.util.Objects;

/**
 * A segment of a response body whose content is available without waiting: bytes, or a region of a
 * file. See {@link Response#segments}.
 */
public sealed interface BodySegment {
    /** Returns the length in bytes. */
    long length();

    /** A segment of bytes. Do not change the array afterwards. Immutable. */
    record Bytes(byte[] bytes) implements BodySegment {
        public Bytes {
            Objects.requireNonNull(bytes, "bytes");
        }

        @Override
        public long length() {
            return bytes.length;
        }
    }

    /**
     * A part of an array, such as a prefix of a constant text: it costs no copy of its own. Do not
     * change the array afterwards. Immutable.
     *
     * @param bytes the array
     * @param from the offset of the first byte, 0 or more
     * @param length the number of bytes, 0 or more
     */
    record Slice(byte[] bytes, int from, long length) implements BodySegment {
        public Slice {
            Objects.checkFromIndexSize(from, length, bytes.length);
        }
    }

    /**
     * A region of an open file, which the kernel sends without copying it into the heap where
     * possible. Its creator must have {@linkplain OpenFile#retain retained} the file. Immutable.
     *
     * @param file the file
     * @param from the offset of the first byte, 0 or more
     * @param length the number of bytes, 0 or more
     */
    record Region(OpenFile file, long from, long length) implements BodySegment {
        public Region {
            Objects.requireNonNull(file, "file");
            if (from < 0 || length < 0) {
                throw new IllegalArgumentException(
                        "A region needs from >= 0 and length >= 0, not "
                                + from
                                + " and "
                                + length
                                + ".");
            }
        }
    }
}
