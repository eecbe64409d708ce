// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.h1.HeadLimits;

/**
 * What a server accepts, and how long it waits: bytes and milliseconds; 0 means for ever. Set
 * through {@link Config}. Immutable.
 *
 * @param head sizes of a request head
 * @param body bytes of a request body, unless its route says otherwise; -1 for any
 * @param requests requests in progress on one loop
 * @param idleMillis a connection without a request
 * @param headMillis from the first byte of a head to its last
 * @param bodyMillis a body that is wanted: this long at first, and as long again as its bytes take
 *     at {@code bodyRate}
 * @param bodyRate bytes per second that a client must send at least
 * @param writeMillis a client that takes nothing of what is sent to it
 * @param handlerMillis a handler, until its response begins
 */
record Limits(
        HeadLimits head,
        long body,
        int requests,
        long idleMillis,
        long headMillis,
        long bodyMillis,
        long bodyRate,
        long writeMillis,
        long handlerMillis) {}
