// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.http.WebSocket;
import java.util.ArrayDeque;

/**
 * Tells when the server has taken all that was written up to a point: it answers a ping of
 * WebSocket in its turn (RFC 6455 5.5.3). Loop-confined.
 */
final class Receipts {
    private static final byte OURS = 's';

    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(0);
    private byte pings;
    private byte pongs;

    /** Has {@code then} run when it has. */
    void ask(WebSocket socket, Runnable then) {
        waiting.add(then);
        socket.ping(new byte[] {OURS, ++pings});
    }

    /** A pong may be the answer to several pings. */
    void pong(byte[] payload) {
        boolean ours = payload.length == 2 && payload[0] == OURS;
        while (ours && !waiting.isEmpty() && pongs != payload[1]) {
            pongs++;
            waiting.poll().run();
        }
    }

    /** There will be none. */
    void end() {
        waiting.clear();
    }
}
