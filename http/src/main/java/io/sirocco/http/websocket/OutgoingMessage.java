// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

/**
 * A message on its way from a sending thread to the socket's loop. An element of a stack that
 * senders push to; the loop takes the whole stack and reverses it.
 */
final class OutgoingMessage {
    final byte[] bytes;

    /** The first byte of the frame whose payload {@link #bytes} is; 0 when it is a whole frame. */
    final int first;

    /** Bytes of the frame. */
    final long size;

    OutgoingMessage next; // the one pushed before; behind oldestOf, the one pushed after

    OutgoingMessage(byte[] bytes, int first, long size) {
        this.bytes = bytes;
        this.first = first;
        this.size = size;
    }

    /** Reverses a stack. */
    static OutgoingMessage oldestOf(OutgoingMessage newest) {
        OutgoingMessage turned = null;
        for (OutgoingMessage each = newest; each != null; ) {
            OutgoingMessage older = each.next;
            each.next = turned;
            turned = each;
            each = older;
        }
        return turned;
    }
}
