// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a client was asked, and has not answered yet. Any thread. */
final class Asked {
    private static final int MAX = 1_000;

    private Map<Long, CompletableFuture<Arguments>> open; // null while there is none
    private long last;

    /** One more; answers its number. */
    synchronized long add(CompletableFuture<Arguments> answer) {
        if (open == null) {
            open = new HashMap<>(4);
        }
        if (open.size() >= MAX) {
            throw RequestException.refused("limited", "the client was asked too much at once");
        }
        open.put(++last, answer);
        return last;
    }

    /** That one is over; answers what waits for it, or null. */
    synchronized CompletableFuture<Arguments> remove(long number) {
        if (open == null) {
            return null;
        }
        CompletableFuture<Arguments> answer = open.remove(number);
        if (open.isEmpty()) {
            open = null;
        }
        return answer;
    }

    /** The client has gone. */
    void fail() {
        List<CompletableFuture<Arguments>> all;
        synchronized (this) {
            all = open == null ? List.of() : new ArrayList<>(open.values());
        }
        all.forEach(each -> each.completeExceptionally(gone()));
    }

    static RequestException gone() {
        return RequestException.closed("the client has gone");
    }

    /** Waits for an answer. */
    static <T> T await(
            CompletableFuture<Arguments> answer, String event, Duration deadline, Class<T> type) {
        try {
            return answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS).answer(type);
        } catch (TimeoutException e) {
            throw RequestException.timeout(event + " was not answered within " + deadline);
        } catch (ExecutionException e) {
            throw gone();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RequestException.closed("interrupted");
        }
    }
}
