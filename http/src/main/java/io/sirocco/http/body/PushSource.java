// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.BodySource;
import io.sirocco.net.ReceivedBytes;

/**
 * A source that can hand its bytes over where they lie, as they arrive, instead of in arrays of
 * their own: a large body that is only passed on leaves no garbage. Loop-confined.
 */
public interface PushSource extends BodySource {
    /** Takes a body. Its methods are called on the loop. */
    interface Sink {
        /**
         * Takes {@code bytes[from..to)}, which are valid during the call.
         *
         * @return whether more may follow at once; otherwise little follows before {@link
         *     PushSource#resume}
         */
        boolean data(byte[] bytes, int from, int to);

        /** Takes the first {@code count} bytes of {@code input}; otherwise like the other one. */
        boolean data(ReceivedBytes input, int count);

        /** The body is complete. */
        void end();

        /** The body has broken off. */
        void fail(Throwable thrown);
    }

    /**
     * Passes the body to {@code sink} from now on. Call it instead of {@link #next}.
     *
     * @return false if it is called on another loop or the body has arrived as a whole; then
     *     nothing is passed, and {@link #next} is to be called
     */
    boolean pushTo(Sink sink);

    /** Called when the sink can take more. */
    void resume();
}
