// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import java.util.ArrayList;
import java.util.List;

/**
 * Clients of one loop that ask for echoes at fixed times, while others do something else: what they
 * wait is what anybody would. Loop-confined.
 */
final class Probes {
    private final Rig rig;
    private final List<Session> sessions = new ArrayList<>();
    private Echo echo; // of the present phase; null before the first
    private Tally tally = new Tally();

    Probes(Rig rig) {
        this.rig = rig;
    }

    /** Whether one more is wanted. */
    boolean wanted() {
        return sessions.size() < rig.share(rig.plan.probers());
    }

    void enter(Session session) {
        session.part(new Idle(rig));
        sessions.add(session);
    }

    /**
     * Asks from now on, and measures.
     *
     * @param whenDone runs when all requests sent before {@link #end} have their responses
     */
    void begin(Runnable whenDone) {
        if (sessions.isEmpty()) {
            whenDone.run();
            return;
        }
        tally = new Tally();
        echo = new Echo(rig, rig.plan.probes, () -> tally, whenDone);
        for (Session session : sessions) {
            if (session.ready()) {
                echo.enter(session, () -> {});
            }
        }
        echo.pacer.measure(Long.MAX_VALUE / 4);
        echo.start();
    }

    /** Asks no more. */
    void end() {
        if (echo != null) {
            echo.end();
        }
    }

    /** What is not answered by now is lost. Returns what was measured since it began. */
    Tally giveUp() {
        if (echo != null) {
            echo.giveUp();
            echo = null;
        }
        return tally;
    }
}
