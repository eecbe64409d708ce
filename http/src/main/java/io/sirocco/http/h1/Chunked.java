// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import static io.sirocco.http.message.Octets.CR;
import static io.sirocco.http.message.Octets.LF;

import io.sirocco.http.RequestError;
import io.sirocco.http.message.Fields;
import io.sirocco.http.message.Octets;
import io.sirocco.http.message.Trailers;
import java.util.Arrays;

/**
 * Reads a body in chunks, RFC 9112 7.1, from slices split anywhere, and points at the data where
 * they lie.
 *
 * <pre>
 *            hex         CR           LF         size bytes            CR            LF
 * .--> START ---> SIZE ------> SIZE_CR ---> DATA ----------> DATA_END ---> DATA_CR ----.
 * |                | BWS, ";"   ^    | LF, and size is 0                               |
 * |                v            | CR v          CR            LF                       |
 * |              EXTENSION -----'   TRAILERS ------> LAST_CR ----> DONE                |
 * |                                  | tchar                        ^                  |
 * |                                  '----> FIELDS ---blank line----'                  |
 * '------------------------------------------------------------------------------------'
 * </pre>
 *
 * <p>Any byte without an arrow breaks a rule. Call {@link #decode} again with what is behind {@link
 * #next} until it says {@link Event#MORE}, {@link Event#END} or {@link Event#REJECTED}.
 *
 * <p>A chunk is shorter than 2^60 bytes. Limits beside that of the body: {@value #LINE} bytes of
 * size and extensions, {@value #TRAILER_BYTES} bytes and {@value #TRAILER_FIELDS} fields of
 * trailers. Extensions count against the limit of the body, and all lines together may exceed what
 * the data justify, 16 bytes for each chunk and two for each byte in it, by {@value #EXCESS} bytes
 * at any time. Loop-confined.
 */
final class Chunked {
    /** Most bytes of a chunk's size and extensions, without CRLF. */
    public static final int LINE = 256;

    /** Most bytes of size lines beyond those that the data justify. */
    public static final int EXCESS = 16 << 10;

    /** Most bytes of the trailer section, with its blank line. */
    public static final int TRAILER_BYTES = 4096;

    /** Most fields of the trailer section. */
    public static final int TRAILER_FIELDS = 32;

    /** What {@link #decode} found. */
    public enum Event {
        /** Some bytes of the body, from {@link #dataFrom} to {@link #dataTo}. */
        DATA,
        /** The end of the body; {@link #trailers} are complete. */
        END,
        /** All bytes are used up. */
        MORE,
        /** This is not a body in chunks: see {@link #rule}. */
        REJECTED
    }

    private enum State {
        START,
        SIZE,
        EXTENSION,
        SIZE_CR,
        DATA,
        DATA_END,
        DATA_CR,
        TRAILERS,
        LAST_CR,
        FIELDS,
        DONE,
        BROKEN
    }

    private static final Fields NO_TRAILERS = new Fields();

    private State state = State.START;
    private ChunkExtension extension = ChunkExtension.SPACE;
    private int line;
    private int excess; // of lines over data, so far

    /** Of the chunk: its size as read so far, then what is missing of its data. */
    private long size;

    /** What the limit of the body leaves for the chunks to come. */
    private long left;

    private int dataFrom;
    private int dataTo;
    private int next;
    private Fields trailers = NO_TRAILERS;
    private int held;
    private RequestError rule;

    /** A decoder for one body of at most {@code limit} bytes. */
    Chunked(long limit) {
        left = limit;
    }

    /** Reads on in {@code b[from..to)} up to the next event. */
    Event decode(byte[] b, int from, int to) {
        for (int p = from; p < to; ) {
            switch (state) {
                case DATA -> {
                    return data(p, to);
                }
                case FIELDS -> {
                    return fields(b, p, to);
                }
                case DONE -> {
                    return stop(Event.END, p);
                }
                case BROKEN -> {
                    return stop(Event.REJECTED, p);
                }
                default -> rule = step(b[p]);
            }
            if (rule != null) {
                return reject(rule, p);
            }
            // The first byte of a trailer is looked at again with its line.
            p += state == State.FIELDS ? 0 : 1;
            if (state == State.DONE) {
                return stop(Event.END, p);
            }
        }
        return stop(atRest(), to);
    }

    private Event atRest() {
        return switch (state) {
            case DONE -> Event.END;
            case BROKEN -> Event.REJECTED;
            default -> Event.MORE;
        };
    }

    private Event data(int p, int to) {
        dataFrom = p;
        dataTo = size < to - p ? p + (int) size : to;
        size -= dataTo - dataFrom;
        if (size == 0) {
            state = State.DATA_END;
        }
        return stop(Event.DATA, dataTo);
    }

    /** Goes from state to state with one byte; returns the rule that it breaks, or null. */
    private RequestError step(byte c) {
        return switch (state) {
            case START, SIZE -> size(c);
            case EXTENSION -> extension(c);
            case SIZE_CR -> c == LF ? sizeEnd() : RequestError.BARE_CR;
            case DATA_END -> go(c == CR, State.DATA_CR, RequestError.BAD_CHUNK_END);
            case DATA_CR -> go(c == LF, State.START, RequestError.BAD_CHUNK_END);
            case TRAILERS ->
                    go(c != LF, c == CR ? State.LAST_CR : State.FIELDS, RequestError.BARE_LF);
            case LAST_CR -> go(c == LF, State.DONE, RequestError.BARE_CR);
            case DATA, FIELDS, DONE, BROKEN -> throw new IllegalStateException(state.name());
        };
    }

    private RequestError go(boolean good, State to, RequestError broken) {
        state = good ? to : state;
        return good ? null : broken;
    }

    private RequestError size(byte c) {
        int digit = Octets.hexValue(c);
        if (digit >= 0) {
            if (state == State.START) {
                size = 0;
                line = 0;
            }
            size = size << 4 | digit;
            return go(++line <= 16 && size >>> 60 == 0, State.SIZE, RequestError.BAD_CHUNK_SIZE);
        }
        if (c == LF) {
            return RequestError.BARE_LF;
        }
        if (state == State.START) {
            return RequestError.BAD_CHUNK_SIZE;
        }
        if (c == CR) {
            return go(true, State.SIZE_CR, null);
        }
        if (c != ';' && !Octets.space(c)) {
            return RequestError.BAD_CHUNK_SIZE;
        }
        state = State.EXTENSION;
        extension = ChunkExtension.SPACE;
        return extension(c);
    }

    private RequestError extension(byte c) {
        if (c == CR) {
            return go(extension.mayEnd(), State.SIZE_CR, RequestError.BAD_CHUNK_EXTENSION);
        }
        if (c == LF) {
            return RequestError.BARE_LF;
        }
        if (++line > LINE) {
            return RequestError.CHUNK_LINE_TOO_LONG;
        }
        if (--left < 0) {
            return RequestError.BODY_TOO_LARGE;
        }
        extension = extension.next(c);
        return extension == ChunkExtension.BROKEN ? RequestError.BAD_CHUNK_EXTENSION : null;
    }

    private RequestError sizeEnd() {
        long justified = 16 + 2 * Math.min(size, EXCESS);
        excess = (int) Math.max(0, excess + line + 4 - justified); // with both its CRLF
        if (excess > EXCESS) {
            return RequestError.CHUNK_LINES_TOO_LONG;
        }
        if (size > left) {
            return RequestError.BODY_TOO_LARGE;
        }
        left -= size;
        return go(true, size == 0 ? State.TRAILERS : State.DATA, null);
    }

    /** Trailers are rare and short: they are kept here and read again until they are complete. */
    private Event fields(byte[] b, int p, int to) {
        int more = Math.min(to - p, TRAILER_BYTES - held);
        keep(b, p, more);
        int end = FieldParser.section(trailers, trailers.bytes, 0, held, TRAILER_FIELDS);
        if (end == Octets.BAD) {
            boolean many = trailers.rule == RequestError.TOO_MANY_HEADERS;
            return reject(many ? trailers.rule : RequestError.BAD_TRAILER, p);
        }
        if (end == Octets.MORE) {
            boolean full = held == TRAILER_BYTES;
            return full ? reject(RequestError.TRAILERS_TOO_LARGE, p) : stop(Event.MORE, p + more);
        }
        trailers.dropIf(name -> !Trailers.mayBe(name));
        state = State.DONE;
        return stop(Event.END, p + more - (held - end));
    }

    private void keep(byte[] b, int p, int more) {
        if (trailers == NO_TRAILERS) {
            trailers = new Fields();
        }
        if (held + more > trailers.bytes.length) {
            int room = Math.min(TRAILER_BYTES, Math.max(128, 2 * (held + more)));
            trailers.bytes = Arrays.copyOf(trailers.bytes, room);
        }
        System.arraycopy(b, p, trailers.bytes, held, more);
        held += more;
    }

    private Event reject(RequestError broken, int p) {
        rule = broken;
        state = State.BROKEN;
        return stop(Event.REJECTED, p);
    }

    private Event stop(Event event, int p) {
        next = p;
        return event;
    }

    /** Returns where the bytes of a {@link Event#DATA} begin. */
    int dataFrom() {
        return dataFrom;
    }

    /** Behind the last byte of a {@link Event#DATA}. */
    int dataTo() {
        return dataTo;
    }

    /** Behind the last byte that is used up; behind the body after {@link Event#END}. */
    int next() {
        return next;
    }

    /** The fields behind the last chunk, complete after {@link Event#END}; mostly none. */
    Fields trailers() {
        return trailers;
    }

    /** The rule that a rejected body breaks. */
    RequestError rule() {
        if (rule == null) {
            throw new IllegalStateException("not rejected");
        }
        return rule;
    }
}
