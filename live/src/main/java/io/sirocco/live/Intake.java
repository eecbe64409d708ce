// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.engine.Session;
import io.sirocco.live.wire.Assembler;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.Received;
import io.sirocco.live.wire.WireException;
import io.sirocco.net.MemoryBudget;
import io.sirocco.net.ScheduledTask;
import java.util.List;
import java.util.Optional;

/**
 * What comes over one session: packets put together, and no more of them than are handled. Nothing
 * is read while much waits for handlers, or more came than bytes are allowed. What it holds counts
 * against the memory of the loop; attachments that do not follow their event in time end the
 * session. Confined to where the session lives.
 */
final class Intake {
    private static final int FULL = 64 << 10;
    private static final int JOB = 64;

    /** A message is held as its text, as what was parsed, and as what a handler makes of it. */
    private static final int COPIES = 3;

    private final Hub hub;
    private final Session session;
    private Assembler assembler; // null unless attachments are due
    private int assembled; // bytes that it holds
    private ScheduledTask attachmentTimeout; // null unless attachments are due
    private boolean closed; // the session has ended: nothing is assembled any more
    private boolean moving; // to another loop: nothing is reserved of either
    private int waiting; // bytes that handlers have not taken
    private long held; // memory of that
    private int unanswered;
    private double allowance; // bytes that may be read, where that is limited
    private long allowedAt;
    private boolean throttled;
    private boolean full;

    Intake(Hub hub, Session session) {
        this.hub = hub;
        this.session = session;
        this.allowance = hub.settings.bytesPerSecond;
        this.allowedAt = session.loop().now();
    }

    /** A message of text has come; answers what is whole with it. */
    Optional<Received> text(String text) throws WireException {
        throttle(text.length());
        if (assembler == null) {
            Packet packet = Packet.parse(text);
            if (packet.attachments() == 0) {
                return Optional.of(new Received(packet, List.of()));
            }
            assembler = new Assembler(hub.settings.attachments, hub.settings.maxMessage);
            awaitAttachments();
        }
        reserve(text.length());
        return whole(assembler.text(text));
    }

    /** A message of bytes has come. */
    Optional<Received> binary(byte[] bytes) throws WireException {
        throttle(bytes.length);
        if (assembler == null) {
            throw new WireException("an attachment has come that belongs to nothing");
        }
        reserve(bytes.length);
        return whole(assembler.binary(bytes));
    }

    private MemoryBudget memory() {
        return session.loop().memory();
    }

    private void reserve(int bytes) throws WireException {
        MemoryBudget memory = memory();
        if (!memory.reserve(bytes)) {
            throw new WireException("the server has no memory for attachments now");
        }
        if (closed) { // other connections ended to make room, and this session with them
            memory.release(bytes);
            throw new WireException("the session has ended");
        }
        assembled += bytes;
    }

    private void awaitAttachments() {
        attachmentTimeout =
                session.loop()
                        .schedule(
                                hub.settings.attachmentTimeout.toMillis(),
                                () -> session.cut("attachments have not come in time"));
    }

    private void endAssembly() {
        assembler = null;
        if (attachmentTimeout != null) {
            attachmentTimeout.cancel();
            attachmentTimeout = null;
        }
        if (!moving) {
            memory().release(assembled);
        }
        assembled = 0;
    }

    private Tally tally() {
        return ((Shard) session.home()).tally;
    }

    /** An event or an answer has come whole. */
    void took(Received received) {
        tally().messagesIn.add(1);
        tally().bytesIn.add(received.size());
    }

    private Optional<Received> whole(Optional<Received> received) {
        if (assembler.isEmpty()) {
            endAssembly();
        }
        return received;
    }

    private void throttle(int bytes) {
        long perSecond = hub.settings.bytesPerSecond;
        if (perSecond == 0) {
            return;
        }
        long now = session.loop().now();
        allowance = Math.min(perSecond, allowance + (now - allowedAt) * perSecond / 1e3) - bytes;
        allowedAt = now;
        if (allowance < 0 && !throttled) {
            throttled = true;
            session.pause();
            long wait = (long) Math.ceil(-allowance * 1_000 / perSecond);
            session.loop().schedule(wait, () -> session.run(this::unthrottle));
        }
    }

    private void unthrottle() {
        throttled = false;
        resume();
    }

    /** Handlers have something more to do. */
    void waits(int size) {
        tally().queued.add(1);
        tally().queuedBytes.add(size);
        waiting += size + JOB;
        hold(COPIES * (long) size + JOB);
        if (!full && (waiting >= FULL || memory().used() > memory().limit())) {
            full = true;
            session.pause();
        }
    }

    private void hold(long more) {
        held += more;
        if (!moving) {
            memory().add(more);
        }
    }

    /** And have done it. */
    void done(int size) {
        tally().queued.add(-1);
        tally().queuedBytes.add(-size);
        waiting -= size + JOB;
        hold(-(COPIES * (long) size + JOB));
        if (full && waiting < FULL / 2) {
            full = false;
            resume();
        }
    }

    private void resume() {
        if (!full && !throttled && !hub.stopping) {
            session.resume();
        }
    }

    // ---- moving, and the end

    /** The session is about to leave this loop. */
    void leave() {
        memory().release(assembled + held);
        moving = true;
        if (attachmentTimeout != null) {
            attachmentTimeout.cancel();
        }
    }

    /** It is on its loop, another or the same. */
    void arrive() {
        moving = false;
        memory().add(assembled + held);
        if (attachmentTimeout != null) {
            awaitAttachments();
        }
    }

    /** The session has ended; what waits for handlers is still done. */
    void closed() {
        closed = true;
        endAssembly();
    }

    /** One more request is to be answered; false when there are too many. */
    boolean asks() {
        unanswered++;
        tally().requests.add(1);
        return unanswered <= hub.settings.unanswered;
    }

    void answered() {
        unanswered--;
        tally().requests.add(-1);
    }

    /** Whether a new one would go on as this one. */
    boolean isIdle() {
        boolean stops = closed || moving || throttled || full;
        return isQuiet() && assembler == null && !stops && hub.settings.bytesPerSecond == 0;
    }

    /** Whether handlers have nothing to say any more. */
    boolean isQuiet() {
        return waiting == 0 && unanswered == 0;
    }
}
