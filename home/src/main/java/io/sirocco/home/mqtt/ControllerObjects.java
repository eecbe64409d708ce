// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The objects of a controller: of another one over the network, or of this one. No method waits for
 * a response, but one may wait until the event loop has opened a socket, so do not call them on an
 * event loop: futures complete there, and actions that call again are for another executor. A
 * future fails when the controller does not respond in time. Any thread.
 */
public interface ControllerObjects {
    /** A feature of an object, for example feature 0 of {@code DIM1}. Immutable. */
    record FeatureRef(String object, int index) {}

    /** Returns the values as the controller writes them, in this order; {@code nil} for none. */
    CompletableFuture<List<String>> values(List<FeatureRef> features);

    /** Sets a feature. */
    CompletableFuture<?> set(FeatureRef feature, double value);

    /** Calls a method, with or without an argument. */
    CompletableFuture<?> execute(String object, int method, double... arguments);

    /** Returns how many features {@link #subscribe} takes; the values of others must be read. */
    default int reportable() {
        return Integer.MAX_VALUE;
    }

    /**
     * Asks the controller to report values from now on, until it is cancelled. While it cannot be
     * asked, it is asked again with the next call of {@link #values}.
     *
     * @param features up to {@link #reportable}
     * @param received is called on any thread with the values, in the order of {@code features}
     */
    Mqtt.Subscription subscribe(List<FeatureRef> features, Consumer<List<String>> received);
}
