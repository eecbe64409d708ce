// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.wire.Json;
import io.sirocco.net.TaskKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Who is told of which event. Any thread. */
final class Listeners {
    private final Map<String, List<Entry>> events = new ConcurrentHashMap<>();
    private final Map<String, Entry> requests = new ConcurrentHashMap<>();
    private final Map<String, TaskKind> kinds = new ConcurrentHashMap<>();
    private final TaskKind unknown = TaskKind.of("live events without a listener");

    /**
     * One of them.
     *
     * @param given what the program knows it by
     * @param type of the first argument; null for all of them as {@link Arguments}
     * @param answerer gives null where it is a listener
     */
    record Entry(Object given, Priority priority, Class<?> type, Answerer<Object> answerer) {

        Object call(Client client, Arguments arguments) throws Exception {
            Object value = type == null ? arguments : arguments.as(0, type);
            return answerer.answer(client, value);
        }

        /** Whether it is for what these arguments name; true where they need name nothing. */
        boolean wants(Json json, Arguments arguments) {
            return type == null
                    || !json.named(type)
                    || arguments.size() > 0 && json.names(arguments.node(0), type);
        }
    }

    @SuppressWarnings("unchecked")
    <T> void on(String event, Priority priority, Class<T> type, Listener<? super T> listener) {
        var all = (Listener<Object>) listener;
        Entry entry =
                new Entry(
                        listener,
                        priority,
                        type,
                        (client, value) -> {
                            all.on(client, value);
                            return null;
                        });
        kinds.computeIfAbsent(event, name -> TaskKind.of("live event " + name));
        events.merge(event, List.of(entry), Listeners::sorted);
    }

    private static List<Entry> sorted(List<Entry> some, List<Entry> more) {
        var all = new ArrayList<>(some);
        all.addAll(more);
        all.sort(Comparator.comparing(Entry::priority).reversed());
        return List.copyOf(all);
    }

    @SuppressWarnings("unchecked")
    <T> void onRequest(String event, Class<T> type, Answerer<? super T> answerer) {
        var entry = new Entry(answerer, Priority.NORMAL, type, (Answerer<Object>) answerer);
        kinds.computeIfAbsent(event, name -> TaskKind.of("live event " + name));
        if (requests.putIfAbsent(event, entry) != null) {
            throw new IllegalStateException("The request " + event + " is answered already.");
        }
    }

    void off(String event) {
        events.remove(event);
        requests.remove(event);
    }

    void off(String event, Listener<?> listener) {
        events.computeIfPresent(
                event,
                (name, all) -> {
                    List<Entry> left = all.stream().filter(e -> e.given != listener).toList();
                    return left.isEmpty() ? null : left;
                });
    }

    List<Entry> of(String event) {
        return events.getOrDefault(event, List.of());
    }

    /** What the loops know the listeners of an event by; events that nobody names share one. */
    TaskKind kindOf(String event) {
        return kinds.getOrDefault(event, unknown);
    }

    Entry answererOf(String event) {
        return requests.get(event);
    }
}
