// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.route.RouteLimits;

/**
 * Measures the time that a client takes to send the body of one request while the server waits for
 * it. Times are milliseconds of the loop's clock. Loop-confined.
 */
public final class BodyClock {
    private boolean running;
    private long since;
    private long waited; // before that

    /** Starts waiting for the client. */
    public void start(long now) {
        if (!running) {
            running = true;
            since = now;
        }
    }

    /** Stops waiting: the client has sent enough. */
    public void stop(long now) {
        if (running) {
            running = false;
            waited += now - since;
        }
    }

    /** Returns how long the server has waited. */
    public long waited(long now) {
        return running ? waited + now - since : waited;
    }

    /**
     * Returns the time by which a client that sends at the lowest permitted rate must have sent
     * more than {@code received} bytes.
     */
    public long deadline(RouteLimits limits, long received) {
        if (limits.bodyMillis() == 0 || !running) {
            return Long.MAX_VALUE;
        }
        long earned = limits.bodyRate() == 0 ? 0 : received * 1000 / limits.bodyRate();
        return since - waited + limits.bodyMillis() + earned;
    }
}
