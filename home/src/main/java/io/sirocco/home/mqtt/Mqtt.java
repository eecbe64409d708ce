// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import java.util.function.BiConsumer;

/**
 * A connection to an MQTT broker that reconnects and subscribes again by itself. Any thread.
 *
 * <p>Messages are sent with QoS 1. While the broker is away, up to 1,000 messages of together 16
 * MiB wait; a message beyond that is dropped and logged.
 */
public interface Mqtt {
    /** A subscription. Any thread. */
    interface Subscription {
        /** Ends it. */
        void cancel();
    }

    /**
     * Publishes a message.
     *
     * @throws IllegalArgumentException if the topic is empty, or has {@code #} or {@code +}
     */
    void publish(String topic, String payload, boolean retained);

    /**
     * Subscribes to a topic filter, now and after each reconnection. While the MQTT thread is busy,
     * up to 1,000 subscriptions and messages of scripts wait for it; one beyond that is dropped and
     * logged.
     *
     * @param received is called with topic and payload, on the MQTT thread: it must not block
     * @throws IllegalArgumentException if the filter is malformed
     */
    Subscription subscribe(String filter, BiConsumer<String, String> received);

    /** Returns whether the broker is connected. */
    boolean connected();
}
