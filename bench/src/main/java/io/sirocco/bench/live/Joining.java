// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.Failure;

/**
 * Has a session join the room of a fan-out, and then be what it is there for; one that is refused
 * is only there. Loop-confined.
 */
final class Joining implements Part {
    private static final byte[] JOIN =
            ("420[\"join\",\"" + Fanout.ROOM + "\"]").getBytes(ISO_8859_1);

    private final Rig rig;
    private final Part then;
    private final Runnable joined;
    private final Runnable in;

    /**
     * @param joined told when it is in the room
     * @param in told in any case, when that is decided
     */
    Joining(Rig rig, Part then, Runnable joined, Runnable in) {
        this.rig = rig;
        this.then = then;
        this.joined = joined;
        this.in = in;
    }

    void begin(Session session) {
        session.part(this);
        session.begin().put(JOIN);
        session.send();
        session.awaits();
    }

    /** With an empty array, unless it is refused. */
    @Override
    public void answered(Session session, long id, byte[] b, int from, int to, long now) {
        if (id != 0) {
            session.unexpected("an answer that nobody waits for");
            return;
        }
        session.awaitsNothing();
        if (to - from <= 2) {
            session.part(then);
            joined.run();
        } else {
            session.part(new Idle(rig));
            String why = new String(b, from, Math.min(to - from, 200), ISO_8859_1);
            rig.tally().failed(Failure.REFUSED, "join: " + why);
        }
        in.run();
    }

    @Override
    public void ended(Session session, Failure why, String words) {
        rig.tally().failed(why, words);
        in.run();
    }
}
