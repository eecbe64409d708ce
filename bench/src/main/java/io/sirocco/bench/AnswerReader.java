// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

/**
 * Finds where the answers of one connection end: RFC 9112 6.3. It reads as much of a head as that
 * takes, and skips bodies. Allocates nothing. Loop-confined.
 *
 * <pre>
 *   begin -> HEAD --Content-Length--> COUNTED ----------.
 *             ^ |---chunked---------> CHUNKS -----------|--> COMPLETE
 *        1xx  '-|---neither---------> UNTIL_END -- end -|
 *               '---HEAD, 204, 304 ---------------------'
 * </pre>
 */
public final class AnswerReader {
    /** Longer heads are taken for something else than HTTP. */
    static final int MAX_HEAD = 64 << 10;

    private static final byte CR = '\r';
    private static final byte LF = '\n';

    private enum State {
        HEAD,
        COUNTED,
        CHUNKS,
        UNTIL_END,
        COMPLETE,
        MALFORMED
    }

    private State state = State.HEAD;
    private boolean toHead; // the request's method was HEAD
    private int status;
    private long left; // of the body
    private long length; // of the answer so far, head included
    private long body; // so far, but for chunks
    private boolean lasting; // the connection stays open behind it
    private boolean chunked;
    private boolean counted;
    private final ChunkEnd chunks = new ChunkEnd();

    /** Makes it ready for the next answer. */
    public void begin(boolean toHead) {
        state = State.HEAD;
        this.toHead = toHead;
        length = 0;
        body = 0;
        chunks.forget();
    }

    /**
     * Reads on in {@code b[from..to)}; returns the position behind what was used up. Then either
     * the answer is {@link #complete} or {@link #malformed}, or more bytes are needed.
     */
    public int read(byte[] b, int from, int to) {
        int p = from;
        while (p < to) {
            switch (state) {
                case HEAD -> {
                    int end = head(b, p, to);
                    if (end < 0) {
                        return p;
                    }
                    length += end - p;
                    p = end;
                }
                case COUNTED -> {
                    int n = (int) Math.min(left, to - p);
                    left -= n;
                    length += n;
                    body += n;
                    p += n;
                    state = left == 0 ? State.COMPLETE : State.COUNTED;
                }
                case CHUNKS -> {
                    int end = chunks.read(b, p, to);
                    length += end - p;
                    p = end;
                    if (chunks.done()) {
                        state = State.COMPLETE;
                    } else if (chunks.malformed()) {
                        state = State.MALFORMED;
                    }
                }
                case UNTIL_END -> {
                    length += to - p;
                    body += to - p;
                    p = to;
                }
                case COMPLETE, MALFORMED -> {
                    return p;
                }
            }
        }
        return p;
    }

    /** The server has ended its side; returns whether that completes the answer. */
    public boolean end() {
        if (state == State.UNTIL_END) {
            state = State.COMPLETE;
        }
        return state == State.COMPLETE;
    }

    /** Whether the answer is all there. */
    public boolean complete() {
        return state == State.COMPLETE;
    }

    /** Whether it is none of HTTP/1.1. */
    public boolean malformed() {
        return state == State.MALFORMED;
    }

    /** The status code. */
    public int status() {
        return status;
    }

    /** Bytes of the answer over the wire. */
    public long length() {
        return length;
    }

    /** Bytes of the body, without the framing of chunks. */
    public long bodyLength() {
        return body + chunks.bytes();
    }

    /** Whether the connection may be used again. */
    public boolean lasting() {
        return lasting;
    }

    /** Reads one head; returns where it ends, or -1 when it is not all there or malformed. */
    private int head(byte[] b, int from, int to) {
        if (to - from < 16) {
            return -1; // "HTTP/1.1 200 OK\r" is not even a line
        }
        if (!statusLine(b, from)) {
            state = State.MALFORMED;
            return -1;
        }
        chunked = false;
        counted = false;
        int line = from;
        for (int p = from + 12; p < to; p++) {
            if (b[p] != LF) {
                continue;
            }
            int lineEnd = b[p - 1] == CR ? p - 1 : p;
            if (lineEnd == line) {
                decide();
                return p + 1;
            }
            if (line > from) {
                field(b, line, lineEnd);
            }
            line = p + 1;
        }
        if (to - from > MAX_HEAD) {
            state = State.MALFORMED;
        }
        return -1;
    }

    private boolean statusLine(byte[] b, int p) {
        boolean http = b[p] == 'H' && b[p + 1] == 'T' && b[p + 2] == 'T' && b[p + 3] == 'P';
        if (!http || b[p + 4] != '/' || b[p + 5] != '1' || b[p + 6] != '.' || b[p + 8] != ' ') {
            return false;
        }
        lasting = b[p + 7] != '0';
        int a = b[p + 9] - '0';
        int c = b[p + 10] - '0';
        int d = b[p + 11] - '0';
        status = 100 * a + 10 * c + d;
        return a >= 1 && a <= 9 && c >= 0 && c <= 9 && d >= 0 && d <= 9;
    }

    private void field(byte[] b, int from, int to) {
        switch (b[from] | 0x20) {
            case 'c' -> {
                if (named(b, from, to, "content-length:")) {
                    counted = true;
                    left = number(b, from + 15, to);
                } else if (named(b, from, to, "connection:")) {
                    lasting = contains(b, from + 11, to, "close") ? false : lasting;
                    lasting |= contains(b, from + 11, to, "keep-alive");
                }
            }
            case 't' -> {
                if (named(b, from, to, "transfer-encoding:")) {
                    chunked = contains(b, from + 18, to, "chunked");
                }
            }
            default -> {}
        }
    }

    private void decide() {
        if (state == State.MALFORMED) {
            return;
        }
        if (status < 200) {
            return; // an interim one: the head of the real one follows
        }
        if (toHead || status == 204 || status == 304) {
            state = State.COMPLETE;
        } else if (chunked) {
            state = State.CHUNKS;
            chunks.begin();
        } else if (counted) {
            state = left == 0 ? State.COMPLETE : State.COUNTED;
        } else {
            state = State.UNTIL_END;
            lasting = false;
        }
    }

    private long number(byte[] b, int from, int to) {
        int p = from;
        while (p < to && b[p] == ' ') {
            p++;
        }
        long value = 0;
        if (p == to || to - p > 18) {
            state = State.MALFORMED;
        }
        for (; p < to && state != State.MALFORMED; p++) {
            if (b[p] < '0' || b[p] > '9') {
                state = State.MALFORMED;
            }
            value = value * 10 + b[p] - '0';
        }
        return value;
    }

    private static boolean named(byte[] b, int from, int to, String lowerCase) {
        return matches(b, from, to, lowerCase);
    }

    private static boolean contains(byte[] b, int from, int to, String lowerCase) {
        for (int p = from; p + lowerCase.length() <= to; p++) {
            if (matches(b, p, to, lowerCase)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(byte[] b, int from, int to, String lowerCase) {
        int n = lowerCase.length();
        if (to - from < n) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            int c = b[from + i];
            if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
