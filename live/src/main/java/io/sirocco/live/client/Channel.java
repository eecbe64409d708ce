// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.Arguments;
import io.sirocco.live.RequestException;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A namespace: what a program sends and is told. Whether it is joined at the moment is the affair
 * of its {@link Membership}. What is private may be used by any thread; the rest is loop-confined
 * but for what the interface has.
 */
final class Channel implements LiveNamespace {
    /** What an event costs that waits for handlers, beside its bytes. */
    private static final int OVERHEAD = 64;

    final Membership membership;
    final Handlers handlers = new Handlers();
    final Outbox outbox;
    final Requests requests;
    private final LiveClient client;
    private final String name;

    Channel(LiveClient client, String name) {
        this.client = client;
        this.name = name;
        LiveClientSettings settings = client.settings;
        this.outbox = new Outbox(settings.offline, settings.offlineBytes, settings.overflow);
        this.requests = new Requests(settings.requests);
        this.membership = new Membership(client, this);
    }

    // ---- what a program may ask for

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<String> id() {
        return membership.id();
    }

    @Override
    public boolean isConnected() {
        return membership.id().isPresent();
    }

    @Override
    public CompletableFuture<Connected> connect() {
        var outcome = new CompletableFuture<Connected>();
        if (!client.execute(() -> membership.connect(outcome))) {
            outcome.completeExceptionally(new IllegalStateException("The client is closed."));
        }
        return outcome;
    }

    @Override
    public void leave() {
        client.execute(membership::leave);
    }

    @Override
    public <T> LiveNamespace on(String event, Class<T> type, Handler<? super T> handler) {
        handlers.on(event, handler, arguments -> handler.handle(arguments.as(0, type)));
        return this;
    }

    @Override
    public LiveNamespace on(String event, Handler<Arguments> handler) {
        handlers.on(event, handler, handler);
        return this;
    }

    @Override
    public LiveNamespace off(String event) {
        handlers.off(event);
        return this;
    }

    @Override
    public LiveNamespace off(String event, Handler<?> handler) {
        handlers.off(event, handler);
        return this;
    }

    @Override
    public <T> LiveNamespace onRequest(String event, Class<T> type, Answerer<? super T> answerer) {
        return onRequest(event, arguments -> answerer.answer(arguments.as(0, type)));
    }

    @Override
    public LiveNamespace onRequest(String event, Answerer<Arguments> answerer) {
        handlers.onRequest(event, answerer);
        return this;
    }

    @Override
    public LiveNamespace onConnected(Handler<Connected> handler) {
        handlers.connected.add(handler);
        return this;
    }

    @Override
    public LiveNamespace onDisconnected(Handler<Disconnected> handler) {
        handlers.disconnected.add(handler);
        return this;
    }

    @Override
    public LiveNamespace onRefused(Handler<Refused> handler) {
        handlers.refused.add(handler);
        return this;
    }

    @Override
    public LiveNamespace onError(Consumer<Throwable> handler) {
        handlers.onError(handler);
        return this;
    }

    @Override
    public boolean send(String event, Object... arguments) {
        try {
            return put(event(event, arguments, Packet.NO_ID), Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public <T> T request(String event, Duration longest, Class<T> type, Object... arguments) {
        long end = System.nanoTime() + longest.toNanos();
        Asked mine = requests.begin(event);
        Message message = null;
        try {
            message = event(event, arguments, mine.number());
            if (!put(message, longest.toNanos()) && System.nanoTime() < end) {
                mine.closed(client.isClosing() ? "the client is closed" : "there is no room");
            }
            return mine.await(end - System.nanoTime(), type);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RequestException.closed("interrupted before '" + event + "' was sent");
        } finally {
            requests.end(mine);
            if (message != null && !mine.isSent()) {
                outbox.remove(message);
            }
        }
    }

    @Override
    public long dropped() {
        return outbox.dropped();
    }

    // ---- out

    private Message event(String event, Object[] arguments, long number) {
        Json.Encoded encoded = client.json.event(event, Arguments.spread(arguments));
        Packet packet = Packet.event(name, number, encoded.attachments().size(), encoded.data());
        return new Message(event, "4" + packet, encoded.attachments(), number, 0);
    }

    private Message answer(String event, long number, long ofSession, Object... values) {
        Json.Encoded encoded = client.json.answer(Arguments.spread(values));
        Packet packet = Packet.ack(name, number, encoded.attachments().size(), encoded.data());
        String text = "4" + packet;
        return new Message(event, text, encoded.attachments(), Packet.NO_ID, ofSession);
    }

    /** Any thread but the loop's. */
    private boolean put(Message message, long longestNanos) throws InterruptedException {
        var displaced = new ArrayList<Message>(0);
        boolean taken = outbox.put(message, displaced, longestNanos);
        for (Message each : displaced) {
            close(each, "newer ones have taken its place");
        }
        if (taken) {
            client.wake();
        }
        return taken;
    }

    private void close(Message message, String why) {
        Asked waits = requests.get(message.id());
        if (waits != null) {
            waits.closed(why);
        }
    }

    /** The next message for the link; null when there is none for now. */
    Message next() {
        if (!membership.joined()) {
            return null;
        }
        for (Message message; (message = outbox.poll()) != null; ) {
            membership.polled();
            if (message.session() != 0 && message.session() != membership.session()) {
                continue; // who has asked is not there any more
            }
            if (message.id() != Packet.NO_ID) {
                Asked waits = requests.get(message.id());
                if (waits == null) {
                    continue; // nobody waits for the answer any more
                }
                waits.sent();
            }
            return message;
        }
        return null;
    }

    /** It cannot be sent. */
    void unsendable(Message message, String why) {
        close(message, why);
        if (message.id() == Packet.NO_ID) {
            var error = new IllegalArgumentException("'" + message.event() + "': " + why);
            client.turns.add(() -> handlers.failed(error), 0);
        }
    }

    /** Whether there are requests under way. Any thread. */
    boolean asks() {
        return !requests.isEmpty();
    }

    // ---- in

    /** An event has come, in this session. */
    void event(Incoming packet) {
        String event = packet.event();
        long ofSession = membership.session();
        client.turns.add(
                () -> {
                    if (packet.isPlain()) {
                        handlers.tell(event, packet.arguments());
                    } else {
                        answer(event, packet, ofSession);
                    }
                },
                OVERHEAD + packet.size());
    }

    /** On the thread of handlers. */
    private void answer(String event, Incoming packet, long ofSession) {
        Object[] values = handlers.answer(event, packet.arguments());
        if (values.length == 1 && values[0] instanceof CompletionStage<?> stage) {
            stage.whenComplete(
                    (value, thrown) -> {
                        Object[] later = handlers.answered(value, thrown);
                        client.loop.startVirtual(() -> answer(event, packet, ofSession, later));
                    });
        } else {
            answer(event, packet, ofSession, values);
        }
    }

    private void answer(String event, Incoming packet, long ofSession, Object... values) {
        Message message;
        try {
            message = answer(event, packet.packet().id(), ofSession, values);
        } catch (IllegalArgumentException e) {
            Object[] instead = handlers.broken(e);
            message = answer(event, packet.packet().id(), ofSession, instead);
        }
        try {
            put(message, Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** An answer has come; maybe too late for anybody to wait for it. */
    void answer(Incoming packet) {
        Asked waits = requests.get(packet.packet().id());
        if (waits != null) {
            waits.answered(packet.answer());
        }
    }

    /** The client is being closed. Any thread. */
    void refuseMore() {
        outbox.close();
    }

    /** Nothing of it will be sent or answered any more. */
    void end() {
        outbox.clear();
        requests.close("the client is closed");
    }
}
