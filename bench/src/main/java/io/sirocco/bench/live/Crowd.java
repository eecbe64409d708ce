// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

/**
 * What the sessions of one loop do once they are ready, and the course of it.
 *
 * <pre>
 *   enter, each session -> start -> measure -> end, when no more is asked -> giveUp
 *                          measure -> start, when nothing is to warm up
 * </pre>
 *
 * Loop-confined.
 */
interface Crowd {

    /** Has a session take part; {@code in} is told, once, when it does or never will. */
    void enter(Session session, Runnable in);

    /** Begins; without measuring, unless that was said before. */
    default void start() {}

    /** Measures from now on, for as long as the plan says. */
    default void measure() {}

    /** Asks no more; what is under way may still be answered. */
    default void end() {}

    /** What is not answered by now is lost. */
    default void giveUp() {}
}
