// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Headers;
import io.sirocco.http.loop.ServerProtocol;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Protocol;

/**
 * Upgrades the connection of an exchange to a protocol of a program (RFC 9110 7.8). Loop-confined.
 */
final class ProtocolUpgrade {
    private ProtocolUpgrade() {}

    static void of(Exchange exchange, ResponseMessage response, Content.Switch asked) {
        exchange.handlerEnded();
        if (exchange.responded || !exchange.stream.open()) {
            return;
        }
        if (exchange.body != null && exchange.body.expected()) {
            throw new IllegalStateException(
                    "A connection cannot be upgraded before the body of the request was read.");
        }
        if (exchange.request.version().equals("HTTP/1.0")) {
            throw new IllegalStateException(
                    "HTTP/1.0 has no upgrades (RFC 9110 7.8): check the version of the request.");
        }
        exchange.responded = true;
        exchange.status = response.status();
        exchange.stream.upgrade(
                response.with(Headers.of("Connection", "Upgrade", "Upgrade", asked.protocol())),
                connection -> {
                    connection.clearDeadline();
                    return new Upgraded(exchange.context, asked.next().apply(connection));
                });
    }

    /**
     * The protocol of the program, on a connection that the server still counts. It ends by itself:
     * a server that stops waits for it until its timeout. Loop-confined.
     */
    private record Upgraded(LoopContext context, Protocol protocol) implements ServerProtocol {

        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            return protocol.received(connection, bytes, from, to);
        }

        @Override
        public void ended(Connection connection) {
            protocol.ended(connection);
        }

        @Override
        public void drained(Connection connection) {
            protocol.drained(connection);
        }

        @Override
        public void sent(Connection connection) {
            protocol.sent(connection);
        }

        @Override
        public boolean replaced(Connection connection) {
            return protocol.replaced(connection);
        }

        @Override
        public boolean memoryShort(Connection connection) {
            return protocol.memoryShort(connection);
        }

        @Override
        public boolean inputLost(Connection connection) {
            return protocol.inputLost(connection);
        }

        @Override
        public void expired(Connection connection) {
            protocol.expired(connection);
        }

        @Override
        public void dropped(Connection connection) {
            protocol.closed(connection, CloseCause.ABORTED);
        }

        @Override
        public void closed(Connection connection, CloseCause cause) {
            context.closed(connection, cause);
            protocol.closed(connection, cause);
            context.deliverNotifications();
        }

        @Override
        public void drain() {}
    }
}
