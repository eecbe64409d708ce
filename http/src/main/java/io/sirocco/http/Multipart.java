// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.body.MultipartReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;

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
 * Waiting for bytes blocks in the stream below, which parks a virtual thread. At most 16 KiB are
 * held, whatever the parts' size. A malformed body, a missing final boundary or an exceeded {@link
 * Limits limit} throws {@link BadRequest} (400 or 413), a failure of the stream below {@link
 * UncheckedIOException}. It can be gone through once. One thread at a time.
 */
public final class Multipart implements Iterable<Part> {
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

    private final MultipartReader reader;
    private boolean taken;

    private Multipart(MultipartReader reader) {
        this.reader = reader;
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
        return new Multipart(new MultipartReader(body, boundary, limits));
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
                switch (reader.next()) {
                    case MultipartReader.Event.Start(var headers) -> {
                        ahead = new Part(headers, reader);
                        done = false;
                    }
                    case MultipartReader.Event.Done() -> {}
                    case MultipartReader.Event.Rejected(var rule) -> throw rule.failure();
                    case MultipartReader.Event.Data _, MultipartReader.Event.End _ ->
                            throw new IllegalStateException("Data outside of a part.");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
