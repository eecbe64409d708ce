// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The broker cannot be reached, or has refused. */
public final class BrokerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient CompletionStage<Boolean> delivered;

    public BrokerException(String message) {
        this(message, CompletableFuture.completedStage(false));
    }

    public BrokerException(String message, Throwable cause) {
        super(message, cause);
        this.delivered = CompletableFuture.completedStage(false);
    }

    /** For a publication that may be delivered all the same; {@code delivered} says whether. */
    public BrokerException(String message, CompletionStage<Boolean> delivered) {
        super(message);
        this.delivered = delivered;
    }

    /**
     * Whether the message of a failed {@link Broker#publish} is delivered all the same. The stage
     * completes when the broker knows, which may be long after the failure: with {@code false} when
     * the message was not published and never will be; exceptionally when nobody can know any more.
     * Code that delivers a message by another way waits for {@code false}, or the message may
     * arrive twice.
     */
    public CompletionStage<Boolean> delivered() {
        return delivered;
    }
}
