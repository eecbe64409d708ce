// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.websocket.WebSocketGroup;
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

    final WebSocketGroup group;

    private WebSockets(WebSocketGroup group) {
        this.group = group;
    }

    /**
     * Sets them up.
     *
     * @throws IllegalArgumentException for a setting that cannot be
     */
    public static WebSockets of(Consumer<WebSocketSettings> configure) {
        var settings = new WebSocketSettings();
        configure.accept(settings);
        return new WebSockets(new WebSocketGroup(settings.terms()));
    }

    /** How many are connected now. */
    public long open() {
        return group.open();
    }

    /** Bytes of native memory that the contexts of those cost which keep one. */
    public long contextMemory() {
        return group.contextMemory();
    }
}
