// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.live.wire.WireException;

/** What stands on a {@link Session}. Confined to the loop of the session. */
public interface Channel {

    /** A message of text has come. */
    void text(String text) throws WireException;

    /** A message of bytes has come. */
    void binary(byte[] bytes) throws WireException;

    /** So many events were dropped now: the peer is slow. */
    void dropped(long events);

    /** Messages were dropped, and there is room again. */
    void gap(long dropped);

    /** The end; called once, last. */
    void closed(End end);
}
