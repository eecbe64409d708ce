// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Replay;
import io.sirocco.live.engine.Parcel;
import io.sirocco.live.wire.Packet;
import io.sirocco.net.Alarm;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Whether a client is here.
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
    private Alarm expiry; // while it is away
    private volatile boolean forgotten; // by the broker, or it is another node's to keep it
    private Held held; // while it returns
    private Parcel gap; // that was told meanwhile, or null

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
        client.at(next.session.peer());
        last = next.shard();
        link = next;
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

    /** It returns over another link, maybe on another loop: from now on messages are held. */
    void comeBack(Link next, CompletableFuture<Boolean> back) {
        if (last == null) { // it was on another node
            client.rooms.attend();
            arrive(next, back);
            return;
        }
        execute(
                () -> {
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
                    boolean added = next.add(client);
                    if (added) {
                        state = State.RETURNS;
                        held = new Held(hub().settings.budget);
                        gap = null;
                        client.namespace().add(client);
                        shard().add(client);
                    } else {
                        gone(Reason.LOST);
                    }
                    back.complete(added);
                });
    }

    /** It is told what it has missed. Any thread. */
    void resume(Link to, Replay replay) {
        execute(
                () -> {
                    if (link == to && state == State.RETURNS) {
                        tell(replay);
                    }
                });
        keep();
    }

    private void tell(Replay replay) {
        state = State.HERE;
        shard().tally.recovered.add(1);
        welcome();
        var told = new HashSet<Position>();
        for (Replay.Message message : replay.messages()) {
            told.add(message.position());
            deliver(new Delivery(message.position(), message.publication()));
        }
        if (gap != null) {
            put(gap);
        }
        Held since = held;
        held = null;
        gap = null;
        for (Delivery each : since.all()) {
            if (!told.contains(each.position)) {
                deliver(each);
            }
        }
        if (since.dropped() > 0) {
            client.gap(Map.of("dropped", since.dropped()));
        }
    }

    // ---- going

    /** Its session has ended, or it said good-bye. */
    void gone(Reason reason) {
        boolean mayReturn = reason == Reason.LOST || reason == Reason.SLOW;
        if (!client.recovers() || !mayReturn || state == State.GONE) {
            execute(() -> end(reason)); // maybe while a message is handed to all
            return;
        }
        state = State.AWAY;
        unlink();
        client.failAsked();
        keep();
        long millis = hub().settings.recovery.toMillis();
        expiry = last.loop.after(millis, () -> end(reason));
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
                    Link before = detach();
                    if (before != null) {
                        before.closeIfEmpty();
                    }
                    over();
                    forgotten = true;
                    last.loop.after(ARRIVAL_MILLIS, this::leaveRooms);
                });
    }

    /** Its presence ends, unless it has come back to this node. */
    private void leaveRooms() {
        if (!client.rooms().isEmpty()) {
            aside(client.rooms::attend);
        }
    }

    private void end(Reason reason) {
        if (state == State.GONE || state == State.NEW) {
            return;
        }
        shard().tally.closes(reason).add(1);
        detach();
        over();
        leaveRooms();
        client.ended(reason);
    }

    private void over() {
        client.untag(() -> state = State.GONE);
        client.namespace().remove(client);
    }

    private Link detach() {
        Link before = link;
        if (expiry != null) {
            expiry.cancel();
            expiry = null;
        }
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
    }

    // ---- being here

    /** A message to a room that it is in. */
    void deliver(Delivery delivery) {
        if (state == State.HERE) {
            link.send(client.recovers() ? delivery.dated() : delivery.plain());
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

    /** One after the other, each as it is by then: the last that the broker hears is true. */
    private synchronized void keepNow() {
        if (!forgotten) {
            Duration recovery = hub().settings.recovery;
            Duration life = state == State.AWAY ? recovery : recovery.plusSeconds(20);
            hub().broker.keep(client.session(), life);
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
        hub().broker.forget(client.namespace().name(), client.pid());
    }

    /**
     * Has a virtual thread run it: a broker, or we, may have a lock, and a loop that waits for one
     * behind a virtual thread of its own stands still. Any thread.
     */
    void aside(Runnable task) {
        if (Thread.currentThread().isVirtual()) {
            task.run();
        } else {
            shard().loop.startVirtual(task);
        }
    }
}
