// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.live.wire.WireException;

/** What stands on a {@link Session}. Confined to the loop of the session. */
public interface Channel {

    /** Returns whether somebody has been admitted: until then a session may hold little. */
    boolean isAdmitted();

    /** A message of text has come. */
    void text(String text) throws WireException;

    /** A message of bytes has come. */
    void binary(byte[] bytes) throws WireException;

    /** So many events were dropped now: the peer is slow. */
    void dropped(long events);

    /** All that waited has been sent: there is room again. */
    void room();

    /** Messages were dropped, and there is room again; called before {@link #room}. */
    void gap(long dropped);

    /**
     * The session wants to live elsewhere. Whoever agrees calls {@link Session#leave} here, later,
     * and then {@link Session#arrive} there.
     *
     * @return false when that cannot be at this moment
     */
    boolean move(Home to);

    /** The end; called once, last. */
    void closed(End end);
}
