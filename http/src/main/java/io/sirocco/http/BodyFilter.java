// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Transforms a body while it is sent, for example by compression. See {@link
 * Response#transformBody}.
 */
@FunctionalInterface
public interface BodyFilter {

    /**
     * Returns a stream that transforms its input and writes the result to {@code out}. It is
     * flushed when the writer of the body flushes. It is closed at the end, also after a failure,
     * and must then close {@code out}.
     */
    OutputStream wrap(OutputStream out) throws IOException;
}
