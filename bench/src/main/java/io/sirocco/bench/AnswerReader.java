// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

/**
 * Finds where the answers of one connection end: RFC 9112 6.3. It reads as much of a head as that
 * takes, and skips bodies. Allocates nothing. Loop-confined.
 *
 * <pre>
 *   begin -> HEAD --chunked---------> CHUNKS -----------.
 *             ^ |---Content-Length--> COUNTED ----------|--> COMPLETE
 *        1xx  '-|---neither---------> UNTIL_END -- end -|
 *               '---HEAD, 101, 204, 304 ----------------'
 * </pre>
 */
public final class AnswerReader {
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
    private long left; // of the body
    private long length; // of the answer so far, head included
    private long body; // so far, but for chunks
    private boolean lasting; // the connection stays open behind it
    private final AnswerHead head = new AnswerHead();
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
            int before = p;
            switch (state) {
                case HEAD -> {
                    int end = head.read(b, p, to);
                    if (end < 0) {
                        state = head.malformed() ? State.MALFORMED : State.HEAD;
                        return p;
                    }
                    p = end;
                    decide();
                }
                case COUNTED -> {
                    int n = (int) Math.min(left, to - p);
                    left -= n;
                    body += n;
                    p += n;
                    state = left == 0 ? State.COMPLETE : State.COUNTED;
                }
                case CHUNKS -> {
                    p = chunks.read(b, p, to);
                    if (chunks.done()) {
                        state = State.COMPLETE;
                    } else if (chunks.malformed()) {
                        state = State.MALFORMED;
                    }
                }
                case UNTIL_END -> {
                    body += to - p;
                    p = to;
                }
                case COMPLETE, MALFORMED -> {
                    return p;
                }
            }
            length += p - before;
        }
        return p;
    }

    private void decide() {
        int status = head.status();
        if (status < 200 && status != 101) {
            return; // an interim one: the head of the real one follows
        }
        lasting = head.lasting() && status != 101; // another protocol follows: RFC 9110 15.2.2
        if (toHead || status == 101 || status == 204 || status == 304) {
            state = State.COMPLETE;
        } else if (head.chunked()) {
            state = State.CHUNKS;
            chunks.begin();
        } else if (head.length() >= 0 && !head.coded()) {
            left = head.length();
            state = left == 0 ? State.COMPLETE : State.COUNTED;
        } else {
            state = State.UNTIL_END;
            lasting = false;
        }
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
        return head.status();
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
}
