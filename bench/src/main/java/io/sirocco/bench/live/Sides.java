// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Asks what is confined to loops: in each list, the thing at place <em>i</em> is that of the loop
 * of the rig at place <em>i</em>. Each call waits until all have answered. Any thread but the
 * loops.
 */
record Sides(List<Rig> rigs) {

    /** Does something with each, on its loop. */
    <T> void all(List<T> each, Consumer<T> action) {
        var asked = new ArrayList<CompletableFuture<?>>();
        for (int i = 0; i < each.size(); i++) {
            T one = each.get(i);
            asked.add(CompletableFuture.runAsync(() -> action.accept(one), rigs.get(i).loop));
        }
        asked.forEach(CompletableFuture::join);
    }

    <T> long sum(List<T> each, ToLongFunction<T> of) {
        var sum = new AtomicLong();
        all(each, one -> sum.addAndGet(of.applyAsLong(one)));
        return sum.get();
    }

    <T> long most(List<T> each, ToLongFunction<T> of) {
        var most = new AtomicLong();
        all(each, one -> most.accumulateAndGet(of.applyAsLong(one), Math::max));
        return most.get();
    }
}
