// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.web.metrics.Exposition;
import io.sirocco.web.proxy.UpstreamStats;
import io.sirocco.web.proxy.UpstreamStats.ServerStats;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The metrics of upstreams in {@code /metrics}. */
final class UpstreamScrape {
    private UpstreamScrape() {}

    static void add(Exposition text, List<UpstreamStats> upstreams) {
        if (upstreams.isEmpty()) return;
        text.counter(
                "sirocco_upstream_requests_total",
                "Requests forwarded to an upstream, or refused.");
        each(text, upstreams, UpstreamStats::requests);
        text.counter("sirocco_upstream_retries_total", "Further attempts of these requests.");
        each(text, upstreams, UpstreamStats::retries);
        text.counter("sirocco_upstream_refused_total", "Requests that no server got.");
        each(text, upstreams, UpstreamStats::refused);
        text.gauge("sirocco_upstream_requests_in_progress", "Requests and tunnels in progress.");
        each(text, upstreams, UpstreamStats::inProgress);
        text.gauge("sirocco_upstream_requests_waiting", "Requests that wait for a connection.");
        each(text, upstreams, UpstreamStats::waiting);
        text.gauge("sirocco_upstream_connections", "Open connections, without tunnels.");
        each(text, upstreams, UpstreamStats::connections);
        text.gauge("sirocco_upstream_connections_idle", "Connections that serve no request.");
        each(text, upstreams, UpstreamStats::idle);
        text.gauge(
                "sirocco_upstream_server_up",
                "1 while requests are sent to a server, 0 while it is ejected or down. Without"
                        + " health-path, 1 does not mean that it responds.");
        servers(text, upstreams, server -> server.state().equals("up") ? 1 : 0);
        text.counter("sirocco_upstream_server_requests_total", "Attempts sent to a server.");
        servers(text, upstreams, ServerStats::requests);
        text.counter("sirocco_upstream_server_failures_total", "Attempts that failed.");
        servers(text, upstreams, ServerStats::failures);
        text.gauge(
                "sirocco_upstream_server_requests_in_progress",
                "Requests and tunnels in progress at a server.");
        servers(text, upstreams, ServerStats::inProgress);
        text.gauge("sirocco_upstream_server_tunnels", "Open tunnels to a server.");
        servers(text, upstreams, ServerStats::tunnels);
        text.gauge(
                "sirocco_upstream_server_connections",
                "Open connections to a server, without tunnels.");
        servers(text, upstreams, ServerStats::connections);
        text.gauge(
                "sirocco_upstream_server_connections_idle",
                "Connections to a server that serve no request.");
        servers(text, upstreams, ServerStats::idle);
    }

    private static void each(
            Exposition text, List<UpstreamStats> upstreams, ToDoubleFunction<UpstreamStats> value) {
        upstreams.forEach(
                upstream ->
                        text.sample(value.applyAsDouble(upstream), "upstream", upstream.name()));
    }

    private static void servers(
            Exposition text, List<UpstreamStats> upstreams, ToDoubleFunction<ServerStats> value) {
        for (UpstreamStats upstream : upstreams) {
            for (ServerStats server : upstream.servers()) {
                text.sample(
                        value.applyAsDouble(server),
                        "upstream",
                        upstream.name(),
                        "server",
                        server.name());
            }
        }
    }
}
