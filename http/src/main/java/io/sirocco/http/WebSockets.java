// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.websocket.WebSocketGroup;
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

    final WebSocketGroup group;

    private WebSockets(WebSocketGroup group) {
        this.group = group;
    }

    /**
     * Creates settings.
     *
     * @throws IllegalArgumentException if a setting is invalid
     */
    public static WebSockets of(Consumer<WebSocketSettings> configure) {
        var settings = new WebSocketSettings();
        configure.accept(settings);
        return new WebSockets(new WebSocketGroup(settings.terms()));
    }

    /** Returns the number of open sockets. */
    public long open() {
        return group.open();
    }

    /** Returns the native memory in bytes that context takeover takes for the open sockets. */
    public long contextMemory() {
        return group.contextMemory();
    }
}
