// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.cluster;

import io.sirocco.live.RequestException;
import io.sirocco.live.client.LiveClient;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes numbered messages to its room, each when the one before was acknowledged or has failed,
 * until it is told to stop and the last one was acknowledged. Used by one thread.
 */
final class Publisher {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final int room;
    private final LiveClient client;
    private final Ledger ledger;
    private final long pauseNanos;
    private final Thread thread = Thread.ofVirtual().unstarted(this::run);
    private volatile boolean stopping;

    Publisher(int room, LiveClient client, Ledger ledger, Duration pause) {
        this.room = room;
        this.client = client;
        this.ledger = ledger;
        this.pauseNanos = pause.toNanos();
    }

    void begin() {
        client.connect();
        thread.start();
    }

    void stop() {
        stopping = true;
    }

    void awaitEnd() throws InterruptedException {
        if (!thread.join(Duration.ofSeconds(60))) {
            throw new AssertionError("nothing is acknowledged to the publisher of room " + room);
        }
    }

    private void run() {
        boolean acknowledged = false;
        for (int number = 0; !(stopping && acknowledged); number++) {
            acknowledged = publish(number);
            LockSupport.parkNanos(pauseNanos);
        }
    }

    private boolean publish(int number) {
        try {
            client.request("publish", LONG, Void.class, "room " + room, "m", number);
            ledger.acknowledged(room, number);
            return true;
        } catch (RequestException e) {
            ledger.failed();
            return false;
        }
    }
}
