// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.Failure;

/** Sessions that are there, and no more. Loop-confined. */
record Idle(Rig rig) implements Crowd, Part {

    @Override
    public void enter(Session session, Runnable in) {
        session.part(this);
        in.run();
    }

    @Override
    public void ended(Session session, Failure why, String words) {
        rig.tally().failed(why, words);
    }
}
