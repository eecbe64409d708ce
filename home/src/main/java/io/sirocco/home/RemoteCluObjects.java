// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.mqtt.RemoteObjects;
import java.io.IOException;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * The objects of another controller, over its protocol. Features are asked for in groups that fit
 * into a datagram. Any thread.
 */
final class RemoteCluObjects implements RemoteObjects {
    private static final int GROUP = 16;

    private final RemoteClients clients;
    private final Inet4Address controller;

    RemoteCluObjects(RemoteClients clients, Inet4Address controller) {
        this.clients = clients;
        this.controller = controller;
    }

    @Override
    public CompletableFuture<List<String>> values(List<FeatureName> features) {
        CompletableFuture<List<String>> all = CompletableFuture.completedFuture(List.of());
        for (List<FeatureName> group : groups(features)) {
            CompletableFuture<List<String>> some =
                    execute("SYSTEM:fetchValues(" + table(group) + ")")
                            .thenApply(value -> values(value, group.size()));
            all = all.thenCombine(some, RemoteCluObjects::joined);
        }
        return all;
    }

    @Override
    public CompletableFuture<?> set(FeatureName feature, double value) {
        return execute(
                "%s:set(%d, %s)".formatted(feature.object(), feature.index(), number(value)));
    }

    @Override
    public CompletableFuture<?> execute(String object, int method, double... arguments) {
        String rest =
                DoubleStream.of(arguments)
                        .mapToObj(argument -> ", " + number(argument))
                        .collect(Collectors.joining());
        return execute("%s:execute(%d%s)".formatted(object, method, rest));
    }

    @Override
    public Mqtt.Subscription subscribe(
            List<FeatureName> features, Consumer<List<String>> received) {
        List<List<FeatureName>> groups = groups(features);
        List<List<String>> latest = new ArrayList<>(); // null where none has come; locked
        groups.forEach(group -> latest.add(null));
        List<CluClient.Registration> registrations = new ArrayList<>();
        try {
            CluClient client = clients.client(controller);
            for (int i = 0; i < groups.size(); i++) {
                int number = i;
                int size = groups.get(i).size();
                registrations.add(
                        client.register(
                                table(groups.get(i)),
                                text -> report(latest, number, items(text, size), received)));
            }
        } catch (IOException e) {
            // it cannot be reached; its values are asked for instead
        }
        return () -> registrations.forEach(CluClient.Registration::close);
    }

    private static void report(
            List<List<String>> latest,
            int group,
            List<String> values,
            Consumer<List<String>> received) {
        List<String> all = new ArrayList<>();
        synchronized (latest) {
            latest.set(group, values);
            for (List<String> each : latest) {
                if (each == null) {
                    return;
                }
                all.addAll(each);
            }
        }
        received.accept(all);
    }

    private CompletableFuture<String> execute(String script) {
        try {
            return clients.client(controller).execute(script);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static List<List<FeatureName>> groups(List<FeatureName> features) {
        List<List<FeatureName>> groups = new ArrayList<>();
        for (int i = 0; i < features.size(); i += GROUP) {
            groups.add(features.subList(i, Math.min(features.size(), i + GROUP)));
        }
        return groups;
    }

    private static String table(List<FeatureName> features) {
        return features.stream()
                .map(feature -> "{" + feature.object() + "," + feature.index() + "}")
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e9
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, "%.6f", value);
    }

    private static List<String> joined(List<String> some, List<String> more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    /** Reads {@code values:{V, V}}. */
    private static List<String> values(String text, int size) {
        if (!text.startsWith("values:")) {
            throw new IllegalStateException("no values, but " + text);
        }
        return items(text.substring("values:".length()), size);
    }

    /** Returns the items of {@code {V, V}}, without quotes; all nil if there are not so many. */
    private static List<String> items(String text, int size) {
        String content =
                text.startsWith("{") && text.endsWith("}")
                        ? text.substring(1, text.length() - 1)
                        : "";
        List<String> items =
                Arrays.stream(content.split(",", -1))
                        .map(String::strip)
                        .map(item -> item.replaceAll("^\"(.*)\"$", "$1"))
                        .toList();
        return items.size() == size ? items : java.util.Collections.nCopies(size, "nil");
    }
}
