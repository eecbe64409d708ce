// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * The ports on which the {@link HttpListener}s of one state of the scripts listen. Listeners of one
 * port share its server. Any thread.
 */
final class HttpPorts {
    private record Key(int port, boolean tls) {}

    private final Map<Key, Shared> open = new HashMap<>();

    /** A server, and the listeners among which it distributes requests. Any thread. */
    static final class Shared {
        private final Key key;
        private final List<HttpListener> listeners = new CopyOnWriteArrayList<>();
        private Server server; // set before others see this

        private Shared(Key key) {
            this.key = key;
        }

        /** Returns the port that is open. */
        int port() {
            return server.port();
        }

        /** Returns whether all requests for a listener go to another one. */
        boolean isTaken(HttpListener listener) {
            return listeners.stream()
                            .filter(each -> each.ownPath().equals(listener.ownPath()))
                            .findFirst()
                            .orElse(listener)
                    != listener;
        }

        /** Gives a request to the listener with the longest path that it begins with. */
        Response receive(Request request) throws IOException {
            String path = "/" + request.param("*"); // decoded
            Optional<HttpListener> listener =
                    listeners.stream()
                            .filter(each -> each.takes(path))
                            .max(Comparator.comparingInt(each -> each.ownPath().length()));
            return listener.isPresent()
                    ? listener.get().receive(request)
                    : Response.text("No HttpListener of this port has this path.").status(404);
        }
    }

    /**
     * Adds a listener to the server of a port, which is started for the first one.
     *
     * @param port 0 for a free one, which is never shared
     * @param start starts a server that gives its requests to {@link Shared#receive}
     * @throws java.io.UncheckedIOException if the port cannot be bound
     */
    synchronized Shared join(
            int port, boolean tls, HttpListener listener, Function<Shared, Server> start) {
        var key = new Key(port, tls);
        Shared shared = open.get(key);
        if (shared == null) {
            shared = new Shared(key);
            shared.listeners.add(listener);
            shared.server = start.apply(shared);
            if (port != 0) {
                open.put(key, shared);
            }
        } else {
            shared.listeners.add(listener);
        }
        return shared;
    }

    /** Removes a listener; returns the server, which is to be stopped, if it was the last one. */
    synchronized Optional<Server> leave(Shared shared, HttpListener listener) {
        shared.listeners.remove(listener);
        if (!shared.listeners.isEmpty()) {
            return Optional.empty();
        }
        open.remove(shared.key, shared);
        return Optional.of(shared.server);
    }
}
