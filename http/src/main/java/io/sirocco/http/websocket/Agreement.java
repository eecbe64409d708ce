// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import java.util.zip.Inflater;

/**
 * What client and server have agreed on about permessage-deflate (RFC 7692 7.1). Immutable.
 *
 * @param serverContext whether what the server compresses refers to its messages before
 * @param clientContext the same of the client
 * @param serverBits the server's window is of 2^serverBits bytes, 8 to 15
 * @param statesBits whether that is to be said in the answer
 */
public record Agreement(
        boolean serverContext, boolean clientContext, int serverBits, boolean statesBits) {
    /** Bytes of native memory that a context costs the one who compresses. */
    public static final int DEFLATER = 272 << 10;

    /** And the one who inflates. */
    public static final int INFLATER = 48 << 10;

    static final int MOST_BITS = 15;

    /** How a server inflates what {@code from} sends, or a client. */
    Inflation inflation(Role from) {
        return context(from) ? new Inflation(new Inflater(true)) : Inflation.SHARED;
    }

    /** Whether what {@code from} compresses refers to its messages before. */
    public boolean context(Role from) {
        return from == Role.CLIENT ? clientContext : serverContext;
    }

    /** The window of {@code from} is of 2^bits bytes; a client's is never bounded by us. */
    public int bits(Role from) {
        return from == Role.CLIENT ? MOST_BITS : serverBits;
    }

    /** Bytes of native memory that it costs {@code end} for each connection. */
    public int memory(Role end) {
        return (context(end) ? DEFLATER : 0) + (context(end.other()) ? INFLATER : 0);
    }

    /** What a client offers that wants contexts, or none. */
    public static Agreement offer(boolean serverContext, boolean clientContext) {
        return new Agreement(serverContext, clientContext, MOST_BITS, false);
    }

    /** The value of {@code Sec-WebSocket-Extensions}, in an offer or an answer. */
    @Override
    public String toString() {
        return "permessage-deflate"
                + (serverContext ? "" : "; server_no_context_takeover")
                + (clientContext ? "" : "; client_no_context_takeover")
                + (statesBits ? "; server_max_window_bits=" + serverBits : "");
    }
}
