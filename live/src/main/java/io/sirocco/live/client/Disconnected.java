// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

/**
 * A namespace was left; told once for each {@link Connected}. Immutable.
 *
 * @param cause of it
 * @param detail in words, for people; may be empty
 * @param returns whether we try to come back
 */
public record Disconnected(Cause cause, String detail, boolean returns) {
    /** Why. */
    public enum Cause {
        /** We have closed it. */
        CLOSED,
        /** The server has, on purpose: it does not want us back at once. */
        KICKED,
        /** The connection was lost. */
        LOST,
        /** The server's ping has not come. */
        SILENT,
        /** The server has broken the protocol. */
        MALFORMED
    }
}
