// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import java.util.HashSet;
import java.util.Optional;

/**
 * Negotiates compression by {@code Sec-WebSocket-Extensions} (RFC 6455 9.1, RFC 7692 7.1). Any
 * thread.
 */
public final class Offers {
    private Offers() {}

    /**
     * Returns the first acceptable offer of a client as it is accepted; empty if there is none, and
     * the connection goes without compression. Every window size is acceptable: the server respects
     * a smaller one than 2^15 bytes by starting anew often enough, and can decompress all sizes of
     * the client.
     *
     * @param value the value of the header
     * @param serverContext whether the server wants context takeover, which the client may forbid
     * @param clientContext whether the client may use context takeover
     */
    public static Optional<Agreement> accept(
            String value, boolean serverContext, boolean clientContext) {
        for (String offer : value.split(",")) {
            Agreement agreement = read(offer.split(";"), serverContext, clientContext);
            if (agreement != null) {
                return Optional.of(agreement);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the agreement that a server's response makes of an offer; empty if the response does
     * not match {@code offered}. It must not mention the client's window, since the offer does not
     * (RFC 7692 7.1.2.2).
     */
    static Optional<Agreement> agreed(String value, Agreement offered) {
        if (value.contains(",") || value.contains("client_max_window_bits")) {
            return Optional.empty();
        }
        Agreement agreed = read(value.split(";"), true, offered.clientContext());
        boolean keepsTo = agreed != null && (offered.serverContext() || !agreed.serverContext());
        return keepsTo ? Optional.of(agreed) : Optional.empty();
    }

    /** Returns null for an offer of another extension, or one that RFC 7692 7.1 declines. */
    private static Agreement read(String[] parts, boolean server, boolean client) {
        if (parts.length == 0 || !parts[0].strip().equalsIgnoreCase("permessage-deflate")) {
            return null;
        }
        var seen = new HashSet<String>();
        boolean serverContext = server;
        boolean clientContext = client;
        int bits = Agreement.MAX_BITS;
        boolean statesBits = false;
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            String name = (equals < 0 ? parts[i] : parts[i].substring(0, equals)).strip();
            String value = equals < 0 ? null : unquoted(parts[i].substring(equals + 1).strip());
            if (!seen.add(name)) {
                return null;
            }
            switch (name) {
                case "server_no_context_takeover" -> serverContext = false;
                case "client_no_context_takeover" -> clientContext = false;
                case "server_max_window_bits" -> {
                    bits = bits(value);
                    statesBits = true;
                }
                case "client_max_window_bits" -> {
                    if (value != null && bits(value) < 0) {
                        return null;
                    }
                }
                default -> {
                    return null;
                }
            }
            if (bits < 0 || name.endsWith("_takeover") && value != null) {
                return null;
            }
        }
        return new Agreement(serverContext, clientContext, bits, statesBits);
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }

    /** Returns 8 to 15, parsed without leading zeros, or -1. */
    private static int bits(String value) {
        if (value == null || !value.matches("[89]|1[0-5]")) {
            return -1;
        }
        return Integer.parseInt(value);
    }
}
