// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.engine.Peer;
import io.sirocco.live.wire.Json;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Somebody wants to come in. Immutable. */
public final class Attempt {
    private final Json json;
    private final String namespace;
    private final Peer peer;
    private final JsonNode auth;

    Attempt(Json json, String namespace, Peer peer, JsonNode auth) {
        this.json = json;
        this.namespace = namespace;
        this.peer = peer;
        this.auth = auth;
    }

    /** Where to. */
    public String namespace() {
        return namespace;
    }

    /** Where from. */
    public String address() {
        return peer.address();
    }

    /**
     * A header of its first request. Once a client is connected, attempts over the same connection
     * see those alone that are kept: {@link LiveSettings#headers}.
     */
    public Optional<String> header(String name) {
        return peer.header(name);
    }

    /** A text in the {@code auth} of its CONNECT. */
    public Optional<String> auth(String name) {
        JsonNode value = auth.path(name);
        return value.isString() ? Optional.of(value.stringValue()) : Optional.empty();
    }

    /**
     * All of {@code auth}.
     *
     * @throws RequestException when it does not fit
     */
    public <T> T auth(Class<T> type) {
        return Arguments.convert(json.mapper(), auth, type);
    }
}
