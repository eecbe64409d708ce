// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Origins;
import java.util.Optional;
import java.util.Set;

/**
 * How sessions are kept; milliseconds and bytes. Immutable.
 *
 * @param pingMillis between two pings
 * @param pongMillis until the pong
 * @param upgradeMillis for a change from polling to WebSocket
 * @param closeMillis for what is to be delivered before a close
 * @param postWindowMillis in which a client sends {@link PostBody#LEAST} bytes of a body
 * @param maxPayload of one message, and of one body of polling
 * @param budget what may wait to be sent to one peer
 * @param allWaiting what may wait for all peers: beyond it the slowest are closed
 * @param transports {@code websocket}, {@code polling}
 * @param origins pages that may connect beside our own; empty for any
 * @param clients how many sessions at once
 */
public record EngineSettings(
        long pingMillis,
        long pongMillis,
        long upgradeMillis,
        long closeMillis,
        long postWindowMillis,
        int maxPayload,
        int budget,
        long allWaiting,
        Overflow overflow,
        Set<String> transports,
        Optional<Origins> origins,
        int clients) {}
