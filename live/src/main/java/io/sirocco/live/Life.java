// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.broker.Session;
import io.sirocco.live.engine.Parcel;
import io.sirocco.live.wire.Packet;
import io.sirocco.net.Loop;
import io.sirocco.net.ScheduledTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The states of a client, from its CONNECT until it is gone for good.
 *
 * <pre>
 *   NEW ──▶ HERE ── lost ──▶ AWAY ──▶ RETURNS ──▶ HERE        only where clients recover
 *             └── any other end, or the time is over ──▶ GONE
 * </pre>
 *
 * <p>Confined to where the client lives, unless it says otherwise.
 */
final class Life {
    /** After so long another node has said that it is there: else its rooms would see it leave. */
    private static final long ARRIVAL_MILLIS = 1_000;

    private enum State {
        NEW,
        HERE,
        AWAY,
        RETURNS,
        GONE
    }

    private final Client client;
    private volatile State state = State.NEW;
    private volatile Link link; // null while it is away, and when it is gone
    private volatile Shard last; // where it lives while it has no link
    private ScheduledTask expiry; // while it is away
    private boolean away; // it counts as one that is
    private volatile boolean ending; // or has ended: it neither comes back nor ends again
    private volatile boolean forgotten; // by the broker, or it is another node's to keep it
    private Held held; // while it returns
    private volatile ReplayPump pump; // while it is sent what it has missed, or null
    private List<CompletableFuture<Void>> waiting; // for room; null while nobody does
    private Parcel gap; // that was told meanwhile, or null
    private Kept kept; // with the lock of this held; null before the first
    private volatile boolean unkept; // the broker may not have it as it was kept last

    /**
     * What the broker was told last.
     *
     * @param changes since it was told of the whole
     */
    private record Kept(
            long version,
            Map<String, Position> rooms,
            Map<String, String> tags,
            String user,
            int changes) {

        /** Whether the whole is shorter than all that has changed. */
        boolean isLong() {
            return changes > rooms.size() + tags.size() + 8;
        }

        Kept behind(Kept before, Session.Change change) {
            int more = change.joined().size() + change.left().size() + change.tags().size();
            return new Kept(version, rooms, tags, user, before.changes + more);
        }
    }

    Life(Client client) {
        this.client = client;
    }

    /** Any thread. */
    boolean isHere() {
        return state == State.HERE;
    }

    /** Whether it is not gone for good. Any thread. */
    boolean lasts() {
        return state != State.GONE;
    }

    /** Whether it ends, or has: it does not come back. Any thread. */
    boolean isEnding() {
        return ending || state == State.GONE;
    }

    /** What it is connected by, or null. Any thread. */
    Link link() {
        return link;
    }

    /** Where it lives. Any thread. */
    Shard shard() {
        Link now = link;
        return now != null ? now.shard() : last;
    }

    /** Has {@code task} run where it lives, behind what concerns rooms. Any thread. */
    private void execute(Runnable task) {
        Shard here = shard();
        here.execute(
                () -> {
                    if (shard() == here) {
                        task.run();
                    } else {
                        execute(task);
                    }
                });
    }

    private void at(Link next) {
        livesWith(next);
        link = next;
    }

    /** It has not come yet. */
    void livesWith(Link next) {
        client.at(next.session.peer());
        last = next.shard();
    }

    private Hub hub() {
        return client.namespace().hub;
    }

    // ---- coming

    /** It is here for the first time. Any thread. */
    void enter(Link first) {
        at(first);
        execute(
                () -> {
                    if (!first.add(client)) {
                        state = State.GONE;
                        return;
                    }
                    state = State.HERE;
                    shard().tally.connects.add(1);
                    shard().add(client);
                    client.namespace().add(client);
                    client.tagged();
                    welcome();
                    client.connected();
                });
        keep();
    }

    private void welcome() {
        String pid = client.recovers() ? "\",\"pid\":\"" + client.pid() : "";
        String data = "{\"sid\":\"" + client.id() + pid + "\"}";
        Packet packet = Packet.of(Packet.Type.CONNECT, client.namespace().name(), data);
        link.send(Parcel.message("4" + packet, List.of(), false));
    }

    /**
     * It returns over another link, maybe on another loop: from now on messages are held. Not when
     * it is gone by then, or that link, or when it has returned over another one meanwhile. Any
     * thread.
     */
    void comeBack(Link next, CompletableFuture<Boolean> back) {
        if (state == State.NEW) { // it was on another node, or has ended on this one
            client.rooms.attend();
        }
        execute(
                () -> {
                    if (isEnding()) {
                        back.complete(false); // its time was over, or another node had it
                        return;
                    }
                    Link before = detach();
                    if (before != null) {
                        before.session.close(); // half-open: nobody knew that it is lost
                    }
                    arrive(next, back);
                });
    }

    private void arrive(Link next, CompletableFuture<Boolean> back) {
        at(next);
        execute(
                () -> {
                    if (link != next) { // another was quicker, and has closed this one
                        back.complete(false);
                        return;
                    }
                    boolean added = next.add(client);
                    state = State.RETURNS;
                    held = new Held(hub().settings.budget);
                    gap = null;
                    client.namespace().add(client);
                    shard().add(client);
                    if (!added) {
                        gone(Reason.LOST); // the link is: it is away, and may come back again
                    }
                    back.complete(added);
                });
    }

    /**
     * It is sent what it has missed.
     *
     * @param rooms for which that was asked
     * @param first a part of it. Any thread.
     */
    void resume(Link to, Map<String, Position> rooms, Replay first) {
        execute(
                () -> {
                    if (link == to && state == State.RETURNS) {
                        resumeHere(rooms, first);
                    }
                });
        keep();
    }

    private void resumeHere(Map<String, Position> rooms, Replay first) {
        state = State.HERE;
        shard().tally.recovered.add(1);
        welcome();
        if (gap != null) {
            put(gap);
            gap = null;
        }
        Held since = held;
        held = null;
        pump = new ReplayPump(client, link, rooms, first, since);
        pump.go();
    }

    /** Has another part of what it has missed taken, unless all that is over. Any thread. */
    void onPart(ReplayPump by, Link to, Runnable take) {
        execute(
                () -> {
                    if (pump == by && link == to) {
                        take.run();
                    }
                });
    }

    /** It has been sent all that it has missed. */
    void caughtUp(ReplayPump by) {
        if (pump == by) {
            pump = null;
            room();
        }
    }

    /** Whether it is here, and was sent all that it has missed. */
    boolean isSettled() {
        return state == State.HERE && pump == null;
    }

    // ---- room

    /**
     * Whether what waits for it is little, and so no more has to be asked; with more of it than
     * there is, perhaps. Any thread.
     */
    boolean hasRoom() {
        Link now = link;
        if (now == null) {
            return true; // nobody is there to be waited for
        }
        return state == State.HERE
                && pump == null
                && now.session.isHalfEmpty(now.shard().bytesWaiting());
    }

    /** Completes {@code room} when there is some, or nobody is here any more. Any thread. */
    void awaitRoom(CompletableFuture<Void> room) {
        execute(
                () -> {
                    if (hasRoomHere()) {
                        room.complete(null);
                        return;
                    }
                    if (waiting == null) {
                        waiting = new ArrayList<>(2);
                    }
                    waiting.add(room);
                });
    }

    private boolean hasRoomHere() {
        Link now = link;
        return now == null || state == State.HERE && pump == null && now.session.isHalfEmpty(0);
    }

    /** It has taken what was sent. */
    void room() {
        ReplayPump now = pump;
        if (now != null) {
            now.go();
        }
        if (waiting != null && hasRoomHere()) {
            List<CompletableFuture<Void>> all = waiting;
            waiting = null;
            shard().loop.startVirtual(() -> all.forEach(each -> each.complete(null)));
        }
    }

    // ---- going

    /** Its session has ended, or it said good-bye. */
    void gone(Reason reason) {
        boolean mayReturn = reason == Reason.LOST || reason == Reason.SLOW;
        if (!client.recovers() || !mayReturn || state == State.GONE || !countAway()) {
            execute(() -> end(reason)); // maybe while a message is handed to all
            return;
        }
        state = State.AWAY;
        held = null;
        unlink();
        client.failAsked();
        keep();
        long millis = hub().settings.recovery.toMillis();
        expiry = last.loop.schedule(millis, () -> end(reason));
    }

    /** Whether there is memory for one more that may come back. */
    private boolean countAway() {
        away = away || hub().membershipMemory.take(MembershipMemory.AWAY);
        return away;
    }

    private void uncountAway() {
        if (away) {
            away = false;
            hub().membershipMemory.give(MembershipMemory.AWAY);
        }
    }

    /** It is sent away. */
    void kick() {
        Link now = link;
        if (now != null) {
            Packet packet = Packet.of(Packet.Type.DISCONNECT, client.namespace().name(), "");
            now.send(Parcel.message("4" + packet, List.of(), false));
            end(Reason.KICKED);
            now.closeIfEmpty();
        } else {
            end(Reason.KICKED);
        }
    }

    /** It does not come back as the same. Any thread. */
    void giveUp(Reason reason) {
        execute(() -> end(reason));
    }

    /** It is on another node now: its handlers here are told nothing. Any thread. */
    void moved() {
        execute(
                () -> {
                    ending = true;
                    Link before = detach();
                    if (before != null) {
                        before.closeIfEmpty();
                    }
                    over();
                    forgotten = true;
                    last.loop.schedule(ARRIVAL_MILLIS, this::leaveRooms);
                });
    }

    /** Its presence ends, unless it has come back to this node. */
    private void leaveRooms() {
        if (!client.rooms().isEmpty()) {
            aside(client.rooms::attend);
        }
    }

    private void end(Reason reason) {
        if (isEnding() || state == State.NEW) {
            return;
        }
        ending = true; // before a lock of the client, while which is taken it may be kicked
        shard().tally.closes(reason).add(1);
        detach();
        over();
        leaveRooms();
        client.ended(reason);
    }

    private void over() {
        client.untag(() -> state = State.GONE);
        client.rooms.over();
        client.namespace().remove(client);
    }

    private Link detach() {
        Link before = link;
        if (expiry != null) {
            expiry.cancel();
            expiry = null;
        }
        uncountAway();
        shard().remove(client);
        if (before != null) {
            before.remove(client);
        }
        unlink();
        client.failAsked();
        return before;
    }

    private void unlink() {
        last = shard();
        link = null;
        pump = null;
        room(); // nobody waits for one that is not here
    }

    // ---- being here

    /** A message to a room that it is in. */
    void deliver(Delivery delivery) {
        if (state == State.HERE) {
            ReplayPump now = pump;
            if (now != null) {
                now.hold(delivery);
            } else {
                link.send(client.recovers() ? delivery.dated() : delivery.plain());
            }
        } else if (state == State.RETURNS) {
            held.add(delivery);
        }
    }

    /** Some are missing at this place. */
    void gap(Parcel parcel) {
        if (state == State.RETURNS) {
            gap = parcel;
        } else {
            put(parcel);
        }
    }

    /** A message to it alone; answers whether it is here to be told. */
    boolean put(Parcel parcel) {
        Link now = link;
        boolean here = now != null && state == State.HERE;
        if (here) {
            now.send(parcel);
        }
        return here;
    }

    /** Has the broker know it as it is. Any thread. */
    void keep() {
        if (client.recovers() && state != State.GONE) {
            aside(this::keepNow);
        }
    }

    /**
     * Whether the broker only needs to hear that it is still here: this is asked again and again of
     * each client. Any thread.
     */
    synchronized boolean isKept() {
        return kept != null && !unkept && !forgotten;
    }

    /** Has the broker know it as a whole: it has forgotten. Any thread. */
    void keepWhole() {
        unkept = true;
        keep();
    }

    /** How long the broker keeps it. Any thread. */
    Duration keeping() {
        Duration recovery = hub().settings.recovery;
        return state == State.AWAY ? recovery : recovery.plusSeconds(20);
    }

    /**
     * One after the other, each as it is by then: the last that the broker hears is true. It is
     * told what has changed, and of the whole when that is no more than all the changes were.
     */
    private synchronized void keepNow() {
        if (forgotten) {
            return;
        }
        long version = hub().versions.incrementAndGet();
        var now =
                new Kept(
                        version, client.rooms.joined(), client.tags(), client.user().orElse(""), 0);
        Kept before = kept;
        if (before == null || unkept || !before.user.equals(now.user) || before.isLong()) {
            unkept = false;
            kept = now;
            Session whole = client.session(version, now.user, now.rooms, now.tags);
            hub().broker.keep(whole, keeping()).whenComplete((done, failed) -> told(true, failed));
            return;
        }
        Session.Change change = change(before, now);
        kept = now.behind(before, change);
        hub().broker.change(change, keeping()).whenComplete(this::told);
    }

    private Session.Change change(Kept before, Kept now) {
        var joined = new HashMap<>(now.rooms);
        before.rooms.forEach(joined::remove);
        var left = new ArrayList<>(before.rooms.keySet());
        left.removeIf(now.rooms::containsKey);
        var tags = new HashMap<>(now.tags);
        tags.entrySet().removeAll(before.tags.entrySet());
        String namespace = client.namespace().name();
        return new Session.Change(
                namespace, client.pid(), before.version, now.version, joined, left, tags);
    }

    /** The broker has answered, or not. Any thread. */
    private void told(Boolean known, Throwable failed) {
        if (failed != null) {
            unkept = true; // when it is renewed
        } else if (!known) {
            keepWhole();
        }
    }

    /** Has the broker forget it, now that it is gone. Any thread. */
    void forget() {
        if (client.pid() != null) {
            aside(this::forgetNow);
        }
    }

    private synchronized void forgetNow() {
        forgotten = true;
        boolean back = client.namespace().withPid(client.pid()).isPresent(); // as another object
        if (!back) {
            hub().broker.forget(client.namespace().name(), client.pid());
        }
    }

    /**
     * Has a virtual thread run it: a broker, or we, may take a lock, and the loop's own code should
     * not wait for it. Any thread.
     */
    void aside(Runnable task) {
        if (Loop.mayPark()) {
            task.run();
        } else {
            shard().loop.startVirtual(task);
        }
    }
}
