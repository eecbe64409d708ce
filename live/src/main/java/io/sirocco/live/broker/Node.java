// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

/**
 * One process of a service, as a {@link Broker} sees it. Its methods must not block; those about
 * messages are called one after the other, in order.
 */
public interface Node {

    /** A name that no other process has, nor had before. */
    String id();

    /** A message, also one of its own. */
    void deliver(Position position, Publication publication);

    /**
     * Messages were lost between the last one and the next: the broker was away for too long, or
     * has forgotten. So may be what {@link #joined} and {@link #left} would have said; {@link
     * Broker#members} knows.
     *
     * @param why for the log
     */
    void gap(String why);

    /** Another node has the session now. */
    void taken(String namespace, String pid);

    /**
     * Somebody is in a room, of any node; said once, with the first of their connections. Those of
     * one user belong together, and each of nobody in particular is alone.
     */
    void joined(Room room, Member member);

    /** Somebody is in it no more, or their node is dead. */
    void left(Room room, Member member);
}
