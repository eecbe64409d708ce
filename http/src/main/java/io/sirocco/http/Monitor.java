// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * The one interface for access log and metrics. Called on a loop: must not block; what it throws is
 * logged and changes nothing. A server without one does no work for it.
 */
public interface Monitor {
    /** Wants to know nothing. */
    Monitor NONE = new Monitor() {};

    /** Each of {@code monitors} is told everything, in this order, whatever the others throw. */
    static Monitor all(List<Monitor> monitors) {
        return switch (monitors.size()) {
            case 0 -> NONE;
            case 1 -> monitors.getFirst();
            default -> new Monitors(List.copyOf(monitors));
        };
    }

    /** A response has been written, or its connection has ended before. */
    default void answered(Answered answered) {}

    /** A request was refused before it reached a handler, by the rule that is named. */
    default void rejected(Rejected rejected) {}

    /**
     * A handler threw; the client was told 500 and no more. Or a conversation or a listener of a
     * WebSocket did, which was closed with 1011.
     */
    default void failed(String requestId, Throwable thrown) {}

    /**
     * One request and its response: a view that makes a text when it is asked for one, and not
     * before. It is good for as long as the call that it is given to; what shall outlive that is
     * copied. Loop-confined.
     */
    interface Answered {
        /**
         * The number of the loop that it is told on, from 0: with counts of its own for each loop,
         * a monitor needs no locks, for no two calls with one number are ever under way at once.
         */
        int loop();

        /** Names the request in logs, as {@link Request#id} does. */
        String id();

        /** Now, in milliseconds of the wall clock. */
        long millis();

        /** The peer. */
        SocketAddress remote();

        /** Whether it came over TLS. */
        boolean secure();

        /** HTTP/1.0 or HTTP/1.1. */
        String version();

        /** As sent. */
        String method();

        /** As sent, with its query. */
        String target();

        /** The host that was asked for, without the port; empty when none was named. */
        String host();

        /** The first header field of this name. */
        Optional<String> header(String name);

        /** What a filter has left under {@link Request#USER}. */
        Optional<String> user();

        /**
         * The pattern that matched, such as {@code /hello/{name}}, behind the host of its site if
         * that has one: {@code example.org/hello/{name}}. Empty when none did. The same text for
         * each request of a route.
         */
        String route();

        /** Of the response; 0 when the connection ended before there was one. */
        int status();

        /** Of the request's body. */
        long bytesIn();

        /** Of the response's body, as written to the connection. */
        long bytesOut();

        /** From the complete head to the end of the response. */
        long nanos();

        /** Whether all of the response was written. */
        boolean complete();

        /** The rule by which the request was refused, if it was. */
        Optional<Rule> rule();
    }

    /**
     * A refusal. Immutable.
     *
     * @param loop the number of the loop that it is told on
     * @param id names the request in logs
     * @param millis of the wall clock
     * @param remote the peer
     * @param secure whether it came over TLS
     * @param rule why
     * @param method as sent; empty when it did not come that far
     * @param target as sent, or as much of it as could be read; empty when it did not come that far
     * @param alone whether this is all that is told of the request: its head was refused, so that
     *     no {@link Answered} tells of it
     */
    record Rejected(
            int loop,
            String id,
            long millis,
            SocketAddress remote,
            boolean secure,
            Rule rule,
            String method,
            String target,
            boolean alone) {}
}
