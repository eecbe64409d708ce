// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The clients of one loop, and the rooms that they are in. What concerns them goes through one
 * queue, so that a message is for whoever was in the room when it was sent. Loop-confined, but for
 * {@link #execute}.
 */
final class Shard {
    private static final LazyLogger LOG = LazyLogger.of(Live.class);
    private static final int AT_ONCE = 64;

    final Loop loop;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Map<Namespace, Local> namespaces = new IdentityHashMap<>(2);
    final Tally tally = new Tally();
    private final AtomicInteger handlers = new AtomicInteger();
    private boolean draining;

    /** Those of one namespace. */
    private static final class Local {
        final Set<Client> all = new HashSet<>();
        final Map<String, Set<Client>> rooms = new HashMap<>();
    }

    Shard(Loop loop) {
        this.loop = loop;
    }

    /** Has {@code task} run here, behind all that came before: at once where we are. Any thread. */
    void execute(Runnable task) {
        queue.add(task);
        if (loop.inLoop()) {
            drain();
        } else {
            schedule();
        }
    }

    /** The same, never at once. Any thread. */
    void executeLater(Runnable task) {
        queue.add(task);
        schedule();
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                loop.execute(this::drainSome);
            } catch (RejectedExecutionException e) {
                scheduled.set(false); // the server has stopped
            }
        }
    }

    /** Does all that waits. */
    void drain() {
        drain(Integer.MAX_VALUE);
    }

    /** Does a part of it, and the rest in the next turn: others want the loop, too. */
    private void drainSome() {
        scheduled.set(false);
        drain(AT_ONCE);
        if (!queue.isEmpty()) {
            schedule();
        }
    }

    private void drain(int most) {
        if (draining) {
            return;
        }
        draining = true;
        try {
            for (int i = 0; i < most; i++) {
                Runnable task = queue.poll();
                if (task == null) {
                    return;
                }
                run(task);
            }
        } finally {
            draining = false;
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.get().log(Level.ERROR, "a shard failed at what it was told", e);
        }
    }

    /** Threads of handlers that run. Any thread. */
    int handlers() {
        return handlers.get();
    }

    /** One more runs, or one fewer. Any thread. */
    void handlers(int more) {
        handlers.addAndGet(more);
    }

    void add(Client client) {
        Local local = namespaces.computeIfAbsent(client.namespace(), each -> new Local());
        local.all.add(client);
        client.rooms().forEach(room -> join(client, room));
    }

    void remove(Client client) {
        Local local = namespaces.get(client.namespace());
        if (local != null && local.all.remove(client)) {
            client.rooms().forEach(room -> leave(client, room));
        }
    }

    void join(Client client, String room) {
        Local local = namespaces.get(client.namespace());
        if (local != null && local.all.contains(client)) {
            if (local.rooms.computeIfAbsent(room, name -> new HashSet<>()).add(client)) {
                client.namespace().entered(room);
            }
        }
    }

    void leave(Client client, String room) {
        Local local = namespaces.get(client.namespace());
        Set<Client> members = local == null ? null : local.rooms.get(room);
        if (members != null && members.remove(client)) {
            client.namespace().left(room);
            if (members.isEmpty()) {
                local.rooms.remove(room);
            }
        }
    }

    /** All clients here. */
    List<Client> all() {
        return namespaces.values().stream().flatMap(local -> local.all.stream()).toList();
    }

    void deliver(Namespace namespace, Delivery delivery) {
        Local local = namespaces.get(namespace);
        if (local == null) {
            return;
        }
        Set<String> except = delivery.publication.except();
        for (Client client : audience(namespace, local, delivery.publication.rooms())) {
            if (except.isEmpty() || !except.contains(client.id())) {
                client.deliver(delivery);
            }
        }
    }

    private static Set<Client> audience(Namespace namespace, Local local, Set<String> rooms) {
        if (rooms.isEmpty()) {
            return local.all;
        }
        if (rooms.size() == 1) {
            return local.rooms.getOrDefault(rooms.iterator().next(), Set.of());
        }
        var all = new LinkedHashSet<Client>();
        for (String room : rooms) {
            all.addAll(local.rooms.getOrDefault(room, Set.of()));
            namespace.client(room).filter(local.all::contains).ifPresent(all::add);
        }
        return all;
    }
}
