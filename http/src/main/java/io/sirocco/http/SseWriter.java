// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;

/** Sends server-sent events for as long as it runs. */
@FunctionalInterface
public interface SseWriter {

    /**
     * Sends to {@code sink} until there is nothing more to say.
     *
     * @throws IOException when the client is gone, which ends the stream quietly
     * @throws InterruptedException when the server stops
     */
    void write(SseSink sink) throws IOException, InterruptedException;
}
