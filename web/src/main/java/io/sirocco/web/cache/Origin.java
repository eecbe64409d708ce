// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

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
     *     stale response if that is allowed, and otherwise fails its own response the same way
     */
    CompletionStage<OriginResponse> fetch(OriginRequest request);
}
