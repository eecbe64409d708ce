// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Status;
import io.sirocco.http.body.BodyRefused;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CancellationException;

/**
 * The responses to exceptions, of handlers above all, and what the log says of them. Any thread.
 */
final class Failures {
    /**
     * Says in the log and in metrics that nothing failed: the client has disconnected before its
     * response, or has closed its sending side. The status is nginx's.
     */
    private static final int CLIENT_CLOSED = 499;

    private Failures() {}

    /** Returns the response to an exception, which depends on its cause. Any thread. */
    static ResponseMessage response(Exchange exchange, Throwable thrown) {
        boolean cancelled = false;
        boolean complete = false;
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            cancelled |=
                    cause instanceof CancellationException; // by an action of onDisconnect, for one
            complete |= cause instanceof RequestMessage.Complete;
            if (cause instanceof BadRequest e) {
                return exchange.context.page(e.status(), e.getMessage());
            }
            if (cause instanceof BodyRefused e) {
                return (ResponseMessage) exchange.context.page(e.rule()).closeConnection();
            }
        }
        if ((cancelled || complete) && exchange.ended) { // by a refusal, which was reported
            return exchange.context.page(500, Status.reason(500));
        }
        if (cancelled && exchange.gone()
                || thrown instanceof IOException && !exchange.stream.open()) {
            return exchange.context.page(CLIENT_CLOSED, "Client Closed Request");
        }
        exchange.context.failed(exchange, interruption(exchange, thrown), thrown);
        return exchange.context.page(500, Status.reason(500));
    }

    /**
     * Returns why the handler was interrupted, for the log; empty unless the interrupt made it
     * fail.
     */
    private static String interruption(Exchange exchange, Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof InterruptedException
                    || cause instanceof ClosedByInterruptException
                    || cause.getClass() == InterruptedIOException.class) {
                return switch (exchange.rule) { // set before the interrupt
                    case null -> "";
                    case HANDLER_DEADLINE, LATER_DEADLINE ->
                            ": interrupted at its handler deadline of "
                                    + exchange.routeTarget.limits().handlerMillis()
                                    + " ms";
                    default -> ": interrupted, since it was refused by " + exchange.rule;
                };
            }
        }
        return "";
    }
}
