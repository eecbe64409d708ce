// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;
import java.io.OutputStream;

/** Changes a body while it is sent: see {@link Response#transformBody}. */
@FunctionalInterface
public interface BodyFilter {

    /**
     * A stream that passes on to {@code out} what becomes of what is written to it. It is flushed
     * when the body's writer flushes, and closed at the end, whether good or bad; it closes {@code
     * out} then.
     */
    OutputStream around(OutputStream out) throws IOException;
}
