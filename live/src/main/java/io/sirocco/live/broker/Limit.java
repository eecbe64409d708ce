// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.time.Duration;

/** How often something may happen. */
public sealed interface Limit {

    /** A bucket with {@code count} tokens, which fills evenly within {@code per}. */
    record Bucket(int count, Duration per) implements Limit {}

    /** {@code count} times, then not again until nothing was tried for {@code silence}. */
    record UntilSilence(int count, Duration silence) implements Limit {}
}
