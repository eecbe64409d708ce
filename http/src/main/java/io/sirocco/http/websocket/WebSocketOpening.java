// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.Headers;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.WebSocketRefused;
import io.sirocco.http.h1.ResponseHead;
import io.sirocco.http.message.CheckedHeaders;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Protocol;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The client's side of the opening handshake (RFC 6455 4.1):
 *
 * <pre>
 *   connected ── request ──▶ received ── 101, and all of it is right ──▶ WebSocketConnection
 *                               │ another status, a rule broken, the end, the deadline
 *                               └──────────────────────────────────────▶ failed
 * </pre>
 *
 * Loop-confined.
 */
public final class WebSocketOpening implements Connector, Protocol {
    private final ClientLoopContext hub;
    private final WebSocketGroup sockets;
    private final URI uri;
    private final Headers fields;
    private final WebSocketListener listener;
    private final long deadlineMillis;
    private final CompletableFuture<WebSocket> outcome;
    private final String key;
    private final Agreement offered; // null for no compression
    private final ResponseHead head = new ResponseHead();

    /** The negotiated parameters. */
    private record Answer(String subprotocol, Agreement agreement) {}

    public WebSocketOpening(
            ClientLoopContext hub,
            WebSocketGroup sockets,
            URI uri,
            Headers fields,
            WebSocketListener listener,
            long deadlineMillis,
            CompletableFuture<WebSocket> outcome) {
        this.hub = hub;
        this.sockets = sockets;
        this.uri = uri;
        this.fields = fields;
        this.listener = listener;
        this.deadlineMillis = deadlineMillis;
        this.outcome = outcome;
        this.key = Base64.getEncoder().encodeToString(hub.nonce());
        this.offered = sockets.offer().orElse(null);
    }

    // ---- the request

    @Override
    public Protocol connected(Connection connection) {
        byte[] request = request().getBytes(ISO_8859_1);
        connection.write(request, 0, request.length);
        connection.deadline(hub.loop.now() + deadlineMillis);
        return this;
    }

    private String request() {
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        List<String> subprotocols = sockets.terms.subprotocols();
        Headers asked =
                Headers.of(
                        "Host",
                        uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort(),
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
        return "GET " + path + query + " HTTP/1.1\r\n" + asked.with(fields) + "\r\n";
    }

    // ---- the response

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        switch (head.parse(bytes, from, to, HeadLimits.DEFAULT)) {
            case INCOMPLETE -> {
                return from;
            }
            case REJECTED -> fail(connection, broken(head.why()));
            case COMPLETE -> answered(connection);
        }
        return outcome.isCompletedExceptionally() ? to : head.end();
    }

    private void answered(Connection connection) {
        try {
            Answer answer = answer();
            var socket =
                    new WebSocketConnection(
                            connection,
                            hub,
                            sockets,
                            answer.agreement(),
                            answer.subprotocol(),
                            listener,
                            null,
                            ClientLoopContext.nextId());
            sockets.settle(offered, answer.agreement());
            connection.protocol(socket);
            socket.begin();
            outcome.complete(socket);
            if (hub.draining()) {
                socket.drain();
            }
        } catch (IOException e) {
            fail(connection, e);
        }
    }

    /** Looks at all that a client has to (RFC 6455 4.1, from "Once the client's opening"). */
    private Answer answer() throws IOException {
        if (head.status() != 101) {
            throw new WebSocketRefused(uri.toString(), head.status(), headers());
        }
        if (!only("Upgrade").filter("websocket"::equalsIgnoreCase).isPresent()) {
            throw broken("its Upgrade is not 'websocket'");
        }
        boolean upgrades =
                headers().all("Connection").stream()
                        .flatMap(value -> List.of(value.split(",")).stream())
                        .anyMatch(token -> token.strip().equalsIgnoreCase("upgrade"));
        if (!upgrades) {
            throw broken("its Connection has no 'Upgrade'");
        }
        if (!only("Sec-WebSocket-Accept").filter(Opening.accept(key)::equals).isPresent()) {
            throw broken("its Sec-WebSocket-Accept is not for our key");
        }
        return new Answer(subprotocol(), agreement());
    }

    private String subprotocol() throws IOException {
        List<String> values = headers().all("Sec-WebSocket-Protocol");
        if (values.isEmpty()) {
            return "";
        }
        if (values.size() > 1 || !sockets.terms.subprotocols().contains(values.getFirst())) {
            throw broken("it chooses a sub-protocol that was not asked for");
        }
        return values.getFirst();
    }

    private Agreement agreement() throws IOException {
        List<String> values = headers().all("Sec-WebSocket-Extensions");
        if (values.isEmpty()) {
            return null;
        }
        Optional<Agreement> agreed =
                offered == null
                        ? Optional.empty()
                        : Offers.agreed(String.join(",", values), offered);
        return agreed.orElseThrow(() -> broken("it agrees on an extension that was not offered"));
    }

    private Headers headers() {
        String[] pairs = new String[2 * head.count()];
        for (int i = 0; i < head.count(); i++) {
            pairs[2 * i] = head.name(i);
            pairs[2 * i + 1] = head.value(i);
        }
        return CheckedHeaders.of(pairs);
    }

    private Optional<String> only(String name) {
        List<String> values = headers().all(name);
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    private IOException broken(String why) {
        return new ProtocolException(
                "the response of " + uri + " opens no WebSocket (RFC 6455 4.1): " + why);
    }

    // ---- failures

    private void fail(Connection connection, IOException why) {
        failed(why);
        connection.abort();
    }

    @Override
    public void failed(IOException why) {
        if (outcome.completeExceptionally(why)) {
            sockets.settle(offered, null);
        }
    }

    @Override
    public void ended(Connection connection) {
        fail(connection, new IOException(uri + " closed the connection before it responded"));
    }

    @Override
    public void expired(Connection connection) {
        fail(
                connection,
                new SocketTimeoutException(
                        uri + " did not respond within " + deadlineMillis + " ms"));
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        failed(new IOException("the connection to " + uri + " was lost: " + cause));
    }
}
