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
 * A form with files ({@code multipart/form-data}, RFC 7578), read while it arrives:
 *
 * <pre>
 *   for (Part part : multipart) {
 *       part.stream().transferTo(out);
 *   }
 * </pre>
 *
 * <p>Each part is read before the next one is asked for; what is left of it then is skipped.
 * Waiting for bytes blocks in the stream below, which parks a virtual thread. At most {@value
 * #CHUNK} bytes are held, whatever the parts' size. A malformed body, a missing final boundary or
 * an exceeded {@link Limits limit} throws {@link BadRequest} (400 or 413), a failure of the stream
 * below {@link UncheckedIOException}. It can be gone through once. One thread at a time.
 */
public final class Multipart implements Iterable<Part> {
    static final int CHUNK = 16 * 1024;

    /**
     * How much is accepted.
     *
     * @param parts how many parts
     * @param headerBytes bytes of the head of one part
     * @param partBytes bytes of one part's data
     * @param totalBytes bytes of the body up to the final boundary
     */
    public record Limits(int parts, int headerBytes, long partBytes, long totalBytes) {
        /** 1,000 parts, 8 KiB of head and 16 MiB of data each, 64 MiB altogether. */
        public static final Limits DEFAULT = new Limits(1_000, 8 << 10, 16L << 20, 64L << 20);

        /** None may be negative. */
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

    /** The parts of a body with {@link Limits#DEFAULT}. */
    public static Multipart of(InputStream body, MediaType type) {
        return of(body, type, Limits.DEFAULT);
    }

    /**
     * The parts of a body.
     *
     * @throws BadRequest when the type is not {@code multipart/form-data} (415) or its boundary is
     *     missing or invalid (400)
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

    /** The parts as they arrive; an {@link IllegalStateException} the second time. */
    @Override
    public Iterator<Part> iterator() {
        if (taken) {
            throw new IllegalStateException("A multipart body can be iterated only once.");
        }
        taken = true;
        return new Parts();
    }

    /** The next event, read from the stream when none is waiting. */
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
     * Keeps what one chunk holds; slices stay valid, for the next chunk waits until all are used.
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
