// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

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

    static Handshake parse(Json json, String text) throws MalformedException {
        JsonNode data = json.parse(text);
        return new Handshake(
                number(data, "pingInterval", LONGEST),
                number(data, "pingTimeout", LONGEST),
                data.has("maxPayload")
                        ? number(data, "maxPayload", Long.MAX_VALUE)
                        : Long.MAX_VALUE);
    }

    private static long number(JsonNode data, String name, long most) throws MalformedException {
        JsonNode value = data.path(name);
        if (!value.isIntegralNumber() || value.longValue() < 1 || value.longValue() > most) {
            throw new MalformedException("an open without a good " + name);
        }
        return value.longValue();
    }
}
