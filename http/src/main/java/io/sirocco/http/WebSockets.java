// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.ws.Agreement;
import io.sirocco.http.ws.Offers;
import io.sirocco.http.ws.Role;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * How the WebSockets of a route are spoken, and a count of them. Made once, for any number of
 * {@link Response#webSocket} responses:
 *
 * <pre>{@code
 * WebSockets chat = WebSockets.of(s -> s.maxMessage(64 << 10).origins("https://chat.example.org"));
 * routes.get("/chat", request -> Response.webSocket(chat, socket -> ...));
 * }</pre>
 *
 * <p>Any thread.
 */
public final class WebSockets {
    static final WebSockets DEFAULT = of(settings -> {});

    final WebSocketSettings.Terms terms;
    private final AtomicLong open = new AtomicLong();
    private final AtomicLong contextMemory = new AtomicLong();

    private WebSockets(WebSocketSettings.Terms terms) {
        this.terms = terms;
    }

    /**
     * Sets them up.
     *
     * @throws IllegalArgumentException for a setting that cannot be
     */
    public static WebSockets of(Consumer<WebSocketSettings> configure) {
        var settings = new WebSocketSettings();
        configure.accept(settings);
        return new WebSockets(settings.terms());
    }

    /** How many are connected now. */
    public long open() {
        return open.get();
    }

    /** Bytes of native memory that the contexts of those cost which keep one. */
    public long contextMemory() {
        return contextMemory.get();
    }

    /** What is agreed on about compression; memory for it is reserved until {@link #closed}. */
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

    /** What a client offers; memory for it is reserved until {@link #settle}. */
    Optional<Agreement> offer() {
        if (!terms.compression()) {
            return Optional.empty();
        }
        Agreement rich = Agreement.offer(terms.serverContext(), terms.clientContext());
        int memory = rich.memory(Role.CLIENT);
        return Optional.of(memory == 0 || reserve(memory) ? rich : Agreement.offer(false, false));
    }

    /** What came of an offer: null for nothing. */
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
        if (agreement != null) {
            contextMemory.addAndGet(-agreement.memory(role));
        }
        open.decrementAndGet(); // whoever sees that it is gone sees its memory gone
    }
}
