// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.ServerStats;
import io.sirocco.web.metrics.Exposition;
import io.sirocco.web.metrics.Metrics;
import io.sirocco.web.metrics.Totals;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The response of {@code /metrics}, which docs/operations.md lists. Names and units follow the
 * conventions of Prometheus: seconds, bytes, {@code _total} for counters. Any thread.
 */
final class Scrape {
    private final Subject subject;
    private final Metrics metrics;

    Scrape(Subject subject, Metrics metrics) {
        this.subject = subject;
        this.metrics = metrics;
    }

    String text() {
        var text = new Exposition();
        requests(text, metrics.totals());
        loops(text, subject.stats());
        UpstreamScrape.add(text, subject.upstreams());
        CacheScrape.add(text, subject.caches());
        certificates(text, subject.certificates());
        subject.live().ifPresent(live -> ChannelScrape.add(text, live.metrics()));
        process(text);
        return text.toString();
    }

    private void requests(Exposition text, Totals totals) {
        text.counter("sirocco_http_requests_total", "Requests by route, method and status.");
        totals.routes()
                .forEach(
                        (route, of) ->
                                of.requests()
                                        .forEach(
                                                (outcome, count) ->
                                                        text.sample(
                                                                count,
                                                                "route",
                                                                route,
                                                                "method",
                                                                outcome.method(),
                                                                "status",
                                                                status(outcome.status()))));
        text.histogram(
                "sirocco_http_request_duration_seconds",
                "Time from the complete headers of a request to the end of its response.");
        totals.routes()
                .forEach(
                        (route, of) -> {
                            if (of.latency().count() > 0) {
                                text.sample(of.latency(), "route", route);
                            }
                        });
        text.counter("sirocco_http_request_body_bytes_total", "Bytes of bodies received.");
        totals.routes().forEach((route, of) -> text.sample(of.bytesIn(), "route", route));
        text.counter("sirocco_http_response_body_bytes_total", "Bytes of bodies sent.");
        totals.routes().forEach((route, of) -> text.sample(of.bytesOut(), "route", route));
        text.counter(
                "sirocco_http_refused_total",
                "Requests refused as invalid or over a limit, by rule.");
        totals.refused().forEach((rule, count) -> text.sample(count, "rule", rule.name()));
        text.counter("sirocco_access_refused_total", "Requests refused by access rules, by rule.");
        subject.refusals().forEach((rule, count) -> text.sample(count, "rule", rule));
        text.counter("sirocco_http_handler_failures_total", "Exceptions thrown by handlers.");
        text.sample(totals.failed());
        text.counter(
                "sirocco_access_log_dropped_total",
                "Lines dropped because the queue of the access log was full.");
        text.sample(subject.droppedLogLines());
    }

    private static void certificates(Exposition text, Collection<X509Certificate> all) {
        if (all.isEmpty()) return;
        text.gauge(
                "sirocco_tls_certificate_expiry_seconds",
                "Time at which a certificate expires, in seconds since 1970.");
        for (X509Certificate each : all) {
            text.sample(
                    each.getNotAfter().getTime() / 1e3,
                    "subject",
                    each.getSubjectX500Principal().getName(),
                    "serial",
                    each.getSerialNumber().toString(16));
        }
    }

    private static String status(int status) {
        return status == 0 ? "none" : Integer.toString(status);
    }

    private static void loops(Exposition text, List<ServerStats> loops) {
        text.gauge("sirocco_connections", "Open connections, including parked ones.");
        each(text, loops, loop -> loop.net().connections());
        text.gauge("sirocco_connections_parked", "Connections that wait to be served.");
        each(text, loops, loop -> loop.net().parked());
        text.counter("sirocco_connections_accepted_total", "Connections accepted.");
        each(text, loops, loop -> loop.net().accepted());
        text.counter(
                "sirocco_accept_failures_total",
                "Times that accepting failed for lack of file descriptors or memory.");
        each(text, loops, loop -> loop.net().acceptFailures());
        text.gauge("sirocco_requests_in_progress", "Requests whose response is not complete.");
        each(text, loops, ServerStats::inProgress);
        text.gauge("sirocco_websockets_open", "Open WebSockets.");
        each(text, loops, ServerStats::webSockets);
        text.counter("sirocco_network_received_bytes_total", "Bytes received.");
        each(text, loops, loop -> loop.net().bytesIn());
        text.counter("sirocco_network_sent_bytes_total", "Bytes passed to the kernel.");
        each(text, loops, loop -> loop.net().bytesOut());
        text.counter("sirocco_loop_turns_total", "Turns of the loop.");
        each(text, loops, loop -> loop.net().turns());
        text.counter("sirocco_loop_busy_seconds_total", "Time spent working, not waiting.");
        each(text, loops, loop -> loop.net().busyNanos() / 1e9);
        text.gauge("sirocco_loop_longest_turn_seconds", "The longest turn since the start.");
        each(text, loops, loop -> loop.net().longestTurnNanos() / 1e9);
        text.gauge(
                "sirocco_loop_transport_info",
                "Transport of the loop: io_uring, epoll or nio; always 1.");
        for (int i = 0; i < loops.size(); i++) {
            String transport = loops.get(i).net().transport().label();
            text.sample(1, "loop", Integer.toString(i), "transport", transport);
        }
        text.gauge(
                "sirocco_moved_routes",
                "Routes moved to the JDK's scheduler because they blocked this loop.");
        each(text, loops, loop -> loop.net().blockingTaskKinds());
        text.gauge("sirocco_write_buffer_bytes", "Bytes of allocated write buffers.");
        each(text, loops, loop -> loop.net().writeMemory());
        text.gauge("sirocco_memory_used_bytes", "Bytes of memory that connections hold.");
        each(text, loops, loop -> loop.net().memoryUsed());
        text.gauge(
                "sirocco_memory_limit_bytes", "Maximum bytes of memory that connections may hold.");
        each(text, loops, loop -> loop.net().memoryLimit());
        text.counter(
                "sirocco_memory_refused_total",
                "Times that a connection was refused memory or lost it.");
        each(text, loops, loop -> loop.net().memoryRefused());
        text.counter(
                "sirocco_connections_refused_total",
                "Connections closed at once because there were too many.");
        each(text, loops, loop -> loop.net().connectionsRefused());
    }

    private static void each(
            Exposition text, List<ServerStats> loops, ToDoubleFunction<ServerStats> value) {
        for (int i = 0; i < loops.size(); i++) {
            text.sample(value.applyAsDouble(loops.get(i)), "loop", Integer.toString(i));
        }
    }

    private void process(Exposition text) {
        text.gauge("sirocco_ready", "1 while the server accepts requests, else 0.");
        text.sample(subject.state() == Subject.State.SERVING ? 1 : 0);
        text.gauge("sirocco_build_info", "Versions of Sirocco and Java; always 1.");
        text.sample(1, "version", ProcessFacts.version(), "java", Runtime.version().toString());
        text.gauge(
                "process_start_time_seconds", "Start time of the process in seconds since 1970.");
        text.sample(ProcessFacts.started().toEpochMilli() / 1e3);
        text.counter("process_cpu_seconds_total", "CPU time of the process.");
        text.sample(ProcessFacts.cpu().toNanos() / 1e9);
        text.gauge("process_resident_memory_bytes", "Resident memory of the process.");
        ProcessFacts.resident().ifPresent(text::sample);
        text.gauge("jvm_memory_used_bytes", "JVM memory in use.");
        text.sample(ProcessFacts.heap(), "area", "heap");
        text.gauge("jvm_memory_max_bytes", "Maximum JVM memory.");
        text.sample(Runtime.getRuntime().maxMemory(), "area", "heap");
        List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
        text.counter("jvm_gc_collections_total", "Garbage collections.");
        collectors.forEach(gc -> text.sample(gc.getCollectionCount(), "gc", gc.getName()));
        text.counter("jvm_gc_seconds_total", "Time spent on garbage collections.");
        collectors.forEach(gc -> text.sample(gc.getCollectionTime() / 1e3, "gc", gc.getName()));
    }
}
