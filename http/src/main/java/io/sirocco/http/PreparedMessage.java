// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.ws.Deflation;
import io.sirocco.http.ws.Frame;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A message to be sent to many WebSockets. It is encoded once, and compressed once for all sockets
 * without context takeover.
 *
 * <pre>{@code
 * PreparedMessage.text(text).sendTo(room); // any Iterable of WebSockets
 * }</pre>
 *
 * <p>Any thread.
 */
public final class PreparedMessage {
    private static final int MOST_BITS = 15;

    private final int opcode;
    private final byte[] payload;
    private final byte[] frame;

    /** Compressed frames by the bits of the window, created when the first socket needs one. */
    private final AtomicReferenceArray<byte[]> compressed =
            new AtomicReferenceArray<>(MOST_BITS + 1);

    private PreparedMessage(int opcode, byte[] payload) {
        this.opcode = opcode;
        this.payload = payload;
        this.frame = Frame.of(Frame.FIN | opcode, payload);
    }

    /** Creates a text message. */
    public static PreparedMessage text(String text) {
        return new PreparedMessage(Frame.TEXT, text.getBytes(UTF_8));
    }

    /** Creates a binary message. Do not change the array afterwards. */
    public static PreparedMessage binary(byte[] bytes) {
        return new PreparedMessage(Frame.BINARY, bytes);
    }

    /**
     * Sends this message to each of {@code sockets} whose output buffer has room, as {@link
     * WebSocket#trySend(PreparedMessage)} does. Wakes each event loop once, regardless of the
     * number of its sockets.
     *
     * @return the number of sockets that accepted the message
     */
    public int sendTo(Iterable<? extends WebSocket> sockets) {
        Map<WebSocketContext, List<Runnable>> woken = HashMap.newHashMap(8);
        int taken = 0;
        try {
            for (WebSocket socket : sockets) {
                boolean takes =
                        socket instanceof WebSocketSender sender
                                ? sender.trySend(this, woken)
                                : socket.trySend(this);
                taken += takes ? 1 : 0;
            }
        } finally { // or sockets that accepted it would never be woken
            woken.forEach((hub, all) -> hub.execute(() -> all.forEach(Runnable::run)));
        }
        return taken;
    }

    int opcode() {
        return opcode;
    }

    byte[] payload() {
        return payload;
    }

    byte[] frame() {
        return frame;
    }

    /** Returns the frame compressed without context takeover, for a window of 2^bits bytes. */
    byte[] compressed(int bits) {
        byte[] known = compressed.get(bits);
        if (known == null) {
            byte[] small = Deflation.deflate(payload, bits);
            int first = Frame.FIN | Frame.COMPRESSED | opcode;
            known = Frame.of(first, small);
            compressed.set(bits, known); // two may do the same at once
        }
        return known;
    }
}
