// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.PreparedMessage;
import io.sirocco.http.WebSocket;
import io.sirocco.live.wire.Payload;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * A message on its way out, for one session or for many: text and its attachments, encoded once.
 * Any thread.
 */
public final class Parcel {
    private static final int OVERHEAD = 64;
    private static final AtomicIntegerFieldUpdater<Parcel> OUTBOXES =
            AtomicIntegerFieldUpdater.newUpdater(Parcel.class, "outboxes");

    private final String text;
    private final List<byte[]> attachments;
    private final boolean droppable;
    private final int size;
    private final boolean counts;
    private volatile int outboxes; // that it waits in
    private volatile Outbox first; // of them
    private int cost; // 0 until it waits
    private PreparedMessage[] prepared; // threads that race prepare the same

    /** A packet of Engine.IO that is none of a message; of all engines, and so not counted. */
    static Parcel of(String packet) {
        return new Parcel(packet, List.of(), false, false);
    }

    private Parcel(String text, List<byte[]> attachments, boolean droppable, boolean counts) {
        this.text = text;
        this.counts = counts;
        this.attachments = attachments;
        this.droppable = droppable;
        int all = OVERHEAD + text.length();
        for (byte[] each : attachments) {
            all += each.length;
        }
        this.size = all;
    }

    /**
     * A message.
     *
     * @param text what Engine.IO carries, with its {@code 4}
     * @param droppable whether a slow peer may go without it
     */
    public static Parcel message(String text, List<byte[]> attachments, boolean droppable) {
        return new Parcel(text, attachments, droppable, true);
    }

    /** A message of bytes alone, as clients with a binary parser have them. */
    public static Parcel binary(byte[] bytes) {
        return new Parcel("", List.of(bytes), false, true);
    }

    /** Bytes that it costs while it waits, about. */
    public int size() {
        return size;
    }

    /** Characters of its text, and bytes of its attachments. */
    public int length() {
        return size - OVERHEAD;
    }

    boolean droppable() {
        return droppable;
    }

    /** Whether it counts in what waits for all peers. */
    boolean counts() {
        return counts;
    }

    /** The memory that it takes: its text, and what WebSockets are sent, of which there are two. */
    int cost() {
        if (cost == 0) { // threads that race find the same
            int encoded = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                encoded += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
            }
            boolean ascii = encoded == text.length();
            cost =
                    OVERHEAD
                            + (ascii ? 1 : 2) * text.length()
                            + 2 * (encoded + length() - text.length());
        }
        return cost;
    }

    /** It waits there, and nowhere else. */
    void first(Outbox outbox) {
        first = outbox;
    }

    boolean isFirst(Outbox outbox) {
        return first == outbox;
    }

    /** It waits in one outbox more; says whether it counts from here on. */
    boolean enter() {
        return counts && OUTBOXES.getAndIncrement(this) == 0;
    }

    /** It waits in one outbox less; says whether it counts no more. */
    boolean leave() {
        return counts && OUTBOXES.decrementAndGet(this) == 0;
    }

    /** How many of the frames are text: no message of text is empty. */
    private int texts() {
        return text.isEmpty() ? 0 : 1;
    }

    /** How many frames it is over a WebSocket. */
    int parts() {
        return texts() + attachments.size();
    }

    private PreparedMessage part(int i) {
        PreparedMessage[] all = prepared;
        if (all == null) {
            all = new PreparedMessage[parts()];
            int texts = texts();
            for (int n = 0; n < all.length; n++) {
                all[n] =
                        n < texts
                                ? PreparedMessage.text(text)
                                : PreparedMessage.binary(attachments.get(n - texts));
            }
            prepared = all;
        }
        return all[i];
    }

    /**
     * Sends its parts from one on, as far as there is room.
     *
     * @return the first that was not sent; {@link #parts} when all were
     */
    int writeTo(WebSocket socket, int from) {
        int part = from;
        while (part < parts() && socket.trySend(part(part))) {
            part++;
        }
        return part;
    }

    /** Bytes of it in a poll, at most. */
    int pollSize() {
        int all = 1 + 3 * text.length();
        for (byte[] each : attachments) {
            all += 2 + (each.length + 2) / 3 * 4;
        }
        return all;
    }

    void addTo(StringBuilder body) {
        if (texts() > 0) {
            Payload.add(body, text);
        }
        attachments.forEach(bytes -> Payload.add(body, bytes));
    }
}
