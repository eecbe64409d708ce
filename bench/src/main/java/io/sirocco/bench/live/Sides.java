// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Asks what is confined to loops: in each list, the thing at place <em>i</em> is that of the loop
 * of the rig at place <em>i</em>. Each call waits until all have answered. Any thread but the
 * loops.
 */
record Sides(List<Rig> rigs) {

    /** What each answers, on its loop; in their order. */
    <T, R> List<R> ask(List<? extends T> each, Function<T, R> question) {
        var answers = new ArrayList<CompletableFuture<R>>();
        for (int i = 0; i < each.size(); i++) {
            T one = each.get(i);
            answers.add(CompletableFuture.supplyAsync(() -> question.apply(one), rigs.get(i).loop));
        }
        return answers.stream().map(CompletableFuture::join).toList();
    }

    /** Does something with each, on its loop. */
    <T> void all(List<? extends T> each, Consumer<T> action) {
        ask(
                each,
                one -> {
                    action.accept(one);
                    return true;
                });
    }

    <T> long sum(List<? extends T> each, ToLongFunction<T> of) {
        return ask(each, of::applyAsLong).stream().mapToLong(Long::longValue).sum();
    }
}
