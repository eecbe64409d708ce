// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.live.LiveMetrics;
import io.sirocco.web.metrics.Exposition;
import java.util.Locale;

/** The metrics of event channels in {@code /metrics}. */
final class ChannelScrape {
    private ChannelScrape() {}

    static void add(Exposition text, LiveMetrics of) {
        text.gauge(
                "sirocco_live_clients", "Clients that are connected or can recover their session.");
        text.sample(of.clients());
        text.gauge("sirocco_live_sessions", "Connections of clients.");
        text.sample(of.sessions());
        text.gauge("sirocco_live_rooms", "Rooms that have members on this node.");
        text.sample(of.rooms());
        text.counter("sirocco_live_connects_total", "Clients admitted.");
        text.sample(of.connects());
        text.counter("sirocco_live_recovered_total", "Sessions recovered by reconnecting clients.");
        text.sample(of.recovered());
        text.counter("sirocco_live_refused_total", "Clients refused, by reason.");
        of.refused().forEach((reason, count) -> text.sample(count, "reason", reason));
        text.counter("sirocco_live_closes_total", "Clients closed, by reason.");
        of.closes()
                .forEach(
                        (reason, count) ->
                                text.sample(
                                        count, "reason", reason.name().toLowerCase(Locale.ROOT)));
        text.counter("sirocco_live_messages_received_total", "Messages received from clients.");
        text.sample(of.messagesIn());
        text.counter("sirocco_live_messages_sent_total", "Messages sent, counted for each client.");
        text.sample(of.messagesOut());
        text.counter(
                "sirocco_live_received_bytes_total", "Bytes of messages received from clients.");
        text.sample(of.bytesIn());
        text.counter("sirocco_live_sent_bytes_total", "Bytes of messages sent to clients.");
        text.sample(of.bytesOut());
        text.counter("sirocco_live_dropped_total", "Events dropped because a client was slow.");
        text.sample(of.dropped());
        text.counter(
                "sirocco_live_gaps_total", "Gap notices sent to clients that missed messages.");
        text.sample(of.gaps());
        text.gauge("sirocco_live_requests", "Requests of clients that await a response.");
        text.sample(of.requests());
        text.gauge("sirocco_live_handlers", "Threads that run handlers.");
        text.sample(of.handlers());
        text.gauge("sirocco_live_queued", "Messages that wait for handlers or are being handled.");
        text.sample(of.queued());
        text.gauge("sirocco_live_queued_bytes", "Bytes of these messages.");
        text.sample(of.queuedBytes());
    }
}
