// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

import io.sirocco.net.output.ChunkOwner;

/**
 * A buffer of the transport in which bytes have arrived, and from which they can be sent without a
 * copy. Loop-confined.
 */
public interface ReceiveBuffer extends ChunkOwner {
    /**
     * Keeps the content as it is until {@link #release}.
     *
     * @return false if too many buffers are kept already, since the transport needs some to receive
     */
    boolean retain();
}
