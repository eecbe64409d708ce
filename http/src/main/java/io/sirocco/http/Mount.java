// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A component that serves a path and everything below it for as long as the server runs, such as
 * the event channels of the module {@code live}. Added by {@link Routes#mount}. Any thread.
 */
public interface Mount {

    /**
     * Adds the routes of this mount. Paths are relative to the path of the mount, which is {@code
     * ""}.
     */
    void addTo(Routes routes);

    /**
     * Starts the shutdown of this mount. The server has stopped accepting connections, and serves
     * the open ones until the returned stage completes or the stop times out. Must not block. The
     * default implementation has nothing to shut down.
     */
    default CompletionStage<?> drain() {
        return CompletableFuture.completedFuture(null);
    }
}
