// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

/** What becomes of an event for which there is no room while there is no connection. */
public enum Overflow {
    /** It is not taken: {@code send} answers false. */
    DROP_NEWEST,
    /** The oldest ones make room for it. Requests among them fail at once. */
    DROP_OLDEST
}
