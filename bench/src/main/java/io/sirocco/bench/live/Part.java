// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.Failure;

/** What a {@link Session} does, told what happens to it. Loop-confined. */
interface Part {

    /** Its CONNECT was answered: told to the part that has opened it. */
    default void ready(Session session, long now) {
        throw new AssertionError("it was ready before");
    }

    /** {@code b[from..to)} is the array of what was answered to request {@code id}. */
    default void answered(Session session, long id, byte[] b, int from, int to, long now) {
        session.unexpected("an answer that nobody waits for");
    }

    /** {@code b[from..to)} is the array of an event: its name, then its arguments. */
    default void event(Session session, byte[] b, int from, int to, long now) {
        session.unexpected("an event");
    }

    /** There is room again behind what was written. */
    default void drained(Session session) {}

    /** It is over, and was not to be: no more is told. */
    void ended(Session session, Failure why, String words);
}
