// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

/** How a connection that was open can be lost. */
enum Loss {
    /** The server or the network reset it. */
    RESET,
    /** The server closed it. */
    CLOSED,
    /** An answer did not come in time, so we gave it up. */
    TIMED_OUT,
    /** What came was no answer of HTTP/1.1, or nobody had asked. */
    MALFORMED
}
