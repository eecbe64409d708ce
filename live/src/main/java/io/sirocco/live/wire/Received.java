// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

import java.util.List;

/** A packet that has come whole, with its attachments. */
public record Received(Packet packet, List<byte[]> attachments) {

    /** Its bytes, about. */
    public int size() {
        int size = packet.data().length();
        for (byte[] each : attachments) {
            size += each.length;
        }
        return size;
    }
}
