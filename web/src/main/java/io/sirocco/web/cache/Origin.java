// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Response;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * The server behind a {@link ResponseCache}, such as the upstream of a reverse proxy. Any thread.
 */
@FunctionalInterface
public interface Origin {
    /**
     * Sends a request and returns its response as soon as its headers have arrived. Called on
     * {@link OriginRequest#loop}; must not block. Any thread may complete the stage.
     *
     * <p>The request may outlive the client's: other clients may wait for the same response. When
     * no client waits any longer, the cache cancels the stage ({@link
     * java.util.concurrent.CompletableFuture#cancel}); the origin must then end its exchange, and
     * close the body of a response that arrives later.
     *
     * @return a stage that completes exceptionally if there is no response; the cache then serves a
     *     stale response if that is allowed, and otherwise the {@link #failureResponse}
     */
    CompletionStage<OriginResponse> fetch(OriginRequest request);

    /**
     * Returns what a client gets whose request has neither a response of the origin nor a stale
     * one, such as a page of 502. Called on the loop of a fetch. By default it is empty, and the
     * response fails with {@code failure}.
     *
     * @param failure of the stage of {@link #fetch}, by this origin or that of another request
     */
    default Optional<Response> failureResponse(Throwable failure) {
        return Optional.empty();
    }

    /**
     * Returns the names, in lower case, of the request headers that this origin sets to values of
     * one client, such as its address. A response that varies by one of them is not stored, since
     * the cache does not see these values. By default there are none.
     */
    default Set<String> clientHeaders() {
        return Set.of();
    }
}
