// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;
import java.io.OutputStream;

/** Writes a response body while it is being sent. */
@FunctionalInterface
public interface BodyWriter {

    /**
     * Writes to {@code out}, which need not be closed. A write blocks while the client is slower
     * than we are, and throws when it is gone; {@link OutputStream#flush} sends what was written so
     * far.
     */
    void write(OutputStream out) throws IOException, InterruptedException;
}
