// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.client.RequestException.Kind;
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
                RequestException.of(Kind.CLOSED, "no answer to '" + event + "': " + why));
    }

    /** Its answer, if it comes in so many nanoseconds. */
    <T> T await(long longest, Class<T> type) {
        Arguments arguments = await(longest);
        RequestException refused = arguments.error();
        if (refused != null) {
            throw refused;
        }
        if (type == Void.class) {
            return null;
        }
        try {
            return arguments.as(0, type);
        } catch (RequestException e) {
            throw RequestException.of(
                    Kind.MALFORMED, "the answer to '" + event + "': " + e.getMessage());
        }
    }

    private Arguments await(long longest) {
        try {
            return answer.get(longest, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw RequestException.of(Kind.TIMEOUT, "no answer to '" + event + "' in time");
        } catch (ExecutionException e) {
            throw (RequestException) e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RequestException.of(
                    Kind.CLOSED, "interrupted while waiting for the answer to '" + event + "'");
        }
    }
}
