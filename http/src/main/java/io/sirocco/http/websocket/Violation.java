// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

/**
 * The reasons for failing a WebSocket connection: the code of the close frame, the clause, and a
 * description. Immutable.
 */
public enum Violation {
    /** A frame of a client is not masked. */
    NOT_MASKED(1002, "RFC 6455 5.1", "a frame is not masked"),
    /** A frame of a server is masked. */
    MASKED(1002, "RFC 6455 5.1", "a frame is masked"),
    /** A reserved bit is set that no extension defines. */
    RESERVED_BIT(1002, "RFC 6455 5.2", "a reserved bit is set"),
    /** Opcode 3 to 7, or 11 to 15. */
    RESERVED_OPCODE(1002, "RFC 6455 5.2", "the opcode is reserved"),
    /** A length that has a shorter form, or is 2^63 or more. */
    BAD_LENGTH(1002, "RFC 6455 5.2", "the length has another form"),
    /** A fragmented control frame. */
    CONTROL_FRAGMENTED(1002, "RFC 6455 5.5", "a control frame is fragmented"),
    /** A control frame of more than 125 bytes. */
    CONTROL_TOO_LONG(1002, "RFC 6455 5.5", "a control frame is too long"),
    /** A continuation frame outside of a message. */
    NOTHING_TO_CONTINUE(1002, "RFC 6455 5.4", "there is nothing to continue"),
    /** A new message before the end of the previous one. */
    MESSAGE_IN_MESSAGE(1002, "RFC 6455 5.4", "the last message has not ended"),
    /** A close frame with a payload of one byte. */
    CLOSE_CUT(1002, "RFC 6455 5.5.1", "the close code is cut off"),
    /** A close code that must not be sent. */
    BAD_CLOSE_CODE(1002, "RFC 6455 7.4", "the close code is not allowed"),
    /** Text, or the reason of a close frame, is not UTF-8. */
    NOT_UTF_8(1007, "RFC 6455 8.1", "the text is not UTF-8"),
    /** Compressed data is not valid DEFLATE. */
    BAD_COMPRESSION(1007, "RFC 7692 7.2.2", "the data cannot be inflated"),
    /** A frame exceeds the limit. */
    FRAME_TOO_LARGE(1009, "RFC 6455 10.4", "the frame is too large"),
    /** A message exceeds the limit, compressed or not. */
    MESSAGE_TOO_LARGE(1009, "RFC 6455 10.4", "the message is too large");

    private final int closeCode;
    private final String source;
    private final String reason;

    Violation(int closeCode, String source, String reason) {
        this.closeCode = closeCode;
        this.source = source;
        this.reason = reason;
    }

    /** Returns the code of the close frame. */
    int closeCode() {
        return closeCode;
    }

    /** Returns the document and clause, such as {@code RFC 6455 5.1}. */
    String source() {
        return source;
    }

    /** Returns a description for the close frame. */
    String reason() {
        return reason;
    }
}
