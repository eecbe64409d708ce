// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.body.MultipartReader;
import io.sirocco.http.body.MultipartRule;
import io.sirocco.http.body.PartStream;
import io.sirocco.http.message.Disposition;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * One field or file of a {@link Multipart} form. Its data can be read once, as a stream or as a
 * whole, until the next part is requested. Used by one thread at a time.
 */
public final class Part {
    private static final MediaType PLAIN = MediaType.parse("text/plain").orElseThrow();

    private final Headers headers;
    private final Disposition disposition;
    private final PartStream stream;

    /** Rejects a part without a name (RFC 7578 4.2). */
    Part(Headers headers, MultipartReader source) {
        this.headers = headers;
        this.disposition =
                headers.first("Content-Disposition")
                        .flatMap(Disposition::parse)
                        .orElseThrow(MultipartRule.DISPOSITION::failure);
        this.stream = new PartStream(source);
    }

    /** Returns the name of the form field. */
    public String name() {
        return disposition.name();
    }

    /**
     * Returns the file name sent by the client, if the part is a file. Directories are removed. The
     * rest is client input and may be anything, or empty if no file was chosen: do not open a file
     * by it.
     */
    public Optional<String> filename() {
        return disposition.filename();
    }

    /** Returns the media type; {@code text/plain} if there is none (RFC 7578 4.4). */
    public MediaType contentType() {
        return headers.first("Content-Type").flatMap(MediaType::parse).orElse(PLAIN);
    }

    /** Returns the headers of the part. */
    public Headers headers() {
        return headers;
    }

    /**
     * Returns the data as it arrives. Reading throws {@link BadRequest} if the body is malformed or
     * too large. Closing the stream does nothing.
     */
    public InputStream stream() {
        return stream;
    }

    /**
     * Returns all data, at most {@link Multipart.Limits#partBytes}.
     *
     * @throws BadRequest if the body is malformed or too large
     * @throws UncheckedIOException if the body does not arrive
     */
    public byte[] bytes() {
        try {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns all data as text, decoded by the charset of the part or as UTF-8.
     *
     * @throws BadRequest if the body is malformed or too large
     * @throws UncheckedIOException if the body does not arrive
     */
    public String text() {
        return new String(bytes(), contentType().charset(UTF_8));
    }

    void skip() throws IOException {
        stream.skip();
    }
}
