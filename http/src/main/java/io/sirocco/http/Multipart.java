// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;

/**
 * The parts of a {@code multipart/form-data} body (RFC 7578), read as they arrive. Returned by
 * {@link Request#multipart}.
 *
 * <pre>{@code
 * for (Part part : request.multipart()) {
 *     if (part.filename().isPresent()) {
 *         part.stream().transferTo(out);
 *     }
 * }
 * }</pre>
 *
 * <p>Read each part before requesting the next one, which skips the rest of it. Waiting for data
 * blocks, which parks a virtual thread. At most {@value #CHUNK} bytes are in memory, regardless of
 * the size of the parts. A malformed body, a missing final boundary or an exceeded {@linkplain
 * Limits limit} throws {@link BadRequest} (400 or 413); a failure of the underlying stream throws
 * {@link UncheckedIOException}. The parts can be iterated once.
 *
 * <p>Used by one thread at a time.
 */
public final class Multipart implements Iterable<Part> {
    static final int CHUNK = 16 * 1024;

    /**
     * Limits for a multipart body; beyond them 413. Immutable.
     *
     * @param parts the maximum number of parts
     * @param headerBytes the maximum size of the headers of one part
     * @param partBytes the maximum size of the data of one part
     * @param totalBytes the maximum size of the body up to the final boundary
     */
    public record Limits(int parts, int headerBytes, long partBytes, long totalBytes) {
        /** 1,000 parts, each with 8 KiB of headers and 16 MiB of data, and 64 MiB in total. */
        public static final Limits DEFAULT = new Limits(1_000, 8 << 10, 16L << 20, 64L << 20);

        /**
         * Validates the limits.
         *
         * @throws IllegalArgumentException if a limit is negative
         */
        public Limits {
            if (parts < 0 || headerBytes < 0 || partBytes < 0 || totalBytes < 0) {
                throw new IllegalArgumentException("Multipart limits must not be negative.");
            }
        }
    }

    sealed interface Event {
        record Start(Headers headers) implements Event {}

        record Data(byte[] bytes, int from, int to) implements Event {}

        record End() implements Event {}

        record Done() implements Event {}

        record Rejected(MultipartRule rule) implements Event {}
    }

    private final InputStream in;
    private final MultipartParser parser;
    private final Queue<Event> events = new ArrayDeque<>();
    private final byte[] chunk = new byte[CHUNK];
    private boolean taken;

    private Multipart(InputStream in, String boundary, Limits limits) {
        this.in = in;
        this.parser = new MultipartParser(boundary, limits, new Queued());
    }

    /**
     * Creates the parts of a body, with {@link Limits#DEFAULT}.
     *
     * @throws BadRequest if the type is not {@code multipart/form-data} (415) or has no valid
     *     boundary (400)
     */
    public static Multipart of(InputStream body, MediaType type) {
        return of(body, type, Limits.DEFAULT);
    }

    /**
     * Creates the parts of a body with other limits. The body limit of the route applies, too.
     *
     * @throws BadRequest if the type is not {@code multipart/form-data} (415) or has no valid
     *     boundary (400)
     */
    public static Multipart of(InputStream body, MediaType type, Limits limits) {
        if (!type.is("multipart/form-data")) {
            throw new BadRequest(415, "The body must be multipart/form-data.");
        }
        String boundary =
                type.boundary()
                        .orElseThrow(() -> new BadRequest("The multipart boundary is not valid."));
        return new Multipart(body, boundary, limits);
    }

    /**
     * Returns the parts as they arrive.
     *
     * @throws IllegalStateException if called a second time
     */
    @Override
    public Iterator<Part> iterator() {
        if (taken) {
            throw new IllegalStateException("A multipart body can be iterated only once.");
        }
        taken = true;
        return new Parts();
    }

    /** Returns the next event, reading from the stream if none is queued. */
    Event next() throws IOException {
        while (events.isEmpty()) {
            int count = in.read(chunk);
            if (count < 0) {
                parser.close();
            } else {
                parser.feed(chunk, 0, count);
            }
        }
        return events.remove();
    }

    private final class Parts implements Iterator<Part> {
        private Part current;
        private Part ahead;
        private boolean done;

        @Override
        public boolean hasNext() {
            if (ahead == null && !done) {
                advance();
            }
            return ahead != null;
        }

        @Override
        public Part next() {
            if (!hasNext()) {
                throw new NoSuchElementException("There are no more parts.");
            }
            current = ahead;
            ahead = null;
            return current;
        }

        private void advance() {
            try {
                if (current != null) {
                    current.skip();
                }
                done = true; // unless there is another part; also when the next line throws
                switch (Multipart.this.next()) {
                    case Event.Start(var headers) -> {
                        ahead = new Part(headers, Multipart.this);
                        done = false;
                    }
                    case Event.Done() -> {}
                    case Event.Rejected(var rule) -> throw rule.failure();
                    case Event.Data _, Event.End _ ->
                            throw new IllegalStateException("Data outside of a part.");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Queues the events of one chunk. Their slices stay valid, because the next chunk is read when
     * all are consumed.
     */
    private final class Queued implements MultipartParser.Events {
        @Override
        public void partStart(Headers headers) {
            events.add(new Event.Start(headers));
        }

        @Override
        public void partData(byte[] bytes, int from, int to) {
            events.add(new Event.Data(bytes, from, to));
        }

        @Override
        public void partEnd() {
            events.add(new Event.End());
        }

        @Override
        public void end() {
            events.add(new Event.Done());
        }

        @Override
        public void rejected(MultipartRule rule) {
            events.add(new Event.Rejected(rule));
        }
    }
}
