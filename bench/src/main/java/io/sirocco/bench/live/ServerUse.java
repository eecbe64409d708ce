// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.hold.Processes.Use;
import io.sirocco.bench.hold.ServerCost;
import io.sirocco.bench.hold.ServerWatch;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the server uses from when this is made: by a look at its process, and by the meter of the
 * plan. Used by one thread.
 */
final class ServerUse {
    private final Optional<ServerWatch> watch;
    private final LivePlan plan;
    private final Optional<Use> then;
    private final long cpuThen;
    private final long began = System.nanoTime();

    ServerUse(Optional<ServerWatch> watch, LivePlan plan) {
        this.watch = watch;
        this.plan = plan;
        this.then = watch.map(ServerWatch::look);
        this.cpuThen = plan.cpuMicros.getAsLong();
    }

    /** By the meter. */
    long cpuMicros() {
        return plan.cpuMicros.getAsLong() - cpuThen;
    }

    /** By the look, if it was to be seen. */
    Optional<ServerCost> cost() {
        double seconds = (System.nanoTime() - began) / 1e9;
        return watch.map(
                w -> w.cost(then.orElseThrow(), w.look(), seconds, OptionalDouble.empty()));
    }
}
