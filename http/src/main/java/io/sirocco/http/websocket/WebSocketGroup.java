// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.WebSockets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sockets of one {@link WebSockets}: their settings, their number, and the memory that their
 * compression contexts take together. Any thread.
 */
public final class WebSocketGroup {
    private static final int REFUSED_ORIGINS = 32;

    final WebSocketTerms terms;
    private final AtomicLong open = new AtomicLong();
    private final AtomicLong contextMemory = new AtomicLong();
    private final Set<String> refusedOrigins = ConcurrentHashMap.newKeySet(); // in the log

    public WebSocketGroup(WebSocketTerms terms) {
        this.terms = terms;
    }

    /** Returns how many are connected. */
    public long open() {
        return open.get();
    }

    /** Notes that an origin was refused. Returns whether it is new, and not one of very many. */
    public boolean noteRefused(String origin) {
        return refusedOrigins.size() < REFUSED_ORIGINS && refusedOrigins.add(origin);
    }

    /** Returns the bytes of native memory of their contexts. */
    public long contextMemory() {
        return contextMemory.get();
    }

    /** Returns the agreed compression, whose memory is reserved until {@link #closed}. */
    Optional<Agreement> agree(String offers) {
        if (!terms.compression()) {
            return Optional.empty();
        }
        Optional<Agreement> rich =
                Offers.accept(offers, terms.serverContext(), terms.clientContext());
        int memory = rich.map(agreed -> agreed.memory(Role.SERVER)).orElse(0);
        if (memory == 0 || reserve(memory)) {
            return rich;
        }
        return Offers.accept(offers, false, false);
    }

    /** Returns what a client offers; its memory is reserved until {@link #settle}. */
    Optional<Agreement> offer() {
        if (!terms.compression()) {
            return Optional.empty();
        }
        Agreement rich = Agreement.offer(terms.serverContext(), terms.clientContext());
        int memory = rich.memory(Role.CLIENT);
        return Optional.of(memory == 0 || reserve(memory) ? rich : Agreement.offer(false, false));
    }

    /** Replaces the memory of an offer by that of the agreement, which is null for none. */
    void settle(Agreement offered, Agreement agreed) {
        if (offered != null) {
            int kept = agreed == null ? 0 : agreed.memory(Role.CLIENT);
            contextMemory.addAndGet(kept - offered.memory(Role.CLIENT));
        }
    }

    private boolean reserve(int memory) {
        if (contextMemory.addAndGet(memory) <= terms.contextMemory()) {
            return true;
        }
        contextMemory.addAndGet(-memory);
        return false;
    }

    void opened() {
        open.incrementAndGet();
    }

    void closed(Agreement agreement, Role role) {
        release(agreement, role);
        open.decrementAndGet(); // whoever sees that it is gone sees its memory gone
    }

    /** Releases the memory of an agreement, which is null for none. */
    void release(Agreement agreement, Role role) {
        if (agreement != null) {
            contextMemory.addAndGet(-agreement.memory(role));
        }
    }
}
