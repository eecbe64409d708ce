// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.Failure;
import java.util.Arrays;

/**
 * Lets one client in after the other: a ticket, a WebSocket, CONNECT, and what its {@link Crowd}
 * has it do before it is in. Loop-confined.
 */
final class Slot implements Part {
    private static final byte[] TICKET = "40{\"ticket\":".getBytes(ISO_8859_1);

    private final Entrance entrance;
    private final Rig rig;
    private final TicketLane lane;
    private Session session;
    private long began;

    Slot(Entrance entrance, Rig rig) {
        this.entrance = entrance;
        this.rig = rig;
        this.lane = new TicketLane(rig, this);
    }

    void next() {
        session = entrance.next();
        if (session == null) {
            lane.close();
            return;
        }
        session.part(this);
        began = rig.nanos();
        if (rig.plan.password.isPresent() && rig.plan.ticket) {
            lane.ask();
        } else {
            session.open(rig.handshake.connect());
        }
    }

    /**
     * @param quoted as it came, a string of JSON
     */
    void ticket(byte[] quoted) {
        entrance.ticket(rig.nanos() - began);
        byte[] packet = Arrays.copyOf(TICKET, TICKET.length + quoted.length + 1);
        System.arraycopy(quoted, 0, packet, TICKET.length, quoted.length);
        packet[packet.length - 1] = '}';
        session.open(packet);
    }

    void noTicket(Failure why, String words) {
        ended(session, why, words);
    }

    @Override
    public void ready(Session session, long now) {
        entrance.ready(session, now - began, now);
        entrance.crowd().enter(session, this::next);
    }

    @Override
    public void ended(Session session, Failure why, String words) {
        rig.tally().failed(why, words);
        entrance.failed();
        next();
    }
}
