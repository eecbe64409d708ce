// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import java.util.zip.Inflater;

/**
 * The negotiated parameters of permessage-deflate (RFC 7692 7.1). Immutable.
 *
 * @param serverContext whether the server compresses with context takeover
 * @param clientContext whether the client compresses with context takeover
 * @param serverBits the server's window has 2^serverBits bytes, 8 to 15
 * @param statesBits whether the response must say so
 */
public record Agreement(
        boolean serverContext, boolean clientContext, int serverBits, boolean statesBits) {
    /** The native memory in bytes of a context for compression. */
    public static final int DEFLATER = 272 << 10;

    /** The native memory in bytes of a context for decompression. */
    public static final int INFLATER = 48 << 10;

    static final int MAX_BITS = 15;

    /** Returns the decompression of messages from {@code from}. */
    Inflation inflation(Role from) {
        return context(from) ? new Inflation(new Inflater(true)) : Inflation.SHARED;
    }

    /** Returns whether {@code from} compresses with context takeover. */
    boolean context(Role from) {
        return from == Role.CLIENT ? clientContext : serverContext;
    }

    /**
     * Returns the bits of the window of {@code from}, which has 2^bits bytes. A client's window is
     * never limited.
     */
    int bits(Role from) {
        return from == Role.CLIENT ? MAX_BITS : serverBits;
    }

    /** Returns the native memory in bytes that {@code end} needs for each connection. */
    int memory(Role end) {
        return (context(end) ? DEFLATER : 0) + (context(end.other()) ? INFLATER : 0);
    }

    /** Returns a client's offer. */
    static Agreement offer(boolean serverContext, boolean clientContext) {
        return new Agreement(serverContext, clientContext, MAX_BITS, false);
    }

    /** Returns the value of {@code Sec-WebSocket-Extensions}, in an offer or a response. */
    @Override
    public String toString() {
        return "permessage-deflate"
                + (serverContext ? "" : "; server_no_context_takeover")
                + (clientContext ? "" : "; client_no_context_takeover")
                + (statesBits ? "; server_max_window_bits=" + serverBits : "");
    }
}
