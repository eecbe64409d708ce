// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Objects in memory: methods are recorded, and those that the types use change features. */
final class FakeObjects implements ControllerObjects {
    private final Map<FeatureRef, String> values = new HashMap<>();
    private final List<String> calls = new ArrayList<>();
    private final Map<Consumer<List<String>>, List<FeatureRef>> subscribers = new HashMap<>();
    private final List<String> threads = new ArrayList<>();

    /** Methods that have been called and not completed, when {@link #hold} says so. Any thread. */
    final Queue<CompletableFuture<?>> held = new ConcurrentLinkedQueue<>();

    private boolean holds;
    private int failures;
    private boolean responds = true;
    private int reportable = Integer.MAX_VALUE;
    private int reads;
    private List<FeatureRef> lastRead = List.of();

    synchronized void put(String object, int index, String value) {
        values.put(new FeatureRef(object, index), value);
    }

    /** Reports all values, as a controller does each second. */
    void report() {
        Map<Consumer<List<String>>, List<FeatureRef>> all;
        synchronized (this) {
            all = Map.copyOf(subscribers);
        }
        all.forEach((received, features) -> received.accept(read(features)));
    }

    synchronized void setResponds(boolean now) {
        responds = now;
    }

    /** Calls of methods do not complete by themselves from now on. */
    synchronized void hold() {
        holds = true;
    }

    /** Returns the threads that have called methods. */
    synchronized List<String> threads() {
        return List.copyOf(threads);
    }

    /** The next reads throw. */
    synchronized void failReads(int count) {
        failures = count;
    }

    synchronized void setReportable(int features) {
        reportable = features;
    }

    @Override
    public synchronized int reportable() {
        return reportable;
    }

    /** Returns how many features are reported. */
    synchronized int reported() {
        return subscribers.values().stream().mapToInt(List::size).sum();
    }

    synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    synchronized List<FeatureRef> lastRead() {
        return List.copyOf(lastRead);
    }

    synchronized int reads() {
        return reads;
    }

    private synchronized List<String> read(List<FeatureRef> features) {
        return features.stream().map(each -> values.getOrDefault(each, "nil")).toList();
    }

    @Override
    public synchronized CompletableFuture<List<String>> values(List<FeatureRef> features) {
        reads++;
        lastRead = features;
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("on purpose");
        }
        return responds ? CompletableFuture.completedFuture(read(features)) : timeout();
    }

    private static <T> CompletableFuture<T> timeout() {
        return CompletableFuture.failedFuture(new TimeoutException("no response in 9 s"));
    }

    @Override
    public synchronized CompletableFuture<?> set(FeatureRef feature, double value) {
        calls.add(feature.object() + ":set(" + feature.index() + ", " + value + ")");
        values.put(feature, Double.toString(value));
        return responds ? CompletableFuture.completedFuture(null) : timeout();
    }

    @Override
    public synchronized CompletableFuture<?> execute(
            String object, int method, double... arguments) {
        threads.add(Thread.currentThread().getName());
        calls.add(
                object
                        + ":execute("
                        + method
                        + (arguments.length == 0 ? "" : ", " + arguments[0])
                        + ")");
        if (object.startsWith("THE")) {
            values.put(new FeatureRef(object, 6), method == 0 ? "1" : "0");
        }
        if (arguments.length == 1) { // red, green, blue, white; position
            int feature = method == 12 ? 15 : method == 10 ? 2 : method;
            values.put(new FeatureRef(object, feature), "" + (int) arguments[0]);
        }
        if (holds) {
            var result = new CompletableFuture<Void>();
            held.add(result);
            return result;
        }
        return responds ? CompletableFuture.completedFuture(null) : timeout();
    }

    @Override
    public synchronized Mqtt.Subscription subscribe(
            List<FeatureRef> features, Consumer<List<String>> received) {
        subscribers.put(received, features);
        return () -> {
            synchronized (this) {
                subscribers.remove(received);
            }
        };
    }

    synchronized int subscribers() {
        return subscribers.size();
    }
}
