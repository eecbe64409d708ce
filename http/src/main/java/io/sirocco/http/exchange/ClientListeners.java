// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Code that waits for the client of one exchange, for it to disconnect or to take output, or for
 * the end of the exchange. Few exchanges have any. Loop-confined.
 */
final class ClientListeners {
    private List<Runnable> disconnect = List.of();
    private List<Runnable> over = List.of();
    private CompletableFuture<Void> drained; // null while no writer waits

    /** Adds a task to be run when the client disconnects. */
    void onDisconnect(Runnable task) {
        if (disconnect.isEmpty()) {
            disconnect = new ArrayList<>(1);
        }
        disconnect.add(task);
    }

    /** Passes all tasks to {@code run}, once. */
    void disconnected(Consumer<Runnable> run) {
        List<Runnable> all = disconnect;
        disconnect = List.of();
        all.forEach(run);
    }

    /** Adds a task to be run when the exchange is over. */
    void onOver(Runnable task) {
        if (over.isEmpty()) {
            over = new ArrayList<>(1);
        }
        over.add(task);
    }

    /** Passes all tasks to {@code run}, once. */
    void over(Consumer<Runnable> run) {
        List<Runnable> all = over;
        over = List.of();
        all.forEach(run);
    }

    /** Returns what completes when the client takes output again. */
    CompletableFuture<Void> onDrained() {
        drained = new CompletableFuture<>();
        return drained;
    }

    boolean awaitOutput() {
        return drained != null;
    }

    /** Wakes the writer that waits, if there is one. */
    void drained() {
        CompletableFuture<Void> waiting = drained;
        if (waiting != null) {
            drained = null;
            waiting.complete(null);
        }
    }

    /** Fails the writer that waits. */
    void failDrained(IOException why) {
        CompletableFuture<Void> waiting = drained;
        drained = null;
        waiting.completeExceptionally(why);
    }
}
