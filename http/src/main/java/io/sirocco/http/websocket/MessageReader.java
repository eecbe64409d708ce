// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * Reads messages from the frames of a peer. One call of {@link #read} returns one {@link Event} at
 * most, so that its user may stop behind each:
 *
 * <pre>
 *              head of a data frame                last byte of its payload, FIN
 *   BETWEEN ─────────────────────────▶ PAYLOAD ─────────────────────────────────▶ BETWEEN, an event
 *      ▲                                  │ last byte, not FIN
 *      └──────────────────────────────────┘ a control frame may stand here: it is read whole
 * </pre>
 *
 * <p>A message that is there as a whole is made from the bytes where they lie, which it unmasks in
 * place. Only one that comes in pieces costs a buffer, up to its last byte. Text is checked as it
 * comes, compressed text when it is inflated. Loop-confined.
 */
public final class MessageReader {
    /** The result of {@link #read}. */
    public enum Event {
        /** More bytes are needed. */
        NONE,
        /** A text message: {@link #text}. */
        TEXT,
        /** A binary message: {@link #payload}. */
        BINARY,
        /** A control frame: {@link #payload}. */
        PING,
        /** A control frame: {@link #payload}. */
        PONG,
        /** The last frame: {@link #closeCode} and {@link #closeReason}. */
        CLOSE,
        /** The connection must be closed: {@link #violation}. */
        VIOLATION
    }

    private static final byte[] NOTHING = {};
    private static final int INCOMPLETE = -1;
    private static final int LEAST_BUFFER = 1 << 10;

    private final boolean masked; // frames of the peer must be
    private final boolean compression; // was agreed on
    private final int maxFrame;
    private final int maxMessage;
    private final Inflation inflation; // null without compression

    // The frame that is being read. Of a data frame whose payload has begun, left and phase count.
    private int first;
    private int key;
    private boolean inPayload;
    private long left;
    private long phase;

    // The message of which it is a part.
    private int kind; // TEXT or BINARY; 0 between messages
    private boolean compressed;
    private int utf8;
    private byte[] buffer = NOTHING;
    private int size;

    // The result of the last read.
    private Event event = Event.NONE;
    private Violation violation;
    private byte[] payload = NOTHING;
    private String text = "";

    /**
     * Creates a reader of frames from {@code from}.
     *
     * @param agreement the compression; null for none
     * @param maxFrame the maximum size of a frame in bytes
     * @param maxMessage the maximum size of a decompressed message in bytes
     */
    public MessageReader(Role from, Agreement agreement, int maxFrame, int maxMessage) {
        this.masked = from == Role.CLIENT;
        this.compression = agreement != null;
        this.inflation = agreement == null ? null : agreement.inflation(from);
        this.maxFrame = maxFrame;
        this.maxMessage = maxMessage;
    }

    /**
     * Reads {@code bytes[from..to)} up to the end of a message or a control frame.
     *
     * @return the index after the bytes consumed; pass the remaining ones again, with those that
     *     follow
     */
    public int read(byte[] bytes, int from, int to) {
        event = Event.NONE;
        int at = from;
        while (event == Event.NONE && (at < to || inPayload && left == 0)) {
            if (!inPayload) {
                int next = head(bytes, at, to);
                if (next == INCOMPLETE || event == Event.VIOLATION) {
                    return at;
                }
                if ((first & 8) != 0) {
                    int end = next + (int) left;
                    if (end > to) {
                        return at; // a control frame is read whole
                    }
                    control(bytes, next, end);
                    return end;
                }
                inPayload = true;
                at = next;
            }
            int n = (int) Math.min(left, to - at);
            data(bytes, at, at + n);
            at += n;
        }
        return at;
    }

    private int opcode() {
        return first & 15;
    }

    // ---- heads

    private int head(byte[] b, int at, int to) {
        if (to - at < 2) {
            return INCOMPLETE;
        }
        first = b[at];
        int second = b[at + 1];
        Violation wrong = check(second);
        if (wrong != null) {
            return fail(wrong);
        }
        int length = second & 127;
        int keyAt = at + 2 + (length < 126 ? 0 : length == 126 ? 2 : 8);
        int end = keyAt + (masked ? 4 : 0);
        if (end > to) {
            return INCOMPLETE;
        }
        left = length < 126 ? length : number(b, at + 2, keyAt);
        if (length == 126 && left < 126 || length == 127 && (left < 0 || left <= 0xffff)) {
            return fail(Violation.BAD_LENGTH);
        }
        key = masked ? (int) number(b, keyAt, end) : 0;
        phase = 0;
        return (first & 8) != 0 ? end : begin(end);
    }

    /** Checks the first two bytes of a frame. */
    private Violation check(int second) {
        int opcode = opcode();
        boolean fin = (first & Frame.FIN) != 0;
        boolean beginsCompressed = compression && (opcode == Frame.TEXT || opcode == Frame.BINARY);
        if ((first & (beginsCompressed ? 0x30 : 0x70)) != 0) {
            return Violation.RESERVED_BIT;
        } else if (opcode > Frame.PONG || opcode > Frame.BINARY && opcode < Frame.CLOSE) {
            return Violation.RESERVED_OPCODE;
        } else if ((second & Frame.MASKED) != 0 != masked) {
            return masked ? Violation.NOT_MASKED : Violation.MASKED;
        } else if (opcode >= Frame.CLOSE) {
            return !fin
                    ? Violation.CONTROL_FRAGMENTED
                    : (second & 127) > Frame.CONTROL ? Violation.CONTROL_TOO_LONG : null;
        } else if (opcode == Frame.CONTINUATION) {
            return kind == 0 ? Violation.NOTHING_TO_CONTINUE : null;
        }
        return kind != 0 ? Violation.MESSAGE_IN_MESSAGE : null;
    }

    private static long number(byte[] b, int from, int to) {
        long number = 0;
        for (int i = from; i < to; i++) {
            number = number << 8 | b[i] & 0xff;
        }
        return number;
    }

    /** Begins a data frame. */
    private int begin(int end) {
        if (left > maxFrame) {
            return fail(Violation.FRAME_TOO_LARGE);
        }
        if (left > maxMessage - size) {
            return fail(Violation.MESSAGE_TOO_LARGE);
        }
        if (opcode() != Frame.CONTINUATION) {
            kind = opcode();
            compressed = (first & Frame.COMPRESSED) != 0;
            utf8 = Utf8.BOUNDARY;
        }
        return end;
    }

    private int fail(Violation why) {
        event = Event.VIOLATION;
        violation = why;
        release();
        return INCOMPLETE;
    }

    /** Frees native memory. Nothing may be read afterwards. */
    void end() {
        release();
        if (inflation != null) {
            inflation.end();
        }
    }

    /** Releases the buffer of an incomplete message. */
    private void release() {
        buffer = NOTHING;
        size = 0;
        kind = 0;
        inPayload = false;
    }

    // ---- payloads

    private void unmask(byte[] b, int from, int to) {
        if (key != 0) {
            Mask.apply(b, from, to, key, phase);
        }
    }

    private void control(byte[] b, int from, int to) {
        unmask(b, from, to);
        payload = Arrays.copyOfRange(b, from, to);
        switch (opcode()) {
            case Frame.PING -> event = Event.PING;
            case Frame.PONG -> event = Event.PONG;
            default -> close();
        }
    }

    private void close() {
        if (payload.length == 1) {
            fail(Violation.CLOSE_CUT);
        } else if (payload.length > 1 && !CloseCode.mayBeSent(closeCode())) {
            fail(Violation.BAD_CLOSE_CODE);
        } else if (payload.length > 2
                && Utf8.check(Utf8.BOUNDARY, payload, 2, payload.length) != Utf8.BOUNDARY) {
            fail(Violation.NOT_UTF_8);
        } else {
            event = Event.CLOSE;
        }
    }

    /** Reads data of a frame, up to its end or that of the input. */
    private void data(byte[] b, int from, int to) {
        unmask(b, from, to);
        if (kind == Frame.TEXT && !compressed) {
            utf8 = Utf8.check(utf8, b, from, to);
            if (utf8 == Utf8.BAD) {
                fail(Violation.NOT_UTF_8);
                return;
            }
        }
        phase += to - from;
        left -= to - from;
        boolean last = left == 0 && (first & Frame.FIN) != 0;
        if (last && size == 0) {
            complete(b, from, to);
        } else {
            append(b, from, to);
            if (last) {
                complete(buffer, 0, size);
            }
        }
        if (left == 0) {
            inPayload = false;
        }
    }

    private void append(byte[] b, int from, int to) {
        int needed = size + to - from;
        if (needed > buffer.length) {
            int most =
                    (int) Math.min(maxMessage, needed + left); // that it can come to in this frame
            int grown = (int) Math.min(Math.max(buffer.length * 2L, LEAST_BUFFER), maxMessage);
            boolean last = (first & Frame.FIN) != 0;
            buffer = Arrays.copyOf(buffer, Math.max(needed, last ? Math.min(most, grown) : grown));
        }
        System.arraycopy(b, from, buffer, size, to - from);
        size = needed;
    }

    private void complete(byte[] b, int from, int to) {
        if (compressed) {
            Inflation.Result inflated = inflation.inflate(b, from, to, maxMessage);
            byte[] whole = inflated.bytes();
            if (inflated.violation() != null) {
                fail(inflated.violation());
            } else if (kind == Frame.TEXT
                    && Utf8.check(Utf8.BOUNDARY, whole, 0, whole.length) != Utf8.BOUNDARY) {
                fail(Violation.NOT_UTF_8);
            } else if (kind == Frame.TEXT) {
                text(new String(whole, UTF_8));
            } else {
                binary(whole);
            }
        } else if (kind == Frame.BINARY) {
            binary(b == buffer && size == b.length ? b : Arrays.copyOfRange(b, from, to));
        } else if (utf8 != Utf8.BOUNDARY) {
            fail(Violation.NOT_UTF_8);
        } else {
            text(new String(b, from, to - from, UTF_8));
        }
    }

    private void text(String message) {
        release();
        text = message;
        event = Event.TEXT;
    }

    private void binary(byte[] message) {
        release();
        payload = message;
        event = Event.BINARY;
    }

    /** Returns the memory in bytes of an incomplete message. */
    int stored() {
        return buffer.length;
    }

    /** Returns whether a new reader would read on as this one, which waits for a new message. */
    boolean isAtRest() {
        return inflation == null
                && !inPayload
                && kind == 0
                && buffer.length == 0
                && violation == null;
    }

    // ---- results

    /** Returns the result of the last {@link #read}. */
    public Event event() {
        return event;
    }

    /** Returns why the connection must be closed. */
    public Violation violation() {
        return violation;
    }

    /** Returns the text message. May be called once for each message. */
    public String text() {
        String message = text;
        text = "";
        return message;
    }

    /**
     * Returns the payload, an array that belongs to the caller. May be called once for each event.
     */
    public byte[] payload() {
        byte[] message = payload;
        payload = NOTHING;
        return message;
    }

    /** Returns the code of the close frame, {@link CloseCode#NONE} if it has none. */
    public int closeCode() {
        return payload.length < 2 ? CloseCode.NONE : (int) number(payload, 0, 2);
    }

    /** Returns the reason of the close frame. */
    public String closeReason() {
        return Frame.reason(payload);
    }
}
