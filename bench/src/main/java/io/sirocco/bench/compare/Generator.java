// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.HttpBench;
import io.sirocco.bench.Result;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Puts the load of a work on a server, and measures. */
@FunctionalInterface
interface Generator {
    /** Our own, in this process. */
    Generator SIROCCO =
            (work, server, time) -> HttpBench.run(work.load(server, time), second -> {});

    /**
     * Does it for so long; ends early when the thread is interrupted.
     *
     * @throws IOException when nothing could be measured; says why
     */
    Result run(Work work, InetSocketAddress server, Duration time)
            throws IOException, InterruptedException;
}
