// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.route.RouteLimits;

/**
 * The time that a client takes to send the body of one request, while the server waits for it. All
 * times are milliseconds of the loop's clock. Loop-confined.
 */
final class BodyClock {
    private boolean running;
    private long since;
    private long waited; // before that

    /** From now on the server waits for the client. */
    void start(long now) {
        if (!running) {
            running = true;
            since = now;
        }
    }

    /** The server does not wait any more: the client has sent what was wanted. */
    void stop(long now) {
        if (running) {
            running = false;
            waited += now - since;
        }
    }

    /** Returns for how long the server has waited. */
    long waited(long now) {
        return running ? waited + now - since : waited;
    }

    /**
     * Returns when a client that sends at the lowest rate allowed must have sent more than the
     * {@code received} bytes.
     */
    long deadline(RouteLimits limits, long received) {
        if (limits.bodyMillis() == 0 || !running) {
            return Long.MAX_VALUE;
        }
        long earned = limits.bodyRate() == 0 ? 0 : received * 1000 / limits.bodyRate();
        return since - waited + limits.bodyMillis() + earned;
    }
}
