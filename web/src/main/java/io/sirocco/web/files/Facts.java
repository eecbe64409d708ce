// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.net.OpenFile;

/**
 * What the system says of a file: as long as all of it is equal, so is the content, if nobody sets
 * the clock back. Immutable.
 *
 * @param identity which file of which disk
 * @param size bytes
 * @param modifiedNanos when its content was changed last, since 1970
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
