// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes the body of a {@linkplain Response#stream(BodyWriter) streamed response} while it is sent.
 * Runs on a virtual thread, or on the handler's thread. Other threads may write to the same stream
 * until it returns: the bytes of one call stay together.
 */
@FunctionalInterface
public interface BodyWriter {

    /**
     * Writes the body to {@code out}, which need not be closed. A write blocks while the client is
     * slower than the writer. Output is gathered into segments of 8 KiB; {@link OutputStream#flush}
     * sends it at once. On a thread that is not on the loop (of a {@code POOL} route, or of one
     * that was moved), up to 16 KiB are handed over without waiting, and an error is thrown by a
     * later write, or when the body ends.
     *
     * <p>When a thread is interrupted in the middle of a write, further writes throw an {@link
     * IOException}, and the response is broken off when this method returns: a body with a hole
     * must not look complete.
     *
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the handler timeout passes before the response begins, or the
     *     server is cut off
     */
    void write(OutputStream out) throws IOException, InterruptedException;
}
