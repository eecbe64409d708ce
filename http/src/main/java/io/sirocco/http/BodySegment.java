// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.OpenFile;
import java.util.Objects;

/**
 * A part of a body that is at hand: bytes, or a region of a file. See {@link Response#segments}.
 */
public sealed interface BodySegment {
    /** How many bytes it is. */
    long length();

    /** Bytes, which must not change any more. Immutable. */
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
     * {@code length} bytes of {@code file} from {@code from} on, which leave without passing
     * through memory where the system can do that. Whoever makes it has {@linkplain OpenFile#retain
     * retained} the file for it. Immutable.
     */
    record Region(OpenFile file, long from, long length) implements BodySegment {
        public Region {
            Objects.requireNonNull(file, "file");
            if (from < 0 || length < 0) {
                throw new IllegalArgumentException(
                        "There is no region of " + length + " bytes from " + from + " on.");
            }
        }
    }
}
