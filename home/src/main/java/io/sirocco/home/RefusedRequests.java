// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

/**
 * How many datagrams to a controller had no effect since it started. Immutable.
 *
 * @param undecipherable those under no key that it accepts
 * @param notAllowed those that decrypt to no request, or to one that it does not accept
 * @param copies of requests that it has had before; only a fortified controller recognises them
 * @param changed requests that were changed on the way or joined of recorded ones
 * @param busy calls of scripts while as many waited as may
 */
public record RefusedRequests(
        long undecipherable, long notAllowed, long copies, long changed, long busy) {
    /** Returns the number of all. */
    public long total() {
        return undecipherable + notAllowed + copies + changed + busy;
    }
}
