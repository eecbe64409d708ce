// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.Arguments;
import io.sirocco.live.RequestException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A request that waits for its answer. Any thread. */
final class Asked {
    private final long number;
    private final String event;
    private final CompletableFuture<Arguments> answer = new CompletableFuture<>();
    private volatile boolean sent;

    Asked(long number, String event) {
        this.number = number;
        this.event = event;
    }

    /** Tells its answer from others. */
    long number() {
        return number;
    }

    /** It is on its way: with the connection its answer is lost. */
    void sent() {
        sent = true;
    }

    boolean isSent() {
        return sent;
    }

    void answered(Arguments arguments) {
        answer.complete(arguments);
    }

    /** There will be no answer. */
    void closed(String why) {
        answer.completeExceptionally(
                RequestException.closed("no answer to '" + event + "': " + why));
    }

    /** Its answer, if it comes in so many nanoseconds. */
    <T> T await(long longest, Class<T> type) {
        return await(longest).answer(type);
    }

    private Arguments await(long longest) {
        try {
            return answer.get(longest, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw RequestException.timeout("no answer to '" + event + "' in time");
        } catch (ExecutionException e) {
            throw (RequestException) e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RequestException.closed(
                    "interrupted while waiting for the answer to '" + event + "'");
        }
    }
}
