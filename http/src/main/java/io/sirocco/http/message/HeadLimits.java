// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

/**
 * What a head may cost. Each limit is exact: as much is accepted, one more is not. Immutable.
 *
 * @param head bytes from the first one to the end of the blank line
 * @param target bytes of the request target
 * @param headers number of field lines
 */
public record HeadLimits(int head, int target, int headers) {

    /** 16 KiB, of which 8 KiB may be the target, as RFC 9112 3 recommends at least; 100 fields. */
    public static final HeadLimits DEFAULT = new HeadLimits(16 << 10, 8 << 10, 100);

    public HeadLimits {
        if (head < 1 || target < 1 || headers < 0) {
            throw new IllegalArgumentException("limits: " + head + ", " + target + ", " + headers);
        }
    }
}
