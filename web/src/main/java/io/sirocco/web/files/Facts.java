// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.net.OpenFile;

/**
 * The facts that the system reports of a file: while all are equal, so is the content, unless
 * somebody sets the clock back. Immutable.
 *
 * @param identity the inode and its disk
 * @param size in bytes
 * @param modifiedNanos when the content changed last, in nanoseconds since 1970
 */
record Facts(Object identity, long size, long modifiedNanos) {

    static Facts of(OpenFile file) {
        return new Facts(file.identity(), file.size(), file.modifiedNanos());
    }

    /** Since 1970, as HTTP counts. */
    long modifiedSecond() {
        return Math.floorDiv(modifiedNanos, 1_000_000_000L);
    }
}
