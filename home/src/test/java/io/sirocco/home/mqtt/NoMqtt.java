// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import java.util.function.BiConsumer;

/** No connection to a broker. Immutable. */
public final class NoMqtt implements Mqtt {
    @Override
    public void publish(String topic, String payload, boolean retained) {}

    @Override
    public Subscription subscribe(String filter, BiConsumer<String, String> received) {
        return () -> {};
    }

    @Override
    public boolean connected() {
        return false;
    }
}
