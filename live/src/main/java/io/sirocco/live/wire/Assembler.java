// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts packets and their attachments together. Used by one thread. */
public final class Assembler {
    private final int most;
    private final int mostBytes;
    private Packet packet; // null unless attachments are awaited
    private List<byte[]> attachments;
    private long size;

    /**
     * Makes one.
     *
     * @param most attachments of one packet
     * @param mostBytes of all of it
     */
    public Assembler(int most, int mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /**
     * A message of text has come.
     *
     * @return the packet, if it is whole
     */
    public Optional<Received> text(String text) throws WireException {
        if (packet != null) {
            throw new WireException("text has come where an attachment was due");
        }
        size = text.length();
        checkSize();
        Packet parsed = Packet.parse(text);
        if (parsed.attachments() == 0) {
            return Optional.of(new Received(parsed, List.of()));
        }
        if (parsed.attachments() > most) {
            throw WireException.limit("there are more attachments than " + most);
        }
        packet = parsed;
        attachments = new ArrayList<>(parsed.attachments());
        return Optional.empty();
    }

    /** Bytes have come. */
    public Optional<Received> binary(byte[] bytes) throws WireException {
        if (packet == null) {
            throw new WireException("an attachment has come that belongs to nothing");
        }
        size += bytes.length;
        checkSize();
        attachments.add(bytes);
        if (attachments.size() < packet.attachments()) {
            return Optional.empty();
        }
        var whole = new Received(packet, attachments);
        packet = null;
        attachments = null;
        return Optional.of(whole);
    }

    /** Whether nothing is awaited. */
    public boolean isEmpty() {
        return packet == null;
    }

    private void checkSize() throws WireException {
        if (size > mostBytes) {
            throw WireException.limit("a packet and its attachments are longer than " + mostBytes);
        }
    }
}
