// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

/** A socket that is being connected. Loop-confined. */
@FunctionalInterface
public interface ConnectingSocket {
    /** Stops trying; {@link TransportConnect#failed} follows when that is done. */
    void cancel();
}
