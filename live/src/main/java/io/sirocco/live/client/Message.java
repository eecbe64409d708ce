// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.wire.Packet;
import java.util.List;

/**
 * A packet on its way out: its text, and the bytes that follow it.
 *
 * @param event its name, for those who are told of its fate; empty for an answer
 * @param id of the request that it is; {@link Packet#NO_ID} for none
 * @param session that it is an answer in; 0 for what any session may carry
 */
record Message(String event, String text, List<byte[]> attachments, long id, long session) {
    private static final int OVERHEAD = 64;

    /** Roughly what it costs to keep. */
    long size() {
        return OVERHEAD + (long) text.length() + bytes();
    }

    /** Bytes of its largest piece, at least. */
    long largest() {
        return attachments.stream().mapToLong(a -> a.length).reduce(text.length(), Math::max);
    }

    private long bytes() {
        return attachments.stream().mapToLong(a -> a.length).sum();
    }
}
