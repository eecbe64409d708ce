// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.live.LiveMetrics;
import java.util.Map;

/**
 * One second of event channels, as their console draws it; what is not said to be a number is per
 * second. Immutable.
 *
 * @param clients number at its end
 * @param rooms number at its end
 * @param connects let in
 * @param gone for whatever reason
 * @param refused at the door, for whatever reason
 * @param in messages of clients
 * @param out messages to clients
 * @param bytesIn of them
 * @param bytesOut of them
 * @param dropped events that slow clients went without
 * @param gaps told to clients
 * @param requests number of those that are not answered, at its end
 * @param queued number of messages that wait for handlers, or are with them, at its end
 */
record ChannelFrame(
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

    static ChannelFrame of(LiveMetrics now, LiveMetrics before, double seconds) {
        return new ChannelFrame(
                now.clients(),
                now.rooms(),
                Vitals.rate(now.connects() - before.connects(), seconds),
                Vitals.rate(sum(now.closes()) - sum(before.closes()), seconds),
                Vitals.rate(sum(now.refused()) - sum(before.refused()), seconds),
                Vitals.rate(now.messagesIn() - before.messagesIn(), seconds),
                Vitals.rate(now.messagesOut() - before.messagesOut(), seconds),
                Vitals.rate(now.bytesIn() - before.bytesIn(), seconds),
                Vitals.rate(now.bytesOut() - before.bytesOut(), seconds),
                Vitals.rate(now.dropped() - before.dropped(), seconds),
                Vitals.rate(now.gaps() - before.gaps(), seconds),
                now.requests(),
                now.queued());
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
