// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.Map;

/**
 * What the channels of this node have done since they were made, and what they hold at this moment.
 * Immutable.
 *
 * @param clients that are here, or may come back, in all namespaces
 * @param sessions connections of clients
 * @param rooms that have members here
 * @param connects clients that were let in
 * @param recovered clients that came back as the same
 * @param refused by reason: {@code connects} (too many from one address), {@code clients} (too many
 *     at all), {@code origin}, {@code unauthorized}, {@code limited} (too many guesses), {@code
 *     unavailable} (the broker fails), {@code failed} (the server does), {@code unknown_namespace}
 * @param closes clients that have gone, by reason
 * @param messagesIn events and answers of clients
 * @param bytesIn of them
 * @param messagesOut what was sent to clients, each counted for each client
 * @param bytesOut of them
 * @param dropped events that clients went without: slow ones, or those of a slow loop
 * @param gaps how often a client was told that something is missing
 * @param requests of clients that are not answered yet
 * @param handlers threads that run for clients
 * @param queued messages that handlers have not done with
 * @param queuedBytes of them
 */
public record LiveMetrics(
        int clients,
        int sessions,
        int rooms,
        long connects,
        long recovered,
        Map<String, Long> refused,
        Map<Reason, Long> closes,
        long messagesIn,
        long bytesIn,
        long messagesOut,
        long bytesOut,
        long dropped,
        long gaps,
        long requests,
        int handlers,
        long queued,
        long queuedBytes) {}
