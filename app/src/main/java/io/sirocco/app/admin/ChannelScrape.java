// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.live.LiveMetrics;
import io.sirocco.web.metrics.Exposition;
import java.util.Locale;

/** What {@code /metrics} tells of event channels. */
final class ChannelScrape {
    private ChannelScrape() {}

    static void add(Exposition text, LiveMetrics of) {
        text.gauge("sirocco_live_clients", "Clients that are here, or may come back.");
        text.sample(of.clients());
        text.gauge("sirocco_live_sessions", "Connections of clients.");
        text.sample(of.sessions());
        text.gauge("sirocco_live_rooms", "Rooms that have members on this node.");
        text.sample(of.rooms());
        text.counter("sirocco_live_connects_total", "Clients that were let in.");
        text.sample(of.connects());
        text.counter("sirocco_live_recovered_total", "Clients that came back as the same.");
        text.sample(of.recovered());
        text.counter("sirocco_live_refused_total", "Clients that were not let in, by reason.");
        of.refused().forEach((reason, count) -> text.sample(count, "reason", reason));
        text.counter("sirocco_live_closes_total", "Clients that have gone, by reason.");
        of.closes()
                .forEach(
                        (reason, count) ->
                                text.sample(
                                        count, "reason", reason.name().toLowerCase(Locale.ROOT)));
        text.counter("sirocco_live_messages_received_total", "Events and answers of clients.");
        text.sample(of.messagesIn());
        text.counter("sirocco_live_messages_sent_total", "Messages to clients, one for each.");
        text.sample(of.messagesOut());
        text.counter("sirocco_live_received_bytes_total", "Of the messages of clients.");
        text.sample(of.bytesIn());
        text.counter("sirocco_live_sent_bytes_total", "Of the messages to clients.");
        text.sample(of.bytesOut());
        text.counter("sirocco_live_dropped_total", "Events that slow clients went without.");
        text.sample(of.dropped());
        text.counter(
                "sirocco_live_gaps_total", "Times a client was told that it misses something.");
        text.sample(of.gaps());
        text.gauge("sirocco_live_requests", "Requests of clients that are not answered.");
        text.sample(of.requests());
        text.gauge("sirocco_live_handlers", "Threads of handlers that run.");
        text.sample(of.handlers());
        text.gauge("sirocco_live_queued", "Messages that handlers have not done with.");
        text.sample(of.queued());
        text.gauge("sirocco_live_queued_bytes", "Of them.");
        text.sample(of.queuedBytes());
    }
}
