// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.live.LiveMetrics;
import java.util.Map;

/**
 * The metrics of event channels in one second, as their console draws them: rates per second,
 * unless they are described as a number. Immutable.
 *
 * @param clients number at its end
 * @param rooms number at its end
 * @param connects of admitted clients
 * @param gone clients closed, for any reason
 * @param refused clients, for any reason
 * @param in messages of clients
 * @param out messages to clients
 * @param bytesIn of messages of clients
 * @param bytesOut of messages to clients
 * @param dropped events for slow clients
 * @param gaps gap notices to clients
 * @param requests number of requests that await a response, at its end
 * @param queued number of messages that wait for handlers or are being handled, at its end
 */
record ChannelSample(
        int clients,
        int rooms,
        double connects,
        double gone,
        double refused,
        double in,
        double out,
        double bytesIn,
        double bytesOut,
        double dropped,
        double gaps,
        long requests,
        long queued) {

    static ChannelSample of(LiveMetrics now, LiveMetrics before, double seconds) {
        return new ChannelSample(
                now.clients(),
                now.rooms(),
                MetricsSampler.rate(now.connects() - before.connects(), seconds),
                MetricsSampler.rate(sum(now.closes()) - sum(before.closes()), seconds),
                MetricsSampler.rate(sum(now.refused()) - sum(before.refused()), seconds),
                MetricsSampler.rate(now.messagesIn() - before.messagesIn(), seconds),
                MetricsSampler.rate(now.messagesOut() - before.messagesOut(), seconds),
                MetricsSampler.rate(now.bytesIn() - before.bytesIn(), seconds),
                MetricsSampler.rate(now.bytesOut() - before.bytesOut(), seconds),
                MetricsSampler.rate(now.dropped() - before.dropped(), seconds),
                MetricsSampler.rate(now.gaps() - before.gaps(), seconds),
                now.requests(),
                now.queued());
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
