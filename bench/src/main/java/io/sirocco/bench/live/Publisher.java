// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.Appointment;
import io.sirocco.bench.Failure;

/**
 * Publishes the messages of a fan-out: at fixed times, or so many at a time that have not reached
 * all. While what it has written does not leave, it waits, and its messages are late. It is in the
 * room, too, where a server may want that; what it publishes does not come to itself.
 * Loop-confined.
 */
final class Publisher implements Part {
    private static final byte[] PUBLISH =
            ("42[\"publish\",\"" + Fanout.ROOM + "\",\"m\",").getBytes(ISO_8859_1);

    private final Fanout fanout;
    private final Rig rig;
    private final Session session;
    private final byte[] padding;
    private final Appointment appointment; // with what is due
    private boolean issuing;
    private long next;
    private long completed; // messages that have reached all, or were given up
    private long seen; // completed when it was last looked whether all stands still

    Publisher(Fanout fanout, Rig rig, Session session) {
        this.fanout = fanout;
        this.rig = rig;
        this.session = session;
        this.appointment = new Appointment(rig.loop, this::pump);
        this.padding = (",\"" + "x".repeat(rig.plan.size) + "\"]").getBytes(ISO_8859_1);
    }

    void start() {
        issuing = true;
        fanout.begin(rig.nanos());
        pump();
        if (fanout.closedLoop()) {
            watch();
        }
    }

    void end() {
        fanout.end(rig.nanos());
        issuing = false;
    }

    /** A message has reached all. */
    void complete() {
        completed = Math.min(next, completed + 1);
        pump();
    }

    /** What does not reach all in time is given up: it is lost for somebody. */
    private void watch() {
        seen = completed;
        rig.loop.schedule(
                rig.timeoutMillis,
                () -> {
                    if (issuing && session.ready()) {
                        if (completed == seen && completed < next) {
                            completed = next;
                            pump();
                        }
                        watch();
                    }
                });
    }

    private void pump() {
        long now = rig.nanos();
        while (issuing && session.ready() && !session.congested()) {
            if (fanout.closedLoop()) {
                if (next - completed >= rig.plan.window() || now >= fanout.until()) {
                    return;
                }
            } else {
                long due = fanout.due(next);
                if (due >= fanout.until()) {
                    return;
                }
                if (due > now) {
                    appointment.by(due);
                    return;
                }
            }
            publish(now);
        }
    }

    private void publish(long now) {
        fanout.publish(next, now);
        session.begin().put(PUBLISH).put(next).put(padding);
        session.send();
        next++;
    }

    @Override
    public void drained(Session session) {
        pump();
    }

    @Override
    public void ended(Session session, Failure why, String words) {
        rig.tally().failed(why, "the publisher: " + words);
        issuing = false;
    }
}
