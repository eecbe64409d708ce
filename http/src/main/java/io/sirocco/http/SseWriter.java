// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;

/** Sends server-sent events for as long as it runs. See {@link Response#events}. */
@FunctionalInterface
public interface SseWriter {

    /**
     * Sends events to {@code sink}; the stream ends when this method returns.
     *
     * @throws IOException when the client has disconnected, which ends the stream silently
     * @throws InterruptedException when the server is stopping, which ends the stream properly
     */
    void write(SseSink sink) throws IOException, InterruptedException;
}
