// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.Map;

/**
 * The client that a replay is for. It is replayed nothing from before it was here, whatever offset
 * it asks for. Immutable.
 *
 * @param namespace of the client
 * @param client its id
 * @param since where the newest message was when the client came: messages to all of the namespace,
 *     and to the client alone, are replayed behind that
 * @param rooms that the client is in, each with where the newest message was when it joined:
 *     messages to the room are replayed behind that
 */
public record Audience(
        String namespace, String client, Position since, Map<String, Position> rooms) {}
