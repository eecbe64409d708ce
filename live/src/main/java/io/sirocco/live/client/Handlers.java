// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.Arguments;
import io.sirocco.live.RequestException;
import io.sirocco.live.client.LiveNamespace.Answerer;
import io.sirocco.live.client.LiveNamespace.Handler;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What a program wants to be told of a namespace. Any thread. */
final class Handlers {
    private static final LazyLogger LOG = LazyLogger.of(LiveClient.class);

    private final Map<String, List<Entry>> events = new ConcurrentHashMap<>();
    private final Map<String, Answerer<Arguments>> requests = new ConcurrentHashMap<>();
    final List<Handler<Connected>> connected = new CopyOnWriteArrayList<>();
    final List<Handler<Disconnected>> disconnected = new CopyOnWriteArrayList<>();
    final List<Handler<Refused>> refused = new CopyOnWriteArrayList<>();
    final List<Handler<Reconnecting>> reconnecting = new CopyOnWriteArrayList<>();

    private volatile Consumer<Throwable> error =
            thrown -> LOG.get().log(Level.ERROR, "a handler has failed", thrown);

    /** What the program has given, and what is called for it. */
    private record Entry(Handler<?> given, Handler<Arguments> called) {}

    void on(String event, Handler<?> given, Handler<Arguments> called) {
        events.merge(
                event,
                List.of(new Entry(given, called)),
                (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
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

    void off(String event, Handler<?> given) {
        events.computeIfPresent(
                event,
                (name, all) -> {
                    List<Entry> left = all.stream().filter(each -> each.given != given).toList();
                    return left.isEmpty() ? null : left;
                });
    }

    /** Tells all who listen; answers whether there are any. */
    boolean tell(String event, Arguments arguments) {
        List<Entry> all = events.getOrDefault(event, List.of());
        all.forEach(each -> tell(each.called, arguments));
        return !all.isEmpty();
    }

    /** What those who are there for it answer to a request; an error too is an answer. */
    Object[] answer(String event, Arguments arguments) {
        try {
            Answerer<Arguments> answerer = requests.get(event);
            if (answerer != null) {
                return new Object[] {answerer.answer(arguments)};
            }
            return tell(event, arguments)
                    ? new Object[0]
                    : error("unknown_event", "nobody handles '" + event + "'");
        } catch (Throwable e) {
            return thrown(e);
        }
    }

    /** What a stage has ended with, as the answer that it was given for. */
    Object[] answered(Object value, Throwable thrown) {
        boolean wrapped = thrown instanceof CompletionException && thrown.getCause() != null;
        return thrown == null ? new Object[] {value} : thrown(wrapped ? thrown.getCause() : thrown);
    }

    private Object[] thrown(Throwable thrown) {
        return thrown instanceof RequestException e && e.kind() == RequestException.Kind.REFUSED
                ? error(e.code(), e.getMessage())
                : broken(thrown);
    }

    /** Somebody's code threw; what the other side is told of it. */
    Object[] broken(Throwable thrown) {
        failed(thrown);
        return error("failed", "the handler has failed");
    }

    private static Object[] error(String code, String message) {
        return new Object[] {Map.of("error", Map.of("code", code, "message", message))};
    }

    <T> void tell(List<Handler<T>> all, T what) {
        all.forEach(each -> tell(each, what));
    }

    private <T> void tell(Handler<T> handler, T what) {
        try {
            handler.handle(what);
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Somebody's code threw. */
    void failed(Throwable thrown) {
        try {
            error.accept(thrown);
        } catch (Throwable e) {
            LOG.get().log(Level.ERROR, "the handler of errors has failed", e);
        }
    }
}
