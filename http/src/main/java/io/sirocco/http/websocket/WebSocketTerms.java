// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.Origins;
import io.sirocco.http.WebSocketSettings;
import java.util.List;
import java.util.Optional;

/** {@link WebSocketSettings}, frozen: bytes and milliseconds; no origins for any. Immutable. */
public record WebSocketTerms(
        int maxMessage,
        int maxFrame,
        int maxPending,
        long pingMillis,
        long pongMillis,
        long closeMillis,
        List<String> subprotocols,
        Optional<Origins> origins,
        boolean compression,
        int compressFrom,
        boolean serverContext,
        boolean clientContext,
        long contextMemory,
        boolean blockingListener) {}
