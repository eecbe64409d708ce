// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import static io.sirocco.app.admin.MetricsSampler.percentile;
import static io.sirocco.app.admin.MetricsSampler.rate;

import io.sirocco.web.metrics.Latency;
import io.sirocco.web.proxy.UpstreamStats;
import io.sirocco.web.proxy.UpstreamStats.ServerStats;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * An upstream on the dashboard: its figures in the last ten seconds, and its servers, those that
 * are not up and then the busiest first. Immutable.
 *
 * @param requests per second
 * @param retries per second
 * @param refused requests that no server got, per second
 * @param p50 latency of all servers in microseconds, as {@code p99}; -1 without responses
 * @param inProgress requests and tunnels
 * @param open connections without tunnels
 * @param idle connections of these that serve no request
 * @param waiting requests that wait for a connection
 * @param size of the upstream in servers, of which {@code servers} are the first
 */
record UpstreamRow(
        String name,
        double requests,
        double retries,
        double refused,
        long p50,
        long p99,
        long inProgress,
        long open,
        long idle,
        long waiting,
        int size,
        List<ServerRow> servers) {
    private static final int MAX_UPSTREAMS = 20;
    private static final int MAX_SERVERS = 20; // of each

    /**
     * One server.
     *
     * @param state {@code up}, {@code ejected} or {@code down}
     * @param requests attempts per second
     * @param p50 until the headers of its responses, in microseconds; -1 without responses
     * @param failures attempts that failed, per second
     * @param inProgress requests and tunnels
     * @param tunnels of these
     * @param open connections without tunnels
     * @param idle connections of these that serve no request
     * @param total attempts since the start
     */
    record ServerRow(
            String name,
            String state,
            double requests,
            long p50,
            long p99,
            double failures,
            long inProgress,
            long tunnels,
            long open,
            long idle,
            long total) {
        static ServerRow of(ServerStats now, ServerStats before, double seconds) {
            Latency recent = now.latency().since(before.latency());
            return new ServerRow(
                    now.name(),
                    now.state(),
                    rate(now.requests() - before.requests(), seconds),
                    percentile(recent, 0.5),
                    percentile(recent, 0.99),
                    rate(now.failures() - before.failures(), seconds),
                    now.inProgress(),
                    now.tunnels(),
                    now.connections(),
                    now.idle(),
                    now.requests());
        }
    }

    static List<UpstreamRow> of(Snapshot now, Snapshot before, double seconds) {
        return now.upstreams().stream()
                .limit(MAX_UPSTREAMS)
                .map(each -> of(each, earlier(each, before.upstreams()), seconds))
                .toList();
    }

    private static UpstreamRow of(UpstreamStats now, UpstreamStats before, double seconds) {
        Latency recent = Latency.none();
        var rows = new ArrayList<ServerRow>();
        for (ServerStats server : now.servers()) {
            ServerStats earlier = earlier(server, before.servers());
            recent = recent.plus(server.latency().since(earlier.latency()));
            rows.add(ServerRow.of(server, earlier, seconds));
        }
        rows.sort(
                Comparator.comparing((ServerRow row) -> row.state.equals("up"))
                        .thenComparing(Comparator.comparingDouble(ServerRow::requests).reversed()));
        return new UpstreamRow(
                now.name(),
                rate(now.requests() - before.requests(), seconds),
                rate(now.retries() - before.retries(), seconds),
                rate(now.refused() - before.refused(), seconds),
                percentile(recent, 0.5),
                percentile(recent, 0.99),
                now.inProgress(),
                now.connections(),
                now.idle(),
                now.waiting(),
                now.servers().size(),
                List.copyOf(rows.subList(0, Math.min(rows.size(), MAX_SERVERS))));
    }

    /** Returns the earlier figures of an upstream: zeros if a reload or a start has reset them. */
    private static UpstreamStats earlier(UpstreamStats now, List<UpstreamStats> before) {
        return before.stream()
                .filter(each -> each.name().equals(now.name()) && each.requests() <= now.requests())
                .findFirst()
                .orElseGet(() -> new UpstreamStats(now.name(), 0, 0, 0, 0, 0, 0, 0, List.of()));
    }

    private static ServerStats earlier(ServerStats now, List<ServerStats> before) {
        return before.stream()
                .filter(each -> each.name().equals(now.name()))
                .filter(each -> each.latency().count() <= now.latency().count())
                .filter(each -> each.requests() <= now.requests())
                .findFirst()
                .orElseGet(
                        () ->
                                new ServerStats(
                                        now.name(), now.state(), 0, 0, 0, 0, 0, 0, Latency.none()));
    }
}
