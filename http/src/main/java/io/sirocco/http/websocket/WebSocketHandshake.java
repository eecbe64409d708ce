// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.RequestError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks a request for a WebSocket and decides on the response (RFC 6455 4.2). Loop-confined. */
public sealed interface WebSocketHandshake {
    /** It is refused, for this reason and with these fields. */
    record Refused(RequestError rule, Headers fields) implements WebSocketHandshake {}

    /** Accepts the handshake with these headers. */
    record Accepted(String subprotocol, Optional<Agreement> compression, Headers fields)
            implements WebSocketHandshake {}

    /**
     * Checks a request; the first error counts. {@code hasBody} says whether the request has a
     * body.
     */
    static WebSocketHandshake of(Request request, boolean hasBody, WebSocketGroup sockets) {
        if (!asksFor(request, "Upgrade", "websocket")
                || !asksFor(request, "Connection", "upgrade")) {
            return new Refused(RequestError.UPGRADE_MISSING, upgradeTo());
        }
        if (!request.method().equals("GET") || hasBody || request.version().equals("HTTP/1.0")) {
            return new Refused(RequestError.BAD_UPGRADE, Headers.none());
        }
        if (!only(request, "Sec-WebSocket-Version").filter(Opening.VERSION::equals).isPresent()) {
            return new Refused(
                    RequestError.UNKNOWN_WEBSOCKET_VERSION,
                    upgradeTo().with("Sec-WebSocket-Version", Opening.VERSION));
        }
        String key = only(request, "Sec-WebSocket-Key").orElse("");
        if (!Opening.isKey(key)) {
            return new Refused(RequestError.BAD_WEBSOCKET_KEY, Headers.none());
        }
        if (sockets.terms.origins().isPresent() && !sockets.terms.origins().get().admits(request)) {
            return new Refused(RequestError.FOREIGN_ORIGIN, Headers.none());
        }
        return accept(request, key, sockets);
    }

    private static Accepted accept(Request request, String key, WebSocketGroup sockets) {
        String subprotocol =
                items(request, "Sec-WebSocket-Protocol").stream()
                        .filter(sockets.terms.subprotocols()::contains)
                        .findFirst()
                        .orElse("");
        String offers = String.join(",", all(request, "Sec-WebSocket-Extensions"));
        Optional<Agreement> compression = sockets.agree(offers);
        Headers fields = upgradeTo().with("Sec-WebSocket-Accept", Opening.accept(key));
        if (!subprotocol.isEmpty()) {
            fields = fields.with("Sec-WebSocket-Protocol", subprotocol);
        }
        if (compression.isPresent()) {
            fields = fields.with("Sec-WebSocket-Extensions", compression.get().toString());
        }
        return new Accepted(subprotocol, compression, fields);
    }

    private static Headers upgradeTo() {
        return Headers.of("Upgrade", "websocket", "Connection", "Upgrade");
    }

    private static boolean asksFor(Request request, String name, String token) {
        return items(request, name).stream().anyMatch(token::equalsIgnoreCase);
    }

    /** Returns the elements of a list from all headers of its name. */
    private static List<String> items(Request request, String name) {
        return all(request, name).stream()
                .flatMap(value -> List.of(value.split(",")).stream())
                .map(String::strip)
                .toList();
    }

    private static List<String> all(Request request, String name) {
        var values = new ArrayList<String>(2);
        request.headers(
                (each, value) -> {
                    if (each.equalsIgnoreCase(name)) {
                        values.add(value);
                    }
                });
        return values;
    }

    private static Optional<String> only(Request request, String name) {
        List<String> values = all(request, name);
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }
}
