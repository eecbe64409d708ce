// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.Headers;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSocketRefused;
import io.sirocco.net.Connection;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.URI;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The client's side of the opening handshake without its framing: the headers of the request, the
 * check of the response, and the socket that follows from it (RFC 6455 4.1). Loop-confined.
 */
public final class WebSocketClientHandshake {
    private final ClientLoopContext context;
    private final WebSocketGroup sockets;
    private final URI uri;
    private final WebSocketListener listener;
    private final String key;
    private final Agreement offered; // null for no compression

    /** The negotiated parameters; no agreement for no compression. */
    private record Answer(String subprotocol, Agreement agreement) {}

    /** Reserves the memory for the compression that it offers, until it is open or has failed. */
    public WebSocketClientHandshake(
            ClientLoopContext context,
            WebSocketGroup sockets,
            URI uri,
            WebSocketListener listener) {
        this.context = context;
        this.sockets = sockets;
        this.uri = uri;
        this.listener = listener;
        this.key = Base64.getEncoder().encodeToString(context.nonce());
        this.offered = sockets.offer().orElse(null);
    }

    /** Returns the headers of the request that ask for the upgrade. */
    public Headers headers() {
        List<String> subprotocols = sockets.terms.subprotocols();
        Headers asked =
                Headers.of(
                        "Upgrade",
                        "websocket",
                        "Connection",
                        "Upgrade",
                        "Sec-WebSocket-Key",
                        key,
                        "Sec-WebSocket-Version",
                        Opening.VERSION);
        if (!subprotocols.isEmpty()) {
            asked = asked.with("Sec-WebSocket-Protocol", String.join(", ", subprotocols));
        }
        if (offered != null) {
            asked = asked.with("Sec-WebSocket-Extensions", offered.toString());
        }
        return asked;
    }

    /**
     * Checks the response and starts the socket as the protocol of the connection.
     *
     * @throws WebSocketRefused if the response has another status than 101
     * @throws ProtocolException if a header contradicts the request
     */
    public WebSocketConnection open(Connection connection, int status, Headers response)
            throws IOException {
        Answer answer = answer(status, response);
        var socket =
                new WebSocketConnection(
                        connection,
                        context,
                        sockets,
                        answer.agreement(),
                        answer.subprotocol(),
                        listener,
                        null,
                        ClientLoopContext.nextId());
        sockets.settle(offered, answer.agreement());
        connection.protocol(socket);
        socket.begin();
        return socket;
    }

    /** Releases the reserved memory of a handshake that has opened no socket. */
    public void failed() {
        sockets.settle(offered, null);
    }

    /** Checks what RFC 6455 4.1 demands, from "Once the client's opening handshake". */
    private Answer answer(int status, Headers response) throws IOException {
        if (status != 101) {
            throw new WebSocketRefused(uri.toString(), status, response);
        }
        if (!only(response, "Upgrade").filter("websocket"::equalsIgnoreCase).isPresent()) {
            throw broken("its Upgrade is not 'websocket'");
        }
        boolean upgrades =
                response.all("Connection").stream()
                        .flatMap(value -> List.of(value.split(",")).stream())
                        .anyMatch(token -> token.strip().equalsIgnoreCase("upgrade"));
        if (!upgrades) {
            throw broken("its Connection has no 'Upgrade'");
        }
        String accept = Opening.accept(key);
        if (!only(response, "Sec-WebSocket-Accept").filter(accept::equals).isPresent()) {
            throw broken("its Sec-WebSocket-Accept is not for our key");
        }
        return new Answer(subprotocol(response), agreement(response));
    }

    private String subprotocol(Headers response) throws IOException {
        List<String> values = response.all("Sec-WebSocket-Protocol");
        if (values.isEmpty()) {
            return "";
        }
        if (values.size() > 1 || !sockets.terms.subprotocols().contains(values.getFirst())) {
            throw broken("it chooses a subprotocol that was not requested");
        }
        return values.getFirst();
    }

    private Agreement agreement(Headers response) throws IOException {
        List<String> values = response.all("Sec-WebSocket-Extensions");
        if (values.isEmpty()) {
            return null;
        }
        Optional<Agreement> agreed =
                offered == null
                        ? Optional.empty()
                        : Offers.agreed(String.join(",", values), offered);
        return agreed.orElseThrow(() -> broken("it agrees on an extension that was not offered"));
    }

    private static Optional<String> only(Headers response, String name) {
        List<String> values = response.all(name);
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    /** Returns the failure of a handshake whose response breaks a rule. */
    public IOException broken(String why) {
        return new ProtocolException(
                "the response of " + uri + " opens no WebSocket (RFC 6455 4.1): " + why);
    }
}
