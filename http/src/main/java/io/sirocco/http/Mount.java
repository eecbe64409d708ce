// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Something that answers whatever is below a path and lives as long as the server does, such as the
 * event channels of the module {@code live}. {@link Routes#mount} puts it there. Any thread.
 */
public interface Mount {

    /** Adds its routes; {@code ""} is the path that it is mounted at. */
    void addTo(Routes routes);

    /**
     * The server stops: it accepts no connections any more, and serves those that are open until
     * the stage ends, or the time of the stop is over. Must not block.
     */
    default CompletionStage<?> drain() {
        return CompletableFuture.completedFuture(null);
    }
}
