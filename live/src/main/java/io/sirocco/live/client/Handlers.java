// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.client.LiveNamespace.Answerer;
import io.sirocco.live.client.LiveNamespace.Handler;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** What a program wants to be told of a namespace. Any thread. */
final class Handlers {
    private static final System.Logger LOG = System.getLogger(LiveClient.class.getName());

    private final Map<String, List<Handler<Arguments>>> events = new ConcurrentHashMap<>();
    private final Map<String, Answerer<Arguments>> requests = new ConcurrentHashMap<>();
    final List<Handler<Connected>> connected = new CopyOnWriteArrayList<>();
    final List<Handler<Disconnected>> disconnected = new CopyOnWriteArrayList<>();
    final List<Handler<Refused>> refused = new CopyOnWriteArrayList<>();
    final List<Handler<Reconnecting>> reconnecting = new CopyOnWriteArrayList<>();

    private volatile Consumer<Throwable> error =
            thrown -> LOG.log(Level.ERROR, "a handler has failed", thrown);

    void on(String event, Handler<Arguments> handler) {
        events.computeIfAbsent(event, name -> new CopyOnWriteArrayList<>()).add(handler);
    }

    void onRequest(String event, Answerer<Arguments> answerer) {
        requests.put(event, answerer);
    }

    void onError(Consumer<Throwable> handler) {
        error = handler;
    }

    void off(String event) {
        events.remove(event);
        requests.remove(event);
    }

    /** Who answers requests of this name; null for nobody. */
    Answerer<Arguments> answerer(String event) {
        return requests.get(event);
    }

    /** Tells all who listen; answers whether there are any. */
    boolean tell(String event, Arguments arguments) {
        List<Handler<Arguments>> all = events.getOrDefault(event, List.of());
        tell(all, arguments);
        return !all.isEmpty();
    }

    <T> void tell(List<Handler<T>> all, T what) {
        for (Handler<T> each : all) {
            try {
                each.handle(what);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    /** Somebody's code threw. */
    void failed(Throwable thrown) {
        try {
            error.accept(thrown);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "the handler of errors has failed", e);
        }
    }
}
