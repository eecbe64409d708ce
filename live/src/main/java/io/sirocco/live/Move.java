// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A session moves from one shard to another, and its clients with it. Each message is delivered
 * once, and in order:
 *
 * <pre>
 *   from                                      to
 *   begin   ──── between two messages ────▶
 *   clear   its clients are in no room        expect   they are in theirs; what comes is held
 *      └──────────────── both ─────────────────┘
 *   leave   what was sent here is delivered ─▶ arrive   what was held is delivered
 * </pre>
 */
final class Move {
    private final Hub hub;
    private final Link link;
    private final Shard from;
    private final Shard to;
    private final List<Client> clients;
    private final Map<Client, Set<String>> rooms = new HashMap<>(2);
    private final AtomicInteger steps = new AtomicInteger();

    Move(Hub hub, Link link, Shard to) {
        this.hub = hub;
        this.link = link;
        this.from = link.shard();
        this.to = to;
        this.clients = link.all();
    }

    /** Called in the order of messages. Any thread. */
    void begin() {
        for (Client client : clients) {
            rooms.put(client, client.rooms.moving(to));
        }
        from.executeLater(this::clear);
        to.executeLater(this::expect);
    }

    private void clear() {
        rooms.forEach(from::clear);
        step();
    }

    private void expect() {
        clients.forEach(client -> to.expect(client, new Held(hub.settings.budget)));
        step();
    }

    /** Whoever is second goes on. */
    private void step() {
        if (steps.incrementAndGet() == 2) {
            from.loop.execute(this::leave);
        }
    }

    private void leave() {
        link.leave(to); // or has ended: then there is nobody to arrive
        to.loop.execute(this::arrive);
    }

    private void arrive() {
        for (Client client : clients) {
            client.rooms.settled();
            Held held = to.settle(client);
            if (client.shard() != to) {
                to.remove(client); // it has ended, or is elsewhere
            } else if (held != null) {
                held.all().forEach(client.life::deliver);
                if (held.dropped() > 0) {
                    client.gap(Map.of("dropped", held.dropped()));
                }
            }
        }
        if (link.shard() == to) {
            link.arrive();
        }
    }
}
