// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

/**
 * Why a connection is failed: the code that the peer gets in a close frame, the clause, and a
 * reason in words. Immutable.
 */
public enum Violation {
    /** A client must mask. */
    NOT_MASKED(1002, "RFC 6455 5.1", "a frame is not masked"),
    /** A server must not. */
    MASKED(1002, "RFC 6455 5.1", "a frame is masked"),
    /** A reserved bit that no extension has a meaning for. */
    RESERVED_BIT(1002, "RFC 6455 5.2", "a reserved bit is set"),
    /** Opcode 3 to 7, or 11 to 15. */
    RESERVED_OPCODE(1002, "RFC 6455 5.2", "the opcode is reserved"),
    /** A length that has a shorter form, or is 2^63 and more. */
    BAD_LENGTH(1002, "RFC 6455 5.2", "the length has another form"),
    /** A control frame in pieces. */
    CONTROL_FRAGMENTED(1002, "RFC 6455 5.5", "a control frame is fragmented"),
    /** A control frame of more than 125 bytes. */
    CONTROL_TOO_LONG(1002, "RFC 6455 5.5", "a control frame is too long"),
    /** Nothing has begun that could be continued. */
    NOTHING_TO_CONTINUE(1002, "RFC 6455 5.4", "there is nothing to continue"),
    /** The last message has not ended. */
    MESSAGE_IN_MESSAGE(1002, "RFC 6455 5.4", "the last message has not ended"),
    /** A close frame of one byte. */
    CLOSE_CUT(1002, "RFC 6455 5.5.1", "the close code is cut off"),
    /** A close code that no frame may have. */
    BAD_CLOSE_CODE(1002, "RFC 6455 7.4", "the close code is not allowed"),
    /** Text, or the reason of a close frame. */
    NOT_UTF_8(1007, "RFC 6455 8.1", "the text is not UTF-8"),
    /** What is to be inflated is no DEFLATE. */
    BAD_COMPRESSION(1007, "RFC 7692 7.2.2", "the data cannot be inflated"),
    /** A frame above the limit. */
    FRAME_TOO_LARGE(1009, "RFC 6455 10.4", "the frame is too large"),
    /** A message above the limit, inflated or not. */
    MESSAGE_TOO_LARGE(1009, "RFC 6455 10.4", "the message is too large");

    private final int closeCode;
    private final String source;
    private final String reason;

    Violation(int closeCode, String source, String reason) {
        this.closeCode = closeCode;
        this.source = source;
        this.reason = reason;
    }

    /** The code of the close frame. */
    public int closeCode() {
        return closeCode;
    }

    /** The document and the clause, such as {@code RFC 6455 5.1}. */
    public String source() {
        return source;
    }

    /** In words, for the close frame. */
    public String reason() {
        return reason;
    }
}
