// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The broker of a service that is one process: its memory. Stages have ended when they are
 * returned, but for a replay that waits for a delivery. What it keeps of the past is bounded by a
 * {@link Depth}; sessions, marks of used tickets and counts end with their time, and their number
 * is bounded by the heap, at some 4 KiB of it for a session or count and 512 bytes for a ticket;
 * beyond that, and when 100,000 calls to its nodes wait, it refuses with a {@link BrokerException}.
 * Messages are delivered by the threads that publish. Any thread.
 */
public final class MemoryBroker implements Broker {
    private final Memory memory;
    private volatile Optional<Node> node = Optional.empty();
    private volatile boolean closed;

    private MemoryBroker(Memory memory) {
        this.memory = memory;
    }

    /** A new memory of {@link Depth#DEFAULT}. */
    public static MemoryBroker create() {
        return create(Depth.DEFAULT);
    }

    /** A new memory. */
    public static MemoryBroker create(Depth depth) {
        return create(depth, Clock.system());
    }

    static MemoryBroker create(Depth depth, Clock clock) {
        return new MemoryBroker(new Memory(depth, clock));
    }

    /** The same memory, for another node of this process. */
    public MemoryBroker another() {
        return new MemoryBroker(memory);
    }

    @Override
    public boolean spansProcesses() {
        return false;
    }

    @Override
    public void start(Node node) {
        if (closed || this.node.isPresent()) {
            throw new IllegalStateException("A broker is started once.");
        }
        this.node = Optional.of(node);
        memory.nodes().add(node);
    }

    @Override
    public CompletionStage<Position> publish(Publication publication) {
        return with(node -> memory.publish(publication));
    }

    @Override
    public Position newest() {
        return memory.newest();
    }

    @Override
    public CompletionStage<Replay> replay(
            Position after, Audience audience, int messages, long bytes) {
        return with(node -> memory.replay(after, audience, messages, bytes))
                .thenCompose(replay -> replay);
    }

    @Override
    public CompletionStage<Replay> history(Room room, Optional<Position> after, int most) {
        return with(node -> memory.history(room, after, most));
    }

    @Override
    public CompletionStage<Replay> page(
            Room room, Optional<Position> before, int most, long bytes) {
        return with(node -> memory.page(room, before, most, bytes));
    }

    @Override
    public CompletionStage<Void> keep(Session session, Duration life) {
        return with(node -> done(() -> memory.sessions().keep(node, session, life)));
    }

    @Override
    public CompletionStage<Boolean> change(Session.Change change, Duration life) {
        return with(node -> memory.sessions().change(node, change, life));
    }

    @Override
    public CompletionStage<List<String>> renew(String namespace, List<String> pids, Duration life) {
        return with(node -> memory.sessions().renew(node, namespace, pids, life));
    }

    @Override
    public CompletionStage<Optional<Session>> take(String namespace, String pid) {
        return with(node -> memory.take(node, namespace, pid));
    }

    @Override
    public CompletionStage<Void> forget(String namespace, String pid) {
        return with(node -> done(() -> memory.sessions().forget(node, namespace, pid)));
    }

    @Override
    public CompletionStage<Void> join(Room room, Member member) {
        return with(node -> done(() -> memory.join(node, room, member)));
    }

    @Override
    public CompletionStage<Void> leave(Room room, Member member) {
        return with(node -> done(() -> memory.leave(node, room, member)));
    }

    @Override
    public CompletionStage<List<Member>> members(Room room) {
        return with(node -> memory.members(room));
    }

    @Override
    public CompletionStage<Boolean> spend(String ticket, Duration life) {
        return with(node -> memory.spend(ticket, life));
    }

    @Override
    public CompletionStage<Boolean> count(String key, Limit limit) {
        return with(node -> memory.count(key, limit));
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            node.ifPresent(memory::remove);
        }
    }

    private interface Work<T> {
        T by(Node node);
    }

    private <T> CompletionStage<T> with(Work<T> work) {
        try {
            if (closed) {
                throw new BrokerException("The broker is closed.");
            }
            Supplier<BrokerException> early =
                    () -> new BrokerException("The broker has not been started.");
            return CompletableFuture.completedStage(work.by(node.orElseThrow(early)));
        } catch (BrokerException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private static Void done(Runnable work) {
        work.run();
        return null;
    }
}
