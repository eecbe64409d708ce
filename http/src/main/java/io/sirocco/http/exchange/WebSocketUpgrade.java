// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Headers;
import io.sirocco.http.RequestError;
import io.sirocco.http.Status;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.websocket.BlockingWebSocket;
import io.sirocco.http.websocket.WebSocketConnection;
import io.sirocco.http.websocket.WebSocketHandshake;
import io.sirocco.net.TaskKind;

/** Upgrades the connection of an exchange to WebSocket (RFC 6455 4.2). Loop-confined. */
final class WebSocketUpgrade {
    private WebSocketUpgrade() {}

    /** Accepts the upgrade that a handler has agreed to, or refuses it. */
    static void of(Exchange exchange, ResponseMessage response, Content.Upgrade asked) {
        exchange.handlerEnded();
        if (exchange.responded || !exchange.connected()) {
            return;
        }
        switch (WebSocketHandshake.of(exchange.request, exchange.body != null, asked.sockets())) {
            case WebSocketHandshake.Refused(RequestError why, Headers headers) ->
                    exchange.refuse(
                            why,
                            exchange.context
                                    .page(why.status(), Status.reason(why.status()))
                                    .with(headers));
            case WebSocketHandshake.Accepted accepted -> {
                exchange.responded = true;
                exchange.status = response.status();
                WebSocketListener listener = listener(exchange, asked);
                exchange.stream.upgrade(
                        response.with(accepted.fields()),
                        connection -> {
                            if (exchange.request.forwarded() != null) {
                                connection.remote(exchange.request.forwarded().client());
                            }
                            return new WebSocketConnection(
                                    connection,
                                    exchange.context,
                                    asked.sockets(),
                                    accepted.compression().orElse(null),
                                    accepted.subprotocol(),
                                    listener,
                                    asked.listener().isPresent()
                                            ? exchange.routeTarget.listenerKind()
                                            : null,
                                    exchange.id());
                        });
            }
        }
    }

    private static WebSocketListener listener(Exchange exchange, Content.Upgrade asked) {
        TaskKind kind = exchange.routeTarget.kind();
        return asked.listener()
                .orElseGet(
                        () -> new BlockingWebSocket(asked.handler().get(), exchange.context, kind));
    }
}
