// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.PreparedMessage;
import io.sirocco.http.WebSocket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A message for many sockets, as frames: without compression, and for each window. Any thread. */
public final class EncodedMessage implements PreparedMessage {
    private static final int MAX_BITS = 15;

    private final int opcode;
    private final byte[] payload;
    private final byte[] frame;

    /** Frames by the bits of the window; made when the first socket wants one. */
    private final AtomicReferenceArray<byte[]> compressed =
            new AtomicReferenceArray<>(MAX_BITS + 1);

    public EncodedMessage(int opcode, byte[] payload) {
        this.opcode = opcode;
        this.payload = payload;
        this.frame = Frame.of(Frame.FIN | opcode, payload);
    }

    @Override
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
        } finally { // else who has taken it would wait for ever to be woken
            woken.forEach((context, all) -> context.execute(() -> all.forEach(Runnable::run)));
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

    /** The frame for those who keep no context, compressed for a window of 2^bits bytes. */
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
