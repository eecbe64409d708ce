// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.message.Fields;
import io.sirocco.http.message.HeadLimits;

/**
 * Reads the responses of one connection from slices split anywhere, and points at heads and data
 * where they lie: RFC 9112 6.3.
 *
 * <pre>
 *  begin -> HEAD --chunked---------> CHUNKS ----------.
 *     1xx   ^ |----Content-Length--> COUNTED ---------|--> DONE
 *  INTERIM  '-|----neither---------> UNTIL_END - end -|
 *             |----HEAD, 204, 304 --------------------'
 *             '----101, CONNECT ------------------------> DONE, and another protocol behind it
 * </pre>
 *
 * <p>Call {@link #read} again with what is behind {@link #next} until it says {@link Event#MORE}
 * (it needs bytes), {@link Event#END} or {@link Event#REJECTED}. Owns no sockets, clocks or
 * buffers: while a head is incomplete its bytes are left to the caller, at most as many as its
 * limit. Loop-confined.
 */
public final class ResponseReader {
    /** What {@link #read} found. */
    public enum Event {
        /** Nothing more in these bytes. */
        MORE,
        /** The head of a 1xx response; the head of another follows. */
        INTERIM,
        /** The head of the response; its body follows. */
        HEAD,
        /** Bytes of the body, from {@link #dataFrom} to {@link #dataTo}. */
        DATA,
        /** The response is complete. */
        END,
        /** It breaks a rule: {@link #error}. */
        REJECTED
    }

    private enum State {
        HEAD,
        COUNTED,
        CHUNKS,
        UNTIL_END,
        DONE,
        BROKEN
    }

    private final HeadLimits limits;
    private final int mostInterim;
    private final ResponseHead head = new ResponseHead();
    private State state = State.DONE;
    private boolean toHead;
    private boolean toConnect;
    private String upgrade; // the protocol that is asked for; empty for none
    private boolean begun; // a byte of the response has been seen
    private boolean lasting;
    private boolean switched;
    private int interim;
    private long left;
    private Chunked chunks;
    private int dataFrom;
    private int dataTo;
    private int next;
    private ResponseError error;

    /**
     * A reader of heads within {@code limits}.
     *
     * @param mostInterim 1xx responses before each response
     */
    public ResponseReader(HeadLimits limits, int mostInterim) {
        this.limits = limits;
        this.mostInterim = mostInterim;
    }

    /**
     * Makes it ready for the response to a request.
     *
     * @param method of the request: what its response means depends on it
     * @param upgrade the protocol that the request asks for; empty for none
     */
    public void begin(String method, String upgrade) {
        state = State.HEAD;
        toHead = method.equals("HEAD");
        toConnect = method.equals("CONNECT");
        this.upgrade = upgrade;
        begun = false;
        lasting = false;
        switched = false;
        interim = 0;
        chunks = null;
        error = null;
    }

    /** Reads on in {@code b[from..to)} up to the next event. */
    public Event read(byte[] b, int from, int to) {
        if (from == to && state != State.DONE && state != State.BROKEN) {
            return stop(Event.MORE, from);
        }
        return switch (state) {
            case HEAD -> head(b, from, to);
            case COUNTED -> data(from, from + skip(to - from));
            case CHUNKS -> chunk(b, from, to);
            case UNTIL_END -> data(from, to);
            case DONE -> stop(Event.END, from);
            case BROKEN -> stop(Event.REJECTED, from);
        };
    }

    /**
     * Skips what comes next of a body whose length is known.
     *
     * @return how many of {@code available} bytes belong to it: 0 in any other state
     */
    public int skip(int available) {
        if (state != State.COUNTED) {
            return 0;
        }
        int n = (int) Math.min(left, available);
        left -= n;
        state = left == 0 ? State.DONE : State.COUNTED;
        return n;
    }

    /** The connection has ended: completes a body that ends with it. */
    public Event end() {
        return switch (state) {
            case DONE, UNTIL_END -> {
                state = State.DONE;
                yield Event.END;
            }
            case HEAD -> reject(ResponseError.HEAD_TRUNCATED, next);
            case COUNTED, CHUNKS -> reject(ResponseError.BODY_TRUNCATED, next);
            case BROKEN -> Event.REJECTED;
        };
    }

    private Event head(byte[] b, int from, int to) {
        begun = true;
        switch (head.parse(b, from, to, limits)) {
            case INCOMPLETE -> {
                return stop(Event.MORE, from);
            }
            case REJECTED -> {
                return reject(head.error(), from);
            }
            case COMPLETE -> {}
        }
        int status = head.status();
        if (status < 200 && status != 101) {
            return ++interim > mostInterim
                    ? reject(ResponseError.TOO_MANY_INTERIM, from)
                    : stop(Event.INTERIM, head.end());
        }
        if (status == 101 && (upgrade.isEmpty() || !head.upgradesTo(upgrade))) {
            return reject(ResponseError.UNEXPECTED_UPGRADE, from);
        }
        frame(status);
        return stop(Event.HEAD, head.end());
    }

    private void frame(int status) {
        lasting = head.keepAlive();
        switched = status == 101 || toConnect && status < 300;
        if (switched || toHead || status == 204 || status == 304) {
            lasting &= !switched;
            state = State.DONE;
        } else if (head.chunked()) {
            chunks = new Chunked(Long.MAX_VALUE);
            state = State.CHUNKS;
        } else if (head.contentLength() >= 0) {
            left = head.contentLength();
            state = left == 0 ? State.DONE : State.COUNTED;
        } else {
            lasting = false;
            state = State.UNTIL_END;
        }
    }

    private Event chunk(byte[] b, int from, int to) {
        Chunked.Event event = chunks.decode(b, from, to);
        return switch (event) {
            case DATA -> data(chunks.dataFrom(), chunks.dataTo());
            case MORE -> stop(Event.MORE, chunks.next());
            case END -> {
                state = State.DONE;
                yield stop(Event.END, chunks.next());
            }
            case REJECTED -> reject(ResponseError.of(chunks.rule()), chunks.next());
        };
    }

    private Event data(int from, int to) {
        dataFrom = from;
        dataTo = to;
        return stop(Event.DATA, to);
    }

    private Event reject(ResponseError broken, int at) {
        error = broken;
        state = State.BROKEN;
        lasting = false;
        return stop(Event.REJECTED, at);
    }

    private Event stop(Event event, int at) {
        next = at;
        return event;
    }

    /** The head of the response, or of the interim response, that was read last. */
    public ResponseHead head() {
        return head;
    }

    /** Returns whether a byte of the response has been seen. */
    public boolean begun() {
        return begun;
    }

    /** Returns whether the response has no byte that is still to come. */
    public boolean done() {
        return state == State.DONE;
    }

    /** Bytes of the body, as far as the head says so: -1 where it does not. */
    public long length() {
        if (state == State.DONE && (toHead || head.status() == 304)) {
            return head.contentLength();
        }
        return switch (state) {
            case CHUNKS, UNTIL_END -> -1;
            default -> Math.max(0, head.contentLength());
        };
    }

    /** Returns whether the connection may be used again behind the response. */
    public boolean lasting() {
        return lasting;
    }

    /** Returns whether another protocol, or a tunnel, follows the head. */
    public boolean switched() {
        return switched;
    }

    /** Returns where the bytes of a {@link Event#DATA} begin. */
    public int dataFrom() {
        return dataFrom;
    }

    /** Behind the last byte of a {@link Event#DATA}. */
    public int dataTo() {
        return dataTo;
    }

    /** Behind the last byte that is used up. */
    public int next() {
        return next;
    }

    /** The fields behind the last chunk, after {@link Event#END}; null without chunks. */
    public Fields trailers() {
        return chunks == null ? null : chunks.trailers();
    }

    /** The rule that a rejected response breaks. */
    public ResponseError error() {
        if (error == null) {
            throw new IllegalStateException("not rejected");
        }
        return error;
    }
}
