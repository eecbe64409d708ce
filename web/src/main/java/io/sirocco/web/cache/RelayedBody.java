// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.BodySource;
import java.util.concurrent.CompletionStage;

/**
 * The body of a response that one client has for itself. It is closed once: when it was sent, or
 * when the request is over, whose response a filter may have replaced. Confined to the loop of the
 * request.
 */
final class RelayedBody implements BodySource {
    private BodySource body; // null before the response
    private boolean closed;

    /** Begins with the body of a response. */
    void begin(BodySource source) {
        if (closed) {
            source.close();
        } else {
            body = source;
        }
    }

    @Override
    public CompletionStage<byte[]> next() throws Exception {
        return body.next();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (body != null) {
                body.close();
            }
        }
    }
}
