// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.WireException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * What an Engine.IO 4 server says first.
 *
 * @param pingInterval milliseconds between two of its pings
 * @param pingTimeout milliseconds more, after which it is gone
 * @param maxPayload bytes that it takes at a time
 */
record Handshake(long pingInterval, long pingTimeout, long maxPayload) {
    private static final long LONGEST = 86_400_000;

    static Handshake parse(Json json, String text) throws WireException {
        JsonNode data = json.parse(text, List.of());
        return new Handshake(
                number(data, "pingInterval", LONGEST),
                number(data, "pingTimeout", LONGEST),
                data.has("maxPayload")
                        ? number(data, "maxPayload", Long.MAX_VALUE)
                        : Long.MAX_VALUE);
    }

    private static long number(JsonNode data, String name, long most) throws WireException {
        JsonNode value = data.path(name);
        if (!value.isIntegralNumber() || value.longValue() < 1 || value.longValue() > most) {
            throw new WireException("an open without a good " + name);
        }
        return value.longValue();
    }
}
