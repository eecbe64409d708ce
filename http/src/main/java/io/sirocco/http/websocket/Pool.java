// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Things that are dear to make, kept for the next who needs one: a few for each core. Any thread.
 */
final class Pool<T> {
    private final ArrayBlockingQueue<T> idle =
            new ArrayBlockingQueue<>(2 * Runtime.getRuntime().availableProcessors());
    private final Supplier<T> make;
    private final Consumer<T> end;

    Pool(Supplier<T> make, Consumer<T> end) {
        this.make = make;
        this.end = end;
    }

    T take() {
        T known = idle.poll();
        return known == null ? make.get() : known;
    }

    void give(T thing) {
        if (!idle.offer(thing)) {
            end.accept(thing);
        }
    }
}
