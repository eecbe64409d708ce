// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

/**
 * Finds the end of a body in chunks: RFC 9112 7.1.
 *
 * <pre>
 *            hex         CRLF, size > 0       size bytes          CRLF
 *   START -------> SIZE ----------------> DATA ----------> GAP ----------> START
 *                    | CRLF, size is 0
 *                    '----> TRAILERS --empty line--> DONE
 * </pre>
 *
 * <p>As lenient as {@link AnswerHead}, and used again for each answer. Loop-confined.
 */
final class ChunkEnd {
    private enum State {
        START,
        SIZE,
        EXTENSION,
        DATA,
        GAP,
        TRAILERS,
        DONE,
        MALFORMED
    }

    private State state = State.DONE;
    private long size;
    private boolean inLine; // of a trailer
    private long bytes;
    private boolean cr; // the last byte was one, and only LF may follow

    void begin() {
        state = State.START;
        size = 0;
        bytes = 0;
        cr = false;
    }

    /** There is no body in chunks. */
    void forget() {
        bytes = 0;
    }

    /** Of what the chunks hold, so far. */
    long bytes() {
        return bytes;
    }

    boolean done() {
        return state == State.DONE;
    }

    boolean malformed() {
        return state == State.MALFORMED;
    }

    /** Reads on; returns the position behind what was used up. */
    int read(byte[] b, int from, int to) {
        int p = from;
        while (p < to && state != State.DONE && state != State.MALFORMED) {
            if (state == State.DATA) {
                int n = (int) Math.min(size, to - p);
                size -= n;
                bytes += n;
                p += n;
                state = size == 0 ? State.GAP : State.DATA;
            } else {
                step(b[p++]);
            }
        }
        return p;
    }

    private void step(byte c) {
        if (cr && c != '\n') {
            state = State.MALFORMED;
            return;
        }
        cr = c == '\r';
        if (cr) {
            return; // its LF is what counts
        }
        switch (state) {
            case START, SIZE -> size(c);
            case EXTENSION -> {
                if (c == '\n') {
                    sizeEnd();
                }
            }
            case GAP -> state = c == '\n' ? State.START : State.MALFORMED;
            case TRAILERS -> {
                if (c == '\n' && !inLine) {
                    state = State.DONE;
                }
                inLine = c != '\n';
            }
            default -> throw new IllegalStateException(state.name());
        }
    }

    private void size(byte c) {
        int digit = Character.digit(c, 16);
        if (digit >= 0 && size >>> 56 == 0) {
            size = size << 4 | digit;
            state = State.SIZE;
        } else if (state == State.START || digit >= 0) {
            state = State.MALFORMED;
        } else if (c == '\n') {
            sizeEnd();
        } else {
            state = c == ';' || c == ' ' || c == '\t' ? State.EXTENSION : State.MALFORMED;
        }
    }

    private void sizeEnd() {
        inLine = false;
        state = size == 0 ? State.TRAILERS : State.DATA;
    }
}
