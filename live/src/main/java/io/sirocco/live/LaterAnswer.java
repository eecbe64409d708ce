// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.Loop;
import io.sirocco.net.ScheduledTask;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The answer that a handler gives by a stage, or else its deadline does: whichever comes first. The
 * stage may be shared and may never end, so it refers to nothing of the client once that is over.
 * Any thread.
 */
final class LaterAnswer {
    private final AtomicReference<Event> event;
    private final Loop loop; // of the alarm, wherever the client moves
    private ScheduledTask alarm; // on the loop; null before it is set

    private LaterAnswer(Event event, Loop loop) {
        this.event = new AtomicReference<>(event);
        this.loop = loop;
    }

    /**
     * Answers {@code event} when {@code stage} ends, or with an error after so many nanoseconds.
     */
    static void await(Event event, CompletionStage<?> stage, long nanos) {
        var later = new LaterAnswer(event, event.client().shard().loop);
        stage.whenComplete(later::ended);
        if (later.event.get() != null) {
            long millis = Math.max(1, nanos / 1_000_000);
            later.execute(() -> later.watch(millis));
        }
    }

    private void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // the loop has ended, and its clients and alarms with it
        }
    }

    private void watch(long millis) {
        if (event.get() != null) {
            alarm = loop.schedule(millis, this::late);
        }
    }

    private void late() {
        Event waiting = event.getAndSet(null);
        if (waiting != null) {
            waiting.tooLate();
        }
    }

    private void ended(Object value, Throwable thrown) {
        Event waiting = event.getAndSet(null);
        if (waiting == null) {
            return;
        }
        if (thrown == null) {
            waiting.give(value);
        } else {
            waiting.failed(cause(thrown));
        }
        execute(
                () -> {
                    if (alarm != null) {
                        alarm.cancel();
                    }
                });
    }

    static Throwable cause(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
