// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.web.metrics.Latency;
import java.util.List;

/**
 * What an {@link Upstream} has done since it was made, and does now. Immutable.
 *
 * @param name the name of the upstream
 * @param requests requests that were forwarded, or refused
 * @param retries attempts beyond the first
 * @param refused requests that no server got
 * @param inProgress requests and tunnels in progress
 * @param connections open connections, without tunnels
 * @param idle connections that serve no request
 * @param waiting requests that wait for a connection
 * @param servers each server
 */
public record UpstreamStats(
        String name,
        long requests,
        long retries,
        long refused,
        long inProgress,
        long connections,
        long idle,
        long waiting,
        List<ServerStats> servers) {

    /**
     * One server. Immutable.
     *
     * @param name its URL
     * @param state {@code up}, {@code ejected} or {@code down}
     * @param requests attempts
     * @param failures attempts that failed
     * @param inProgress requests and tunnels in progress
     * @param tunnels tunnels
     * @param connections open connections, without tunnels
     * @param idle connections that serve no request
     * @param latency of its responses: from the start of an attempt until the headers have arrived
     */
    public record ServerStats(
            String name,
            String state,
            long requests,
            long failures,
            long inProgress,
            long tunnels,
            long connections,
            long idle,
            Latency latency) {}
}
