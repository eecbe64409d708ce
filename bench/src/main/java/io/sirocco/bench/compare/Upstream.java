// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.Result;
import java.util.Map;

/**
 * The server that all proxies of a race forward to. It shares the core of the generator, and its
 * CPU time counts as the generator's: what both take of their core limits the requests per second,
 * and nothing of it is the proxy's. Any thread.
 */
record Upstream(ServerProcess server) {
    /** Its folder among those of the peers, which it is none of. */
    static final String NAME = "upstream";

    /** How a peer learns of it. */
    Map<String, String> environment() {
        return Map.of("UPSTREAM", Work.host(server.address()));
    }

    /** The same generator, its share of the core with that of this server. */
    Generator counting(Generator generator) {
        return (work, peer, time) -> {
            long before = server.cpuMicros();
            Result result = generator.run(work, peer, time);
            return with(result, server.cpuMicros() - before);
        };
    }

    static Result with(Result result, long cpuMicros) {
        long nanos = result.elapsed().toNanos();
        double share = nanos == 0 ? 0 : cpuMicros * 1e3 / nanos;
        return new Result(
                result.elapsed(),
                result.requests(),
                result.bytesIn(),
                result.bytesOut(),
                result.latency(),
                result.statuses(),
                result.failures(),
                result.overTime(),
                Math.min(1, result.generatorShare() + share));
    }
}
