// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sirocco.http.Headers;
import io.sirocco.http.Multipart;
import io.sirocco.http.message.Grammar;
import java.util.BitSet;

/**
 * Takes a multipart body apart (RFC 7578, RFC 2046 5.1.1) as its bytes come in, split anywhere.
 *
 * <pre>
 *             --boundary             CRLF              empty line
 *  PREAMBLE ─────────────▶ DELIMITED ─────▶ HEAD ──────────────────▶ DATA ─┐
 *                          ▲  │   │ blank ▲                               │
 *                          │  │   ▼       │ CRLF                          │
 *                          │  │  PADDING ─┘              CRLF--boundary   │
 *                          └──┼───────────────────────────────────────────┘
 *                             │ --
 *                             ▼
 *                          EPILOGUE                 any state ── a rule ──▶ REJECTED
 * </pre>
 *
 * CR and the second hyphen have small states of their own. Preamble and epilogue are ignored.
 *
 * <p>Nothing is held back but a beginning of {@code CRLF--boundary}, and that as a count: the bytes
 * themselves are known. CR stands only at the delimiter's start, so a search that fails goes on
 * with nothing matched or with that CR (Knuth, Morris and Pratt with a table of zeros). Owns no
 * buffer but one for a part's head, which is bounded. One thread at a time.
 */
public final class MultipartParser {

    /** Receives the events of a body. {@link #end} or {@link #rejected} is the last one. */
    interface Events {
        void partStart(Headers headers);

        /** Bytes of the part, valid until the call to {@link #feed} returns. */
        void partData(byte[] bytes, int from, int to);

        void partEnd();

        void end();

        void rejected(MultipartRule rule);
    }

    private enum State {
        PREAMBLE,
        DELIMITED,
        HYPHEN,
        PADDING,
        PADDING_CR,
        HEAD,
        DATA,
        EPILOGUE,
        REJECTED
    }

    /** RFC 2046 5.1.1: bchars; the space may not be the last. */
    private static final BitSet BCHARS =
            Grammar.set(
                    "'()+_,-./:=? 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    private static final int LINE_END = 2;

    private final byte[] delimiter;
    private final Multipart.Limits limits;
    private final Events events;
    private final PartHead head;

    private State state = State.PREAMBLE;
    // How much of the delimiter has matched. A line's end before the first delimiter and the one of
    // the empty line before the data count as its CRLF (RFC 2046 5.1.1: a part may have no body).
    private int matched = LINE_END;
    private int notData = LINE_END;
    private int parts;
    private long partBytes;
    private long totalBytes;

    /** Takes a boundary that {@link #isBoundary} accepts. */
    MultipartParser(String boundary, Multipart.Limits limits, Events events) {
        if (!isBoundary(boundary)) {
            throw new IllegalArgumentException("Not a boundary (RFC 2046 5.1.1): " + boundary);
        }
        this.delimiter = ("\r\n--" + boundary).getBytes(US_ASCII);
        this.limits = limits;
        this.events = events;
        this.head = new PartHead(limits.headerBytes());
    }

    /** RFC 2046 5.1.1: {@code boundary := 0*69<bchars> bcharsnospace}. */
    public static boolean isBoundary(String text) {
        return !text.isEmpty()
                && text.length() <= 70
                && Grammar.consistsOf(BCHARS, text)
                && !text.endsWith(" ");
    }

    /** Returns whether {@link Events#end} or {@link Events#rejected} has been called. */
    boolean done() {
        return state == State.EPILOGUE || state == State.REJECTED;
    }

    /** Parses the next bytes; input after the end is ignored. */
    void feed(byte[] bytes, int from, int to) {
        int allowed = (int) Math.min(to - from, limits.totalBytes() - totalBytes);
        totalBytes += allowed;
        int end = from + allowed;
        int at = from;
        while (at < end && !done()) {
            at =
                    switch (state) {
                        case PREAMBLE, DATA -> search(bytes, at, end);
                        case HEAD -> head(bytes, at, end);
                        default -> delimiterLine(bytes[at], at);
                    };
        }
        if (end < to && !done()) {
            reject(MultipartRule.BODY_TOO_LARGE);
        }
    }

    /** Called at the end of the input. */
    void close() {
        if (!done()) {
            reject(MultipartRule.TRUNCATED);
        }
    }

    /** Passes data on until a delimiter was read; returns where it stopped. */
    private int search(byte[] bytes, int from, int to) {
        int held = matched; // of these bytes, the slice has nothing
        for (int at = from; at < to; at++) {
            if (matched == 0) {
                int cr = Grammar.indexOf(bytes, at, to, '\r');
                if (cr < 0) {
                    break;
                }
                at = cr;
            }
            if (bytes[at] == delimiter[matched]) {
                if (++matched == delimiter.length) {
                    if (held == 0) {
                        data(bytes, from, at + 1 - matched);
                    }
                    delimiterFound();
                    return at + 1;
                }
            } else {
                if (held > 0) {
                    data(delimiter, Math.min(notData, held), held);
                    held = 0;
                    notData = 0;
                }
                matched = bytes[at] == '\r' ? 1 : 0;
            }
        }
        if (held == 0) {
            data(bytes, from, to - matched);
        }
        return to;
    }

    private void data(byte[] bytes, int from, int to) {
        if (state != State.DATA || from == to) {
            return;
        }
        int allowed = (int) Math.min(to - from, limits.partBytes() - partBytes);
        partBytes += allowed;
        if (allowed > 0) {
            events.partData(bytes, from, from + allowed);
        }
        if (allowed < to - from) {
            reject(MultipartRule.PART_TOO_LARGE);
        }
    }

    private void delimiterFound() {
        if (state == State.DATA) {
            events.partEnd();
        }
        if (state != State.REJECTED) {
            state = State.DELIMITED;
        }
    }

    /** {@code delimiter [ "--" / transport-padding CRLF ]}, one byte at a time. */
    private int delimiterLine(byte b, int at) {
        State next =
                switch (state) {
                    case DELIMITED -> b == '-' ? State.HYPHEN : padding(b);
                    case HYPHEN -> b == '-' ? State.EPILOGUE : State.REJECTED;
                    case PADDING -> padding(b);
                    case PADDING_CR -> b == '\n' ? State.HEAD : State.REJECTED;
                    default -> throw new IllegalStateException(state.name());
                };
        switch (next) {
            case REJECTED -> reject(MultipartRule.DELIMITER_LINE);
            case EPILOGUE -> {
                state = next;
                events.end();
            }
            case HEAD -> startPart();
            default -> state = next;
        }
        return at + 1;
    }

    private static State padding(byte b) {
        return b == '\r' ? State.PADDING_CR : Grammar.isBlank(b) ? State.PADDING : State.REJECTED;
    }

    private void startPart() {
        if (parts == limits.parts()) {
            reject(MultipartRule.TOO_MANY_PARTS);
            return;
        }
        parts++;
        partBytes = 0;
        head.clear();
        state = State.HEAD;
    }

    private int head(byte[] bytes, int from, int to) {
        int end = head.read(bytes, from, to);
        switch (head.result()) {
            case PartHead.Result.Incomplete() -> {}
            case PartHead.Result.Rejected(var rule) -> reject(rule);
            case PartHead.Result.Complete(var headers) -> {
                state = State.DATA;
                matched = LINE_END;
                notData = LINE_END;
                events.partStart(headers);
            }
        }
        return end;
    }

    private void reject(MultipartRule rule) {
        state = State.REJECTED;
        events.rejected(rule);
    }
}
