// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.body.MultipartReader;
import io.sirocco.http.exchange.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;

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
 * blocks, which parks a virtual thread. At most 16 KiB are in memory, regardless of the size of the
 * parts. A malformed body, a missing final boundary or an exceeded {@linkplain Limits limit} throws
 * {@link BadRequest} (400 or 413); a failure of the underlying stream throws {@link
 * UncheckedIOException}. The parts can be iterated once.
 *
 * <p>Used by one thread at a time.
 */
public final class Multipart implements Iterable<Part> {
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

    private final MultipartReader reader;
    private boolean taken;

    private Multipart(MultipartReader reader) {
        this.reader = reader;
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
        return new Multipart(new MultipartReader(body, boundary, limits));
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
