// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.ws.Agreement;
import io.sirocco.http.ws.Offers;
import io.sirocco.http.ws.Role;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Settings for WebSockets, and a count of the sockets that use them. Create it once, and use it for
 * any number of {@link Response#webSocket} responses or clients:
 *
 * <pre>{@code
 * WebSockets chat = WebSockets.of(s -> s.maxMessageBytes(64 << 10).origins("https://chat.example.org"));
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
     * Creates settings.
     *
     * @throws IllegalArgumentException if a setting is invalid
     */
    public static WebSockets of(Consumer<WebSocketSettings> configure) {
        var settings = new WebSocketSettings();
        configure.accept(settings);
        return new WebSockets(settings.terms());
    }

    /** Returns the number of open sockets. */
    public long open() {
        return open.get();
    }

    /** Returns the native memory in bytes that context takeover takes for the open sockets. */
    public long contextMemory() {
        return contextMemory.get();
    }

    /**
     * Negotiates the compression of a server's socket, and reserves memory for it until {@link
     * #closed}.
     */
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

    /** Returns a client's offer, and reserves memory for it until {@link #settle}. */
    Optional<Agreement> offer() {
        if (!terms.compression()) {
            return Optional.empty();
        }
        Agreement rich = Agreement.offer(terms.serverContext(), terms.clientContext());
        int memory = rich.memory(Role.CLIENT);
        return Optional.of(memory == 0 || reserve(memory) ? rich : Agreement.offer(false, false));
    }

    /**
     * Corrects the reserved memory after the response to an offer; {@code agreed} is null without
     * compression.
     */
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
        open.decrementAndGet(); // after its memory, so that observers see both
    }
}
