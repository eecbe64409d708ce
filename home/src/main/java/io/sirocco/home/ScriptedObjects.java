// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.mqtt.ControllerObjects;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * The objects of a controller, by scripts that it evaluates. Features are asked for in groups that
 * fit into a datagram. Any thread.
 */
abstract class ScriptedObjects implements ControllerObjects {
    static final int GROUP = 16;

    /** Evaluates a script. It may wait until the event loop has opened a socket. */
    abstract CompletableFuture<String> evaluate(String script);

    @Override
    public CompletableFuture<List<String>> values(List<FeatureRef> features) {
        CompletableFuture<List<String>> all = CompletableFuture.completedFuture(List.of());
        for (List<FeatureRef> group : groups(features)) {
            CompletableFuture<List<String>> some =
                    evaluate("SYSTEM:fetchValues(" + table(group) + ")")
                            .thenApply(value -> values(value, group.size()));
            all = all.thenCombine(some, ScriptedObjects::joined);
        }
        return all;
    }

    @Override
    public CompletableFuture<?> set(FeatureRef feature, double value) {
        return evaluate(
                "%s:set(%d, %s)".formatted(feature.object(), feature.index(), number(value)));
    }

    @Override
    public CompletableFuture<?> execute(String object, int method, double... arguments) {
        String rest =
                DoubleStream.of(arguments)
                        .mapToObj(argument -> ", " + number(argument))
                        .collect(Collectors.joining());
        return evaluate("%s:execute(%d%s)".formatted(object, method, rest));
    }

    static List<List<FeatureRef>> groups(List<FeatureRef> features) {
        List<List<FeatureRef>> groups = new ArrayList<>();
        for (int i = 0; i < features.size(); i += GROUP) {
            groups.add(features.subList(i, Math.min(features.size(), i + GROUP)));
        }
        return groups;
    }

    static String table(List<FeatureRef> features) {
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
    static List<String> items(String text, int size) {
        String content =
                text.startsWith("{") && text.endsWith("}")
                        ? text.substring(1, text.length() - 1)
                        : "";
        List<String> items =
                Arrays.stream(content.split(",", -1))
                        .map(String::strip)
                        .map(item -> item.replaceAll("^\"(.*)\"$", "$1"))
                        .toList();
        return items.size() == size ? items : Collections.nCopies(size, "nil");
    }
}
