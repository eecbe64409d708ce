// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Headers;
import io.sirocco.http.RequestError;
import io.sirocco.http.Server;
import io.sirocco.http.Status;
import io.sirocco.http.WebSocketListener;
import io.sirocco.http.websocket.BlockingWebSocket;
import io.sirocco.http.websocket.WebSocketConnection;
import io.sirocco.http.websocket.WebSocketGroup;
import io.sirocco.http.websocket.WebSocketHandshake;
import io.sirocco.net.TaskKind;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;

/** Upgrades the connection of an exchange to WebSocket (RFC 6455 4.2). Loop-confined. */
final class WebSocketUpgrade {
    private static final LazyLogger LOG = LazyLogger.of(Server.class);
    private static final int LONGEST_ORIGIN = 200;

    private WebSocketUpgrade() {}

    /** Accepts the upgrade that a handler has agreed to, or refuses it. */
    static void of(Exchange exchange, ResponseMessage response, Content.Upgrade asked) {
        exchange.handlerEnded();
        if (exchange.responded || !exchange.stream.open()) {
            exchange.context.runLater(asked::release);
            return;
        }
        switch (WebSocketHandshake.of(exchange.request, exchange.body != null, asked.sockets())) {
            case WebSocketHandshake.Refused(RequestError why, Headers headers) -> {
                if (why == RequestError.FOREIGN_ORIGIN) {
                    log(exchange, asked.sockets());
                }
                ResponseMessage page =
                        exchange.context.page(why.status(), Status.reason(why.status()));
                exchange.refuse(why, exchange.finished(page.with(headers)));
                exchange.context.runLater(asked::release);
            }
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

    /** Logs each origin once, since the page itself is not told why. */
    private static void log(Exchange exchange, WebSocketGroup sockets) {
        String origin = exchange.request.header("Origin").orElse("");
        if (origin.length() > LONGEST_ORIGIN) {
            origin = origin.substring(0, LONGEST_ORIGIN) + "...";
        }
        if (sockets.noteRefused(origin)) {
            LOG.get()
                    .log(
                            Level.INFO,
                            "WebSockets of pages of {0} to the host {1} are refused with 403: the"
                                    + " setting ''origins'' (in Ring, :ws-origins) can admit them",
                            origin,
                            exchange.request.authority());
        }
    }

    private static WebSocketListener listener(Exchange exchange, Content.Upgrade asked) {
        TaskKind kind = exchange.routeTarget.kind();
        return asked.listener()
                .orElseGet(
                        () -> new BlockingWebSocket(asked.handler().get(), exchange.context, kind));
    }
}
